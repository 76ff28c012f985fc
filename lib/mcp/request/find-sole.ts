import type { Document } from '../../json/document.js'
import { KIND_MASK, OBJECT, nextNode } from '../../json/tape.js'
import { toBytes } from '../../json/utf8.js'

/**
 * The node of the value that an object holds under a name; -1 where it is no object, or has none. Where it has
 * several, readers differ in which one counts, so that none does.
 *
 * @param object -1 finds nothing
 */
export function findSole ({ tape, keys }: Document, object: number, name: string): number {
  if (object < 0 || (tape[object] & KIND_MASK) !== OBJECT) return -1
  const spelling = toBytes(name)
  const key = keys.intern(spelling, 0, spelling.length, 0)
  const end = tape[object + 2]
  let found = -1
  for (let node = object + 6; node < end; node = nextNode(tape, node + 3)) {
    if (tape[node + 2] !== key) continue
    if (found >= 0) return -1
    found = node + 3
  }
  return found
}
