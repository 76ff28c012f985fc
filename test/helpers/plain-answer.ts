import type { Condition, Path, Query, RowPick } from '../bench/readability/query.js'

/* Answers to the questions of the readability bench by JSON.parse and plain JavaScript, without a line of the bench's own. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Numbers that a double may not hold, as text. */
const LONG = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![.\deE])|-?\d[\d.eE+-]*/g

export function parsePlain (text: string): Json {
  return JSON.parse(text.replace(LONG, token => /^-?\d{16,}$/.test(token) ? `"long ${token}"` : token)) as Json
}

function at (node: Json | undefined, path: Path): Json | undefined {
  let found: Json | undefined = node
  for (const step of path) found = typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as Record<string, Json>)[step] : undefined
  return found
}

function entriesOf (root: Json, table: Path): [string, Json][] {
  return Object.entries(at(root, table) as object)
}

/** A primitive of a question. */
function valueOf (node: Condition['value']): Json {
  return node.kind === 'string' ? node.value : JSON.parse(node.kind === 'number' ? node.lexeme : (node as { text: string }).text) as Json
}

function meets (row: Json, { field, is, value }: Condition): boolean {
  const [cell, limit] = [at(row, field), valueOf(value)]
  return is === '=' ? cell === limit : is === '>' ? Number(cell) > Number(limit) : Number(cell) < Number(limit)
}

function rowOf (root: Json, table: Path, pick: RowPick): Json {
  const entries = entriesOf(root, table)
  if (pick.by === 'key') return entries.find(([key]) => key === pick.key)?.[1] as Json
  if (pick.by === 'place') return (pick.isLast ? entries.at(-1) : entries[pick.index])?.[1] as Json
  return entries.find(([, row]) => at(row, pick.field) === valueOf(pick.value))?.[1] as Json
}

/** The answer, or undefined where there is none. */
export function answerPlainly (query: Query, root: Json): Json | undefined {
  switch (query.op) {
    case 'value': return at(root, query.path)
    case 'keys': return Object.keys(at(root, query.path) as object)
    case 'rows': return entriesOf(root, query.table).length
    case 'cell': return at(rowOf(root, query.table, query.row), query.field)
    case 'inner-cell': return at(rowOf(root, query.table, query.row), [...query.list, query.index, ...query.field])
    case 'length': return (at(rowOf(root, query.table, query.row), query.list) as Json[]).length
    case 'fields': return Object.keys(rowOf(root, query.table, query.row) as object)
  }
  const entries = entriesOf(root, query.table)
  if (query.op === 'having') return entries.filter(([, row]) => at(row, query.field) !== undefined).length
  if (query.op === 'nulls') return entries.filter(([, row]) => at(row, query.field) === null).length
  if (query.op === 'distinct') return new Set(entries.map(([, row]) => at(row, query.field) ?? null).filter(cell => cell !== null)).size
  const some = entries.filter(([, row]) => query.conditions.every(condition => meets(row, condition)))
  if (query.op === 'matching') return some.length
  if (query.op === 'list') return some.map(([key, row]) => query.field === null ? key : at(row, query.field) as Json)
  const numbers = some.map(([, row]) => at(row, query.field)).filter(cell => typeof cell === 'number')
  if (query.op === 'min') return Math.min(...numbers)
  if (query.op === 'max') return Math.max(...numbers)
  const sum = numbers.reduce((total, number) => total + number, 0)
  return query.op === 'sum' ? sum : sum / numbers.length
}
