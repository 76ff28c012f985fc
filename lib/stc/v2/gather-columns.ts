import type { Document } from '../../json/document.js'
import { EMPTY_SHAPE, SHAPE_DUPLICATE } from '../../json/shape-tree.js'
import { COUNT, KIND_MASK, SHAPE, nextNode } from '../../json/tape.js'
import { Column } from './column.js'
import type { Nodes } from './nodes.js'
import { alignColumns, orderColumns } from './order-columns.js'

/** Where rows are this sparse no table pays, whatever its keys are. */
const MOST_CELLS_FOR_ONE_VALUE = 12
const SPARE_CELLS = 256

/**
 * The columns of rows, in an order of which the keys of every row are a subsequence.
 *
 * @param rows where in `nodes` the list of the rows, which are objects, starts
 * @returns null where no such order is, where a row holds a key twice, and where almost all cells would be empty
 */
export function gatherColumns (document: Document, nodes: Nodes, rows: number, count: number): Column[] | null {
  const { tape, shapes } = document
  const { words } = nodes
  const shape = tape[words[rows] + SHAPE]
  let r = 1
  while (r < count && tape[words[rows + r] + SHAPE] === shape) r++
  if (r < count) return gatherMixed(document, nodes, rows, count)
  if (shape === EMPTY_SHAPE || shapes.flags(shape) & SHAPE_DUPLICATE) return null
  return gatherUniform(document, nodes, rows, count)
}

/** Rows that have the same keys. */
function gatherUniform ({ tape }: Document, nodes: Nodes, rows: number, count: number): Column[] {
  const width = tape[nodes.words[rows] + COUNT]
  const at = nodes.take(width * count)
  const { words } = nodes
  const columns: Column[] = []
  const first = words[rows]
  let member = first + 6
  for (let c = 0; c < width; c++) {
    const column = new Column(tape[member + 2], count, 0)
    column.at = at + c * count
    column.present = count
    columns.push(column)
    member = nextNode(tape, member + 3)
  }
  for (let r = 0; r < count; r++) {
    let cell = at + r
    let member = words[rows + r] + 6
    for (let c = 0; c < width; c++) {
      words[cell] = member + 3
      cell += count
      member = nextNode(tape, member + 3)
    }
  }
  for (let c = 0; c < width; c++) {
    let kinds = 0
    for (let cell = at + c * count, end = cell + count; cell < end; cell++) kinds |= 1 << (tape[words[cell]] & KIND_MASK)
    columns[c].kinds = kinds
  }
  return columns
}

/* Emptied for each list of rows: making maps costs more than small lists do. */
/** For each shape of a row the columns of its members. */
const places = new Map<number, Int32Array>()
const byKey = new Map<number, number>()

function gatherMixed (document: Document, nodes: Nodes, rows: number, count: number): Column[] | null {
  const { tape, shapes } = document
  const { words } = nodes
  places.clear()
  byKey.clear()
  const keys: number[] = []
  let members = 0
  let lastShape = -1
  for (let r = 0; r < count; r++) {
    const row = words[rows + r]
    members += tape[row + COUNT]
    const shape = tape[row + SHAPE]
    if (shape === lastShape) continue
    lastShape = shape
    if (shape === EMPTY_SHAPE || places.has(shape)) continue
    if (shapes.flags(shape) & SHAPE_DUPLICATE) return null
    const order = new Int32Array(tape[row + COUNT])
    let m = 0
    for (let at = row + 6; at < tape[row + 2]; at = nextNode(tape, at + 3)) {
      const key = tape[at + 2]
      let column = byKey.get(key)
      if (column === undefined) {
        column = keys.length
        byKey.set(key, column)
        keys.push(key)
      }
      order[m++] = column
    }
    places.set(shape, order)
    if (keys.length * (r + 1) > members * MOST_CELLS_FOR_ONE_VALUE + SPARE_CELLS) return null
  }
  if (keys.length * count > members * MOST_CELLS_FOR_ONE_VALUE + SPARE_CELLS) return null
  const sequences = [...places.values()]
  const order = orderColumns(keys.length, sequences) ?? alignColumns(keys, sequences)
  return order === null ? null : fillMixed(document, nodes, rows, count, keys, order)
}

function fillMixed ({ tape }: Document, nodes: Nodes, rows: number, count: number, keys: number[], order: Int32Array): Column[] {
  const at = nodes.take(keys.length * count)
  const { words } = nodes
  const columns = keys.map((key, c) => {
    const column = new Column(key, count, 0)
    column.at = at + c * count
    return column
  })
  let lastShape = EMPTY_SHAPE
  let targets = order
  for (let r = 0; r < count; r++) {
    const row = words[rows + r]
    const shape = tape[row + SHAPE]
    if (shape === EMPTY_SHAPE) continue
    if (shape !== lastShape) targets = places.get(shape) as Int32Array
    lastShape = shape
    const end = tape[row + 2]
    let m = 0
    for (let member = row + 6; member < end; member = nextNode(tape, member + 3)) {
      const column = columns[targets[m++]]
      words[column.at + r] = member + 3
      column.present++
      column.kinds |= 1 << (tape[member + 3] & KIND_MASK)
    }
  }
  const ordered = Array.from(order, column => columns[column])
  markShared(ordered)
  return ordered
}

function markShared (columns: Column[]): void {
  const first = new Map<number, Column>()
  for (const column of columns) {
    const before = first.get(column.key)
    if (before === undefined) {
      first.set(column.key, column)
    } else {
      before.isShared = true
      column.isShared = column.isAgain = true
    }
  }
}
