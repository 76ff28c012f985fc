import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { chooseBytes } from '../../lib/choose.js'
import { CODECS, Document } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { hasRootMember } from '../../lib/json/navigate.js'
import { SNIFF_BYTES, isSniffable, sniff } from '../../lib/sniff.js'
import type { SniffPolicy } from '../../lib/sniff.js'
import { findStringCut } from '../../lib/sniff/outline.js'
import { SHAPES } from '../bench/helpers/payloads.js'
import { jsonText } from '../helpers/nasty-json.js'

function accept (...names: CodingName[]): SniffPolicy {
  return { accepted: names.map((codec) => ({ codec, q: 1 })), isUtf8 }
}

const TOON = accept('toon')
const BOTH = accept('toon', 'stc')

function sniffText (text: string, policy = TOON) {
  return sniff(Buffer.from(text).subarray(0, SNIFF_BYTES), policy)
}

/** Rows that grow as TOON: lists of pairs. */
const LOSING = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => [i, [i % 7, 'x']]))
const WINNING = SHAPES.uniform(100_000)

t.test('a body that no accepted coding can make smaller is predicted to lose', async (t) => {
  t.match(sniffText(LOSING), { canWin: false, reason: 'not-smaller' })
  t.ok(sniffText(LOSING).ratio > 1.05)
  t.match(sniffText(SHAPES.ragged(100_000)), { canWin: false, reason: 'not-smaller' })
  t.match(sniffText(SHAPES.ragged(100_000), BOTH), { canWin: true, reason: null }, 'another coding may win')
})

t.test('the predicted ratio is near the true one, and no winner is missed: every shape, plain, in an envelope, as a map, pretty-printed', async (t) => {
  const forms: Record<string, (json: string) => string> = {
    plain: (json) => json,
    envelope: (json) => `{"total":12345,"page":1,"next":"/items?page=2","ok":true,"data":${json}}`,
    deep: (json) => `{"a":{"b":{"data":${json},"took":3}}}`,
    map: (json) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).map(([key, value]) => [`k${key}`, value]))),
    pretty: (json) => JSON.stringify(JSON.parse(json), null, 2)
  }
  for (const [shape, make] of Object.entries(SHAPES)) {
    for (const [form, wrap] of Object.entries(forms)) {
      const bytes = Buffer.from(wrap(make(120_000)))
      const document = Document.parse(bytes)
      for (const policy of [TOON, accept('stc'), BOTH]) {
        const { ratio, canWin } = sniff(bytes.subarray(0, SNIFF_BYTES), policy)
        const name = `${shape}, ${form}, ${policy.accepted.map(({ codec }) => codec).join()}`
        const sizes = policy.accepted.map(({ codec }) => CODECS[codec].measure(document, {}) as number)
        const trueRatio = Math.min(...sizes) / bytes.length
        t.ok(Math.abs(ratio / trueRatio - 1) < 0.05, `${name}: ${ratio} for ${trueRatio}`)
        if (chooseBytes(document, policy).decision.outcome === 'encoded') t.ok(canWin, name)
      }
    }
  }
})

t.test('rows behind something else are not missed', async (t) => {
  const metadata = JSON.stringify(Array.from({ length: 700 }, (_, i) => [i, [i % 7, 'x']]))
  for (const [name, text] of Object.entries({
    'behind a list of another kind': `{"meta":${metadata},"rows":${WINNING}}`,
    'behind many members': `{"a":${metadata},"b":${metadata},"c":[1],"d":{"e":[]},"rows":${WINNING}}`,
    'behind what alone fills the bytes': `{"meta":{"fields":${SHAPES.config(60_000)}},"rows":${WINNING}}`,
    'inside of a list': `[{"name":"x","values":${WINNING}}]`,
    'behind a long string': `{"text":"${'lorem ipsum '.repeat(2000)}","rows":${WINNING}}`
  })) t.equal(sniffText(text).canWin, true, name)
  t.equal(sniffText(`{"meta":${metadata},"rows":${LOSING}}`).canWin, false, 'losing rows behind something else')
  t.equal(sniffText(`{"a":{"x":[${metadata}]},"b":${metadata},"c":[[]],"d":{"e":[]},"rows":${LOSING}}`).canWin, false, 'and behind many members')
})

t.test('where nothing repeats yet, nothing is given up', async (t) => {
  for (const [name, text] of Object.entries({
    'one long string': JSON.stringify({ ok: true, stdout: 'line of text\n'.repeat(5000) }),
    'a string alone': JSON.stringify('x'.repeat(50_000)),
    'a long key': JSON.stringify({ ['k'.repeat(50_000)]: 1 }),
    'a long key behind a value': JSON.stringify({ a: [[[]]], ['k'.repeat(50_000)]: 1 }),
    'a number': '1'.repeat(50_000),
    'open brackets': '['.repeat(9000),
    blanks: ' '.repeat(50_000),
    'one large row': JSON.stringify([Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, [[i]]]))])
  })) t.match(sniffText(text), { canWin: true, reason: null }, name)
})

t.test('blanks and long spellings can be saved by minified JSON', async (t) => {
  for (const text of [LOSING.replaceAll(',', ', '), `\n${LOSING}`, LOSING.replaceAll('"x"', '"\\u0078"'), `${LOSING.slice(0, 20_000)}]]${' '.repeat(50_000)}`]) {
    t.equal(sniffText(text).canWin, true)
  }
})

t.test('what is not JSON is told from JSON that has been cut', async (t) => {
  const rest = 'x'.repeat(40_000)
  for (const text of [`<html><style>a{b:c,d}</style>${rest}`, `{"a":1}${rest}`, `[1,2,NaN,4,${rest}`, `{"a":1,b:2,"c":3,${rest}`, `]${rest}`, `, ${rest}`, `{"a":1] ${rest}`, `["a\nb${rest}`, rest]) {
    t.match(sniffText(text), { ratio: 1, canWin: false, reason: 'not-json' }, text.slice(0, 30))
  }
  const invalid = Buffer.from(`["a",${LOSING}`)
  invalid[2] = 0xff
  t.match(sniff(invalid.subarray(0, SNIFF_BYTES), TOON), { reason: 'not-json' }, 'no UTF-8')
})

t.test('wherever valid JSON is cut, it is not taken for anything else', async (t) => {
  const text = ' {"a\\"b" : [1.5e3, -0, true , null,"\\\\", "\\ud83d\\ude00é日🎉\\n", {"x":{}, "y":[]}], "c":"\\uD83D\\uDE00z\\\\\\"", "日":[{"a":1},{"a":2}],"e":"\\u00e9"} '
  const bytes = Buffer.from(text)
  for (let end = 0; end < bytes.length; end++) {
    t.equal(sniff(bytes.subarray(0, end), BOTH).reason, null, `at ${end}: ${bytes.subarray(0, end)}`)
  }
  fc.assert(fc.property(jsonText, fc.nat(), (json, position) => {
    // Of a literal alone some letters are none, but no body is so short.
    if (/^\s*[tfn]/.test(json)) return true
    const bytes = Buffer.from(json)
    return sniff(bytes.subarray(0, position % (bytes.length + 1)), BOTH).reason !== 'not-json'
  }), { numRuns: 2000 })
})

t.test('a string is cut between characters, never inside of an escape or a pair', async (t) => {
  const cut = (text: string): string => text.slice(0, findStringCut(Buffer.from(text, 'latin1'), 0))
  for (const [text, expected] of [
    ['', ''], ['abc', 'abc'], ['ab\\', 'ab'], ['ab\\n', 'ab\\n'], ['a\\u00e', 'a'], ['a\\u00e9', 'a\\u00e9'],
    ['a\\ud83d', 'a'], ['a\\uD83D\\ude0', 'a'], ['a\\ud83d\\ude00', 'a\\ud83d\\ude00'], ['a\xc3', 'a'], ['a\xc3\xa9', 'a\xc3\xa9'],
    ['a\xe6\x97', 'a'], ['a\xf0\x9f\x8e', 'a'], ['a\xf0\x9f\x8e\x89', 'a\xf0\x9f\x8e\x89']
  ]) t.equal(cut(text), expected, JSON.stringify(text))
})

t.test('what one part makes impossible is impossible for the whole; the order of keys is not', async (t) => {
  const rows = (row: (i: number) => string): string => `[${Array.from({ length: 3000 }, (_, i) => row(i)).join()}]`
  const duplicates = rows((i) => `{"id":${i},"id":[${i}]}`)
  t.match(sniffText(duplicates, TOON), { ratio: 1, canWin: false, reason: 'not-smaller' })
  t.equal(sniffText(rows((i) => i % 2 ? `{"id":${i},"name":1}` : `{"name":1,"id":${i}}`), TOON).canWin, true)
})

t.test('minSavings is taken into account', async (t) => {
  const { ratio } = sniffText(WINNING)
  t.equal(sniffText(WINNING, { ...TOON, minSavings: 30 }).canWin, true)
  t.match(sniffText(WINNING, { ...TOON, minSavings: 95 }), { ratio, canWin: false, reason: 'not-smaller' })
})

t.test('a body that must be read whole is', async (t) => {
  const text = `{"result":${LOSING}}`
  t.equal(sniffText(text).canWin, false)
  t.equal(sniffText(text, { ...TOON, needsWhole: (document) => hasRootMember(document, 'result') }).canWin, true)
})

t.test('a defect of a codec is not taken for an answer', async (t) => {
  t.throws(() => sniffText(LOSING, { ...TOON, isUtf8: () => { throw new Error('defect') } }), { message: 'defect' })
})

t.test('only a body that would ship as it came may do so unread', async (t) => {
  t.equal(isSniffable({ accepted: [] }), true)
  t.equal(isSniffable({ accepted: [], mode: 'adaptive', identityRefused: false }), true)
  t.equal(isSniffable({ accepted: [], identityRefused: true }), false)
  t.equal(isSniffable({ accepted: [], mode: 'always' }), false)
  t.equal(isSniffable({ accepted: [], mode: 'observe' }), false)
})
