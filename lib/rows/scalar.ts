import { FALSE_BYTES, TRUE_BYTES, isDigit, matches } from '../json/bare.js'
import { scanNumber, scannedNumber } from '../json/number.js'
import { FALSE, NUMBER, STRING, TRUE } from '../json/tape.js'

/** The bytes that a backslash takes the meaning from: comma, pipe, brackets, backslash. */
export const SPECIAL = new Uint8Array(256)
for (const char of ',|[]\\') SPECIAL[char.charCodeAt(0)] = 1

export const BACKSLASH = 0x5c
export const SPACE = 0x20

/** What a value is read as: NUMBER, TRUE or FALSE where it is spelled so, else STRING. There is no null. */
export function kindOfValue (bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]
  if (start < end && (first === 0x2d || isDigit(first))) {
    return scanNumber(bytes, start, end) === end && scannedNumber.error === null ? NUMBER : STRING
  }
  if (end - start === 4 && matches(bytes, start, TRUE_BYTES)) return TRUE
  return end - start === 5 && matches(bytes, start, FALSE_BYTES) ? FALSE : STRING
}

const NAME_REFUSES = new Uint8Array(256)
NAME_REFUSES.fill(1, 0, SPACE)
for (const char of ',|[]\\()=') NAME_REFUSES[char.charCodeAt(0)] = 1

/**
 * Whether a name stands in a header as it is. The dialect has no escapes there, so what it gives a meaning
 * is refused, and so are names that are empty, begin with # or U+FEFF, or have blanks at an end.
 */
export function isPlainName (bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end || bytes[start] === 0x23 || bytes[start] === SPACE || bytes[end - 1] === SPACE) return false
  if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) return false
  for (let i = start; i < end; i++) {
    if (NAME_REFUSES[bytes[i]] !== 0) return false
  }
  return true
}
