import type { Document } from '../json/document.js'
import { SHAPE_DUPLICATE, SHAPE_NESTED } from '../json/shape-tree.js'
import { ARRAY, COUNT, FALSE, KINDS_MASK, KIND_MASK, NUMBER, ROWS, SHAPE, STRING, TRUE, kindBit } from '../json/tape.js'

const STRINGS = kindBit(STRING)
const NUMBERS = kindBit(NUMBER)
const BOOLEANS = kindBit(TRUE) | kindBit(FALSE)

/** An array that STC writes as a table: two rows or more, one shape, no key twice, nothing but primitives. */
export function isColumnar ({ tape, shapes }: Document, node: number): boolean {
  return (tape[node] & ROWS) !== 0 && tape[node + COUNT] >= 2 &&
    (shapes.flags(tape[node + SHAPE]) & (SHAPE_NESTED | SHAPE_DUPLICATE)) === 0
}

/** An array that is not empty and holds nothing but strings, nothing but numbers or nothing but booleans. */
export function isCompactArray (tape: Int32Array, node: number): boolean {
  if ((tape[node] & KIND_MASK) !== ARRAY) return false
  const kinds = tape[node] & KINDS_MASK
  return kinds === STRINGS || kinds === NUMBERS || (kinds !== 0 && (kinds & ~BOOLEANS) === 0)
}
