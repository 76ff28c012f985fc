import type { Document } from '../../json/document.js'
import { EMPTY_SHAPE, SHAPE_DUPLICATE } from '../../json/shape-tree.js'
import { ARRAY, COUNT, KIND_MASK, RECORD, SHAPE, WIDE, WIDE_RECORD, nextNode } from '../../json/tape.js'
import { Column } from './column.js'
import { IntRoom } from './int-room.js'
import type { Nodes } from './nodes.js'
import { alignColumns, orderColumns } from './order-columns.js'
import { ShapeStarts } from './shape-starts.js'

/** Where rows are this sparse no table pays, whatever its keys are. */
const MOST_CELLS_FOR_ONE_VALUE = 12
const SPARE_CELLS = 256

/* One list of rows is gathered at a time, and nothing of this is kept. */
/** The kinds of the values of each column, and how many there are. */
const kindsOf = new IntRoom()
const presentOf = new IntRoom()
/** The key of each column, and the column of each key: where that is a column of this very key. */
const keyOf = new IntRoom()
const columnOf = new IntRoom()
/** The columns of the members of rows, one sequence behind the other, where each starts, and where that of each shape does. */
const sequences = new IntRoom()
const starts = new IntRoom()
const startOfShape = new ShapeStarts()
/** Where the columns of each row's members start. */
const startOfRow = new IntRoom()

/** Lets go of what a large document needed. */
export function releaseGathering (): void {
  for (const room of [kindsOf, presentOf, keyOf, columnOf, sequences, starts, startOfRow]) room.release()
  startOfShape.clear()
}

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
  return gatherUniform(tape, nodes, rows, count)
}

/** Rows that have the same keys. */
function gatherUniform (tape: Int32Array, nodes: Nodes, rows: number, count: number): Column[] {
  const width = tape[nodes.words[rows] + COUNT]
  const at = nodes.takeRaw(width * count)
  const { words } = nodes
  const kinds = kindsOf.of(width)
  for (let c = 0; c < width; c++) kinds[c] = 0
  for (let r = 0; r < count; r++) {
    let value = words[rows + r] + 6 + RECORD
    for (let c = 0, cell = at + r; c < width; c++, cell += count) {
      words[cell] = value
      const head = tape[value]
      kinds[c] |= 1 << (head & KIND_MASK)
      value = ((head & KIND_MASK) <= ARRAY ? tape[value + 2] : value + (head & WIDE ? WIDE_RECORD : RECORD)) + RECORD
    }
  }
  const columns: Column[] = []
  for (let c = 0; c < width; c++) columns.push(new Column(tape[words[at + c * count] - 1], count, kinds[c], at + c * count, count))
  return columns
}

function gatherMixed (document: Document, nodes: Nodes, rows: number, count: number): Column[] | null {
  const { tape, shapes } = document
  const { words } = nodes
  startOfShape.clear()
  const places = startOfRow.of(count)
  let members = 0
  let width = 0
  let used = 0
  let sequenceCount = 0
  let last = 0
  let lastShape = -1
  let areAscending = true
  for (let r = 0; r < count; r++) {
    const row = words[rows + r]
    members += tape[row + COUNT]
    const shape = tape[row + SHAPE]
    if (shape === lastShape || shape === EMPTY_SHAPE) {
      places[r] = r > 0 ? places[r - 1] : 0
      continue
    }
    lastShape = shape
    const known = startOfShape.of(shape)
    if (known >= 0) {
      places[r] = known
      continue
    }
    if (shapes.flags(shape) & SHAPE_DUPLICATE) return null
    const size = tape[row + COUNT]
    width = readSequence(document, row, used, width)
    if (used - last === size && isSameSequence(last, used)) {
      startOfShape.set(shape, last)
      places[r] = last
      continue
    }
    startOfShape.set(shape, used)
    starts.of(sequenceCount + 2)[sequenceCount++] = places[r] = last = used
    used += size
    if (areAscending) areAscending = isAscending(last, used)
    if (width * (r + 1) > members * MOST_CELLS_FOR_ONE_VALUE + SPARE_CELLS) return null
  }
  if (width * count > members * MOST_CELLS_FOR_ONE_VALUE + SPARE_CELLS) return null
  starts.words[sequenceCount] = used
  if (areAscending) return fillMixed(tape, nodes, rows, count, width, null)
  const order = orderColumns(width, sequences.words, starts.words, sequenceCount)
  if (order !== null) return fillMixed(tape, nodes, rows, count, width, order)
  const keys = [...keyOf.words.subarray(0, width)]
  const aligned = alignColumns(keys, sequences.words, starts.words, sequenceCount)
  if (aligned === null) return null
  keyOf.of(keys.length).set(keys)
  const columns = fillMixed(tape, nodes, rows, count, keys.length, aligned)
  markShared(columns)
  return columns
}

/** The columns of a row's members, as a sequence that starts at `start`; returns how many columns there are then. */
function readSequence ({ tape, keys }: Document, row: number, start: number, width: number): number {
  const sequence = sequences.of(start + tape[row + COUNT])
  const column = columnOf.of(keys.count)
  const key = keyOf.of(width + tape[row + COUNT])
  const end = tape[row + 2]
  // Most keys follow the one that they followed before.
  let guess = 0
  for (let member = row + 6, m = start; member < end; member = nextNode(tape, member + 3), m++) {
    const id = tape[member + 2]
    if (guess >= width || key[guess] !== id) {
      guess = column[id]
      if (guess >= width || key[guess] !== id) {
        guess = width++
        key[guess] = id
        column[id] = guess
      }
    }
    sequence[m] = guess++
  }
  return width
}

/** Whether a sequence is the same as the one before it: shapes differ also by what is in the values. */
function isSameSequence (a: number, b: number): boolean {
  const sequence = sequences.words
  for (let m = b; a < b; a++, m++) if (sequence[a] !== sequence[m]) return false
  return true
}

/** Whether a row's members are in the order in which the columns were found. */
function isAscending (start: number, end: number): boolean {
  const sequence = sequences.words
  for (let m = start + 1; m < end; m++) if (sequence[m] < sequence[m - 1]) return false
  return true
}

/** @param order of the columns; null where they are in the order in which they were found */
function fillMixed (tape: Int32Array, nodes: Nodes, rows: number, count: number, width: number, order: Int32Array | null): Column[] {
  const at = nodes.take(width * count)
  const { words } = nodes
  const kinds = kindsOf.of(width)
  const present = presentOf.of(width)
  for (let c = 0; c < width; c++) kinds[c] = present[c] = 0
  const sequence = sequences.words
  const places = startOfRow.words
  for (let r = 0; r < count; r++) {
    const row = words[rows + r]
    const end = tape[row + 2]
    for (let value = row + 6 + RECORD, m = places[r]; value < end; m++) {
      const c = sequence[m]
      words[at + c * count + r] = value
      present[c]++
      const head = tape[value]
      kinds[c] |= 1 << (head & KIND_MASK)
      value = ((head & KIND_MASK) <= ARRAY ? tape[value + 2] : value + (head & WIDE ? WIDE_RECORD : RECORD)) + RECORD
    }
  }
  const columns: Column[] = []
  for (let n = 0; n < width; n++) {
    const c = order === null ? n : order[n]
    columns.push(new Column(keyOf.words[c], count, kinds[c], at + c * count, present[c]))
  }
  return columns
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
