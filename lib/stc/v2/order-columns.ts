/** Where keys come in conflicting orders: at most so many columns, and so many steps to align them. */
const MOST_ALIGNED = 96
const MOST_ALIGN_STEPS = 1 << 18

/** Columns in an order of which each sequence is a subsequence, or null. Kahn's algorithm, the first seen first. */
export function orderColumns (count: number, sequences: Int32Array[]): Int32Array | null {
  if (sequences.every(isAscending)) return Int32Array.from({ length: count }, (_, column) => column)
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

function isAscending (sequence: Int32Array): boolean {
  for (let m = 1; m < sequence.length; m++) if (sequence[m] < sequence[m - 1]) return false
  return true
}

/**
 * An order in which keys may have several places, so that every row finds its own: each sequence is aligned with
 * what the ones before it made, by the longest common subsequence. Keys grow by the places added, and the
 * sequences get the places that are theirs.
 *
 * @param keys the key of each column
 * @returns null where that takes too many places or too many steps
 */
export function alignColumns (keys: number[], sequences: Int32Array[]): Int32Array | null {
  const distinct = keys.length
  let order = [...sequences[0]]
  let steps = 0
  for (let s = 1; s < sequences.length; s++) {
    steps += order.length * sequences[s].length
    if (steps > MOST_ALIGN_STEPS || order.length > MOST_ALIGNED) return null
    order = align(order, sequences[s], keys)
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
