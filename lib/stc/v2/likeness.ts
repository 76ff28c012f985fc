import type { Document } from '../../json/document.js'
import { COUNT, KIND_MASK, OBJECT, SHAPE, nextNode } from '../../json/tape.js'

/** Of each object so many members are compared at most. */
const MOST_MEMBERS = 48

const seen = { same: 0, all: 0 }

/** A bit for each of the first keys of an object, which many keys share: objects without a bit in common have no key in common. */
export function maskKeys (tape: Int32Array, node: number): number {
  const end = tape[node + 2]
  let mask = 0
  for (let at = node + 6, n = 0; at < end && n < MOST_MEMBERS; at = nextNode(tape, at + 3), n++) mask |= 1 << (tape[at + 2] & 31)
  return mask
}

/** Whether two objects have the same keys. */
export function isOfSameShape (tape: Int32Array, a: number, b: number): boolean {
  return tape[a + SHAPE] === tape[b + SHAPE] && tape[a + COUNT] > 0
}

/**
 * Whether two objects have at least half of their keys in common.
 *
 * @param levels on how many levels below the keys of objects in both count too
 */
export function isLike (document: Document, a: number, b: number, levels: number): boolean {
  const { tape } = document
  if (tape[a + SHAPE] === tape[b + SHAPE]) return tape[a + COUNT] > 0
  seen.same = seen.all = 0
  compare(tape, a, b, levels)
  return seen.same * 2 >= seen.all && seen.same > 0
}

function compare (tape: Int32Array, a: number, b: number, levels: number): void {
  const end = tape[a + 2]
  const last = tape[b + 2]
  seen.all += tape[a + COUNT] + tape[b + COUNT]
  let from = b + 6
  for (let x = a + 6, n = 0; x < end && n < MOST_MEMBERS; x = nextNode(tape, x + 3), n++) {
    // Most keys come in the same order.
    for (let y = from, m = 0; y < last && m < MOST_MEMBERS; y = nextNode(tape, y + 3), m++) {
      if (tape[x + 2] !== tape[y + 2]) continue
      seen.same++
      seen.all--
      from = nextNode(tape, y + 3)
      const areObjects = (tape[x + 3] & KIND_MASK) === OBJECT && (tape[y + 3] & KIND_MASK) === OBJECT
      if (areObjects && levels > 0) compare(tape, x + 3, y + 3, levels - 1)
      break
    }
  }
}
