import { IntRoom } from './int-room.js'

/** Where keys come in conflicting orders: at most so many columns, and so many steps to align them. */
const MOST_ALIGNED = 96
const MOST_ALIGN_STEPS = 1 << 18

/* One order is looked for at a time, and nothing of this is kept. */
/** For each column the last of the edges to those that follow it; for each edge where it leads and the one before it. */
const lastEdge = new IntRoom()
const edgeTo = new IntRoom()
const edgeBefore = new IntRoom()
/** How many edges lead to each column from those that are not placed. */
const waiting = new IntRoom()
const open = new IntRoom()
const ordered = new IntRoom()

/** Lets go of what a large document needed. */
export function releaseOrdering (): void {
  for (const room of [lastEdge, edgeTo, edgeBefore, waiting, open, ordered]) room.release()
}

/**
 * Columns in an order of which each sequence is a subsequence, or null. Kahn's algorithm, the first seen first.
 *
 * @param columns of the sequences, one behind the other
 * @param starts where each sequence starts, and behind that where the last one ends
 * @returns good until the next call
 */
export function orderColumns (count: number, columns: Int32Array, starts: Int32Array, sequenceCount: number): Int32Array | null {
  const last = lastEdge.of(count)
  const before = waiting.of(count)
  for (let c = 0; c < count; c++) last[c] = before[c] = 0
  const edges = starts[sequenceCount] + 1
  const to = edgeTo.of(edges)
  const next = edgeBefore.of(edges)
  let used = 1
  for (let s = 0; s < sequenceCount; s++) {
    const end = starts[s + 1]
    for (let m = starts[s] + 1; m < end; m++) {
      const from = columns[m - 1]
      const column = columns[m]
      // Most sequences agree with the one before.
      if (last[from] !== 0 && to[last[from]] === column) continue
      to[used] = column
      next[used] = last[from]
      last[from] = used++
      before[column]++
    }
  }
  const stack = open.of(count)
  let top = 0
  for (let column = count - 1; column >= 0; column--) if (before[column] === 0) stack[top++] = column
  const order = ordered.of(count)
  let placed = 0
  while (top > 0) {
    const column = stack[--top]
    order[placed++] = column
    for (let edge = last[column]; edge !== 0; edge = next[edge]) if (--before[to[edge]] === 0) stack[top++] = to[edge]
  }
  return placed === count ? order : null
}

/**
 * An order in which keys may have several places, so that every row finds its own: each sequence is aligned with
 * what the ones before it made, by the longest common subsequence. Keys grow by the places added, and the
 * sequences get the places that are theirs. What the parameters are, see `orderColumns`.
 *
 * @param keys the key of each column
 * @returns null where that takes too many places or too many steps
 */
export function alignColumns (keys: number[], columns: Int32Array, starts: Int32Array, sequenceCount: number): Int32Array | null {
  const distinct = keys.length
  let order = [...columns.subarray(0, starts[1])]
  let steps = 0
  for (let s = 1; s < sequenceCount; s++) {
    const sequence = columns.subarray(starts[s], starts[s + 1])
    steps += order.length * sequence.length
    if (steps > MOST_ALIGN_STEPS || order.length > MOST_ALIGNED) return null
    order = align(order, sequence, keys)
  }
  return order.length > distinct * 1.5 + 1 ? null : Int32Array.from(order)
}

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
      sequence[m++] = order[o]
      merged.push(order[o++])
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
