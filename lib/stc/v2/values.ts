import type { Document } from '../../json/document.js'
import { ARRAY, END, KEY, KIND_MASK, STRING, WIDE } from '../../json/tape.js'
import type { Span } from './span.js'

/** Points `span` at what the primitive or key at `node` inserts into a template: a string's shortest spelling, a lexeme. */
export function readSpan ({ tape, bytes, arena, keys }: Document, node: number, span: Span): void {
  const head = tape[node]
  if ((head & KIND_MASK) === KEY) {
    span.bytes = keys.bytes
    span.start = keys.starts[tape[node + 2]]
    span.end = keys.starts[tape[node + 2] + 1]
  } else if ((head & KIND_MASK) === STRING && head & WIDE) {
    span.bytes = arena
    span.start = tape[node + 3]
    span.end = tape[node + 4]
  } else {
    span.bytes = bytes
    span.start = tape[node + 1]
    span.end = tape[node + 2]
  }
}

/** Whether two nodes are spelled alike in the source, so that they are the same value; the same in other words may differ. */
export function isSpelledAlike (document: Document, a: number, b: number): boolean {
  const { tape } = document
  const kind = tape[a] & KIND_MASK
  if (kind !== (tape[b] & KIND_MASK)) return false
  const place = kind <= ARRAY ? END : 2
  const length = tape[a + place] - tape[a + 1]
  return tape[b + place] - tape[b + 1] === length && areAlike(document, tape[a + 1], tape[b + 1], length)
}

/** Whether so many bytes are the same at two places of the source. */
function areAlike ({ bytes, view }: Document, from: number, to: number, length: number): boolean {
  const end = from + length
  const last = end - 4
  if (last >= from) {
    // Values that are almost alike mostly differ at the end.
    if (view.getInt32(last, true) !== view.getInt32(to + last - from, true)) return false
    for (; from < last; from += 4, to += 4) if (view.getInt32(from, true) !== view.getInt32(to, true)) return false
    return true
  }
  for (; from < end; from++, to++) {
    if (bytes[from] !== bytes[to]) return false
  }
  return true
}

/** Bytes of a value in the source, quotes included. */
export function sourceLength (tape: Int32Array, node: number): number {
  const kind = tape[node] & KIND_MASK
  if (kind <= ARRAY) return tape[node + END] - tape[node + 1]
  return tape[node + 2] - tape[node + 1] + (kind === STRING ? 2 : 0)
}

/** A number that is the same for values that are spelled alike, and mostly another for others; reads at most 20 bytes. */
export function hashValue ({ tape, bytes, view }: Document, node: number): number {
  const kind = tape[node] & KIND_MASK
  const start = tape[node + 1]
  const end = kind <= ARRAY ? tape[node + END] : tape[node + 2]
  const last = end - start - 4
  let hash = Math.imul(kind, 0x9e3779b1) ^ last
  if (last < 0) {
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
    return hash
  }
  hash = Math.imul(hash ^ view.getInt32(start, true), 0x85ebca6b)
  hash = Math.imul(hash ^ hash >>> 15 ^ view.getInt32(start + last, true), 0x85ebca6b)
  if (last <= 4) return hash ^ hash >>> 13
  hash = Math.imul(hash ^ hash >>> 15 ^ view.getInt32(start + (last >> 1), true), 0x85ebca6b)
  if (last <= 8) return hash ^ hash >>> 13
  hash = Math.imul(hash ^ hash >>> 15 ^ view.getInt32(start + (last >> 2), true), 0x85ebca6b)
  hash = Math.imul(hash ^ hash >>> 15 ^ view.getInt32(start + last - (last >> 2), true), 0x85ebca6b)
  return hash ^ hash >>> 13
}
