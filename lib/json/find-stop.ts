import { BYTE_CLASSES, STOP, STOP_PAIRS } from './bare.js'

/**
 * The first byte at or behind `i` that may end a run of string text: a quote, a backslash or a control
 * character; `end` where there is none. `view` is a view of the same bytes.
 */
export function findStop (bytes: Uint8Array, view: DataView, i: number, end: number): number {
  const last = end - 8
  while (i <= last) {
    const first = view.getInt32(i, true)
    const second = view.getInt32(i + 4, true)
    if ((STOP_PAIRS[first & 0xffff] | STOP_PAIRS[first >>> 16] | STOP_PAIRS[second & 0xffff] | STOP_PAIRS[second >>> 16]) !== 0) break
    i += 8
  }
  while (i < end && (BYTE_CLASSES[bytes[i]] & STOP) === 0) i++
  return i
}
