import type { Document } from './document.js'
import { ByteWriter } from './output.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, nextNode } from './tape.js'
import { writePrimitive, writeQuotedKey } from './write.js'

/**
 * The document without blanks between its tokens, strings as JSON.stringify writes them, numbers by
 * their lexeme. Where it came so, the bytes that came.
 */
export function minifyToBytes (document: Document): Uint8Array {
  const { bytes, arena, minifiedBytes, tape, length } = document
  if (minifiedBytes === bytes.length && arena.length === 0) return bytes
  const out = new ByteWriter(minifiedBytes, document)
  // The tape is in the order of the text, so no recursion is needed, however deep it nests.
  const open: number[] = []
  let node = 0
  while (node < length) {
    const kind = tape[node] & KIND_MASK
    if (kind === KEY) {
      writeQuotedKey(out, document, tape[node + 2])
      out.byte(0x3a)
      node += 3
      continue
    }
    if (kind <= ARRAY) {
      out.byte(kind === OBJECT ? 0x7b : 0x5b)
      open.push(node)
      node += 6
      if (tape[node - 6 + COUNT] > 0) continue
    } else {
      writePrimitive(out, document, node, kind)
      node = nextNode(tape, node)
    }
    while (open.length > 0 && tape[open[open.length - 1] + 2] === node) {
      out.byte((tape[open.pop() as number] & KIND_MASK) === OBJECT ? 0x7d : 0x5d)
    }
    if (open.length > 0) out.byte(0x2c)
  }
  return out.finish()
}
