import { strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { isSameNumber, writeNumber } from '../../lib/compact/decimals.js'
import { stringifyCompact } from '../../lib/compact/stringify-compact.js'
import { stringifyTable } from '../../lib/compact/stringify-table.js'
import { holdsTable } from '../../lib/compact/table-reader.js'
import { asTable } from '../../lib/compact/table.js'
import type { Table } from '../../lib/compact/table.js'
import { Document, decode, encode, isEqual } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { jsonText } from '../helpers/nasty-json.js'

const numbers = fc.oneof(fc.integer(), fc.integer({ min: -100, max: 100 }), fc.double(), fc.integer().map(n => n / 100), fc.integer().map(n => n / 1e6),
  fc.constantFrom(-0, NaN, Infinity, 0.1, 1e21, 1e-7, 1e-6, 0.000001, 1.005, -2147483648, 2147483648, 4294967295, 5e-324, 123456789.123456, 999999999.99, 2 ** 53, 0.30000000000000004))
const strings = fc.oneof(
  fc.constantFrom('', ' ', ' x', 'x ', 'true', 'null', 'false', '42', '-1', '+1', '05', '1e5', '2024-01-01', '-', '#', '# c', 'a,b', 'a|b', 'a:b', '[1]', '{', '"', '\\', 'C:\\tmp', '\n', '\b\f', '\u0001', '\t', 'é', 'Ã\u0083', '日本', '😀', '\ufeff', '\u2028', 'nul', 'trues'),
  fc.constantFrom('word', 'two words', 'name@example.com'),
  fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 8 }),
  fc.tuple(fc.constantFrom('x', 'é', ',', ' ', '1'), fc.constantFrom('', '\n', '"', 'b\bf\f', '😀', ':', '\ud800'), fc.integer({ min: 40, max: 60 })).map(([unit, odd, length]) => unit.repeat(length) + odd + unit.repeat(3)))
const cells = fc.oneof({ weight: 20, arbitrary: fc.oneof(numbers, strings, fc.boolean(), fc.constant(null)) }, { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, [], {}, { x: 1 }, new Date(0)) })
const names = fc.oneof(fc.constantFrom('id', 'name', 'a.b', 'a b', '', '0', '__proto__', 'toJSON', 'é', 'q"t', '\b\f\\b', 'x:y', '_'), fc.string({ maxLength: 5 }))
const tables = fc.tuple(fc.uniqueArray(names, { minLength: 1, maxLength: 5 }), fc.constantFrom(2, 2, 3, 5), fc.nat(12)).chain(([keys, count, twist]) =>
  fc.array(fc.tuple(...keys.map(() => cells)), { minLength: count, maxLength: count }).map(values => values.map((row, r): unknown => {
    const members = row.map((value, i): [string, unknown] => [keys[i], value])
    if (r === count - 1 && twist === 0) members.reverse()
    if (r === count - 1 && twist === 1) members.pop()
    if (r === count - 1 && twist === 2) members.push(['more', 1])
    return r === count - 1 && twist === 3 ? null : Object.fromEntries(members)
  })))

/** What the codecs make of JSON.stringify's text, by way of the document. */
function expectedText (value: unknown, encodings: readonly CodingName[]): string | undefined {
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) return json
  let best = json
  if (!'[{'.includes(json[0])) return json
  for (const coding of encodings) {
    try {
      const text = encode(json, coding)
      if (Buffer.byteLength(text) < Buffer.byteLength(best)) best = text
    } catch {
      // It declines.
    }
  }
  return best
}

t.test('the text is the smallest of JSON.stringify\'s and of what the codecs make of that', async t => {
  const seen = { json: 0, toon: 0, stc: 0 }
  const encodings = fc.constantFrom<CodingName[]>(['toon', 'stc'], ['stc', 'toon'], ['stc'], ['toon'], [])
  fc.assert(fc.property(fc.oneof(tables, fc.array(numbers, { minLength: 4 }).map(values => values.map(a => ({ a, b: 1 })))), encodings, fc.boolean(), (value, encodings, verify) => {
    const text = stringifyCompact(value, { encodings, verify })
    strictEqual(text, expectedText(value, encodings))
    if (text === JSON.stringify(value)) seen.json++
    else seen[asTable(value) !== null && text.startsWith('[') && text.includes('}:\n') ? 'toon' : 'stc']++
  }), { numRuns: 8000 })
  t.ok(Math.min(seen.json, seen.toon, seen.stc) > 500, JSON.stringify(seen))
  fc.assert(fc.property(jsonText, json => {
    const value = JSON.parse(json) as object
    strictEqual(stringifyCompact(value), expectedText(value, ['toon', 'stc']))
  }), { numRuns: 2000 })
})

t.test('values mean what they mean to JSON.stringify', async t => {
  class Point { constructor (readonly x: number) {} toJSON (): unknown { return { x: this.x, y: 'y' } } }
  class Plain { constructor (readonly x: number) {} }
  const cyclic: unknown[] = [{ a: 1 }, { a: 2 }]
  cyclic.push({ a: cyclic })
  const hidden = { a: 1 }
  Object.defineProperty(hidden, 'toJSON', { value: () => 'hidden' })
  const list = [{ a: 1 }, { a: 2 }]
  const named = Object.assign([{ a: 1 }, { a: 2 }], { toJSON: () => 'named' })
  const same = (name: string, value: unknown): void => {
    t.equal(stringifyCompact(value), expectedText(value, ['toon', 'stc']), name)
  }
  for (const value of [undefined, () => 1, Symbol('s')]) t.equal(stringifyCompact(value), undefined)
  for (const value of [null, true, 1, -0, NaN, 'x', '', '\ud800']) t.equal(stringifyCompact(value), JSON.stringify(value))
  same('toJSON of a class', [new Point(1), new Point(2)])
  same('toJSON that cannot be seen', [{ a: 1 }, hidden])
  same('toJSON of the array', named)
  same('toJSON as a member', [{ toJSON: () => 5 }, { toJSON: () => 6 }])
  same('toJSON that is no function', [{ toJSON: 1 }, { toJSON: 2 }])
  same('instances', [new Plain(1), new Plain(2)])
  same('no prototype', [Object.assign(Object.create(null), { a: 1 }), Object.assign(Object.create(null), { a: 2 })])
  same('inherited members', [Object.create({ a: 1 }), Object.create({ a: 2 })])
  same('dates', [{ at: new Date(0) }, { at: new Date(1) }])
  same('members that are left out', [{ a: 1, b: undefined }, { a: 2, b: undefined }])
  same('symbols as keys and members that are not enumerable', [{ a: 1, [Symbol('s')]: 1 }, Object.defineProperty({ a: 2 }, 'b', { value: 1, enumerable: false })])
  // eslint-disable-next-line no-sparse-arrays
  same('holes', [{ a: 1 }, , { a: 2 }])
  same('boxed', [{ a: Object(1), b: Object('x') }, { a: Object(2), b: Object(true) }])
  same('maps and typed arrays', [new Map([[1, 2]]), new Uint8Array(3)])
  same('a proxy', [{ a: 1 }, new Proxy({ a: 2 }, {})])
  same('getters', [{ get a () { return 1 } }, { get a () { return 2 } }])
  same('rows without members', [{}, {}])
  same('one row', [{ a: 1, b: 2 }])
  same('an envelope', { total: 2, items: [{ id: 1, name: 'a' }, { id: 2, name: 'b' }] })
  throwsTypeError(() => stringifyCompact(cyclic))
  throwsTypeError(() => stringifyCompact([{ a: 1n }, { a: 2n }]))
  Reflect.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true })
  same('an enumerable member of all objects', list)
  Reflect.deleteProperty(Object.prototype, 'polluted')
  Reflect.defineProperty(Array.prototype, 'toJSON', { value: () => 'array', configurable: true })
  const text = stringifyCompact(list)
  Reflect.deleteProperty(Array.prototype, 'toJSON')
  t.equal(text, '"array"')
  t.throws(() => stringifyCompact([{ get a (): unknown { throw new RangeError('from a getter') } }, { a: 1 }]), { message: 'from a getter' })
  let reads = 0
  t.match(stringifyCompact([{ get a () { return ++reads } }, { a: 1 }]), /^\[\{"a":\d\},\{"a":1\}\]$/, 'what is not the same at the second look stays JSON')
  t.equal(stringifyCompact([{ get a () { return stringifyCompact(list)?.length } }, { a: 1 }]), expectedText([{ a: 10 }, { a: 1 }], ['toon', 'stc']), 'it may be called from a getter')

  function throwsTypeError (run: () => unknown): void {
    t.throws(run, { name: 'TypeError' })
  }
})

t.test('options: codings, measure', async t => {
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, name: `n${id}`, city: 'Oslo' }))
  t.equal(stringifyCompact(rows), encode(JSON.stringify(rows), 'toon'))
  t.equal(stringifyCompact(rows, { encodings: ['stc'] }), encode(JSON.stringify(rows), 'stc'))
  t.equal(stringifyCompact(rows, { encodings: [] }), JSON.stringify(rows))
  t.equal(stringifyTable(rows, ['toon', 'rows' as CodingName], true), null, 'other codings are left to the codecs')
  t.ok([JSON.stringify(rows), encode(JSON.stringify(rows), 'toon'), encode(JSON.stringify(rows), 'stc')].includes(stringifyCompact(rows, { measure: 'tokens' })))
  const large = Array.from({ length: 3 }, (_, id) => ({ id, text: `${'word '.repeat(60_000)}\n"${id}"`, é: '日本'.repeat(9000) }))
  t.ok(stringifyCompact(large) === expectedText(large, ['toon', 'stc']), 'large strings')
})

t.test('numbers are written as JSON.stringify does, and read as JSON.parse does', async t => {
  const bytes = new Uint8Array(64)
  fc.assert(fc.property(numbers, value => {
    const end = writeNumber(bytes, 3, value)
    strictEqual(Buffer.from(bytes.subarray(3, end)).toString(), JSON.stringify(value))
    if (!Number.isFinite(value)) return
    strictEqual(isSameNumber(bytes, 3, end, value), true)
    const other = value * (1 + Number.EPSILON)
    strictEqual(isSameNumber(bytes, 3, end, other), other === value)
  }), { numRuns: 20_000 })
  for (const [text, value] of [['1.50', 1.5], ['0.00000000000000000000001', 1e-23], ['0.0000000000000000000001', 1e-22], ['1e2', 100], ['12345678901234567890', 12345678901234567000], ['-0', 0], ['-0.0', -0]] as const) {
    t.ok(isSameNumber(Buffer.from(text), 0, text.length, value), text)
  }
  t.notOk(isSameNumber(Buffer.from('0.1'), 0, 3, 0.10000000000000002))
})

t.test('the check takes no changed text for the table', async t => {
  const samples: unknown[] = [
    [{ id: 1, name: 'a', ok: true, at: null }, { id: -2.5, name: 'b c', ok: false, at: 'x,y' }, { id: 1e21, name: '"q"\n\u0001', ok: true, at: 'true' }],
    [{ 'a.b': 'é', 'c d': '42', '': '' }, { 'a.b': 'Ã\u0083', 'c d': '日😀"', '': 'x'.repeat(60) }],
    [{ 'q"\b': 'C:\\tmp\b', b: NaN }, { 'q"\b': '/', b: -0 }]
  ]
  let caught = 0
  let harmless = 0
  for (const value of samples) {
    const table = asTable(value) as Table
    const json = JSON.stringify(value)
    for (const coding of ['toon', 'stc'] as const) {
      const text = encode(json, coding)
      const mutants = [text]
      for (let i = 0; i < text.length; i++) {
        for (const char of '01.-,:/[]{}"\\ \n\tabtnuf#é\u0001') mutants.push(text.slice(0, i) + char + text.slice(i + 1), text.slice(0, i) + char + text.slice(i))
        mutants.push(text.slice(0, i) + text.slice(i + 1), text.slice(0, i))
      }
      mutants.push(text.replaceAll('"', '\\u0022'), text.replaceAll('C', '\\u0043'), text.replaceAll('\\u0008', '\\b'), text.replaceAll('\\b', '\\u0008'),
        text.replaceAll('😀', '\\ud83d\\ude00'), text.replaceAll('/', '\\/'), text.replaceAll('日', '\\u65e5'), text.replaceAll('日', '\\ud83d'), text.replace('é', 'Ã\u0083'), text.replace('Ã\u0083', 'Ã'))
      for (const mutant of mutants) {
        if (!holdsTable(Buffer.from(mutant), table, coding === 'toon')) {
          caught++
          if (mutant === text) t.fail(`${text} was refused`)
          continue
        }
        harmless++
        if (!isEqual(Document.parse(decode(mutant, coding)), Document.parse(json), 'value')) t.fail(`${JSON.stringify(mutant)} was accepted`)
      }
    }
  }
  t.ok(caught > 10_000 && harmless > 6, `${caught} caught, ${harmless} say the same`)
  const rows = asTable([{ a: 1 }, { a: 2 }]) as Table
  t.notOk(holdsTable(Buffer.from('[2]{a}:\n  1\n  2'), { rows: [{ a: 1 }, { b: 2 }], keys: ['a'] }, true))
  t.notOk(holdsTable(Buffer.from('[2]{a}:\n  1\n  2'), { rows: [{ a: 1 }, {}], keys: ['a'] }, true))
  t.notOk(holdsTable(Buffer.from('[3]{a}:\n  1\n  2'), rows, true))
  t.notOk(holdsTable(Buffer.from('2]{a}:\n  1\n  2'), rows, true))
  t.notOk(holdsTable(Buffer.from(''), rows, true))
})
