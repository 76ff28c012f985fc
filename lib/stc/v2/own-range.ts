import type { Document } from '../../json/document.js'
import type { Part, RowTemplate } from './column.js'
import { Span } from './span.js'
import { readSpan } from './values.js'

/** Which part of a string is the row's own cell; valid until the next call. */
export const own = { start: 0, end: 0 }
const piece = new Span()

/**
 * Finds what a template leaves of a string to the row's own cell: `own`.
 *
 * @param words of the nodes that the template's sources list
 * @param r the row
 * @returns whether the template fits; where it has no own cell, nothing must be left
 */
export function fitTemplate (document: Document, words: Int32Array, template: RowTemplate, string: Span, r: number): boolean {
  const { left, right, hasOwn } = template
  const { bytes } = string
  let { start, end } = string
  for (let p = 0; p < left.length; p++) {
    readPart(document, words, left[p], r)
    if (!standsAt(document, bytes, start, end)) return false
    start += piece.end - piece.start
  }
  for (let p = 0; p < right.length; p++) {
    readPart(document, words, right[p], r)
    const from = end - piece.end + piece.start
    if (from < start || !standsAt(document, bytes, from, end)) return false
    end = from
  }
  own.start = start
  own.end = end
  return hasOwn ? isWhole(bytes, start, end) : start === end
}

/** The same where it is known to fit. */
export function findOwn (document: Document, words: Int32Array, { left, right }: RowTemplate, string: Span, r: number): void {
  let { start, end } = string
  for (let p = 0; p < left.length; p++) {
    readPart(document, words, left[p], r)
    start += piece.end - piece.start
  }
  for (let p = 0; p < right.length; p++) {
    readPart(document, words, right[p], r)
    end -= piece.end - piece.start
  }
  own.start = start
  own.end = end
}

function readPart (document: Document, words: Int32Array, { literal, source }: Part, r: number): void {
  if (literal !== null) {
    piece.bytes = literal.bytes
    piece.start = literal.start
    piece.end = literal.end
  } else if (source !== null) {
    readSpan(document, words[source.at + r], piece)
  }
}

/** Whether the piece stands in a string, of which no more than up to `end` is left. */
function standsAt (document: Document, bytes: Uint8Array, at: number, end: number): boolean {
  const last = piece.end - 4
  let i = piece.start
  if (at + piece.end - i > end) return false
  if (last >= i && bytes === document.bytes && piece.bytes === bytes) {
    // Word by word; the last one overlaps the one before it where it must.
    const { view } = document
    if (view.getInt32(at + last - i, true) !== view.getInt32(last, true)) return false
    for (; i < last; i += 4, at += 4) if (view.getInt32(at, true) !== view.getInt32(i, true)) return false
    return true
  }
  for (; i < piece.end; i++, at++) if (bytes[at] !== piece.bytes[i]) return false
  return true
}

/** Whether a part of a spelling that starts between two characters ends between two: no escape is cut. */
function isWhole (bytes: Uint8Array, start: number, end: number): boolean {
  let i = start
  while (i < end) i += bytes[i] !== 0x5c ? 1 : bytes[i + 1] === 0x75 ? 6 : 2
  return i === end
}
