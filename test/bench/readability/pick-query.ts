import type { Seed } from '../../../lib/cli/sample/seed.js'
import type { Reference } from '../../helpers/reference-json.js'
import { parseDecimal } from './decimal.js'
import type { Condition, Kind, Path, Query, RowPick } from './query.js'
import { isPrimitive, resolve } from './tree.js'
import type { Outline, Table } from './tree.js'

/** What a pick is made from. */
export interface Source {
  root: Reference
  outline: Outline
  seed: Seed
}

/** Larger lists are tedious to write, and say no more than smaller ones. */
const LONGEST_LIST = 8

type Pick = (source: Source) => Query | null

const PICKS: Record<Kind, Pick[]> = {
  lookup: [pickCell, pickCell, pickValue, pickInnerCell],
  count: [pickLength, pickHaving, pickNulls, pickDistinct, pickEqual],
  filter: [pickMatching, pickList],
  aggregate: [pickAggregate],
  structure: [pickRows, pickFields, pickKeys, pickPlace]
}

/** A question of a kind, at random; null where the pick came to nothing, which another may not. */
export function pickQuery (kind: Kind, source: Source): Query | null {
  return source.seed.pick(PICKS[kind])(source)
}

function pickOne<T> (items: readonly T[], { seed }: Source): T | null {
  return items.length === 0 ? null : seed.pick(items)
}

/** Whether a primitive can be written in one line as an answer without escapes, and is told from all others. */
function isAskable (node: Reference | null): node is Reference {
  if (node === null || !isPrimitive(node)) return false
  if (node.kind === 'number') return parseDecimal(node.lexeme) !== null
  // eslint-disable-next-line no-control-regex -- these are what JSON escapes
  return node.kind !== 'string' || (/^[^"'`\\\u0000-\u001f]{1,80}$/.test(node.value) && node.value === node.value.trim() && node.value.isWellFormed())
}

const isNull = (node: Reference): boolean => node.kind === 'literal' && node.text === 'null'

/** The primitives in a column, of all rows that have one; null if some are of no use in a question. */
function cellsOf ({ rows }: Table, field: Path): Reference[] | null {
  const cells = rows.flatMap(row => resolve(row, field) ?? [])
  return cells.every(isAskable) ? cells : null
}

function identify (node: Reference): string {
  return node.kind === 'number' ? `#${Number(node.lexeme)}` : JSON.stringify(node)
}

/** The first column that tells each row from all others. */
function findIdentity (table: Table): Path | null {
  return table.fields.find(field => {
    const cells = cellsOf(table, field)
    return cells !== null && cells.length === table.rows.length && cells.every(({ kind }) => kind !== 'literal') && new Set(cells.map(identify)).size === cells.length
  }) ?? null
}

function nameRow (table: Table, index: number): RowPick {
  if (table.keys !== null && new Set(table.keys).size === table.keys.length) return { by: 'key', key: table.keys[index] }
  const field = findIdentity(table)
  if (field === null) return { by: 'place', index, isLast: false }
  return { by: 'field', field, value: resolve(table.rows[index], field) as Reference }
}

function pickTable (source: Source): { table: Table, index: number, row: RowPick } | null {
  const table = pickOne(source.outline.tables, source)
  if (table === null) return null
  const index = source.seed.between(0, table.rows.length - 1)
  return { table, index, row: nameRow(table, index) }
}

/** A column of primitives that tells something: not the one by which rows are named. */
function pickField (table: Table, source: Source, isWanted: (cells: Reference[]) => boolean): Path | null {
  const identity = findIdentity(table)
  return pickOne(table.fields.filter(field => {
    const cells = cellsOf(table, field)
    return field !== identity && cells !== null && isWanted(cells)
  }), source)
}

function pickCell (source: Source): Query | null {
  const picked = pickTable(source)
  if (picked === null) return null
  const { table, index, row } = picked
  const field = pickOne(table.fields.filter(path => isAskable(resolve(table.rows[index], path))), source)
  const isGiven = row.by === 'field' && row.field === field
  return field === null || isGiven ? null : { op: 'cell', table: table.path, row, field }
}

function pickPlace (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const field = table === null || table.keys !== null ? null : findIdentity(table)
  if (table === null || field === null) return null
  return { op: 'cell', table: table.path, row: { by: 'place', index: table.rows.length - 1, isLast: true }, field }
}

function pickValue (source: Source): Query | null {
  const path = pickOne(source.outline.leaves.filter(leaf => isAskable(resolve(source.root, leaf))), source)
  return path === null ? null : { op: 'value', path }
}

function pickRowList (source: Source): { table: Table, row: RowPick, list: Path, elements: Reference[] } | null {
  const picked = pickTable(source)
  const list = picked === null ? null : pickOne(picked.table.lists, source)
  const node = picked === null || list === null ? null : resolve(picked.table.rows[picked.index], list)
  return picked === null || list === null || node?.kind !== 'array' ? null : { ...picked, list, elements: node.elements }
}

function pickInnerCell (source: Source): Query | null {
  const picked = pickRowList(source)
  if (picked === null || picked.elements.length === 0) return null
  const { table, row, list, elements } = picked
  const index = source.seed.between(0, elements.length - 1)
  const element = elements[index]
  const field = element.kind === 'object' ? pickOne(element.members.filter(([key, value]) => /^\w+$/.test(key) && isAskable(value)).map(([key]) => [key]), source) : []
  if (field === null || !isAskable(resolve(element, field))) return null
  return { op: 'inner-cell', table: table.path, row, list, index, field }
}

function pickLength (source: Source): Query | null {
  const picked = pickRowList(source)
  return picked === null ? null : { op: 'length', table: picked.table.path, row: picked.row, list: picked.list }
}

function pickHaving (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const field = table === null ? null : pickOne(table.fields.filter(path => table.rows.some(row => resolve(row, path) === null)), source)
  return table === null || field === null ? null : { op: 'having', table: table.path, field }
}

function pickNulls (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const field = table === null ? null : pickOne(table.fields.filter(path => table.rows.some(row => isNull(resolve(row, path) ?? row))), source)
  return table === null || field === null ? null : { op: 'nulls', table: table.path, field }
}

function pickDistinct (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const field = table === null ? null : pickField(table, source, isFew)
  return table === null || field === null ? null : { op: 'distinct', table: table.path, field }
}

/** That a column has one of few values, or a number above or below one of its own. */
function pickCondition (table: Table, source: Source): Condition | null {
  const field = pickField(table, source, cells => cells.length > 1 && (isVaried(cells) || isFew(cells)))
  const cells = field === null ? null : cellsOf(table, field)
  if (field === null || cells === null) return null
  const value = source.seed.pick(cells)
  return { field, is: isVaried(cells) ? source.seed.pick(['<', '>']) : '=', value }
}

function isFew (cells: Reference[]): boolean {
  const values = new Set(cells.map(identify)).size
  return values > 1 && 2 * values <= cells.length
}

function isVaried (cells: Reference[]): boolean {
  return cells.every(({ kind }) => kind === 'number') && new Set(cells.map(identify)).size > 4
}

function pickConditions (table: Table, source: Source): Condition[] {
  const first = pickCondition(table, source)
  const second = source.seed.between(0, 2) === 0 ? pickCondition(table, source) : null
  return [first, second].flatMap((condition, index, all) => condition === null || (index === 1 && condition.field === all[0]?.field) ? [] : [condition])
}

function countMatching ({ rows }: Table, conditions: readonly Condition[]): number {
  return rows.filter(row => conditions.every(condition => mayMeet(resolve(row, condition.field), condition))).length
}

/** How many rows have a value. */
function pickEqual (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const condition = table === null ? null : pickCondition(table, source)
  return table === null || condition?.is !== '=' ? null : { op: 'matching', table: table.path, conditions: [condition] }
}

/** By an order or by two conditions, which some rows meet and some do not. */
function pickMatching (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  if (table === null) return null
  const conditions = pickConditions(table, source)
  const count = countMatching(table, conditions)
  const isSimple = conditions.length < 2 && conditions[0]?.is !== '<' && conditions[0]?.is !== '>'
  return isSimple || count === 0 || count === table.rows.length ? null : { op: 'matching', table: table.path, conditions }
}

/** No more rows than are easily written down. */
function pickList (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  if (table === null) return null
  const field = table.keys === null ? findIdentity(table) : null
  const conditions = pickConditions(table, source)
  const count = countMatching(table, conditions)
  if (conditions.length === 0 || (table.keys === null && field === null)) return null
  return count === 0 || count > LONGEST_LIST ? null : { op: 'list', table: table.path, conditions, field }
}

/** By doubles, which is near enough to tell how long a list will be. */
function mayMeet (cell: Reference | null, { is, value }: Condition): boolean {
  if (cell === null || is === '=') return cell !== null && identify(cell) === identify(value)
  const difference = cell.kind === 'number' && value.kind === 'number' ? Number(cell.lexeme) - Number(value.lexeme) : 0
  return is === '>' ? difference > 0 : difference < 0
}

function pickAggregate (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  const field = table === null ? null : pickField(table, source, cells => cells.length > 2 && isVaried(cells))
  if (table === null || field === null) return null
  const condition = source.seed.between(0, 1) === 0 ? pickCondition(table, source) : null
  const isOther = condition !== null && condition.field !== field
  const rows = table.rows.filter(row => isOther && resolve(row, field) !== null && mayMeet(resolve(row, condition.field), condition))
  const conditions = isOther && rows.length > 1 ? [condition] : []
  return { op: source.seed.pick(['sum', 'min', 'max', 'average'] as const), table: table.path, conditions, field }
}

function pickRows (source: Source): Query | null {
  const table = pickOne(source.outline.tables, source)
  return table === null ? null : { op: 'rows', table: table.path }
}

function pickFields (source: Source): Query | null {
  const picked = pickTable(source)
  return picked === null || picked.table.rows[picked.index].members.length > 20 ? null : { op: 'fields', table: picked.table.path, row: picked.row }
}

function pickKeys (source: Source): Query | null {
  const path = pickOne(source.outline.objects.filter(object => {
    const node = resolve(source.root, object)
    return node?.kind === 'object' && node.members.length <= 20
  }), source)
  return path === null ? null : { op: 'keys', path }
}
