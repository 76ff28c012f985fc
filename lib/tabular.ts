import type { Document } from './json/document.js'
import { ARRAY, COUNT, KINDS_MASK, KIND_MASK, OBJECT, PRIMITIVE_KINDS, nextNode } from './json/tape.js'

/** What counts as a table, for those who want nothing but tables re-encoded (the classifier of MCPProxy). */
export interface TabularRule {
  /** Rows that there must be at least; 1 or more, default 4. */
  minRows?: number
  /** Share of the rows that must have a key, for each key that some row has; 0 to 1, default 0.9. */
  presence?: number
}

const DEFAULT_MIN_ROWS = 4
const DEFAULT_PRESENCE = 0.9

/** Whether a document is an array of flat objects with mostly the same keys, or an object with such an array as its only member. */
export function isTabular (document: Document, { minRows = DEFAULT_MIN_ROWS, presence = DEFAULT_PRESENCE }: TabularRule = {}): boolean {
  const { tape } = document
  const isEnvelope = (tape[0] & KIND_MASK) === OBJECT && tape[COUNT] === 1
  const array = isEnvelope ? 9 : 0
  if ((tape[array] & KIND_MASK) !== ARRAY || tape[array + COUNT] < minRows) return false
  const rowsByKey = countKeys(tape, array)
  return rowsByKey !== null && [...rowsByKey.values()].every(rows => rows >= presence * tape[array + COUNT])
}

/** In how many rows each key stands, by its id; null where an element is no flat object. */
function countKeys (tape: Int32Array, array: number): Map<number, number> | null {
  const counts = new Map<number, number>()
  const end = tape[array + 2]
  for (let row = array + 6; row < end; row = tape[row + 2]) {
    if ((tape[row] & KIND_MASK) !== OBJECT || (tape[row] & KINDS_MASK & ~PRIMITIVE_KINDS) !== 0) return null
    for (let key = row + 6; key < tape[row + 2]; key = nextNode(tape, key + 3)) {
      counts.set(tape[key + 2], (counts.get(tape[key + 2]) ?? 0) + 1)
    }
  }
  return counts
}
