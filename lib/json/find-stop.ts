import { BYTE_CLASSES, STOP } from './bare.js'

/**
 * The first byte at or behind `i` that may end a run of string text: a quote, a backslash or a control
 * character; `end` where there is none. `view` is a view of the same bytes.
 */
export function findStop (bytes: Uint8Array, view: DataView, i: number, end: number): number {
  const last = end - 4
  while (i <= last) {
    if (hasStop(view.getInt32(i, true))) break
    i += 4
  }
  while (i < end && (BYTE_CLASSES[bytes[i]] & STOP) === 0) i++
  return i
}

/** Whether one of the four bytes of a word is a quote, a backslash or a control character. */
export function hasStop (word: number): boolean {
  const quote = word ^ 0x22222222
  const backslash = word ^ 0x5c5c5c5c
  const hits = ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash)
  return (hits & 0x80808080) !== 0
}
