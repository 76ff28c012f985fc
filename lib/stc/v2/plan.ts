import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { ARRAY, COUNT, KEY, KINDS_MASK, KIND_MASK, OBJECT, kindBit, nextNode } from '../../json/tape.js'
import { gatherCells } from './columns.js'
import type { Cells } from './columns.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, GROUP, KEYED, PLAIN, ROWS, TEMPLATE } from './layout.js'
import { isSpelledAlike, sourceLength } from './spans.js'
import { findKeyTemplate } from './key-template.js'
import type { KeyTemplate } from './key-template.js'
import { Runs } from './runs.js'
import { planTemplates } from './plan-templates.js'
import type { RowTemplate } from './plan-templates.js'

/** A field of a header, with the nodes that its cells are made of. */
export interface Column extends Cells {
  /** PLAIN, CONSTANT, ... of layout.ts. */
  kind: number
  /** ALWAYS, ABSENT, DEFAULT or FILLED of layout.ts. */
  empty: number
  /** The bits `1 << kind` of the values that are present. */
  kinds: number
  /** The node of the constant or default. */
  value: number
  template: RowTemplate | null
  /** Of a copy: the path of what it is a copy of. */
  copy: string
  /** Of rows with keys: what these have in common. */
  keys: KeyTemplate | null
  /** The columns of a group or of the rows of a column table. */
  fields: Column[] | null
  /** Of a column table or an optional group: the row of `fields` that comes next; for whoever walks the rows in order. */
  cursor: number
  /** Whether a template refers to the cells. */
  isSource: boolean
}

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

/** The tables of a document, by the array or object that holds their rows, in order. */
export type Plan = Map<number, Table[]>

const ONLY_OBJECTS = kindBit(OBJECT)
const CONTAINERS = kindBit(OBJECT) | kindBit(ARRAY)
const bit = (kind: number): number => 1 << kind
/** An empty cell costs about as much as so many bytes of keys. */
const EMPTY_CELL = 1.5
const LEAST_SAVED = 6
const SAMPLE = 24

/** Decides which arrays and objects of a document become tables, and what becomes of their columns. */
export function planTables (document: Document): Plan {
  const planner = new Planner(document)
  planner.visit(0)
  return planner.plan
}

class Planner {
  readonly plan: Plan = new Map()
  private readonly tape: Int32Array

  constructor (private readonly document: Document) {
    this.tape = document.tape
  }

  visit (node: number): void {
    const { tape } = this
    const head = tape[node]
    if ((head & KIND_MASK) > ARRAY || (head & CONTAINERS) === 0) return
    const count = tape[node + COUNT]
    if ((head & KINDS_MASK) === ONLY_OBJECTS && count >= 2) {
      const table = this.table(node + 6, count)
      if (table !== null) {
        table.isWhole = true
        this.plan.set(node, [table])
        return
      }
    }
    if ((head & kindBit(OBJECT)) !== 0 && count >= 3) this.visitRuns(node)
    else this.visitValues(node + 6, tape[node + 2])
  }

  private visitValues (from: number, to: number): void {
    const { tape } = this
    for (let at = from; at < to; at = nextNode(tape, at)) {
      if ((tape[at] & KIND_MASK) === KEY) at += 3
      this.visit(at)
    }
  }

  /** Looks for runs of like objects among other values. */
  private visitRuns (node: number): void {
    const { tape } = this
    const end = tape[node + 2]
    const tables: Table[] = []
    const runs = new Runs(this.document)
    let first = 0
    let count = 0
    for (let at = node + 6; at < end;) {
      const value = (tape[at] & KIND_MASK) === KEY ? at + 3 : at
      if (!runs.continues(value)) {
        this.endRun(first, count, at, tables)
        first = at
        count = 0
      }
      count++
      at = nextNode(tape, value)
    }
    this.endRun(first, count, end, tables)
    if (tables.length > 0) this.plan.set(node, tables)
  }

  private endRun (first: number, count: number, end: number, tables: Table[]): void {
    if (count === 0) return
    const table = count >= 2 ? this.table(first, count) : null
    if (table !== null) tables.push(table)
    else this.visitValues(first, end)
  }

  /** So many elements or members as a table; null where that is not smaller. */
  private table (first: number, count: number): Table | null {
    const { tape } = this
    const rows = new Int32Array(count)
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    let at = isKeyed ? first + 3 : first
    for (let r = 0; r < count; r++) {
      rows[r] = at
      at = nextNode(tape, at)
      if (isKeyed) at += 3
    }
    const fields = this.fields(rows)
    if (fields === null) return null
    planTemplates(this.document, fields, rows, isKeyed)
    const keys = isKeyed ? findKeyTemplate(this.document, rows.map(row => tape[row - 1])) : null
    return { first, count, keys, fields, isWhole: false }
  }

  /** The columns of rows that stand in a header of their own; null where a table is not smaller. */
  private rowFields (rows: Int32Array): Column[] | null {
    const fields = this.fields(rows)
    if (fields !== null) planTemplates(this.document, fields, rows, false)
    return fields
  }

  private fields (rows: Int32Array): Column[] | null {
    return this.settleAll(gatherCells(this.document, rows), rows.length)
  }

  private settleAll (cells: Cells[] | null, rows: number): Column[] | null {
    if (cells === null || this.saved(cells, rows) < LEAST_SAVED) return null
    const columns = cells.map(makeColumn)
    for (const column of columns) this.settle(column)
    return columns
  }

  /** Bytes that rows save against objects, values aside. */
  private saved (cells: Cells[], rows: number): number {
    const { keys } = this.document
    let saved = 0
    for (const { key, present } of cells) {
      const length = keys.starts[key + 1] - keys.starts[key] + (keys.flags[key] & KEY_IDENTIFIER ? 1 : 3)
      saved += (present - 1) * (length + 1) - EMPTY_CELL * (rows - present)
    }
    return saved + 2 * rows - 6
  }

  private settle (column: Column): void {
    const { document, tape } = this
    const { nodes } = column
    const rows = nodes.length
    let kinds = 0
    let first = 0
    let isAlike = true
    for (let r = 0; r < rows; r++) {
      const node = nodes[r]
      if (node === 0) continue
      kinds |= bit(tape[node] & KIND_MASK)
      if (first === 0) first = node
      else if (isAlike) isAlike = isSpelledAlike(document, first, node)
    }
    column.kinds = kinds
    if (isAlike && column.present === rows && rows > 1) {
      column.kind = CONSTANT
      column.value = first
      this.visit(first)
      return
    }
    if (kinds & bit(OBJECT) && this.group(column)) return
    if (kinds & bit(ARRAY) && this.columnTable(column)) return
    if (kinds & (bit(OBJECT) | bit(ARRAY))) {
      for (let r = 0; r < rows; r++) if (nodes[r] !== 0) this.visit(nodes[r])
    }
    if (column.present === rows && rows > 2) this.chooseDefault(column)
  }

  private group (column: Column): boolean {
    const { tape } = this
    const objects = column.kinds === bit(OBJECT) ? column.nodes.filter(Boolean) : column.nodes.filter(node => node !== 0 && (tape[node] & KIND_MASK) === OBJECT)
    if (objects.length < 2) return false
    const isWhole = objects.length === column.nodes.length
    const cells = gatherCells(this.document, objects)
    if ((cells === null || isSparse(cells, objects.length)) && this.keyedRows(column, objects)) {
      if (!isWhole) this.chooseEmpty(column, OBJECT)
      return true
    }
    const fields = this.settleAll(cells, objects.length)
    if (fields === null) return false
    column.kind = GROUP
    column.empty = ALWAYS
    column.fields = fields
    if (!isWhole) this.chooseEmpty(column, OBJECT)
    return true
  }

  /** Objects that hold nothing but objects, as rows with keys. */
  private keyedRows (column: Column, objects: Int32Array): boolean {
    const { tape } = this
    let count = 0
    for (const node of objects) {
      if (tape[node + COUNT] === 0) continue
      if ((tape[node] & KINDS_MASK) !== ONLY_OBJECTS) return false
      count += tape[node + COUNT]
    }
    if (count < 2) return false
    const rows = new Int32Array(count)
    let i = 0
    for (const node of objects) {
      const end = tape[node + 2]
      for (let at = node + 6; at < end; at = nextNode(tape, at + 3)) rows[i++] = at + 3
    }
    const fields = this.fields(rows)
    if (fields === null) return false
    planTemplates(this.document, fields, rows, true)
    column.kind = KEYED
    column.empty = ALWAYS
    column.fields = fields
    column.keys = findKeyTemplate(this.document, rows.map(row => tape[row - 1]))
    return true
  }

  private columnTable (column: Column): boolean {
    const { tape } = this
    const { nodes } = column
    let count = 0
    let arrays = 0
    for (let r = 0; r < nodes.length; r++) {
      const node = nodes[r]
      if (node === 0 || (tape[node] & KIND_MASK) !== ARRAY) continue
      arrays++
      if (tape[node + COUNT] === 0) continue
      if ((tape[node] & KINDS_MASK) !== ONLY_OBJECTS) return false
      count += tape[node + COUNT]
    }
    if (count < 2) return false
    const rows = new Int32Array(count)
    let i = 0
    let hasSingle = false
    for (let r = 0; r < nodes.length; r++) {
      const node = nodes[r]
      if (node === 0 || (tape[node] & KIND_MASK) !== ARRAY) continue
      if (tape[node + COUNT] === 1) hasSingle = true
      const end = tape[node + 2]
      for (let at = node + 6; at < end; at = nextNode(tape, at)) rows[i++] = at
    }
    const fields = this.rowFields(rows)
    if (fields === null) return false
    if (hasSingle && !keepCell(fields, count)) return false
    column.kind = ROWS
    column.empty = ALWAYS
    column.fields = fields
    if (arrays < nodes.length) this.chooseEmpty(column, ARRAY)
    return true
  }

  /** What an empty cell of a group or column table stands for that not every row has. */
  private chooseEmpty (column: Column, kind: number): void {
    const { nodes } = column
    if (column.present < nodes.length) {
      column.empty = ABSENT
      return
    }
    const others = nodes.filter(node => (this.tape[node] & KIND_MASK) !== kind)
    const usual = this.mostFrequent(others).node
    if ((this.tape[usual] & KIND_MASK) > ARRAY) {
      column.empty = DEFAULT
      column.value = usual
    } else {
      // What follows the default would be read as part of it.
      column.empty = ABSENT
    }
    for (const node of others) this.visit(node)
  }

  private chooseDefault (column: Column): void {
    const { node, count } = this.mostFrequent(column.nodes)
    if (count === 0) return
    const length = sourceLength(this.tape, node)
    if ((count - 1) * length < 2 || count * 3 < column.nodes.length) return
    column.empty = DEFAULT
    column.value = node
  }

  /** The value that is the most frequent in a sample, and how often it is there in all. */
  private mostFrequent (nodes: Int32Array): { node: number, count: number } {
    const { document } = this
    const step = Math.max(1, nodes.length / SAMPLE)
    let best = 0
    let most = 0
    for (let a = 0; a < nodes.length && most * step * 2 <= nodes.length; a += step) {
      let same = 0
      const node = nodes[Math.floor(a)]
      for (let b = a; b < nodes.length; b += step) if (isSpelledAlike(document, node, nodes[Math.floor(b)])) same++
      if (same > most) {
        most = same
        best = node
      }
    }
    if (most < 2 && nodes.length > 1) return { node: best, count: 0 }
    let count = 0
    for (let r = 0; r < nodes.length; r++) if (isSpelledAlike(document, best, nodes[r])) count++
    return { node: best, count }
  }
}

/** Whether most cells would be empty. */
function isSparse (cells: Cells[], rows: number): boolean {
  let present = 0
  for (const cell of cells) present += cell.present
  return present * 2 < cells.length * rows
}

function makeColumn (cells: Cells): Column {
  return { ...cells, kind: PLAIN, empty: ABSENT, kinds: 0, value: 0, template: null, copy: '', keys: null, fields: null, cursor: 0, isSource: false }
}

/**
 * Sees to it that no row is an empty text, since [] in a column table is no row.
 *
 * @returns false where that cannot be
 */
function keepCell (fields: Column[], rows: number): boolean {
  const cells: Column[] = []
  const constants: Column[] = []
  collectCells(fields, cells, constants)
  if (cells.length > 1) return true
  if (constants.length > 0) {
    constants[0].kind = PLAIN
    constants[0].empty = ABSENT
    return true
  }
  const [only] = cells
  if (only.kind !== PLAIN || only.present < rows) return only.empty === ALWAYS
  only.empty = ABSENT
  only.template = null
  return true
}

function collectCells (fields: Column[], cells: Column[], constants: Column[]): void {
  for (const column of fields) {
    if (column.kind === CONSTANT) constants.push(column)
    else if (column.kind === GROUP && column.empty === ALWAYS) collectCells(column.fields as Column[], cells, constants)
    else if (column.kind !== TEMPLATE && column.kind !== COPY) cells.push(column)
  }
}
