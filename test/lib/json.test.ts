import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, Document, JsonSyntaxError, isEqual, minify } from '../../lib/index.js'
import { findMember, hasRootMember } from '../../lib/json/navigate.js'
import { isSameNumber, toCanonicalNumber } from '../../lib/json/number.js'
import { ByteWriter } from '../../lib/json/output.js'
import { isJsonRpc } from '../../lib/mcp/envelope.js'
import { jsonText, numberLexeme } from '../helpers/nasty-json.js'
import { readReference, withComparableNumbers, writeReference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

const bytes = (text: string): Uint8Array => Buffer.from(text)

t.test('minify keeps lexemes, order and duplicates, and writes strings as JSON.stringify does', async t => {
  fc.assert(fc.property(jsonText, json => {
    const expected = writeReference(readReference(json))
    return minify(json) === expected && Document.parse(json).minifiedBytes === Buffer.byteLength(expected)
  }), { numRuns: 4000 })
  t.equal(minify(' { "a" : [ 1.0 , -0 , 1E5 , 12345678901234567890 ] , "a" : "\\u00e9\\/\\u001F" } '),
    '{"a":[1.0,-0,1E5,12345678901234567890],"a":"é/\\u001f"}')
  t.equal(minify('"\\u001F"'), '"\\u001f"', 'a respelling of the same length is still a respelling')
  t.equal(minify('[[],{},[{}],""]'), '[[],{},[{}],""]')
  t.equal(minify(Document.parse('[ 1 ]')), '[1]')
})

t.test('a key that comes with escapes is the key that it spells, whatever key the objects before it began with', async t => {
  const spellings = ['\\u540d\\u524d', '名\\u524d', '\\u540d前', '名前', '\\u540d', '\\u540d\\u524d\\u540d', '\\u540d\\u540d', '\\u540d前\\"', 'a\\u00e9', 'a\\u0062', 'ab', '\\ud83d\\ude00', '\\ud83d', '\\\\u540d']
  for (const before of spellings) {
    for (const key of spellings) {
      const text = `[{"${before}":0},{"${key}":1}]`
      const minified = JSON.stringify(JSON.parse(text))
      t.equal(minify(text), minified)
      t.equal(Document.parse(text).minifiedBytes, Buffer.byteLength(minified))
      t.ok(isEqual(Document.parse(text), Document.parse(minified)))
    }
  }
})

t.test('objects below the same key are told apart, also where one holds the other', async t => {
  const parts = ['1', '[]', '{}', '{"b c":1}', '{"r":1}', '[{"b c":[]}]', '{"r":{"k":[]}}', '{"r":{"b c":[]}}', '{"k":{"r":{"k":1}}}', '[{"r":{"k":[]}},{"r":{"b c":[]}}]']
  for (const a of parts) {
    for (const b of parts) {
      for (const json of [`{"r":{"k":${a}},"s":{"r":{"b c":${b}}}}`, `{"r":{"b c":[{"r":{"k":${a}}},${b}]}}`, `[{"r":{"k":[${a}]}},{"r":{"b c":${b}}},{"r":{"b c":[{"r":{"k":[${b}]}}]}}]`]) {
        for (const document of [Document.parse(json), Document.parse(json)]) {
          for (const codec of [CODECS.toon, CODECS.stc]) {
            const size = codec.measure(document, {}) as number
            const text = codec.encode(document, {}, size)
            if (text.length !== size || Buffer.from(codec.decode(text, {})).toString() !== json) t.fail(`${codec.name}: ${json}`)
          }
        }
      }
    }
  }
  t.pass(`${3 * parts.length ** 2} documents`)
})

t.test('what JSON.parse reads is read, and what it refuses is refused', async t => {
  const texts = ['', ' ', '{', '[', '"', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{1:2}', "{'a':1}", '{a:1}', '{"a" 1}', '[1', '[1,', '[1,]', '[,1]', '[1 2]',
    '[1]]', '{}}', '{]', '[}', '1 2', 'nul', 'nulL', 'true1', 'tru', 'falsy', 'Null', 'undefined', 'NaN', '-', '+1', '01', '-01', '1.', '.5', '1e', '1e+', '1.e5', '0x1', '1_0', '--1',
    '"\\x"', '"\\u12"', '"\\u123g"', '"\\u"', '"\\', '"\\"', '"a\nb"', '"\t"', '"\u0000"', '\u00a01', '1\u00a0', '\u20281', '\v1', '\f1', '/**/1', '1//', '[1]\u0000', '"a" "b"',
    '0', '-0', '0.0', '1e5', '1E-5', '1e+5', '""', '"\\u0000"', '"\u007f"', '[]', '{}', ' [ ] ', '{"":0}', '[[[[]]]]', 'true', 'false', 'null', ' \t\r\n1\t\r\n ', '"\\ud800"', '"\\udc00\\ud800"',
    '"\u2028"', '[null,true,false]', '{"a":{"b":{"c":[{}]}}}', '[1,"2",{"3":4}]', '1e400', '{"a":1,"a":2}', '"\\/"', '[0e0]', '[-0.0e-0]', '{"a":[]}', '{"a":{}}', '[{},[]]']
  for (const text of texts) {
    let accepted = true
    try {
      JSON.parse(text)
    } catch {
      accepted = false
    }
    for (const input of [text, bytes(text)]) {
      if (accepted) t.doesNotThrow(() => Document.parse(input), encodeURI(text))
      else throwsLike(t, () => Document.parse(input), { code: 'ERR_JSON_SYNTAX' }, encodeURI(text))
    }
  }
})

t.test('a text with one byte changed is read exactly where JSON.parse reads it, and never crashes', async t => {
  let refused = 0
  fc.assert(fc.property(jsonText, fc.nat(), fc.constantFrom(...'{}[]",:\\ \n0-1e.tfnu/a\u0001'), (json, position, char) => {
    const at = position % (json.length + 1)
    const mutant = json.slice(0, at) + char + json.slice(at + 1)
    let expected = true
    try {
      JSON.parse(mutant)
    } catch {
      expected = false
    }
    try {
      Document.parse(mutant)
      return expected
    } catch (error) {
      refused++
      return !expected && error instanceof JsonSyntaxError && error.offset <= mutant.length
    }
  }), { numRuns: 4000 })
  t.ok(refused > 500, 'mutants were refused')
})

t.test('an error names offset, line, column and what was expected', async t => {
  const fails = (input: string | Uint8Array, expected: Record<string, unknown>): void => {
    throwsLike(t, () => Document.parse(input), { name: 'JsonSyntaxError', ...expected })
  }
  fails('{"a":1,\n "b" 2}', { offset: 13, line: 2, column: 6, expected: 'a colon behind the key', message: 'JSON: expected a colon behind the key at offset 13 (line 2, column 6)' })
  fails('[1,\r\n2,\r3\n;]', { offset: 10, line: 4, column: 1, expected: 'a comma or ]' })
  fails('{"é😀":x}', { offset: 7, column: 8, expected: 'a value' })
  fails(bytes('{"é😀":x}'), { offset: 10, column: 8 })
  fails('["\ud800", "\udc00\ud83d\ude00", x]', { offset: 13 })
  fails('["\ud800" "\udc00"]', { offset: 5 })
  fails('["\\\ud800"]', { offset: 2, expected: 'one of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u' })
  fails('{"a":1 "b":2}', { expected: 'a comma or }' })
  fails('{"a":1,}', { expected: 'a key in double quotes' })
  fails('[1] 2', { offset: 4, expected: 'the end of the text' })
  fails('"abc', { offset: 4, expected: 'the closing quote of a string' })
  fails('"a\u0001"', { offset: 2, expected: 'an escape instead of a raw control character' })
  fails('"\\u12x4"', { offset: 1, expected: 'four hex digits behind \\u' })
  fails('-', { offset: 1, expected: 'a digit' })
  fails('012', { offset: 1, expected: 'no digit behind a leading zero' })
  fails('1.', { offset: 2, expected: 'a digit behind the decimal point' })
  fails('1e+', { offset: 3, expected: 'a digit of the exponent' })
  fails('{"\\q":1}', { offset: 2 })
})

t.test('bytes that are no UTF-8 are refused with their offset, with and without the check of the platform', async t => {
  const sequences = [[0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xe0, 0x9f, 0x80], [0xe1, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbf], [0xf0, 0x8f, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80], [0xff], [0xe2, 0x28, 0xa1], [0xf0, 0x9f, 0x98]]
  for (const sequence of sequences) {
    const input = Buffer.concat([bytes('["abcdefg'), Buffer.from(sequence), bytes('"]')])
    throwsLike(t, () => Document.parse(input), { code: 'ERR_JSON_SYNTAX', expected: 'UTF-8', offset: 9 }, sequence.join())
    throwsLike(t, () => Document.parse(input, { isUtf8 }), { expected: 'UTF-8', offset: 9 })
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 12 }), noise => {
    const input = Buffer.concat([bytes('"'), noise.map(byte => byte === 0x22 || byte === 0x5c || byte < 0x20 ? 0x41 : byte), bytes('"')])
    let accepted = true
    try {
      Document.parse(input)
    } catch {
      accepted = false
    }
    return accepted === isUtf8(input)
  }), { numRuns: 4000 })
  t.equal(minify(bytes('["߿ࠀ￿𐀀\u{10ffff}"]')), '["߿ࠀ￿𐀀\u{10ffff}"]')
})

t.test('one BOM before the text is skipped, one inside is data (report R03)', async t => {
  t.equal(minify(bytes('\ufeff{"a":1}')), '{"a":1}')
  t.equal(minify('\ufeff {"a":"\ufeff"}'), '{"a":"\ufeff"}')
  throwsLike(t, () => minify('\ufeff\ufeff1'), { offset: 1 })
  t.throws(() => minify(' \ufeff1'))
})

t.test('a lone surrogate stays the code unit that it is, escaped or raw', async t => {
  t.equal(minify('"\\uD800"'), '"\\ud800"')
  t.equal(minify('"\ud800x"'), '"\\ud800x"')
  t.equal(minify('{"\udfff":1}'), '{"\\udfff":1}')
  t.equal(minify('"\\ud83d\\ude00"'), '"😀"')
  t.equal(minify('"\ud83d\\ude00"'), '"😀"', 'halves that meet are a pair')
  t.ok(Document.parse('{"\\ud800":1}').hasLoneSurrogate)
  t.ok(Document.parse('{"\\ud800":1}').hasLoneSurrogate, 'also when the key is known already')
  t.notOk(Document.parse('["\\ud83d\\ude00"]').hasLoneSurrogate)
})

t.test('depth is limited where asked, and costs no stack', async t => {
  throwsLike(t, () => Document.parse('[[[1]]]', { maxDepth: 2 }), { offset: 2, expected: 'no more than 2 levels' })
  t.equal(Document.parse('[[{"a":1}]]', { maxDepth: 3 }).depth, 3)
  t.equal(Document.parse('1').depth, 0)
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  t.equal(minify(deep), deep)
  throwsLike(t, () => minify(`[${deep}]`), { expected: 'no more than 10000 levels' })
})

t.test('a key that stands twice is noticed, in small and in wide objects, and where keys look like others', async t => {
  const hasDuplicateKeys = (json: string): boolean => Document.parse(json).hasDuplicateKeys
  t.ok(hasDuplicateKeys('{"a":1,"a":2}'))
  t.ok(hasDuplicateKeys('{"a":1,"\\u0061":2}'))
  t.ok(hasDuplicateKeys('[{"b":{"x":1,"y":2,"x":3}}]'))
  t.ok(hasDuplicateKeys('{"a":[],"a":{}}'))
  t.notOk(hasDuplicateKeys('{"a":{"a":1},"b":{"a":1}}'))
  t.notOk(hasDuplicateKeys('[{"a":1},{"a":1}]'))
  const wide = (count: number, last: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":{"k${i}":${i}}`).join()},"k${last}":0}`
  for (const count of [24, 25, 26, 60, 500]) {
    t.ok(hasDuplicateKeys(wide(count, 0)), `first of ${count}`)
    t.ok(hasDuplicateKeys(wide(count, count - 1)), `last of ${count}`)
    t.notOk(hasDuplicateKeys(wide(count, count)), `none of ${count}`)
    t.notOk(hasDuplicateKeys(`[${wide(count, count)},${wide(count, count + 1)},${wide(count - 1, count)}]`))
    t.ok(hasDuplicateKeys(`[${wide(count, count)},${wide(count, 3)}]`))
  }
})

t.test('tables that a large document fills do not outlive it, and its own stay whole', async t => {
  const many = (from: number): string => `{${Array.from({ length: 9000 }, (_, i) => `"key number ${from + i}":${i}`).join()}}`
  const first = Document.parse(many(0))
  const second = Document.parse(many(9000))
  t.not(first.keys, second.keys)
  t.equal(minify(first), many(0))
  t.equal(minify(second), many(9000))
  t.equal(minify(many(0)), many(0))
})

t.test('a scan that fails leaves the tables fit for the next', async t => {
  t.throws(() => Document.parse('{"fresh1":1,"fresh2":{"fresh3":[1,{"fresh4":tru}]}}'))
  t.equal(minify('{"fresh1":1,"fresh2":{"fresh3":[1,{"fresh4":true}]}}'), '{"fresh1":1,"fresh2":{"fresh3":[1,{"fresh4":true}]}}')
})

t.test('documents are equal if kinds, order, strings and numbers are', async t => {
  const equal = (a: string, b: string, numbers?: 'lexeme' | 'value'): boolean => isEqual(Document.parse(a), Document.parse(b), numbers)
  t.ok(equal('{"a":[1,"x"]}', ' { "\\u0061" : [ 1 , "\\u0078" ] } '))
  t.ok(equal('1.0', '1', 'value'))
  t.ok(equal('[-0,1e2,1.50]', '[0,100,15e-1]', 'value'))
  for (const [a, b] of [['1.0', '1'], ['{"a":1,"b":2}', '{"b":2,"a":1}'], ['{"a":1}', '{"a":1,"a":1}'], ['[]', '{}'], ['[1]', '[1,1]'], ['"a"', '"b"'], ['"a"', '"ab"'],
    ['null', 'false'], ['{"a":1}', '{"b":1}'], ['[[1],2]', '[[1,2]]'], ['[]', '[1]'], ['"1"', '1']]) {
    t.notOk(equal(a, b), `${a} is not ${b}`)
  }
  t.notOk(equal('12345678901234567890', '12345678901234567891', 'value'))
  fc.assert(fc.property(jsonText, json => isEqual(Document.parse(json), Document.parse(minify(json)))), { numRuns: 1000 })
})

t.test('numbers are compared and spelled by their value, however long (reports R02, R18, R19)', async t => {
  const comparable = (lexeme: string): string => (withComparableNumbers({ kind: 'number', lexeme }) as { lexeme: string }).lexeme
  fc.assert(fc.property(numberLexeme, numberLexeme, (a, b) => {
    const canonical = toCanonicalNumber(a)
    return isSameNumber(a, canonical) && comparable(a) === comparable(canonical) && isSameNumber(a, b) === (comparable(a) === comparable(b))
  }), { numRuns: 4000 })
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value =>
    toCanonicalNumber(JSON.stringify(value)) === (Object.is(value, -0) ? '0' : String(value))), { numRuns: 4000 })
  t.equal(toCanonicalNumber('1e9999999999999999'), '1e9999999999999999', 'an absurd exponent stays')
  t.notOk(isSameNumber('1e9999999999999999', '10e9999999999999998'))
  t.equal(toCanonicalNumber('-120e-9'), '-1.2e-7')
  t.equal(toCanonicalNumber('1e-0000000000000000000001'), '0.1')
})

t.test('members are found by name', async t => {
  const document = Document.parse('{"a":[{"b":1}],"\\u00e9":2,"n":{"b":3}}')
  t.ok(hasRootMember(document, 'é'))
  t.notOk(hasRootMember(document, 'b'))
  t.equal(findMember(document, findMember(document, 0, 'n'), 'b') > 0, true)
  t.notOk(hasRootMember(Document.parse('[{"a":1}]'), 'a'))
  t.notOk(hasRootMember(Document.parse('"a"'), 'a'))
  for (const [json, expected] of [['{"jsonrpc":"2.0","id":1}', true], ['[{"jsonrpc":"2.0"}]', true], ['[]', false], ['[1]', false], ['{"json":1}', false], ['"jsonrpc"', false]] as const) {
    t.equal(isJsonRpc(Document.parse(json)), expected, json)
  }
})

t.test('a writer grows where its size was too small', async t => {
  const out = new ByteWriter(0)
  out.byte(0x41)
  out.newline(100)
  out.copy(bytes('x'.repeat(300)), 0, 300)
  out.ascii('y'.repeat(1000))
  t.equal(Buffer.from(out.finish()).toString(), 'A\n' + ' '.repeat(100) + 'x'.repeat(300) + 'y'.repeat(1000))
})
