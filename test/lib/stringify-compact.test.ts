import { strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { skipSameNumber, writeNumber } from '../../lib/compact/decimals.js'
import { formOf } from '../../lib/compact/measure-table.js'
import { stringifyCompact } from '../../lib/compact/stringify-compact.js'
import { stringifyTable } from '../../lib/compact/stringify-table.js'
import type { Form } from '../../lib/compact/layout.js'
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
const plainCells = fc.oneof(numbers, strings, fc.boolean(), fc.constant(null))
const cells = fc.oneof({ weight: 20, arbitrary: plainCells }, { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, [], {}, { x: 1 }, new Date(0)) })
const names = fc.oneof(fc.constantFrom('id', 'name', 'a.b', 'a b', '', '0', '__proto__', 'toJSON', 'é', 'q"t', '\b\f\\b', 'x:y', '_'), fc.string({ maxLength: 5 }))
const tables = fc.tuple(fc.uniqueArray(names, { minLength: 1, maxLength: 5 }), fc.constantFrom(2, 2, 3, 5), fc.nat(12)).chain(([keys, count, twist]) =>
  fc.array(fc.tuple(...keys.map(() => cells)), { minLength: count, maxLength: count }).map(values => values.map((row, r): unknown => {
    const members = row.map((value, i): [string, unknown] => [keys[i], value])
    if (r === count - 1 && twist === 0) members.reverse()
    if (r === count - 1 && twist === 1) members.pop()
    if (r === count - 1 && twist === 2) members.push(['more', 1])
    return r === count - 1 && twist === 3 ? null : Object.fromEntries(members)
  })))

/** Members of like objects: each a primitive, or such members again. */
interface Members { [key: string]: Members | null }
const { members } = fc.letrec<{ members: Members }>(tie => ({
  members: fc.dictionary(names, fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant(null), tie('members')), { minKeys: 1, maxKeys: 4, noNullPrototype: true })
}))

const rowOf = (shape: Members): fc.Arbitrary<unknown> => fc.tuple(...Object.values(shape).map(child => child === null ? plainCells : rowOf(child))).map(values =>
  Object.fromEntries(Object.keys(shape).map((key, i) => [key, values[i]])))

const twists: readonly ((row: Record<string, unknown>, key: string) => unknown)[] = [
  row => Object.fromEntries(Object.entries(row).reverse()),
  (row, key) => { Reflect.deleteProperty(row, key) },
  row => ({ ...row, more: 1 }),
  (row, key) => { row[key] = null },
  (row, key) => { row[key] = {} },
  (row, key) => { row[key] = [1] },
  (row, key) => { row[key] = { [key]: row[key] } },
  (row, key) => { row[key] = undefined },
  (row, key) => { row[key] = 'text' },
  (row, key) => { row[key] = '\ud800' },
  (row, key) => { row[key] = () => 1 },
  (row, key) => { row[key] = new Date(0) },
  (row, key) => { row[key] = Object(row[key]) },
  row => Object.assign(Object.create(row), row),
  row => Object.assign(Object.create({ inherited: 1 }), row),
  row => Object.assign(Object.create(null), row),
  row => Object.defineProperty(row, 'toJSON', { value: () => ({ other: 1 }) }),
  row => ({ ...row, toJSON: 1 }),
  row => new Proxy(row, {}),
  (row, key) => { const value = row[key]; Object.defineProperty(row, key, { get: () => value, enumerable: true }) },
  (row, key) => { Object.defineProperty(row, key, { enumerable: false }) },
  row => ({ ...row, [Symbol('s')]: 1 }),
  row => Object.values(row),
  row => Object.setPrototypeOf(Object.values(row), Object.prototype)
]

/** Rows that look alike, most with something odd about one object in them. */
const nestedTables = fc.tuple(members, fc.integer({ min: 1, max: 4 }), fc.nat({ max: twists.length + 8 }), fc.infiniteStream(fc.nat())).chain(([shape, count, twist, picks]) =>
  fc.array(rowOf(shape), { minLength: count, maxLength: count }).map(rows => {
    const pick = (length: number): number => picks.next().value as number % length
    if (twist >= twists.length) return rows
    let parent: Record<string | number, unknown> = rows as never
    let at: string | number = pick(count)
    for (;;) {
      const row = parent[at] as Record<string, unknown>
      const key = Object.keys(row)[pick(Object.keys(row).length)]
      const isDeeper = typeof row[key] === 'object' && row[key] !== null && pick(2) === 0
      if (!isDeeper) {
        parent[at] = twists[twist](row, key) ?? row
        return rows
      }
      parent = row
      at = key
    }
  }))

function holds (text: string, table: Table, form: Form): boolean {
  const encoded = new TextEncoder().encode(text)
  // As in the room of a writer, more stands behind the text.
  const bytes = new Uint8Array(encoded.length + 40).fill(0x22)
  bytes.set(encoded)
  return holdsTable({ bytes, view: new DataView(bytes.buffer), length: encoded.length, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded) }, table, form)
}

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

t.test('rows with objects in them are written from the values where all are alike, and what is odd about one is as JSON.stringify has it', async t => {
  const seen = { fast: 0, slow: 0, toon: 0, stc: 0, json: 0 }
  const encodings = fc.constantFrom<CodingName[]>(['toon', 'stc'], ['toon', 'stc'], ['stc', 'toon'], ['stc'], ['toon'])
  fc.assert(fc.property(nestedTables, encodings, fc.boolean(), (value, encodings, verify) => {
    const expected = expectedText(value, encodings) as string
    strictEqual(stringifyCompact(value, { encodings, verify }), expected)
    seen[stringifyTable(value, encodings, verify) === null ? 'slow' : 'fast']++
    seen[expected === JSON.stringify(value) ? 'json' : /^\[\d+\]\{[^]*\}:\n/.test(expected) ? 'toon' : 'stc']++
  }), { numRuns: 12_000 })
  t.ok(Math.min(seen.fast, seen.slow, seen.toon, seen.stc, seen.json) > 500, JSON.stringify(seen))
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
  const deep = (levels: number): unknown => levels === 0 ? 1 : { x: deep(levels - 1), y: 'z' }
  for (const levels of [2, 30, 255, 256, 257, 300, 600]) same(`${levels} levels`, [deep(levels), deep(levels)])
  same('more objects in a row than are looked at', Array.from({ length: 2 }, () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, { i }]))))
  same('more columns than are kept', Array.from({ length: 2 }, () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))))
  same('one row of many columns', [Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'x y']))])
  same('one row of many members below', [{ a: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'x y'])) }])
  same('a key that is long and not ASCII', [1, 2].map(id => ({ [`${'k'.repeat(40)}é`]: { ключ: id } })))
  same('keys that are not ASCII in one row', [{ ключ: 'x y', 日本: { é: 1 } }])
  const shared = { city: 'Oslo' }
  same('the same object twice', [{ a: shared, b: shared }, { a: shared, b: shared }])
  same('what looks like raw JSON', [{ a: { rawJSON: '1' } }, { a: { rawJSON: '2' } }])
  same('raw JSON as rows', [Object.freeze(Object.assign(Object.create(null), { rawJSON: '1' }))])
  same('a class below a row', [{ a: new Point(1) }, { a: new Point(2) }])
  same('a class below the second row', [{ a: { x: 1 } }, { a: new Plain(2) }])
  same('a class with toJSON below the second row', [{ a: { x: 1 } }, { a: new Point(2) }])
  const loop: Record<string, unknown> = { id: 1, next: { name: 'x' } }
  ;(loop.next as Record<string, unknown>).loop = loop
  throwsTypeError(() => stringifyCompact([loop, loop]))
  throwsTypeError(() => stringifyCompact([{ id: 1, next: { name: 'x' } }, { id: 1, next: loop }]))
  throwsTypeError(() => stringifyCompact([{ a: { b: 1 } }, { a: { b: 1n } }]))
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
  t.match(stringifyCompact(Array.from({ length: 9 }, () => ({ name: 'x y', at: { get a () { return ++reads } } }))), /^\[\{"name":"x y","at":\{"a":\d+\}\},/, 'also in an object of a row')
  t.equal(stringifyCompact([{ get a () { return stringifyCompact(list)?.length } }, { a: 1 }]), expectedText([{ a: 10 }, { a: 1 }], ['toon', 'stc']), 'it may be called from a getter')
  t.equal(stringifyCompact([{ b: 'x y', get a () { return { c: stringifyCompact(list)?.length } } }, { b: 'x y', a: { c: 1 } }]), expectedText([{ b: 'x y', a: { c: 10 } }, { b: 'x y', a: { c: 1 } }], ['toon', 'stc']), 'also from one for an object')
  const growing: object[] = [{ name: 'x y', a: 1 }]
  Object.defineProperty(growing[0], 'a', { get: () => growing.push({ name: 'x y', a: 1 }) && 1, enumerable: true })
  t.equal(stringifyCompact(growing), expectedText([{ name: 'x y', a: 1 }], ['toon', 'stc']), 'rows that a getter adds do not count')
  const shrinking = [{ name: 'x y', a: 1 }, { name: 'x y', a: 2 }, { name: 'x y', a: 3 }]
  Object.defineProperty(shrinking[0], 'a', { get: () => { shrinking.length = 2; return 1 }, enumerable: true })
  t.equal(stringifyCompact(shrinking), expectedText(shrinking, ['toon', 'stc']), 'what a getter leaves counts at the second look')

  function throwsTypeError (run: () => unknown): void {
    t.throws(run, { name: 'TypeError' })
  }
})

t.test('in the place of JSON.stringify, null is no options, and a replacer is refused', async t => {
  const rows = Array.from({ length: 10 }, (_, id) => ({ id, secret: 'x' }))
  t.equal(stringifyCompact(rows, null as never), stringifyCompact(rows))
  for (const replacer of [['id'], (key: string, value: unknown) => key === 'secret' ? undefined : value]) {
    t.throws(() => stringifyCompact(rows, replacer as never), { name: 'TypeError', message: 'options must be an object: there is no replacer' })
  }
  t.throws(() => stringifyCompact(rows, { encodings: ['toom' as never] }), { name: 'TypeError', message: /^codec must be one of "toon", .*, got "toom"$/ })
})

t.test('options: codings, measure', async t => {
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, name: `n${id}`, city: 'Oslo' }))
  t.equal(stringifyCompact(rows), encode(JSON.stringify(rows), 'toon'))
  t.equal(stringifyCompact(rows, { encodings: ['stc'] }), encode(JSON.stringify(rows), 'stc'))
  t.equal(stringifyCompact(rows, { encodings: [] }), JSON.stringify(rows))
  t.equal(stringifyCompact([rows[0]], { encodings: ['stc', 'toon'] }), '[{id:0,name:"n0",city:"Oslo"}]', 'one row is no columnar list')
  for (const length of [0, 20]) {
    for (let shape = 0; shape < 12; shape++) {
      const like = [1, 2].map(id => ({ id, [`of_${shape}`]: { text: 'x'.repeat(length), n: shape } }))
      t.equal(stringifyCompact(like), expectedText(like, ['toon', 'stc']), `shape ${shape} of many`)
    }
  }
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
    strictEqual(skipSameNumber(bytes, 3, end, value), end)
    const other = value * (1 + Number.EPSILON)
    strictEqual(skipSameNumber(bytes, 3, end, other), other === value ? end : -1)
  }), { numRuns: 20_000 })
  for (const [text, value] of [['1.50', 1.5], ['0.00000000000000000000001', 1e-23], ['0.0000000000000000000001', 1e-22], ['1e2', 100], ['12345678901234567890', 12345678901234567000], ['-0', 0], ['-0.0', -0]] as const) {
    t.equal(skipSameNumber(Buffer.from(`${text},`), 0, text.length, value), text.length, text)
  }
  for (const text of ['01', '1.', '-', '', '.5', '+1', '1e', '-01', '00']) {
    t.equal(skipSameNumber(Buffer.from(text), 0, text.length, Number(text)), -1, `${text} is no number`)
  }
  t.equal(skipSameNumber(Buffer.from('0.1'), 0, 3, 0.10000000000000002), -1)
  t.equal(skipSameNumber(Buffer.from('12'), 0, 1, 12), -1, 'what stands behind the end is not read')
})

t.test('the check takes no changed text for the table', async t => {
  const samples: unknown[] = [
    [{ id: 1, name: 'a', ok: true, at: null }, { id: -2.5, name: 'b c', ok: false, at: 'x,y' }, { id: 1e21, name: '"q"\n\u0001', ok: true, at: 'true' }],
    [{ 'a.b': 'é', 'c d': '42', '': '' }, { 'a.b': 'Ã\u0083', 'c d': '日😀"', '': 'x'.repeat(60) }],
    [{ 'q"\b': 'C:\\tmp\b', b: NaN }, { 'q"\b': '/', b: -0 }],
    [{ id: 1, at: { city: 'Oslo', 'a.b': { zip: 'é日' } }, n: '42' }, { id: -2, at: { city: 'a,"\n', 'a.b': { zip: '' } }, n: '😀\n日' }],
    [{ id: 1, text: 'one row é', '': null }],
    [{ text: `${'word '.repeat(9)}"quoted"\n\n- \\ ${'x'.repeat(30)}\u0001end`, b: 'y'.repeat(70) }, { text: 'C:\t"', b: `${'z,'.repeat(40)}\n` }]
  ]
  let caught = 0
  let harmless = 0
  for (const value of samples) {
    const table = asTable(value) as Table
    const json = JSON.stringify(value)
    for (const coding of ['toon', 'stc'] as const) {
      const form = formOf(coding, table)
      const text = encode(json, coding)
      const mutants = [text]
      for (let i = 0; i < text.length; i++) {
        for (const char of '01.-,:/[]{}"\\ \n\tabtnuf#é\u0001') mutants.push(text.slice(0, i) + char + text.slice(i + 1), text.slice(0, i) + char + text.slice(i))
        mutants.push(text.slice(0, i) + text.slice(i + 1), text.slice(0, i))
      }
      mutants.push(text.replaceAll('"', '\\u0022'), text.replaceAll('C', '\\u0043'), text.replaceAll('\\u0008', '\\b'), text.replaceAll('\\b', '\\u0008'),
        text.replaceAll('😀', '\\ud83d\\ude00'), text.replaceAll('/', '\\/'), text.replaceAll('日', '\\u65e5'), text.replaceAll('日', '\\ud83d'), text.replace('é', 'Ã\u0083'), text.replace('Ã\u0083', 'Ã'))
      for (const mutant of mutants) {
        if (!holds(mutant, table, form)) {
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
  t.ok(holds('[2]{a}:\n  1\n  2', rows, 'toon'))
  t.notOk(holds('[2]{a}:\n  1\n  2', { ...rows, rows: [{ a: 1 }, { b: 2 }] }, 'toon'))
  t.notOk(holds('[2]{a}:\n  1\n  2', { ...rows, rows: [{ a: 1 }, {}] }, 'toon'))
  t.notOk(holds('[2]{a}:\n  1\n  2', { ...rows, rows: [{ a: 1 }, { a: 2, b: 3 }] }, 'toon'))
  t.notOk(holds('[3]{a}:\n  1\n  2', rows, 'toon'))
  t.notOk(holds('2]{a}:\n  1\n  2', rows, 'toon'))
  t.notOk(holds('', rows, 'toon'))
  for (const [before, behind] of [['x'.repeat(70), ''], ['', 'x'.repeat(70)], ['x', 'y']]) {
    for (const control of ['\n', '\u0001']) {
      const value = [{ a: `${before}${control}${behind}` }]
      const spelled = JSON.stringify(value[0].a)
      const one = asTable(value) as Table
      t.ok(holds(`[1]{a}:\n  ${spelled}`, one, 'toon'))
      t.notOk(holds(`[1]{a}:\n  "${value[0].a}"`, one, 'toon'), 'controls are escaped')
      t.notOk(holds(`[{a:"${value[0].a}"}]`, one, 'objects'), 'in STC too')
    }
  }
})
