import { deepStrictEqual, strictEqual } from 'node:assert'
import { encode as oracleEncode } from '@toon-format/toon'
import fc from 'fast-check'
import t from 'tap'
import { Document, isEqual, minify } from '../../lib/index.js'
import { toonFlatten } from '../../lib/toon-flatten/codec.js'
import { flatten } from '../../lib/toon-flatten/flatten.js'
import type { FlattenOptions } from '../../lib/toon-flatten/options.js'
import { unflatten } from '../../lib/toon-flatten/unflatten.js'
import { jsonText } from '../helpers/nasty-json.js'
import { isExactInJavaScript, readReference, withComparableNumbers, writeReference } from '../helpers/reference-json.js'
import type { Reference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

const RUNS = { numRuns: 4000 }
const UNDERSCORE = { flatten: { dots: 'underscore' } } as const

/** Texts without dots in their keys, which most of the nasty ones have somewhere. */
const undottedText = jsonText.map(json => json.replaceAll('"a.b"', '"ab"').replaceAll('"a\\u002eb"', '"ab"'))

/** Apify's description on JavaScript values; empty objects stay, and so do empty keys, which it takes for no prefix. */
function dotFlatten (value: unknown, depth = 0): unknown {
  if (depth > 20) throw new RangeError('flatten: max depth exceeded')
  if (Array.isArray(value)) return value.map(element => dotFlatten(element, depth + 1))
  return typeof value === 'object' && value !== null ? flattenObject(value, [], depth) : value
}

function flattenObject (object: object, path: string[], depth: number): object {
  const members: [string, unknown][] = []
  for (const [key, value] of Object.entries(object)) {
    const inner = [...path, key.replaceAll('.', '_')]
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
      members.push(...Object.entries(flattenObject(value, inner, depth + 1)))
    } else {
      members.push([inner.join('.'), dotFlatten(value, depth + 1)])
    }
  }
  if (new Set(members.map(([key]) => key)).size < members.length) throw new RangeError('flatten: collision')
  return Object.fromEntries(members)
}

function hasDottedKey (node: Reference): boolean {
  if (node.kind === 'object') return node.members.some(([key, value]) => key.includes('.') || hasDottedKey(value))
  return node.kind === 'array' && node.elements.some(hasDottedKey)
}

/** Every byte replaced, left out and doubled, and every two lines swapped. */
function * mutantsOf (text: string): Generator<string> {
  for (let i = 0; i < text.length; i++) {
    for (const char of '01.,:;[]{}"\\ \n\tabcx-#') {
      if (char !== text[i]) yield text.slice(0, i) + char + text.slice(i + 1)
    }
    yield text.slice(0, i) + text.slice(i + 1)
    yield text.slice(0, i) + text[i] + text.slice(i)
    yield text.slice(0, i)
  }
  const lines = text.split('\n')
  for (let i = 1; i < lines.length; i++) yield [...lines.slice(0, i - 1), lines[i], lines[i - 1], ...lines.slice(i + 1)].join('\n')
}

function encode (json: string, options = {}): string {
  const document = Document.parse(json)
  const size = toonFlatten.measure(document, options)
  if (typeof size === 'string') throw new Error(size)
  return Buffer.from(toonFlatten.encode(document, options, size)).toString()
}

const decode = (text: string, options = {}): string => Buffer.from(toonFlatten.decode(text, options)).toString()

t.test('flatten: every document comes back exactly, or is declined for a dotted or a duplicate key or its depth', async t => {
  const reasons = new Set<string>()
  let flattened = 0
  let changed = 0
  fc.assert(fc.property(undottedText, json => {
    let flat
    try {
      flat = flatten(json)
    } catch (error) {
      reasons.add((error as { reason: string }).reason)
      return
    }
    flattened++
    const reference = readReference(json)
    strictEqual(hasDottedKey(reference), false)
    if (flat !== minify(json)) changed++
    strictEqual(unflatten(flat), writeReference(reference))
    strictEqual(unflatten(Buffer.from(flat)), unflatten(Document.parse(flat)))
  }), RUNS)
  t.ok(flattened > RUNS.numRuns * 0.8 && changed > RUNS.numRuns / 10, `${flattened} were flattened, ${changed} were changed by it`)
  t.same([...reasons].filter(reason => !['declined-duplicate-keys', 'declined-dotted-key', 'declined-depth'].includes(reason)), [])
})

t.test('flatten: it does what Apify describes, but for the losses', async t => {
  for (const [name, json, flat] of [
    ['rows', '[{"id":1,"stats":{"runs":10,"reads":5}},{"id":2,"stats":{"runs":20,"reads":8}}]', '[{"id":1,"stats.runs":10,"stats.reads":5},{"id":2,"stats.runs":20,"stats.reads":8}]'],
    ['arrays are recursed into and stay', '{"a":{"p":[{"x":{"y":1}},[{"z":{"w":2}}],3],"t":["a","b"]}}', '{"a.p":[{"x.y":1},[{"z.w":2}],3],"a.t":["a","b"]}'],
    ['an empty object stays a leaf', '{"opts":{},"a":{"b":{}},"c":[{}]}', '{"opts":{},"a.b":{},"c":[{}]}'],
    ['the empty root', '{}', '{}'],
    ['an empty key is an empty part', '{"":{"a":1},"a":{"":{"":2}}}', '{".a":1,"a..":2}'],
    ['lexemes and escapes', '{ "a" : { "\\u0062" : 1.50e400 , "c\\n" : 12345678901234567890 } }', '{"a.b":1.50e400,"a.c\\n":12345678901234567890}'],
    ['prototype keys (report R11)', '{"__proto__":{"constructor":{"x":1}}}', '{"__proto__.constructor.x":1}'],
    ['lone surrogates are strings like others', '{"a":{"\\ud800":"\\udc00"}}', '{"a.\\ud800":"\\udc00"}'],
    ['a primitive', ' 1.0 ', '1.0']
  ]) {
    t.equal(flatten(json), flat, name)
    t.equal(unflatten(flat), minify(json), `${name}: and back`)
  }
})

t.test('flatten: a dot in a key, two members that would become one, and more than 20 levels are refused', async t => {
  const refuses = (json: string, reason: string, options: FlattenOptions = {}): void =>
    throwsLike(t, () => flatten(json, options), { name: 'CodecDeclinedError', code: 'ERR_CODEC_DECLINED', codec: 'toon-flatten', reason }, `${json.slice(0, 40)}: ${reason}`)
  const nest = (open: string, value: string, close: string, levels: number): string => open.repeat(levels) + value + close.repeat(levels)
  refuses('{"a.b":1}', 'declined-dotted-key')
  refuses('[{"x":{"a b.":1}}]', 'declined-dotted-key')
  refuses('{"a":{"b":1},"a.b":2}', 'declined-dotted-key')
  refuses('{"\\u002e":1}', 'declined-dotted-key')
  refuses('{"a":{"b":1},"a":{"c":2}}', 'declined-duplicate-keys')
  refuses('{"a.b":1,"a.b":2}', 'declined-duplicate-keys', { dots: 'underscore' })
  refuses('{"a.b":1,"a_b":2}', 'declined-dotted-key', { dots: 'underscore' })
  refuses('[{"x":{"a.b":{"c":1},"a_b":{"d":2}}}]', 'declined-dotted-key', { dots: 'underscore' })
  refuses(nest('{"a":', '1', '}', 21), 'declined-depth')
  refuses(nest('[', '1', ']', 21), 'declined-depth')
  refuses(nest('{"a":', '{"b":1}', '}', 21), 'declined-depth')
  refuses(nest('[', '[]', ']', 21), 'declined-depth')
  refuses(nest('[', '[]', ']', 5000), 'declined-depth')
  t.equal(flatten(nest('{"a":', '1', '}', 20)), `{"${'a.'.repeat(19)}a":1}`)
  t.equal(flatten(nest('[', '{}', ']', 20)), nest('[', '{}', ']', 20))
  t.equal(flatten('{"a.b":{"c.":1},"d":{"_":2}}', { dots: 'underscore' }), '{"a_b.c_":1,"d._":2}')
})

t.test('unflatten: an object that is entered again, a value that is an object too, and what has no bounds are errors', async t => {
  const fails = (json: string, expected: Record<string, unknown>, options = {}): void =>
    throwsLike(t, () => unflatten(json, options), { name: 'DecodeError', code: 'ERR_DECODE', ...expected }, json.slice(0, 60))
  fails('{"a.b":1,"c":2,"a.d":3}', { offset: 15, expected: 'no second key "a" in the same object' })
  fails('{"a":1,"a.b":2}', { offset: 7 })
  fails('{"a.b":1,"a":2}', { offset: 9 })
  fails('{"a":{},"a.b":2}', { offset: 8 })
  fails('{"x":[{"a.b":1,"a.b":2}]}', { line: 1, column: 16 })
  fails('{"é":1,\n"a.b.c":1,"a.b":2}', { offset: 18, line: 2, column: 11 })
  fails(`{"${'.'.repeat(600)}":1}`, { expected: 'no more than 512 levels' })
  fails('{"a.b":[1]}', { expected: 'no more than 2 levels' }, { maxDepth: 2 })
  fails('{"a.b":[1,1,1]}', { expected: 'no more than 5 bytes of JSON' }, { maxBytes: 5 })
  throwsLike(t, () => unflatten('{'), { name: 'JsonSyntaxError' })
  t.equal(unflatten('{"a.b":[1]}', { maxDepth: 3 }), '{"a":{"b":[1]}}')
  t.equal(unflatten('{"a":{"b.c":1},"d":[true,false,null,"\\u0041"]}'), '{"a":{"b":{"c":1}},"d":[true,false,null,"A"]}', 'what is nested stays')
  t.equal(unflatten('{"a.b":1,"a.c.d":2,"a.c.e":3,"a.f":4,"ab.g":5}'), '{"a":{"b":1,"c":{"d":2,"e":3},"f":4},"ab":{"g":5}}')
})

t.test('toon-flatten: what is written is verified, comes back with keys in order, and is declined otherwise', async t => {
  const reasons = new Set<string>()
  let held = 0
  fc.assert(fc.property(undottedText, fc.constantFrom(',', '\t', '|'), (json, delimiter) => {
    const document = Document.parse(json)
    const size = toonFlatten.measure(document, { delimiter })
    if (typeof size === 'string') {
      reasons.add(size)
      return
    }
    held++
    const text = toonFlatten.encode(document, { delimiter }, size)
    strictEqual(text.length, size)
    strictEqual(toonFlatten.verify(text, document, {}), true)
    deepStrictEqual(withComparableNumbers(readReference(decode(Buffer.from(text).toString()))), withComparableNumbers(readReference(json)))
  }), RUNS)
  t.ok(held > RUNS.numRuns / 2, `${held} documents were held`)
  t.same([...reasons].filter(reason => !['declined-duplicate-keys', 'declined-dotted-key', 'declined-key-order', 'declined-lone-surrogate'].includes(reason)), [])
})

t.test('toon-flatten: the text is encode(dotFlatten(value)) of @toon-format/toon wherever JavaScript holds the document exactly', async t => {
  let compared = 0
  let underscored = 0
  fc.assert(fc.property(fc.oneof(jsonText, undottedText), fc.constantFrom({}, UNDERSCORE), fc.constantFrom(',', '\t', '|'), (json, options, delimiter) => {
    const reference = readReference(json)
    if (!isExactInJavaScript(reference)) return
    let text
    try {
      text = encode(json, { ...options, delimiter })
    } catch (error) {
      if ((error as Error).message === 'declined-dotted-key') strictEqual(hasDottedKey(reference), true)
      else strictEqual((error as Error).message, 'declined-key-order')
      return
    }
    compared++
    if (hasDottedKey(reference)) {
      underscored++
      strictEqual(options, UNDERSCORE)
    }
    strictEqual(text, oracleEncode(dotFlatten(JSON.parse(json)), { delimiter }))
  }), RUNS)
  t.ok(compared > RUNS.numRuns / 3, `${compared} documents were compared`)
  t.ok(underscored > 0, `${underscored} of them had dots in keys`)
  const rows = JSON.stringify(Array.from({ length: 3 }, (_, id) => ({ id, o: { p: id, q: { r: `x${id}` } }, tail: null })))
  t.equal(encode(rows), '[3]{id,o.p,o.q.r,tail}:\n  0,0,x0,null\n  1,1,x1,null\n  2,2,x2,null')
  t.equal(encode('{"users":{"a":{"n":1},"b":{"n":2}},"e":{}}'), 'users.a.n: 1\nusers.b.n: 2\ne:')
  t.equal(encode('{"a.b":{"c":1}}', UNDERSCORE), 'a_b.c: 1')
})

t.test('toon-flatten: rows that only flattening makes even are a table, and back', async t => {
  const json = '[{"l":{"k":1,"m":2}},{"l":{"k":3,"m":4}}]'
  t.equal(encode(json), '[2]{l.k,l.m}:\n  1,2\n  3,4')
  t.equal(decode(encode(json)), json)
  const even = '[{"a":{"x":{"y":1}},"b":2},{"a":{"x":{"y":3}},"b":4}]'
  t.equal(decode(encode(even)), even)
})

t.test('toon-flatten: what cannot be held exactly is declined with its reason', async t => {
  const measure = (json: string, options = {}): unknown => toonFlatten.measure(Document.parse(json), options)
  t.equal(measure('[{"a":{"x":1,"y":2}},{"a":{"y":3,"x":4}}]'), 'declined-key-order')
  t.equal(measure('{"a":{"b":"\\ud800"}}'), 'declined-lone-surrogate')
  t.equal(measure('{"a":1,"a":2}'), 'declined-duplicate-keys')
  t.equal(measure('{"a.b":1}'), 'declined-dotted-key')
  t.equal(measure('{"a.b":1,"a_b":1}', UNDERSCORE), 'declined-dotted-key')
  t.equal(measure(`${'['.repeat(22)}${']'.repeat(22)}`), 'declined-depth')
  t.equal(measure('{"a":{"b":{"c":1}}}', { maxDepth: 2 }), 'declined-depth')
})

t.test('toon-flatten: Apify\'s one-way form says that it loses something, and is proved against the renamed document', async t => {
  const document = Document.parse('{"a.b":{"c":1},"d":[{"x.y":2}]}')
  const text = toonFlatten.encode(document, UNDERSCORE, 0)
  t.equal(Buffer.from(text).toString(), 'a_b.c: 1\nd[1]{x_y}:\n  2')
  t.equal(toonFlatten.isLossless?.(UNDERSCORE), false)
  t.equal(toonFlatten.isLossless?.({}), true)
  t.equal(toonFlatten.isLossless?.({ flatten: { dots: 'decline' } }), true)
  t.equal(toonFlatten.verify(text, document, UNDERSCORE), true)
  t.equal(toonFlatten.verify(text, document, {}), false, 'it is not this document')
  t.equal(toonFlatten.verify(Buffer.from('a_b.c: 2\nd[1]{x_y}:\n  2'), document, UNDERSCORE), false)
  t.equal(toonFlatten.verify(text, Document.parse('{"a.b":1,"a_b":2}'), UNDERSCORE), false)
  t.equal(toonFlatten.name, 'toon-flatten')
  t.equal(toonFlatten.mediaType, null)
})

t.test('toon-flatten: no changed byte, line or key gets past the verifier', async t => {
  let caught = 0
  for (const json of [
    '{"rows":[{"id":1,"o":{"x":1.5,"y":"-"}},{"id":2,"o":{"x":-2,"y":"p: q"}}],"n":{"a":{"b":1,"c":2},"d":3},"e":{}}',
    '{"a":{"a":{"a":1,"b":{}}},"b":{"a":[],"b":[{"a":{"b":true}}]},"":{"":"x"}}'
  ]) {
    const document = Document.parse(json)
    for (const mutant of mutantsOf(encode(json))) {
      let decoded: string | null = null
      try {
        decoded = decode(mutant)
      } catch {
        // What cannot be decoded must not be verified either.
      }
      const isSame = decoded !== null && isEqual(Document.parse(decoded), document, 'value')
      const isAccepted = toonFlatten.verify(Buffer.from(mutant), document, {})
      if (isAccepted !== isSame) t.fail(`${JSON.stringify(mutant)} was ${isAccepted ? 'accepted' : 'refused'}`)
      if (!isAccepted) caught++
    }
  }
  t.ok(caught > 2000, `${caught} mutants were caught`)
})

t.test('toon-flatten: text that no flattening writes is an error with its place', async t => {
  throwsLike(t, () => decode('a.b: 1\nc: 2\na.d: 3'), { name: 'DecodeError', line: 3, column: 1, expected: 'no second key "a" in the same object' })
  throwsLike(t, () => decode('[1]{a.b,c,a.d}:\n  1,2,3'), { name: 'DecodeError', expected: 'no second key "a" in the same object' })
  throwsLike(t, () => decode('a.b.c: 1', { maxDepth: 2 }), { name: 'DecodeError', expected: 'no more than 2 levels' })
  throwsLike(t, () => decode('[1]{a.b.c}:\n  1', { maxDepth: 3 }), { name: 'DecodeError', expected: 'no more than 3 levels' })
  t.equal(decode('[2]{a.b,a.c,d}:\n  1,2,3\n  4,5,6'), '[{"a":{"b":1,"c":2},"d":3},{"a":{"b":4,"c":5},"d":6}]')
})
