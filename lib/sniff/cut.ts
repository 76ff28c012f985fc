import { findStringCut } from './outline.js'
import type { OpenContainer, Outline } from './outline.js'

/** A JSON text made of the first bytes of a larger one. */
export interface Cut {
  text: Uint8Array
  /** How many of its bytes are those of the larger text; behind them something was closed. */
  copied: number
}

/**
 * Cuts a text behind the last value that is complete, or inside of a string, and closes all that is open.
 *
 * @param level index of the innermost container to keep open values of; -1: all of them
 * @returns null where no value is complete
 */
export function cutWhole (bytes: Uint8Array, { open, isClosed, stringStart }: Outline, level: number): Cut | null {
  // A root that is complete, or a number that may go on.
  if (isClosed || (open.length === 0 && stringStart < 0)) return { text: bytes, copied: bytes.length }
  if (level < 0 && stringStart >= 0) return close(bytes, 0, findStringCut(bytes, stringStart), open, '"')
  const last = level < 0 ? open.findLastIndex(({ cut }) => cut >= 0) : level
  return last < 0 ? null : close(bytes, 0, open[last].cut, open.slice(0, last + 1), '')
}

/** Cuts the complete values of one container out of a text. */
export function cutPart (bytes: Uint8Array, container: OpenContainer): Cut {
  return close(bytes, container.start, container.cut, [container], '')
}

function close (bytes: Uint8Array, start: number, end: number, open: OpenContainer[], quote: string): Cut {
  const copied = end - start
  const text = new Uint8Array(copied + quote.length + open.length)
  text.set(bytes.subarray(start, end))
  text.fill(0x22, copied, copied + quote.length)
  for (const [i, { isObject }] of open.entries()) text[text.length - 1 - i] = isObject ? 0x7d : 0x5d
  return { text, copied }
}
