import type { Document } from '../../json/document.js'
import type { Nodes } from './nodes.js'

/** What the keys of all rows of a table begin and end with, in shortest spelling and without backslashes. */
export interface KeyTemplate {
  before: Uint8Array
  after: Uint8Array
}

/** It is taken where it saves so many bytes in all. */
const LEAST_SAVED = 12

/** What the keys of rows have in common, cut between words; null where it is too little. */
export function findKeyTemplate ({ keys: { bytes, starts }, tape }: Document, { words }: Nodes, rows: number, count: number): KeyTemplate | null {
  const firstStart = starts[tape[words[rows] - 1]]
  const firstEnd = starts[tape[words[rows] - 1] + 1]
  let before = firstEnd - firstStart
  let after = before
  for (let r = 1; r < count && before + after > 0; r++) {
    const key = tape[words[rows + r] - 1]
    const start = starts[key]
    const end = starts[key + 1]
    let i = 0
    while (i < before && start + i < end && bytes[firstStart + i] === bytes[start + i]) i++
    before = i
    i = 0
    while (i < after && end - i > start && bytes[firstEnd - 1 - i] === bytes[end - 1 - i]) i++
    after = i
  }
  if ((before + after) * (count - 1) < LEAST_SAVED) return null
  for (let r = 0; r < count; r++) {
    const key = tape[words[rows + r] - 1]
    const start = starts[key]
    const end = starts[key + 1]
    if (bytes.subarray(start, end).includes(0x5c)) return null
    while (before > 0 && isInWord(bytes, start + before, start, end)) before--
    while (after > 0 && isInWord(bytes, end - after, start, end)) after--
    if (before + after > end - start) return null
  }
  if ((before + after) * (count - 1) < LEAST_SAVED) return null
  return { before: bytes.slice(firstStart, firstStart + before), after: bytes.slice(firstEnd - after, firstEnd) }
}

function isInWord (bytes: Uint8Array, at: number, start: number, end: number): boolean {
  return at > start && at < end && isWordByte(bytes[at - 1]) && isWordByte(bytes[at])
}

/** Letters, digits, and all beyond ASCII. */
export function isWordByte (byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80
}
