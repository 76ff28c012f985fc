import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT } from '../../json/tape.js'
import type { Column, Table } from './column.js'
import { findDefault } from './find-default.js'
import { gatherColumns } from './gather-columns.js'
import { keepCell } from './keep-cell.js'
import { findKeyTemplate } from './key-template.js'
import { ABSENT, ALWAYS, CONSTANT, DEFAULT, GROUP, KEYED, ROWS } from './layout.js'
import { countCells, countObjects, listObjects, selectCells } from './list-nodes.js'
import type { Nodes } from './nodes.js'
import { TemplatePlanner } from './plan-templates.js'
import { isSpelledAlike } from './values.js'

const OBJECTS = 1 << OBJECT
const ARRAYS = 1 << ARRAY
/** An empty cell costs about as much as so many bytes of keys. */
const EMPTY_CELL = 1.5
/** A table is taken where it is shorter by so many bytes. */
const LEAST_SAVED = 1
const MOST_RETRIES = 16

/** Who plans what is in cells. */
interface Visitor {
  readonly nodes: Nodes
  visit (node: number): void
}

/** Makes tables of rows, and decides what becomes of their columns. */
export class TablePlanner {
  private readonly tape: Int32Array
  private readonly nodes: Nodes
  private readonly templates: TemplatePlanner
  /** How often column tables may still be given up when all in them is planned. */
  private retries = MOST_RETRIES

  constructor (private readonly document: Document, private readonly visitor: Visitor) {
    this.tape = document.tape
    this.nodes = visitor.nodes
    this.templates = new TemplatePlanner(document, visitor.nodes)
  }

  /** So many elements or members as a table; null where that is not smaller. */
  table (first: number, count: number): Table | null {
    const { nodes, tape } = this
    const rows = nodes.takeRaw(count)
    const { words } = nodes
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    let at = first
    for (let r = 0; r < count; r++) {
      if (isKeyed) at += 3
      words[rows + r] = at
      at = tape[at + 2]
    }
    const fields = this.fields(rows, count, isKeyed)
    if (fields === null) return null
    return { first, count, keys: isKeyed ? findKeyTemplate(this.document, nodes, rows, count) : null, fields, isWhole: false }
  }

  private fields (rows: number, count: number, isKeyed: boolean): Column[] | null {
    const columns = gatherColumns(this.document, this.nodes, rows, count)
    if (columns === null || !this.settleAll(columns, count, null)) return null
    this.templates.planRows(columns, rows, count, isKeyed)
    return columns
  }

  /** Decides what becomes of columns, if their table saves anything. */
  private settleAll (columns: Column[], rows: number, parent: Column | null): boolean {
    if (this.saved(columns, rows) < LEAST_SAVED) return false
    for (let c = 0; c < columns.length; c++) {
      columns[c].parent = parent
      this.settle(columns[c])
    }
    return true
  }

  /** Bytes that rows save against objects, values aside. */
  private saved (columns: Column[], rows: number): number {
    const { flags, starts } = this.document.keys
    let saved = 2 * rows - 5
    for (let c = 0; c < columns.length; c++) {
      const { key, present } = columns[c]
      const length = starts[key + 1] - starts[key] + (flags[key] & KEY_IDENTIFIER ? 1 : 3)
      saved += (present - 1) * length - EMPTY_CELL * (rows - present)
    }
    return saved
  }

  private settle (column: Column): void {
    const { nodes, tape } = this
    const { at, kinds, present, rows } = column
    if (present === rows && rows > 1 && this.isConstant(column)) {
      column.kind = CONSTANT
      column.value = nodes.words[at]
      if ((tape[column.value] & KIND_MASK) <= ARRAY) this.visitor.visit(column.value)
      return
    }
    if ((kinds & (OBJECTS | ARRAYS)) !== 0) {
      if ((kinds & OBJECTS) !== 0 && this.object(column)) return
      if ((kinds & ARRAYS) !== 0 && this.columnTable(column)) return
      this.visitCells(column, OBJECTS | ARRAYS)
    }
    findDefault(this.document, nodes.words, column)
  }

  private isConstant ({ at, kinds, rows }: Column): boolean {
    // Values of two kinds are not the same.
    if ((kinds & kinds - 1) !== 0) return false
    const { document, nodes: { words } } = this
    const first = words[at]
    for (let r = 1; r < rows; r++) if (!isSpelledAlike(document, first, words[at + r])) return false
    return true
  }

  private visitCells ({ at, rows }: Column, kinds: number): void {
    const { nodes, tape } = this
    for (let r = 0; r < rows; r++) {
      // Planning what is in the cells may move the words.
      const node = nodes.words[at + r]
      if (node !== 0 && (1 << (tape[node] & KIND_MASK) & kinds) !== 0) this.visitor.visit(node)
    }
  }

  /** Objects as a group, or as rows with keys where they hold objects of one kind under keys of many. */
  private object (column: Column): boolean {
    const { document, nodes, tape } = this
    const isWhole = column.kinds === OBJECTS && column.present === column.rows
    const count = isWhole ? column.rows : countCells(tape, nodes.words, column, OBJECT)
    if (count < 2) return false
    const objects = isWhole ? column.at : selectCells(tape, nodes, column, OBJECT, count)
    const columns = gatherColumns(document, nodes, objects, count)
    if ((columns === null || isSparse(columns, count)) && this.keyedRows(column, objects, count)) {
      column.kind = KEYED
    } else {
      if (columns === null || !this.settleAll(columns, count, column)) return false
      column.fields = columns
      column.kind = GROUP
    }
    this.chooseEmpty(column, OBJECT, isWhole)
    return true
  }

  private keyedRows (column: Column, objects: number, objectCount: number): boolean {
    const { nodes, tape } = this
    const count = countObjects(tape, nodes.words, objects, objectCount)
    if (count < 2) return false
    const rows = listObjects(tape, nodes, objects, objectCount, count)
    const fields = this.fields(rows, count, true)
    if (fields === null) return false
    column.fields = fields
    column.keys = findKeyTemplate(this.document, nodes, rows, count)
    return true
  }

  private columnTable (column: Column): boolean {
    const { nodes, tape } = this
    const isWhole = column.kinds === ARRAYS && column.present === column.rows
    const arrayCount = isWhole ? column.rows : countCells(tape, nodes.words, column, ARRAY)
    const arrays = isWhole ? column.at : selectCells(tape, nodes, column, ARRAY, arrayCount)
    const count = countObjects(tape, nodes.words, arrays, arrayCount)
    if (count < 2) return false
    const rows = listObjects(tape, nodes, arrays, arrayCount, count)
    const fields = this.fields(rows, count, false)
    if (fields === null) return false
    let hasSingle = false
    for (let a = arrays; a < arrays + arrayCount; a++) if (tape[nodes.words[a] + COUNT] === 1) hasSingle = true
    if (hasSingle && !keepCell(fields)) {
      // What was planned in vain is planned again, cell by cell; nested often enough that would not end.
      return this.retries-- <= 0
    }
    column.kind = ROWS
    column.fields = fields
    this.chooseEmpty(column, ARRAY, isWhole)
    return true
  }

  /** What an empty cell of an object or column table stands for that not every row has. */
  private chooseEmpty (column: Column, kind: number, isWhole: boolean): void {
    if (isWhole) {
      column.empty = ALWAYS
      return
    }
    column.empty = ABSENT
    const others = (OBJECTS | ARRAYS) & ~(1 << kind)
    if (column.kinds & others) this.visitCells(column, others)
    if (column.present < column.rows) return
    const { nodes: { words }, tape } = this
    // What follows a default that is no primitive would be read as part of it.
    for (let r = 0; r < column.rows; r++) {
      const node = words[column.at + r]
      if ((tape[node] & KIND_MASK) <= ARRAY) continue
      column.empty = DEFAULT
      column.value = node
      return
    }
  }
}

/** Whether most cells would be empty. */
function isSparse (columns: Column[], rows: number): boolean {
  let present = 0
  for (const column of columns) present += column.present
  return present * 2 < columns.length * rows
}
