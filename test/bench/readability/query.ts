import type { Reference } from '../../helpers/reference-json.js'

/** Names of members and, from 0, numbers of elements. */
export type Path = readonly (string | number)[]

/** A row of a list or an entry of a map of objects: by a field that tells it from all others, its key, or its place. */
export type RowPick =
  | { by: 'field', field: Path, value: Reference }
  | { by: 'key', key: string }
  | { by: 'place', index: number, isLast: boolean }

export interface Condition {
  field: Path
  is: '=' | '>' | '<'
  value: Reference
}

/** What is asked, for machines. A table is a list or a map of objects. */
export type Query =
  /** The value at a path of the document. */
  | { op: 'value', path: Path }
  /** A field of a row. */
  | { op: 'cell', table: Path, row: RowPick, field: Path }
  /** A field of an element of a list in a row. */
  | { op: 'inner-cell', table: Path, row: RowPick, list: Path, index: number, field: Path }
  /** How many elements a list in a row has. */
  | { op: 'length', table: Path, row: RowPick, list: Path }
  /** How many rows have a field, whatever is in it. */
  | { op: 'having', table: Path, field: Path }
  /** How many rows have null in a field. */
  | { op: 'nulls', table: Path, field: Path }
  /** How many different values a field has, null aside. */
  | { op: 'distinct', table: Path, field: Path }
  /** How many rows meet all conditions. */
  | { op: 'matching', table: Path, conditions: readonly Condition[] }
  /** A field, or the key, of all rows that meet all conditions. */
  | { op: 'list', table: Path, conditions: readonly Condition[], field: Path | null }
  /** Over the numbers in a field, of the rows that meet all conditions. */
  | { op: 'sum' | 'min' | 'max' | 'average', table: Path, conditions: readonly Condition[], field: Path }
  /** How many rows a table has. */
  | { op: 'rows', table: Path }
  /** The names of the fields of a row. */
  | { op: 'fields', table: Path, row: RowPick }
  /** The keys of the object at a path. */
  | { op: 'keys', path: Path }

export const KINDS = ['lookup', 'count', 'filter', 'aggregate', 'structure'] as const
/** What a question tests. */
export type Kind = typeof KINDS[number]
