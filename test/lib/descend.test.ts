import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, CODING_NAMES, Document, chooseDescended, decode, encode, minify } from '../../lib/index.js'
import type { CodingName, DescendPolicy, DescendedChoice } from '../../lib/index.js'
import { isSameButEmbedded } from '../../lib/descend/same-but-embedded.js'
import { encodeEmbedded } from '../../lib/descend/encode-embedded.js'
import { findEmbedded } from '../../lib/descend/find-embedded.js'
import { measureLiteral, unescapeString } from '../../lib/json/string-literal.js'
import { replaceBytes, replaceString, splice } from '../../lib/json/splice.js'
import { jsonText } from '../helpers/nasty-json.js'
import { expand } from '../helpers/expand-embedded.js'
import { throwsLike } from '../helpers/throws-like.js'

/* Real payloads, which are not part of this project: skipped where they are not beside it. */
const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(CORPUS)

const rows = Array.from({ length: 6 }, (_, id) => ({ id, name: `name ${id}`, city: 'Oslo' }))
const ROWS = JSON.stringify(rows)
const PRETTY = JSON.stringify(rows, null, 2)
/** Nothing in it is a table. */
const RAGGED = JSON.stringify({ a: { b: [1, { c: 'x'.repeat(20) }, [2, [3]]] }, d: [{ e: 1 }, { f: [2] }], g: 'y'.repeat(20) })

interface Descended extends DescendedChoice {
  text: string
}

function descend (json: string, { accepted = ['toon'], ...policy }: Omit<Partial<DescendPolicy>, 'accepted'> & { accepted?: CodingName[] } = {}): Descended {
  const choice = chooseDescended(Document.parse(json), { measure: 'bytes', ...policy, accepted: accepted.map(codec => ({ codec, q: 1 })) })
  return { ...choice, text: Buffer.from(choice.bytes).toString() }
}

function restore ({ text, codec, descent }: Descended): string {
  return decode(text, codec, { paths: descent?.coded, outer: descent?.outer ?? undefined })
}

t.test('a document in a string is encoded, and so is the text around it, in the same coding', async t => {
  const json = JSON.stringify({ ok: true, exitCode: 0, stdout: PRETTY, stderr: '' })
  const choice = descend(json)
  t.equal(choice.text, encode(JSON.stringify({ ok: true, exitCode: 0, stdout: encode(ROWS, 'toon'), stderr: '' }), 'toon'))
  t.match(choice, { codec: 'toon', descent: { coded: ['/stdout'], minified: [], outer: null } })
  t.match(choice.decision, { outcome: 'encoded', codec: 'toon', version: '4.0', reason: null, lossless: true, bytesBefore: json.length, bytesAfter: choice.text.length, paths: ['/stdout'] })
  t.notOk('outer' in choice.decision)
  t.equal(restore(choice), JSON.stringify({ ok: true, exitCode: 0, stdout: ROWS, stderr: '' }))
})

t.test('the text around it stays JSON, byte for byte, where the coding declines it or makes it larger', async t => {
  const around = '{ "n":1.0, "a":[[[[1]],[[2]],[{"x":[[3]]}]]],\t"b":{"c":{"d":{"e":[{},{"f":[]}]}}}, "out" : '
  const json = `${around}${JSON.stringify(PRETTY)} }`
  const choice = descend(json)
  t.equal(choice.text, `${around}${JSON.stringify(encode(ROWS, 'toon'))} }`)
  t.match(choice, { codec: 'toon', descent: { coded: ['/out'], outer: 'json' }, decision: { outer: 'json', paths: ['/out'] } })
  t.equal(restore(choice), minify(`${around}${JSON.stringify(ROWS)} }`))
  const declined = `{"s":"\\ud800","out":${JSON.stringify(PRETTY)}}`
  t.match(descend(declined), { codec: 'toon', descent: { coded: ['/out'], outer: 'json' } })
  t.equal(restore(descend(declined)), `{"s":"\\ud800","out":${JSON.stringify(ROWS)}}`)
  const whole = descend(json, { mixed: false })
  t.not(whole.descent?.outer, 'json', 'unless a mixed text is not wanted')
})

t.test('it goes two levels deep and no deeper; a path goes on behind the string that it leads into', async t => {
  const third = JSON.stringify({ list: rows, deeper: PRETTY }, null, 1)
  const second = JSON.stringify({ 'a/b': [0, third] })
  const json = JSON.stringify({ 'x~y': second })
  const choice = descend(json)
  t.strictSame(choice.decision.paths, ['/x~0y', '/x~0y/a~1b/1'])
  t.strictSame([...choice.descent?.coded ?? [], ...choice.descent?.minified ?? []].sort(), ['/x~0y', '/x~0y/a~1b/1'])
  t.equal(restore(choice), JSON.stringify({ 'x~y': JSON.stringify({ 'a/b': [0, minify(third)] }) }), 'the third level kept its blanks')
})

t.test('where the codec does not win inside, the document is minified there, and listed apart', async t => {
  const json = JSON.stringify({ first: PRETTY, second: JSON.stringify(JSON.parse(RAGGED), null, 2) })
  const choice = descend(json)
  t.match(choice, { codec: 'toon', descent: { coded: ['/first'], minified: ['/second'] }, decision: { paths: ['/first', '/second'] } })
  t.equal(restore(choice), JSON.stringify({ first: ROWS, second: RAGGED }))
  const none = descend(json, { accepted: [] })
  t.match(none, { codec: 'json', text: JSON.stringify({ first: ROWS, second: RAGGED }), descent: { coded: [], minified: ['/first', '/second'], outer: null } })
  t.match(none.decision, { outcome: 'encoded', codec: 'json', version: null, reason: 'not-smaller', lossless: true, paths: ['/first', '/second'] })
})

t.test('why nothing was descended into is told by a reason', async t => {
  const reason = (value: object): unknown => descend(JSON.stringify(value)).decision.reason
  const nested = { a: { b: { c: [[1, 2], [3]] } } }
  t.equal(reason({ ...nested, stdout: 'no JSON at all, and that at some length, so that it is longer than the least' }), 'no-embedded-json')
  t.equal(reason({ ...nested, stdout: `${ROWS}\nand more text behind it` }), 'no-embedded-json')
  t.equal(reason({ ...nested, stdout: '[{"a":1},{"a":2}]' }), 'no-embedded-json', 'below 64 bytes')
  t.equal(reason({ ...nested, stdout: RAGGED }), 'not-uniform-object-array')
  t.equal(reason({ ...nested, stdout: JSON.stringify({ deep: { a: { b: [[['x'.repeat(50), { c: [{ d: 1 }] }]]] } } }) }), 'inner-not-smaller')
  t.equal(descend('[[1],[2]]').decision.reason, 'not-smaller', 'of a list as ever')
  t.match(descend(JSON.stringify({ a: PRETTY }), { minBytes: 1e6 }), { codec: 'json', descent: null, decision: { reason: 'below-floor' } })
})

t.test('what looks like JSON and is none stays, and so does what no pointer can name', async t => {
  for (const text of [`[INFO] ${'x'.repeat(80)}]`, `{"a":${'1'.repeat(80)}`, `[1] ${'x'.repeat(80)} ]`, `{a:1}${' '.repeat(80)}}`, `\u00a0${ROWS}`, '[', '{', `[${' '.repeat(100)}`, `"${ROWS}"`]) {
    t.equal(findEmbedded(Document.parse(JSON.stringify({ text })), 512).length, 0, text)
  }
  t.equal(findEmbedded(Document.parse(`{"a":${JSON.stringify(ROWS)},"a":1}`), 512).length, 0, 'a key that stands twice')
  t.equal(findEmbedded(Document.parse(`{"\\ud800":${JSON.stringify(ROWS)}}`), 512).length, 0, 'a key that is no Unicode')
  t.equal(findEmbedded(Document.parse(`{"a":"[\\"\\ud800${'x'.repeat(80)}\\"]"}`), 512).length, 0, 'a text that is no Unicode')
  t.equal(findEmbedded(Document.parse(JSON.stringify([[[ROWS]]])), 2).length, 0, 'deeper than may be encoded')
  t.strictSame(findEmbedded(Document.parse(JSON.stringify([1, { '': [[], {}, ROWS] }, `[\r\n\t ${ROWS.slice(1)} \n`])), 512).map(({ pointer }) => pointer), ['/1//2', '/2'])
  const spelled = `{"a":"\\u005b${JSON.stringify(ROWS).slice(2)}}`
  t.strictSame(findEmbedded(Document.parse(spelled), 512).map(({ pointer }) => pointer), ['/a'], 'whatever its spelling')
})

t.test('after many strings that look like JSON and are none, the rest is not tried', async t => {
  const none = Array.from({ length: 70 }, (_, i) => `{"a":${i}${'-'.repeat(80)}}`)
  t.equal(findEmbedded(Document.parse(JSON.stringify([...none.slice(0, 63), ROWS])), 512).length, 1)
  t.equal(findEmbedded(Document.parse(JSON.stringify([...none, ROWS])), 512).length, 0)
})

t.test('a string whose pointer is longer than what encoding it saves stays', async t => {
  const key = 'k'.repeat(400)
  const { codec, descent } = descend(JSON.stringify({ [key]: ROWS }))
  t.equal(descent, null)
  t.equal(codec, 'toon')
})

t.test('of several codings the one with the highest q wins, then the smallest; JSON with all blanks gone is what they must beat', async t => {
  const json = JSON.stringify({ stdout: PRETTY })
  const both = descend(json, { accepted: ['toon', 'stc'] })
  const sizes = (['toon', 'stc'] as const).map(codec => descend(json, { accepted: [codec] }).text.length)
  t.equal(both.text.length, Math.min(...sizes))
  const preferred = chooseDescended(Document.parse(json), { accepted: [{ codec: 'toon', q: 0.5 }, { codec: 'stc', q: 0.9 }] })
  t.equal(preferred.codec, 'stc')
  const savings = descend(json, { minSavings: 90 })
  t.match(savings, { codec: 'json', descent: { minified: ['/stdout'] } })
  t.match(descend(json, { measure: 'tokens' }), { codec: 'toon', descent: { coded: ['/stdout'] }, decision: { tokensAfter: Number } })
  const plain = descend(JSON.stringify({ rows, note: JSON.stringify(JSON.parse(RAGGED), null, 8) }))
  t.ok(plain.descent?.minified.includes('/note'))
})

t.test('modes: observe ships the original, always keeps to the first coding', async t => {
  const json = JSON.stringify({ stdout: PRETTY })
  const document = Document.parse(json)
  const observed = chooseDescended(document, { mode: 'observe', accepted: [{ codec: 'toon', q: 1 }] })
  t.equal(observed.bytes, document.bytes)
  t.match(observed, { codec: 'json', descent: null, decision: { outcome: 'passthrough', codec: 'toon', reason: 'observe-only', paths: ['/stdout'] } })
  t.match(descend(json, { mode: 'always', accepted: ['stc', 'toon'] }), { codec: 'stc', descent: { coded: ['/stdout'] } })
  t.match(descend(JSON.stringify({ a: [[1]], b: JSON.stringify(JSON.parse(RAGGED), null, 1) }), { mode: 'always' }), { codec: 'toon' })
  t.match(descend(json, { identityRefused: true }), { codec: 'toon', descent: { coded: ['/stdout'] } })
})

t.test('where only tables may be re-encoded, only tables in strings are', async t => {
  const json = JSON.stringify({ first: PRETTY, second: JSON.stringify(JSON.parse(RAGGED), null, 2) })
  t.match(descend(json, { tabularOnly: {} }), { codec: 'toon', descent: { coded: ['/first'], outer: 'json' } })
  t.match(descend(JSON.stringify({ second: JSON.stringify(JSON.parse(RAGGED), null, 2) }), { tabularOnly: {} }), { codec: 'json', descent: null, decision: { outcome: 'passthrough' } })
})

t.test('a text that may not ship, or does not come back, is dropped', async t => {
  const json = JSON.stringify({ stdout: PRETTY })
  t.match(descend(json, { refuse: () => 'not-smaller' }), { codec: 'json' })
  t.match(descend(json, { isLabelSafe: () => false }), { codec: 'json' })
  t.match(descend(json, { maxBytes: 10 }), { codec: 'json', descent: { coded: [] } }, 'no decoder reads it within its bounds')
  t.match(descend(json, { maxBytes: 10, verify: false }), { codec: 'toon', descent: { coded: ['/stdout'] } })
  t.match(descend(json, { accepted: ['rows'], rows: { lossy: true } }), { descent: { coded: [] } }, 'nor is a dialect with losses used')
  t.match(descend(json, { overheadOf: () => 1000 }), { codec: 'json' }, 'what ships with a text counts')
})

t.test('a defect in a decoder is seen, and is not taken for a text that does not come back', async t => {
  const toon = CODECS.toon as { decode: typeof CODECS.toon.decode }
  const { decode: own } = toon
  t.teardown(() => { toon.decode = own })
  toon.decode = () => { throw new RangeError('a defect') }
  throwsLike(t, () => descend(JSON.stringify({ stdout: PRETTY })), { name: 'RangeError' })
  toon.decode = (text, options) => Buffer.from(Buffer.from(own(text, options)).toString().replace('Oslo', 'Rome'))
  t.match(descend(JSON.stringify({ stdout: PRETTY })), { codec: 'json', descent: { coded: [] } }, 'another document is refused')
})

t.test('a document that differs anywhere is not the same but for what is embedded', async t => {
  const json = JSON.stringify({ a: 1, s: ROWS, l: [true, null, 'x', { k: 2 }] })
  const document = Document.parse(json)
  const embedded = findEmbedded(document, 512)
  const isSame = (other: string, numbers: 'lexeme' | 'value' = 'value'): boolean => isSameButEmbedded(document, embedded, Document.parse(other), numbers)
  t.ok(isSame(json))
  t.ok(isSame(json.replace('"a":1', '"a":1.0').replace(JSON.stringify(ROWS), JSON.stringify(PRETTY))))
  t.notOk(isSame(json.replace('"a":1', '"a":1.0'), 'lexeme'))
  for (const [from, to] of [['"a"', '"b"'], [':1,', ':2,'], ['true', 'false'], ['"x"', '"y"'], ['"x"', '"xx"'], [',null', ''], ['name 3', 'name 4'], ['{"k":2}', '[2]'], ['{"k":2}', '{"k":2,"l":3}'], [']}', ',5]}'], ['\\"id\\":5', '\\"id\\":6']]) {
    t.notOk(isSame(json.replace(from, to)), `${from} ${to}`)
  }
  t.notOk(isSame('1'))
  t.notOk(isSameButEmbedded(Document.parse('[]'), [], Document.parse('[1]'), 'value'))
})

t.test('paths that lead to no string, or are no pointers, are errors', async t => {
  const text = '{"a":"x: 1","b":{"c":[1]},"d":"{\\"e\\":\\"y: 2\\"}"}'
  t.equal(decode(text, 'toon', { outer: 'json', paths: ['/a', '/a', '/d/e'] }), '{"a":"{\\"x\\":1}","b":{"c":[1]},"d":"{\\"e\\":\\"{\\\\\\"y\\\\\\":2}\\"}"}')
  for (const paths of [['/x'], ['/b'], ['/b/c'], ['/b/c/0'], ['/b/c/1'], ['/a/0', '/zz'], ['/d/f']]) {
    t.throws(() => decode(text, 'toon', { outer: 'json', paths }), paths.join())
  }
  for (const paths of [[''], ['a'], ['/~'], ['/~2']]) throwsLike(t, () => decode(text, 'toon', { outer: 'json', paths }), { name: 'TypeError' })
  throwsLike(t, () => decode('{"a":"\\ud800"}', 'toon', { outer: 'json', paths: ['/a'] }), { name: 'TypeError' })
  throwsLike(t, () => decode('{"a":"[2]: 1"}', 'toon', { outer: 'json', paths: ['/a'] }), { name: 'DecodeError' })
})

t.test('lines before a text are skipped where they are said to be there', async t => {
  const marked = 'one\ntwo\na: 1'
  t.equal(decode(marked, 'toon', { preamble: 2 }), '{"a":1}')
  t.equal(decode(Buffer.from(marked), 'toon', { preamble: 2 }), '{"a":1}')
  t.equal(decode('one\n[1, 2]', 'json', { preamble: 1 }), '[1,2]')
  t.equal(decode('one\n', 'toon', { preamble: 1 }), '{}')
  t.equal(decode('one', 'toon', { preamble: 3 }), '{}', 'an empty document of TOON has no line of its own')
})

const withEmbedded = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(jsonText, fc.constantFrom(ROWS, PRETTY, RAGGED, 'text')).map(text => JSON.stringify(text)),
    jsonText.filter(text => text.length < 2000),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `{"a":${a}, "/~":${b}}`),
    fc.array(tie('value'), { maxLength: 3 }).map(values => `[${values.join(' ,')}]`),
    tie('value').map(value => JSON.stringify(value)),
    tie('value').map(value => JSON.stringify(JSON.stringify({ value, rows }, null, 1)))
  )
})).value

t.test('every text made by descending comes back: all as it was, but for blanks in the documents at the paths that are listed', async t => {
  let descended = 0
  let mixed = 0
  fc.assert(fc.property(withEmbedded, fc.constantFrom(...CODING_NAMES), (value, codec) => {
    const json = `{"stdout":${value},"rest":${JSON.stringify(PRETTY)}}`
    const choice = descend(json, { accepted: [codec] })
    const document = Document.parse(json)
    const minified = encodeEmbedded(document, findEmbedded(document, 512), null, {})
    if (minified !== null && Buffer.byteLength(minify(splice(document.bytes, minified.edits))) !== document.minifiedBytes - minified.saved) throw new Error('not what it was said to save')
    if (choice.text.length > minify(json).length) throw new Error('larger than minified JSON')
    if (choice.descent === null) return
    descended++
    if (choice.descent.outer === 'json') mixed++
    const back = restore(choice)
    if (JSON.stringify(expand(back)) !== JSON.stringify(expand(json))) throw new Error(`${back}\nis not\n${json}`)
    const paths = [...choice.descent.coded, ...choice.descent.minified]
    if ([...paths].sort().join() !== [...choice.decision.paths].sort().join()) throw new Error('paths')
  }), { numRuns: 1500 })
  t.ok(descended > 700 && mixed > 10, `${descended} descended, ${mixed} stayed JSON outside`)
})

t.test('every real payload that is descended into comes back', { skip: isMissing && 'no corpus' }, async t => {
  const descended: string[] = []
  for (const file of readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.json')).sort()) {
    const json = readFileSync(join(CORPUS, file), 'utf8')
    for (const codec of CODING_NAMES) {
      const choice = descend(json, { accepted: [codec] })
      t.ok(choice.decision.bytesAfter <= Buffer.byteLength(minify(json)), `${file}: never worse`)
      if (choice.descent === null) continue
      descended.push(`${file} ${choice.codec}`)
      t.equal(JSON.stringify(expand(restore(choice))), JSON.stringify(expand(json)), `${file}: ${codec}`)
    }
  }
  t.ok(descended.includes('tool-runner/sqlite-json-tracks.json toon'))
  t.ok(descended.includes('tool-runner/eslint-json.json stc'))
  t.ok(descended.filter(name => name.startsWith('mcp-tool-results/')).length > 5)
})

t.test('a string literal stands for its text, in the fewest bytes', async t => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
    const literal = JSON.stringify(a + b)
    const bytes = [a, b].map(text => Buffer.from(text))
    if (Buffer.from(splice(Buffer.from('[]'), [replaceString(1, 1, bytes)])).toString() !== `[${literal}]`) throw new Error(literal)
    if (measureLiteral(bytes) !== Buffer.byteLength(literal)) throw new Error('measured')
    const source = Buffer.from(literal)
    const view = new DataView(source.buffer, source.byteOffset, source.length)
    if (Buffer.from(unescapeString(source, view, 1, source.length - 1) as Uint8Array).toString() !== a + b) throw new Error('unescaped')
  }))
  const spelled = Buffer.from('"\\u00e9\\uD83D\\uDE00\\/\\b\\f\\n\\r\\t\\"\\\\ a"')
  const view = new DataView(spelled.buffer, spelled.byteOffset, spelled.length)
  t.equal(Buffer.from(unescapeString(spelled, view, 1, spelled.length - 1) as Uint8Array).toString(), 'é😀/\b\f\n\r\t"\\ a')
})

t.test('bytes without edits are the same array, insertions come before what follows them', async t => {
  const bytes = Buffer.from('abcdef')
  t.equal(splice(bytes, []), bytes)
  const edits = [replaceBytes(4, 6, Buffer.from('Z')), replaceBytes(1, 1, Buffer.from('X')), replaceBytes(1, 2, Buffer.from(''))]
  t.equal(Buffer.from(splice(bytes, edits)).toString(), 'aXcdZ')
})
