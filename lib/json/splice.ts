import { allocate } from './allocate.js'
import { measureLiteral, writeLiteral } from './string-literal.js'

/** What takes the place of the bytes from `start` to `end`; an insertion where these are the same. */
export interface Edit {
  start: number
  end: number
  /** One behind the other. */
  parts: readonly Uint8Array[]
  /** Whether the parts are what a JSON string stands for, and not what is written. */
  isString: boolean
  /** Bytes that are written. */
  size: number
}

/** An edit that puts bytes in. */
export function replaceBytes (start: number, end: number, bytes: Uint8Array): Edit {
  return { start, end, parts: [bytes], isString: false, size: bytes.length }
}

/** An edit that puts the JSON string in that stands for texts, one behind the other. */
export function replaceString (start: number, end: number, texts: readonly Uint8Array[]): Edit {
  return { start, end, parts: texts, isString: true, size: measureLiteral(texts) }
}

/**
 * The bytes with all edits made, and nothing else changed; the very same array where there are none.
 *
 * @param edits in any order; they must not overlap, and of several at one place the insertions come first
 */
export function splice (bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return bytes
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  const out = allocate(sorted.reduce((length, { start, end, size }) => length + size - (end - start), bytes.length))
  let from = 0
  let at = 0
  for (const { start, end, parts, isString, size } of sorted) {
    out.set(bytes.subarray(from, start), at)
    at += start - from
    if (isString) writeLiteral(out, at, parts)
    else out.set(parts[0], at)
    at += size
    from = end
  }
  out.set(bytes.subarray(from), at)
  return out
}
