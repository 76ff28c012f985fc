import type { Document } from './document.js'
import { KIND_MASK, OBJECT, nextNode } from './tape.js'
import { toBytes } from './utf8.js'

/** The node of the value that an object holds under a name, the first where there are several, or -1. */
export function findMember (document: Document, object: number, name: string): number {
  const { tape, keys } = document
  if ((tape[object] & KIND_MASK) !== OBJECT) return -1
  const spelling = toBytes(JSON.stringify(name).slice(1, -1))
  const end = tape[object + 2]
  for (let node = object + 6; node < end; node = nextNode(tape, node + 3)) {
    const key = tape[node + 2]
    const start = keys.starts[key]
    if (keys.starts[key + 1] - start !== spelling.length) continue
    if (spelling.every((byte, i) => byte === keys.bytes[start + i])) return node + 3
  }
  return -1
}

/** Whether the root is an object that has a member of that name. */
export function hasRootMember (document: Document, name: string): boolean {
  return findMember(document, 0, name) >= 0
}
