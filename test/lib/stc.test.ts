import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, CODING_NAMES, Document, decode, encode, minify } from '../../lib/index.js'
import { assertMutantsAreCaught, assertNeighboursAreRefused, assertNothingBehindIsRead } from '../helpers/mutants.js'
import { jsonText } from '../helpers/nasty-json.js'
import { readReference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

interface Vectors {
  roundTrip: { name: string, json: string, dense: string, spaced: string }[]
  reject: { name: string, stc: string }[]
}
const vectors = JSON.parse(readFileSync(new URL('../fixtures/stc-vectors.json', import.meta.url), 'utf8')) as Vectors

t.test('every vector is written and read, dense and spaced', async t => {
  t.ok(vectors.roundTrip.length > 20)
  for (const { name, json, dense, spaced } of vectors.roundTrip) {
    t.equal(encode(json, 'stc'), dense, `${name}: dense`)
    t.equal(encode(json, 'stc', { spacing: 'adr' }), spaced, `${name}: spaced`)
    t.equal(decode(dense, 'stc'), minify(json), `${name}: back from dense`)
    t.equal(decode(spaced, 'stc'), minify(json), `${name}: back from spaced`)
  }
})

t.test('every reject vector is refused with a position', async t => {
  t.ok(vectors.reject.length > 10)
  for (const { name, stc } of vectors.reject) {
    throwsLike(t, () => decode(stc, 'stc'), { name: 'DecodeError', code: 'ERR_DECODE', offset: Number, expected: String }, name)
  }
})

t.test('every document comes back as it was: keys, duplicates, code units, lexemes', async () => {
  fc.assert(fc.property(jsonText, fc.constantFrom('dense' as const, 'adr' as const), (json, spacing) => {
    const text = encode(json, 'stc', { spacing })
    deepStrictEqual(readReference(decode(text, 'stc')), readReference(json))
    const document = Document.parse(json)
    const bytes = Buffer.from(text)
    return CODECS.stc.measure(document, { spacing }) === bytes.length && CODECS.stc.verify(bytes, document, { spacing })
  }), { numRuns: 4000 })
})

t.test('an error names what was expected and where, in UTF-16 code units', async t => {
  const fails = (text: string | Uint8Array, expected: Record<string, unknown>, options = {}): void => {
    throwsLike(t, () => decode(text, 'stc', options), expected, JSON.stringify(text))
  }
  fails('{"é😀":x}', { offset: 7, expected: 'a value', message: 'STC: expected a value at offset 7 (line 1, column 8)' })
  fails('{a[3]:1,2}', { offset: 9, expected: 'a comma and 1 more of 3 values' })
  fails('[2]{a,b}:1,2/3', { offset: 14, expected: 'a comma and 1 more of 2 values' })
  fails('[2]{a}:1', { offset: 8, expected: '/ and 1 more of 2 rows' })
  fails('[3]{a}:1/2', { expected: '/ and 1 more of 3 rows' })
  fails('[2]{a}:1/2/3', { offset: 10, expected: 'the end of the text' })
  fails('{a[0]:}', { offset: 3, expected: 'a count of 1 or more' })
  fails('{a[]:1}', { offset: 3, expected: 'a count of 1 or more' })
  fails('{a[01]:1}', { offset: 3 })
  fails('{a[9999999999999999]:1}', { offset: 3 })
  fails('{a[1:1}', { offset: 4, expected: ']' })
  fails('{a[1]1}', { offset: 5, expected: 'a colon' })
  fails('{a:1', { offset: 4, expected: 'a comma or }' })
  fails('{1a:1}', { offset: 1, expected: 'a key' })
  fails('{é:1}', { offset: 1, expected: 'a key' })
  fails('[1,2', { offset: 4, expected: 'a comma or ]' })
  fails('[2]{}:1/2', { offset: 4, expected: 'a key' })
  fails('[2]{a b}:1/2', { offset: 6, expected: 'a comma or }' })
  fails('[2]{a}:1/[2]', { offset: 9, expected: 'a value' })
  fails('{a[1]:{}}', { offset: 6, expected: 'a value' })
  fails('{a:1.}', { offset: 5, expected: 'a digit behind the decimal point' })
  fails('{a:"\\q"}', { offset: 4 })
  fails('"x', { offset: 2, expected: 'the closing quote of a string' })
  fails(Buffer.from([0x22, 0xff, 0x22]), { offset: 1, expected: 'well-formed Unicode' })
  fails('[[1]]', { offset: 1, expected: 'no more than 1 levels' }, { maxDepth: 1 })
  fails('{a[1]:1}', { expected: 'no more than 1 levels' }, { maxDepth: 1 })
  fails('[2]{a}:1/2', { expected: 'no more than 1 levels' }, { maxDepth: 1 })
})

t.test('blanks may stand between any two tokens, and what looks like a header may be an array', async t => {
  for (const [text, json] of [
    [' { a : 1 , b [ 2 ] : 1 , 2 } ', '{"a":1,"b":[1,2]}'],
    ['[ 2 ] { a , "b c" } : 1 , 2 / 3 , 4', '[{"a":1,"b c":2},{"a":3,"b c":4}]'],
    ['[\n2 \t]', '[2]'],
    ['[2, {a:1}]', '[2,{"a":1}]'],
    ['[2.5]', '[2.5]'],
    ['[ ]', '[]'],
    ['{ }', '{}'],
    ['[1]{a}:"x"', '[{"a":"x"}]'],
    ['{a[1]:"\\u0041\\/"}', '{"a":["A/"]}'],
    ['{"\\u0061":true,"b":false,c:null}', '{"a":true,"b":false,"c":null}'],
    ['[2]{a,a}:1,2/3,4', '[{"a":1,"a":2},{"a":3,"a":4}]']
  ]) {
    t.equal(decode(text, 'stc'), json, text)
  }
})

t.test('a document too deep to read back is declined', async t => {
  const deep = '['.repeat(513) + ']'.repeat(513)
  throwsLike(t, () => encode(deep, 'stc'), { code: 'ERR_CODEC_DECLINED', reason: 'declined-depth', codec: 'stc' })
  t.equal(decode(encode(deep.slice(1, -1), 'stc'), 'stc'), deep.slice(1, -1))
  t.equal(decode(encode(deep, 'stc', { maxDepth: 600 }), 'stc', { maxDepth: 600 }), deep)
})

t.test('a header cannot make more JSON than allowed', async t => {
  const text = `[2000]{${'k'.repeat(1000)}}:${Array(2000).fill('1').join('/')}`
  throwsLike(t, () => decode(text, 'stc', { maxBytes: 100_000 }), { code: 'ERR_DECODE', expected: 'no more than 100000 bytes of JSON' })
  t.equal(decode(text, 'stc').length, 2000 * '{"":1},'.length + 2000 * 1000 + 1)
})

t.test('the last value of a text counts for what is allowed, too', async t => {
  for (const json of ['"abcdefghij"', '[1,2]', '{"a":"bcdef"}', '[[],{}]', 'null']) {
    for (const codec of CODING_NAMES) {
      if (codec === 'rows') continue
      const text = encode(json, codec)
      for (let maxBytes = 1; maxBytes < json.length; maxBytes++) {
        throwsLike(t, () => decode(text, codec, { maxBytes }), { code: 'ERR_DECODE', expected: `no more than ${maxBytes} bytes of JSON` }, `${codec} ${json} ${maxBytes}`)
      }
      t.equal(decode(text, codec, { maxBytes: json.length }), json, codec)
    }
  }
})

t.test('keys and strings of any length come back, from an encoder that copies short ones by words and long ones at once', async t => {
  for (let length = 1; length < 220; length += 3) {
    const key = 'k'.repeat(length)
    const json = JSON.stringify({ [key]: 'v'.repeat(length), o: { [key]: length, l: [key, 1] }, rows: [{ [key]: 1, b: key }, { [key]: 2, b: '' }] })
    for (const codec of ['stc', 'toon'] as const) {
      if (decode(encode(json, codec), codec) !== json) throw new Error(`${codec}: ${length}`)
    }
  }
  t.pass('all came back')
})

t.test('the verifier refuses spellings of a string that no reader takes', async t => {
  const bytes = (...parts: (string | number[])[]): Uint8Array => Buffer.concat(parts.map(part => typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))
  for (const [json, text] of [
    ['"\\u000a"', bytes('"', [0x0a], '"')],
    ['"\\u0000"', bytes('"\\q"')],
    ['"\\u0000"', bytes('"\\u00"')],
    ['"\\u0041"', bytes('"', [0xc1, 0x81], '"')],
    ['"\\u00e9\\u0041"', bytes('"', [0xc3, 0x29], 'A"')],
    ['"\\ud83d\\ude00"', bytes('"', [0xf0, 0x9f, 0x98, 0x40], '"')],
    ['"\\u0269"', bytes('"', [0xa9, 0xa9], '"')],
    ['"\\u0269\u3a69"', bytes('"\\u0269', [0xe3], '\\u0269"')],
    ['"\\u0269\u3a69"', bytes('"\u0269', [0xe3, 0xa9], '\\u0069"')],
    ['"\\udbc0\\udc00"', bytes('"', [0xfc, 0x80, 0x80, 0x80], '"')],
    ['"\\ud83d\\ude00"', bytes('"', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"')],
    ['"\\ud800x"', bytes('"', [0xed, 0xa0, 0x80], 'x"')],
    ['"a\\u20ac"', bytes('"a', [0xf0, 0x82, 0x82, 0xac], '"')]
  ] as const) {
    const document = Document.parse(json)
    for (const codec of ['stc', 'toon'] as const) t.equal(CODECS[codec].verify(text, document, {}), false, `${codec} ${json} ${Buffer.from(text).toString('hex')}`)
    t.ok(CODECS.stc.verify(Buffer.from(encode(json, 'stc')), document, {}))
  }
})

t.test('no changed byte, cell, row or key gets past the verifier', async t => {
  assertMutantsAreCaught(t, 'stc')
})

t.test('the verifier reads nothing behind the end of a text', async t => {
  assertNothingBehindIsRead(t, 'stc')
})

t.test('the verifier tells a document from all that are nearly the same', async t => {
  assertNeighboursAreRefused(t, 'stc')
})
