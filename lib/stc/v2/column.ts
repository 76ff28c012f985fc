import type { KeyTemplate } from './key-template.js'
import { ABSENT, PLAIN } from './layout.js'
import type { Span } from './span.js'

/** What a template inserts: the cells of a column, or the keys of the rows. */
export interface Source {
  /** Null for the keys. */
  column: Column | null
  /** Where in `Nodes` the node of each row of the target stands. */
  at: number
}

/** A piece of a template: bytes in shortest spelling, or a source. */
export interface Part {
  literal: Span | null
  source: Source | null
}

/** What a string is made of, from its start and from its end; what is left between is the row's own cell. */
export interface RowTemplate {
  left: Part[]
  /** From the end of the string backwards. */
  right: Part[]
  hasOwn: boolean
}

/** A field of a header, with the nodes that its cells are made of. */
export class Column {
  /** Whether the key has more than one place; `isAgain` at all of them but the first. */
  isShared = false
  isAgain = false
  /** PLAIN, CONSTANT, ... of layout.ts. */
  kind = PLAIN
  /** ALWAYS, ABSENT, DEFAULT or FILLED of layout.ts. */
  empty = ABSENT
  /** The node of the constant or default. */
  value = 0
  template: RowTemplate | null = null
  /** What this is a copy of. */
  original: Column | null = null
  /** Of rows with keys: what these have in common. */
  keys: KeyTemplate | null = null
  /** The columns of a group or of the rows of a column table. */
  fields: Column[] | null = null
  /** Of a form whose header is written: the columns among its fields, and those of groups in them, that have cells. */
  cells: Column[] = NO_COLUMNS
  /** The group that holds the column; null in the row itself. */
  parent: Column | null = null
  /** Of a column table or an optional group: the row of `fields` that comes next; for whoever walks the rows in order. */
  cursor = 0
  /** Whether a template refers to the cells. */
  isSource = false

  /**
   * @param key id in the document's table of keys
   * @param rows how many rows there are
   * @param kinds the bits `1 << kind` of the values that are present
   * @param at where in `Nodes` the list of the values starts, one for each row; 0 in it where a row has no such key
   * @param present how many rows have the key
   */
  constructor (readonly key: number, readonly rows: number, readonly kinds: number, readonly at: number, readonly present: number) {}
}

const NO_COLUMNS: Column[] = []

/** Elements of an array or members of an object that are written as rows of a table. */
export interface Table {
  /** The first element, or the key of the first member. */
  first: number
  count: number
  /** Of members: what their keys have in common. */
  keys: KeyTemplate | null
  fields: Column[]
  /** Whether nothing else is in the array or object. */
  isWhole: boolean
}
