import type { Document } from './document.js'
import { ARRAY, END, KIND_MASK, STRING } from './tape.js'

/** Where the value of a node starts in the document's bytes, its opening quote included. */
export function startOf ({ tape }: Document, node: number): number {
  return (tape[node] & KIND_MASK) === STRING ? tape[node + 1] - 1 : tape[node + 1]
}

/** Where the value of a node ends in the document's bytes, its closing quote included. */
export function endOf ({ tape }: Document, node: number): number {
  const kind = tape[node] & KIND_MASK
  if (kind <= ARRAY) return tape[node + END]
  return kind === STRING ? tape[node + 2] + 1 : tape[node + 2]
}
