import type { Document } from '../../json/document.js'
import { EMPTY_SHAPE, SHAPE_DUPLICATE } from '../../json/shape-tree.js'
import { COUNT, SHAPE, nextNode } from '../../json/tape.js'

/** A key that rows of a table have, with the node of its value in each row; 0 where a row has no such key. */
export interface Cells {
  key: number
  nodes: Int32Array
  present: number
  /** Whether the key has more than one place; `isAgain` at all of them but the first. */
  isShared: boolean
  isAgain: boolean
}

/** Where rows are this sparse no table pays, whatever its keys are. */
const MOST_CELLS_FOR_ONE_VALUE = 12
const SPARE_CELLS = 256

/**
 * The columns of rows, in an order of which the keys of every row are a subsequence.
 *
 * @param rows nodes of objects
 * @returns null where no such order is, where a row holds a key twice, and where almost all cells would be empty
 */
export function gatherCells (document: Document, rows: Int32Array): Cells[] | null {
  const { tape, shapes } = document
  const count = rows.length
  const places = new Map<number, Int32Array>()
  const byKey = new Map<number, number>()
  const keys: number[] = []
  let members = 0
  let lastShape = -1
  for (let r = 0; r < count; r++) {
    const row = rows[r]
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
  if (keys.length === 0) return null
  const order = orderColumns(keys.length, [...places.values()]) ?? alignColumns(keys, places)
  return order === null ? null : fill(document, rows, places, keys, order)
}

/** Where keys come in conflicting orders: at most so many columns, and so many steps to align them. */
const MOST_ALIGNED = 96
const MOST_ALIGN_STEPS = 1 << 18

/**
 * An order in which keys may have several places, so that every row finds its own: each sequence is aligned with
 * what the ones before it made, by the longest common subsequence. Keys and places grow by the places added.
 */
function alignColumns (keys: number[], places: Map<number, Int32Array>): Int32Array | null {
  const sequences = [...places.values()]
  let order = [...sequences[0]]
  let steps = 0
  const base = keys.length
  for (let s = 1; s < sequences.length; s++) {
    const sequence = sequences[s]
    steps += order.length * sequence.length
    if (steps > MOST_ALIGN_STEPS || order.length > MOST_ALIGNED) return null
    order = align(order, sequence, keys)
  }
  if (order.length > base * 1.5 + 1) return null
  return Int32Array.from(order)
}

/** Merges a sequence into an order; the columns of the sequence are replaced by the places that they got. */
function align (order: number[], sequence: Int32Array, keys: number[]): number[] {
  const width = sequence.length + 1
  const common = new Int32Array((order.length + 1) * width)
  for (let o = order.length - 1; o >= 0; o--) {
    for (let m = sequence.length - 1; m >= 0; m--) {
      common[o * width + m] = keys[order[o]] === keys[sequence[m]]
        ? common[(o + 1) * width + m + 1] + 1
        : Math.max(common[(o + 1) * width + m], common[o * width + m + 1])
    }
  }
  const merged: number[] = []
  const taken = new Set(order)
  let o = 0
  let m = 0
  while (o < order.length || m < sequence.length) {
    if (o < order.length && m < sequence.length && keys[order[o]] === keys[sequence[m]]) {
      sequence[m] = order[o]
      merged.push(order[o++])
      m++
    } else if (m === sequence.length || (o < order.length && common[(o + 1) * width + m] >= common[o * width + m + 1])) {
      merged.push(order[o++])
    } else {
      if (taken.has(sequence[m])) {
        keys.push(keys[sequence[m]])
        sequence[m] = keys.length - 1
      }
      taken.add(sequence[m])
      merged.push(sequence[m++])
    }
  }
  return merged
}

/** The columns in an order that all sequences keep, or null. Kahn's algorithm, the first seen first. */
function orderColumns (count: number, sequences: Int32Array[]): Int32Array | null {
  if (sequences.length === 1) return sequences[0]
  const followers: number[][] = Array.from({ length: count }, () => [])
  const before = new Int32Array(count)
  const last = new Int32Array(count).fill(-1)
  for (const sequence of sequences) {
    for (let m = 1; m < sequence.length; m++) {
      const from = sequence[m - 1]
      const to = sequence[m]
      // Most sequences agree with the one before.
      if (last[from] === to) continue
      last[from] = to
      followers[from].push(to)
      before[to]++
    }
  }
  const order = new Int32Array(count)
  const open: number[] = []
  for (let column = count - 1; column >= 0; column--) if (before[column] === 0) open.push(column)
  let placed = 0
  while (open.length > 0) {
    const column = open.pop() as number
    order[placed++] = column
    const next = followers[column]
    for (let f = next.length - 1; f >= 0; f--) if (--before[next[f]] === 0) open.push(next[f])
  }
  return placed === count ? order : null
}

function fill ({ tape }: Document, rows: Int32Array, places: Map<number, Int32Array>, keys: number[], order: Int32Array): Cells[] {
  const count = rows.length
  const columns: Cells[] = keys.map(key => ({ key, nodes: new Int32Array(count), present: 0, isShared: false, isAgain: false }))
  let lastShape = -1
  let targets: Int32Array = order
  for (let r = 0; r < count; r++) {
    const row = rows[r]
    const shape = tape[row + SHAPE]
    if (shape === EMPTY_SHAPE) continue
    if (shape !== lastShape) {
      targets = places.get(shape) as Int32Array
      lastShape = shape
    }
    const end = tape[row + 2]
    let m = 0
    for (let at = row + 6; at < end; at = nextNode(tape, at + 3)) {
      const column = columns[targets[m++]]
      column.nodes[r] = at + 3
      column.present++
    }
  }
  const ordered = Array.from(order, column => columns[column])
  if (new Set(keys).size < keys.length) markShared(ordered)
  return ordered
}

function markShared (columns: Cells[]): void {
  const first = new Map<number, Cells>()
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
