import type { Reference } from '../../helpers/reference-json.js'
import { addDecimals, compareDecimals, divideDecimal, formatDecimal, parseDecimal } from './decimal.js'
import type { Decimal } from './decimal.js'
import type { Condition, Path, Query, RowPick } from './query.js'
import { isPrimitive, resolve, rowsAt } from './tree.js'
import type { ObjectNode } from './tree.js'

/** The exact answer to a question. */
export type Answer =
  /** @property decimals places that the question asks to round to; absent: none */
  | { type: 'number', value: string, decimals?: number }
  | { type: 'string', value: string }
  | { type: 'boolean', value: boolean }
  | { type: 'null' }
  /** In any order. */
  | { type: 'list', items: Answer[] }

/** Places of an average. */
export const AVERAGE_PLACES = 2

/**
 * What the document says to a question.
 *
 * @throws Error where the question does not fit the document
 */
export function answer (query: Query, root: Reference): Answer {
  switch (query.op) {
    case 'value': return primitiveAt(root, query.path)
    case 'keys': return namesOf(resolve(root, query.path))
    case 'cell': return primitiveAt(pickRow(root, query.table, query.row), query.field)
    case 'inner-cell': return primitiveAt(pickRow(root, query.table, query.row), [...query.list, query.index, ...query.field])
    case 'fields': return namesOf(pickRow(root, query.table, query.row))
    case 'length': return count(elementsAt(pickRow(root, query.table, query.row), query.list).length)
    case 'rows': return count(rowsAt(root, query.table).rows.length)
    case 'having': return count(cellsOf(root, query.table, query.field).length)
    case 'nulls': return count(cellsOf(root, query.table, query.field).filter(isNull).length)
    case 'distinct': return count(new Set(cellsOf(root, query.table, query.field).filter(node => !isNull(node)).map(identify)).size)
    case 'matching': return count(matching(root, query.table, query.conditions).length)
    case 'list': return list(root, query.table, query.conditions, query.field)
    default: return aggregate(query.op, numbersOf(root, query.table, query.conditions, query.field))
  }
}

function count (value: number): Answer {
  return { type: 'number', value: String(value) }
}

function isNull (node: Reference): boolean {
  return node.kind === 'literal' && node.text === 'null'
}

function decimalOf (lexeme: string): Decimal {
  const decimal = parseDecimal(lexeme)
  if (decimal === null) throw new Error(`${lexeme} is not asked for`)
  return decimal
}

/** Equal texts for equal primitives; 1 and 1.0 are equal, 1 and "1" are not. */
function identify (node: Reference): string {
  return JSON.stringify(toAnswer(node))
}

function toAnswer (node: Reference | null): Answer {
  switch (node?.kind) {
    case 'string': return { type: 'string', value: node.value }
    case 'number': return { type: 'number', value: formatDecimal(decimalOf(node.lexeme)) }
    case 'literal': return node.text === 'null' ? { type: 'null' } : { type: 'boolean', value: node.text === 'true' }
    default: throw new Error('no primitive is there')
  }
}

function primitiveAt (node: Reference, path: Path): Answer {
  return toAnswer(resolve(node, path))
}

function namesOf (node: Reference | null): Answer {
  if (node?.kind !== 'object') throw new Error('no object is there')
  return { type: 'list', items: node.members.map(([value]) => ({ type: 'string', value })) }
}

function elementsAt (node: Reference, path: Path): Reference[] {
  const found = resolve(node, path)
  if (found?.kind !== 'array') throw new Error('no list is there')
  return found.elements
}

function pickRow (root: Reference, table: Path, pick: RowPick): ObjectNode {
  const { keys, rows } = rowsAt(root, table)
  const found = pick.by === 'place'
    ? rows.filter((_, index) => index === (pick.isLast ? rows.length - 1 : pick.index))
    : pick.by === 'key' ? rows.filter((_, index) => keys?.[index] === pick.key) : rows.filter(row => meets(row, { field: pick.field, is: '=', value: pick.value }))
  if (found.length !== 1) throw new Error(`${found.length} rows instead of one`)
  return found[0]
}

/** The values of a field, of the rows that have it. */
function cellsOf (root: Reference, table: Path, field: Path): Reference[] {
  return rowsAt(root, table).rows.flatMap(row => resolve(row, field) ?? [])
}

function meets (row: ObjectNode, { field, is, value }: Condition): boolean {
  const cell = resolve(row, field)
  if (cell === null || !isPrimitive(cell)) return false
  if (is === '=') return identify(cell) === identify(value)
  if (cell.kind !== 'number' || value.kind !== 'number') return false
  const order = compareDecimals(decimalOf(cell.lexeme), decimalOf(value.lexeme))
  return is === '>' ? order > 0 : order < 0
}

function matching (root: Reference, table: Path, conditions: readonly Condition[]): { key: string | null, row: ObjectNode }[] {
  const { keys, rows } = rowsAt(root, table)
  return rows.map((row, index) => ({ key: keys?.[index] ?? null, row })).filter(({ row }) => conditions.every(condition => meets(row, condition)))
}

function list (root: Reference, table: Path, conditions: readonly Condition[], field: Path | null): Answer {
  const items = matching(root, table, conditions).map(({ key, row }): Answer => field === null ? { type: 'string', value: key as string } : primitiveAt(row, field))
  return { type: 'list', items }
}

function numbersOf (root: Reference, table: Path, conditions: readonly Condition[], field: Path): Decimal[] {
  return matching(root, table, conditions).flatMap(({ row }) => {
    const cell = resolve(row, field)
    return cell?.kind === 'number' ? [decimalOf(cell.lexeme)] : []
  })
}

function aggregate (op: 'sum' | 'min' | 'max' | 'average', numbers: Decimal[]): Answer {
  if (numbers.length === 0) throw new Error('no numbers are there')
  if (op === 'min' || op === 'max') {
    const sorted = numbers.sort(compareDecimals)
    return { type: 'number', value: formatDecimal(sorted[op === 'min' ? 0 : sorted.length - 1]) }
  }
  const sum = numbers.reduce(addDecimals)
  if (op === 'sum') return { type: 'number', value: formatDecimal(sum) }
  return { type: 'number', value: formatDecimal(divideDecimal(sum, numbers.length, AVERAGE_PLACES)), decimals: AVERAGE_PLACES }
}
