import type { Document } from './document.js'
import type { Output } from './output.js'
import { STRING, WIDE } from './tape.js'

/** Writes a string of the tape in its shortest spelling, quotes included. */
export function writeString (out: Output, document: Document, node: number): void {
  const { tape } = document
  if (tape[node] & WIDE) out.copy(document.arena, tape[node + 3] - 1, tape[node + 4] + 1)
  else out.copy(document.bytes, tape[node + 1] - 1, tape[node + 2] + 1)
}

/** Writes a key in its shortest spelling, quotes included. */
export function writeQuotedKey (out: Output, document: Document, key: number): void {
  const { keys } = document
  out.byte(0x22)
  out.copyKey(keys, key)
  out.byte(0x22)
}

/** Writes a primitive as JSON has it: strings in their shortest spelling, numbers by their lexeme. */
export function writePrimitive (out: Output, document: Document, node: number, kind: number): void {
  if (kind === STRING) writeString(out, document, node)
  else out.copy(document.bytes, document.tape[node + 1], document.tape[node + 2])
}
