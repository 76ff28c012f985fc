import type { Document } from './json/document.js'
import { ARRAY, END, KIND_MASK, OBJECT, kindBit, nextNode } from './json/tape.js'

/**
 * The list that a document is about: the longest array in bytes that no other array is around, or -1 where there is none.
 *
 * @param ofObjects whether it must hold an object
 */
export function findRowArray ({ tape, length }: Document, ofObjects: boolean): number {
  let found = -1
  let longest = -1
  let node = 0
  while (node < length) {
    const head = tape[node]
    const kind = head & KIND_MASK
    if (kind === OBJECT) {
      node += 6
      continue
    }
    if (kind === ARRAY && !(ofObjects && (head & kindBit(OBJECT)) === 0)) {
      const size = tape[node + END] - tape[node + 1]
      if (size > longest) {
        longest = size
        found = node
      }
    }
    node = nextNode(tape, node)
  }
  return found
}
