import type { Document } from '../../json/document.js'
import { ARRAY, COUNT, KEY, KINDS_MASK, KIND_MASK, OBJECT, kindBit, nextNode } from '../../json/tape.js'
import type { Table } from './column.js'
import { releaseGathering } from './gather-columns.js'
import { isLike, isOfSameShape, maskKeys } from './likeness.js'
import { releaseSpans } from './make-template.js'
import { Nodes } from './nodes.js'
import { releaseOrdering } from './order-columns.js'
import { TablePlanner } from './plan-table.js'

const ONLY_OBJECTS = kindBit(OBJECT)
const CONTAINERS = kindBit(OBJECT) | kindBit(ARRAY)
/** Documents of more bytes are not held on to. */
const LEAST_RELEASED = 1 << 16
/** So many rows are compared before a list is taken for no table. */
const FEW_ROWS = 8
const NO_TABLES: Table[] = []

/** Which arrays and objects of a document are tables, and what becomes of their columns. */
export class Plan {
  readonly nodes: Nodes
  /** The array or object that holds the first tables that were found, and those; most small documents have no others. */
  private holder = -1
  private held: Table[] = NO_TABLES
  private others: Map<number, Table[]> | null = null
  private readonly tape: Int32Array
  private planner: TablePlanner | null = null

  constructor (private readonly document: Document) {
    this.tape = document.tape
    this.nodes = new Nodes(document.length >> 1)
    if ((this.tape[0] & KIND_MASK) <= ARRAY) this.visit(0)
    if (document.bytes.length > LEAST_RELEASED) release()
  }

  /** The tables whose rows an array or object holds, in order; null where there are none. */
  tablesOf (node: number): Table[] | null {
    if (node === this.holder) return this.held
    return this.others?.get(node) ?? null
  }

  private add (node: number, tables: Table[]): void {
    if (this.holder < 0) {
      this.holder = node
      this.held = tables
    } else {
      this.others ??= new Map()
      this.others.set(node, tables)
    }
  }

  /** Plans an array or object and all that it holds. */
  visit (node: number): void {
    const { tape } = this
    const head = tape[node]
    if ((head & CONTAINERS) === 0) return
    const count = tape[node + COUNT]
    const hasObjects = (head & ONLY_OBJECTS) !== 0
    if (hasObjects && count >= 2 && (head & KINDS_MASK) === ONLY_OBJECTS && this.areLike(node + 6, count)) {
      const table = this.table(node + 6, count)
      if (table !== null) {
        table.isWhole = true
        this.add(node, [table])
        return
      }
    }
    if (hasObjects && count >= 3) this.visitRuns(node)
    else this.visitValues(node + 6, tape[node + 2])
  }

  /** Whether any two neighbours of the first few objects are alike: most lists that are no tables are known by that. */
  private areLike (first: number, count: number): boolean {
    if (count > FEW_ROWS) return true
    const { document, tape } = this
    const offset = (tape[first] & KIND_MASK) === KEY ? 3 : 0
    let before = first + offset
    if (isOfSameShape(tape, before, tape[before + 2] + offset)) return true
    let maskBefore = maskKeys(tape, before)
    for (let n = 1; n < count; n++) {
      const value = tape[before + 2] + offset
      const mask = maskKeys(tape, value)
      if ((mask & maskBefore) !== 0 && isLike(document, before, value, 0)) return true
      before = value
      maskBefore = mask
    }
    return false
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
    const offset = (tape[node] & KIND_MASK) === OBJECT ? 3 : 0
    let tables: Table[] | null = null
    let first = node + 6
    let count = 0
    let before = 0
    let maskBefore = 0
    for (let at = first; at < end;) {
      const value = at + offset
      const isObject = (tape[value] & KIND_MASK) === OBJECT
      const mask = isObject ? maskKeys(tape, value) : 0
      if ((mask & maskBefore) === 0 || !isLike(document, before, value, 1)) {
        tables = this.endRun(first, count, at, tables)
        first = at
        count = 0
      }
      before = value
      maskBefore = mask
      count++
      at = nextNode(tape, value)
    }
    tables = this.endRun(first, count, end, tables)
    if (tables !== null) this.add(node, tables)
  }

  private endRun (first: number, count: number, end: number, tables: Table[] | null): Table[] | null {
    const table = count >= 2 ? this.table(first, count) : null
    if (table === null) this.visitValues(first, end)
    else if (tables === null) return [table]
    else tables.push(table)
    return tables
  }

  private table (first: number, count: number): Table | null {
    this.planner ??= new TablePlanner(this.document, this)
    return this.planner.table(first, count)
  }
}

function release (): void {
  releaseGathering()
  releaseOrdering()
  releaseSpans()
}
