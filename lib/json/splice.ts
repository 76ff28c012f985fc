/** What takes the place of the bytes from `start` to `end`; an insertion where these are the same. */
export interface Edit {
  start: number
  end: number
  bytes: Uint8Array
}

/**
 * The bytes with all edits made, and nothing else changed; the very same array where there are none.
 *
 * @param edits in any order; they must not overlap, and of several at one place the insertions come first
 */
export function splice (bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return bytes
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  let size = bytes.length
  for (const edit of sorted) size += edit.bytes.length - (edit.end - edit.start)
  const out = new Uint8Array(size)
  let from = 0
  let at = 0
  for (const edit of sorted) {
    out.set(bytes.subarray(from, edit.start), at)
    at += edit.start - from
    out.set(edit.bytes, at)
    at += edit.bytes.length
    from = edit.end
  }
  out.set(bytes.subarray(from), at)
  return out
}
