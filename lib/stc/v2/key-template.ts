import type { Document } from '../../json/document.js'

/** What the keys of all rows of a table begin and end with, in shortest spelling and without backslashes. */
export interface KeyTemplate {
  before: Uint8Array
  after: Uint8Array
}

/** It is taken where it saves so many bytes in all. */
const LEAST_SAVED = 12

/** What the keys have in common, cut between words; null where it is too little. */
export function findKeyTemplate ({ keys: { bytes, starts } }: Document, keys: Int32Array): KeyTemplate | null {
  const first = starts[keys[0]]
  let before = starts[keys[0] + 1] - first
  let after = before
  for (let k = 1; k < keys.length && (before > 0 || after > 0); k++) {
    const start = starts[keys[k]]
    const end = starts[keys[k] + 1]
    let i = 0
    while (i < before && start + i < end && bytes[first + i] === bytes[start + i]) i++
    before = i
    i = 0
    while (i < after && end - i > start && bytes[starts[keys[0] + 1] - 1 - i] === bytes[end - 1 - i]) i++
    after = i
  }
  if (before + after === 0) return null
  for (let k = 0; k < keys.length; k++) {
    const start = starts[keys[k]]
    const end = starts[keys[k] + 1]
    if (bytes.subarray(start, end).includes(0x5c)) return null
    while (before > 0 && isInWord(bytes, start + before, start, end)) before--
    while (after > 0 && isInWord(bytes, end - after, start, end)) after--
    if (before + after > end - start) return null
  }
  if ((before + after) * (keys.length - 1) < LEAST_SAVED) return null
  return { before: bytes.slice(first, first + before), after: bytes.slice(starts[keys[0] + 1] - after, starts[keys[0] + 1]) }
}

function isInWord (bytes: Uint8Array, at: number, start: number, end: number): boolean {
  return at > start && at < end && isWordByte(bytes[at - 1]) && isWordByte(bytes[at])
}

/** Letters, digits, and all beyond ASCII. */
export function isWordByte (byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80
}
