import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { ARRAY, COUNT, KEY, KINDS_MASK, KIND_MASK, OBJECT, kindBit, nextNode } from '../../json/tape.js'
import type { Column, Table } from './column.js'
import { gatherColumns } from './gather-columns.js'
import { keepCell } from './keep-cell.js'
import { findKeyTemplate } from './key-template.js'
import { ABSENT, ALWAYS, CONSTANT, DEFAULT, GROUP, KEYED, ROWS } from './layout.js'
import { isLike } from './likeness.js'
import { Nodes } from './nodes.js'
import { TemplatePlanner, releaseBytes } from './plan-templates.js'
import { hashValue, isSpelledAlike, sourceLength } from './values.js'

const ONLY_OBJECTS = kindBit(OBJECT)
const CONTAINERS = kindBit(OBJECT) | kindBit(ARRAY)
const OBJECTS = 1 << OBJECT
const ARRAYS = 1 << ARRAY
/** An empty cell costs about as much as so many bytes of keys. */
const EMPTY_CELL = 1.5
/** A table is taken where it is shorter by so many bytes. */
const LEAST_SAVED = 1
const MOST_RETRIES = 16
/** Documents of more bytes are not held on to. */
const LEAST_RELEASED = 1 << 16
/** So many rows are compared before a list is taken for no table. */
const FEW_ROWS = 8
/** Of so many rows at most it is looked at which values are frequent. */
const SAMPLE = 24

/** Which arrays and objects of a document are tables, and what becomes of their columns. */
export class Plan {
  /** The tables by the array or object that holds their rows, in order. */
  readonly tables = new Map<number, Table[]>()
  readonly nodes: Nodes

  constructor (document: Document) {
    this.nodes = new Nodes(document.length >> 1)
    new Planner(document, this).visit(0)
    if (document.bytes.length > LEAST_RELEASED) releaseBytes()
  }
}

const sample = new Int32Array(SAMPLE)

class Planner {
  private readonly tape: Int32Array
  private readonly nodes: Nodes
  private readonly templates: TemplatePlanner
  /** How often column tables may still be given up when all in them is planned. */
  private retries = MOST_RETRIES

  constructor (private readonly document: Document, private readonly plan: Plan) {
    this.tape = document.tape
    this.nodes = plan.nodes
    this.templates = new TemplatePlanner(document, plan.nodes)
  }

  visit (node: number): void {
    const { tape } = this
    const head = tape[node]
    if ((head & KIND_MASK) > ARRAY || (head & CONTAINERS) === 0) return
    const count = tape[node + COUNT]
    if ((head & KINDS_MASK) === ONLY_OBJECTS && count >= 2 && this.areLike(node + 6, count)) {
      const table = this.table(node + 6, count)
      if (table !== null) {
        table.isWhole = true
        this.plan.tables.set(node, [table])
        return
      }
    }
    if ((head & ONLY_OBJECTS) !== 0 && count >= 3) this.visitRuns(node)
    else this.visitValues(node + 6, tape[node + 2])
  }

  /** Whether any two neighbours of the first few objects are alike: most lists that are no tables are known by that. */
  private areLike (first: number, count: number): boolean {
    const { document, tape } = this
    const offset = (tape[first] & KIND_MASK) === KEY ? 3 : 0
    let before = first + offset
    for (let n = 1; n < count && n < FEW_ROWS; n++) {
      const value = nextNode(tape, before) + offset
      if (isLike(document, before, value, 0)) return true
      before = value
    }
    return count > FEW_ROWS
  }

  private visitValues (from: number, to: number): void {
    const { tape } = this
    for (let at = from; at < to; at = nextNode(tape, at)) {
      if ((tape[at] & KIND_MASK) === KEY) at += 3
      if ((tape[at] & KIND_MASK) <= ARRAY) this.visit(at)
    }
  }

  /** Looks for runs of like objects among other values. */
  private visitRuns (node: number): void {
    const { document, tape } = this
    const end = tape[node + 2]
    const tables: Table[] = []
    let first = node + 6
    let count = 0
    let before = 0
    for (let at = first; at < end;) {
      const value = (tape[at] & KIND_MASK) === KEY ? at + 3 : at
      const isObject = (tape[value] & KIND_MASK) === OBJECT
      if (before === 0 || !isObject || !isLike(document, before, value, 1)) {
        this.endRun(first, count, at, tables)
        first = at
        count = 0
      }
      before = isObject ? value : 0
      count++
      at = nextNode(tape, value)
    }
    this.endRun(first, count, end, tables)
    if (tables.length > 0) this.plan.tables.set(node, tables)
  }

  private endRun (first: number, count: number, end: number, tables: Table[]): void {
    const table = count >= 2 ? this.table(first, count) : null
    if (table !== null) tables.push(table)
    else this.visitValues(first, end)
  }

  /** So many elements or members as a table; null where that is not smaller. */
  private table (first: number, count: number): Table | null {
    const { nodes, tape } = this
    const rows = nodes.take(count)
    const { words } = nodes
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    let at = first
    for (let r = 0; r < count; r++) {
      if (isKeyed) at += 3
      words[rows + r] = at
      at = nextNode(tape, at)
    }
    const fields = this.fields(rows, count, null)
    if (fields === null) return null
    this.templates.planRows(fields, rows, count, isKeyed)
    return { first, count, keys: isKeyed ? findKeyTemplate(this.document, nodes, rows, count) : null, fields, isWhole: false }
  }

  private fields (rows: number, count: number, parent: Column | null): Column[] | null {
    return this.settleAll(gatherColumns(this.document, this.nodes, rows, count), count, parent)
  }

  private settleAll (columns: Column[] | null, rows: number, parent: Column | null): Column[] | null {
    if (columns === null || this.saved(columns, rows) < LEAST_SAVED) return null
    for (let c = 0; c < columns.length; c++) {
      columns[c].parent = parent
      this.settle(columns[c])
    }
    return columns
  }

  /** Bytes that rows save against objects, values aside. */
  private saved (columns: Column[], rows: number): number {
    const { keys } = this.document
    let saved = 2 * rows - 5
    for (let c = 0; c < columns.length; c++) {
      const { key, present } = columns[c]
      const length = keys.starts[key + 1] - keys.starts[key] + (keys.flags[key] & KEY_IDENTIFIER ? 1 : 3)
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
      if ((tape[column.value] & KIND_MASK) <= ARRAY) this.visit(column.value)
      return
    }
    if (kinds & OBJECTS && this.object(column)) return
    if (kinds & ARRAYS && this.columnTable(column)) return
    if (kinds & (OBJECTS | ARRAYS)) this.visitCells(column, OBJECTS | ARRAYS)
    this.look(column)
  }

  private isConstant ({ at, rows }: Column): boolean {
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
      if (node !== 0 && (1 << (tape[node] & KIND_MASK) & kinds) !== 0) this.visit(node)
    }
  }

  /** The cells of one kind, in a list of their own. */
  private select ({ at, rows }: Column, kind: number, count: number): number {
    const { nodes, tape } = this
    const list = nodes.take(count)
    const { words } = nodes
    let i = list
    for (let r = 0; r < rows; r++) {
      const node = words[at + r]
      if (node !== 0 && (tape[node] & KIND_MASK) === kind) words[i++] = node
    }
    return list
  }

  private countCells ({ at, rows }: Column, kind: number): number {
    const { nodes: { words }, tape } = this
    let count = 0
    for (let r = 0; r < rows; r++) {
      const node = words[at + r]
      if (node !== 0 && (tape[node] & KIND_MASK) === kind) count++
    }
    return count
  }

  /** Objects as a group, or as rows with keys where they hold objects of one kind under keys of many. */
  private object (column: Column): boolean {
    const isWhole = column.kinds === OBJECTS && column.present === column.rows
    const count = isWhole ? column.rows : this.countCells(column, OBJECT)
    if (count < 2) return false
    const objects = isWhole ? column.at : this.select(column, OBJECT, count)
    const columns = gatherColumns(this.document, this.nodes, objects, count)
    if ((columns === null || isSparse(columns, count)) && this.keyedRows(column, objects, count)) {
      column.kind = KEYED
    } else {
      column.fields = this.settleAll(columns, count, column)
      if (column.fields === null) return false
      column.kind = GROUP
    }
    this.chooseEmpty(column, OBJECT, isWhole)
    return true
  }

  private keyedRows (column: Column, objects: number, objectCount: number): boolean {
    const { nodes } = this
    const count = this.countValues(objects, objectCount)
    if (count < 2) return false
    const rows = this.listValues(objects, objectCount, count)
    const fields = this.fields(rows, count, null)
    if (fields === null) return false
    this.templates.planRows(fields, rows, count, true)
    column.fields = fields
    column.keys = findKeyTemplate(this.document, nodes, rows, count)
    return true
  }

  /** How many objects the containers of a list hold; 0 where one holds something else. */
  private countValues (containers: number, containerCount: number): number {
    const { nodes: { words }, tape } = this
    let count = 0
    for (let c = containers; c < containers + containerCount; c++) {
      const node = words[c]
      if (tape[node + COUNT] === 0) continue
      if ((tape[node] & KINDS_MASK) !== ONLY_OBJECTS) return 0
      count += tape[node + COUNT]
    }
    return count
  }

  private listValues (containers: number, containerCount: number, count: number): number {
    const { nodes, tape } = this
    const list = nodes.take(count)
    const { words } = nodes
    let i = list
    for (let c = containers; c < containers + containerCount; c++) {
      const node = words[c]
      const end = tape[node + 2]
      for (let at = node + 6; at < end; at = nextNode(tape, at)) {
        if ((tape[at] & KIND_MASK) === KEY) at += 3
        words[i++] = at
      }
    }
    return list
  }

  private columnTable (column: Column): boolean {
    const { nodes, tape } = this
    const isWhole = column.kinds === ARRAYS && column.present === column.rows
    const arrayCount = isWhole ? column.rows : this.countCells(column, ARRAY)
    const arrays = isWhole ? column.at : this.select(column, ARRAY, arrayCount)
    const count = this.countValues(arrays, arrayCount)
    if (count < 2) return false
    const rows = this.listValues(arrays, arrayCount, count)
    const fields = this.fields(rows, count, null)
    if (fields === null) return false
    this.templates.planRows(fields, rows, count, false)
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

  /** Looks at a sample of the cells: whether one value is frequent, and what tells copies of the column. */
  private look (column: Column): void {
    const { document, nodes: { words }, tape } = this
    const { at, present, rows } = column
    const count = Math.min(rows, SAMPLE)
    const step = count > 1 ? (rows - 1) / (count - 1) : 0
    let signature = present
    for (let k = 0; k < count; k++) {
      const node = words[at + Math.floor(k * step)]
      const hash = node === 0 ? 0 : hashValue(document, node)
      sample[k] = hash
      signature = Math.imul(signature ^ hash, 0x01000193)
    }
    column.signature = signature
    if (present < rows || rows < 3) return
    let best = 0
    let most = 1
    for (let a = 0; a + most < count; a++) {
      let same = 1
      for (let b = a + 1; b < count; b++) if (sample[b] === sample[a]) same++
      if (same <= most) continue
      most = same
      best = a
    }
    if (most * 4 < count || most < 2) return
    const value = words[at + Math.floor(best * step)]
    let frequency = 0
    for (let r = 0; r < rows; r++) if (isSpelledAlike(document, value, words[at + r])) frequency++
    if ((frequency - 1) * sourceLength(tape, value) < 2 || frequency * 3 < rows) return
    column.empty = DEFAULT
    column.value = value
  }
}

/** Whether most cells would be empty. */
function isSparse (columns: Column[], rows: number): boolean {
  let present = 0
  for (const column of columns) present += column.present
  return present * 2 < columns.length * rows
}
