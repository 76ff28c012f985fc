import { Document } from '../json/document.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { endOf } from '../json/span.js'
import { COUNT, END, nextNode } from '../json/tape.js'
import { findRowArray } from '../row-array.js'
import { makeCutLine } from './marker.js'
import type { FramedChoice } from './text-plan.js'

/** A text that was cut, and how much of it is left. */
export interface CutText {
  choice: FramedChoice
  count: { shown: number, total: number }
}

/** More tries would bring few rows more. */
const MAX_TRIES = 16

/**
 * Cuts the longest list of a document behind one of its rows so that the text, with marker and note, has no more than `max`
 * bytes. What is cut is the document, so every codec writes a whole text of it.
 *
 * @param wholeSize size of the text of the whole document
 * @param choose makes the text of a shorter document with a note before it
 * @returns null where not even one row fits, or no list is most of the document
 */
export function cutToSize (document: Document, max: number, wholeSize: number, choose: (part: Document, note: Uint8Array) => FramedChoice): CutText | null {
  const array = findRowArray(document, false)
  const total = array < 0 ? 0 : document.tape[array + COUNT]
  // A list that is a small part of the document is not what it is long of.
  if (total < 2 || 2 * (document.tape[array + END] - document.tape[array + 1]) < document.bytes.length) return null
  const ends = readEnds(document, array, total)
  const tryRows = (shown: number): FramedChoice => {
    const part = Document.parse(cutBehind(document, ends[shown - 1], ends[total]), KNOWN_UTF8)
    const choice = choose(part, makeCutLine(shown, total))
    part.dispose()
    return choice
  }
  let low = 1
  let best = tryRows(low)
  if (best.framed.size > max) return null
  let lowSize = best.framed.size
  let high = total
  let highSize = wholeSize
  for (let tries = 0; tries < MAX_TRIES && high - low > 1; tries++) {
    // Where the limit lies between the sizes, and every other time the middle, which needs no luck.
    const share = tries % 2 === 0 ? (max - lowSize) / Math.max(1, highSize - lowSize) : 0.5
    const shown = Math.min(high - 1, Math.max(low + 1, low + Math.floor((high - low) * share)))
    const choice = tryRows(shown)
    if (choice.framed.size <= max) {
      low = shown
      lowSize = choice.framed.size
      best = choice
    } else {
      high = shown
      highSize = choice.framed.size
    }
  }
  return { choice: best, count: { shown: low, total } }
}

/** Where each row ends, and at the end where the bracket of the array closes. */
function readEnds (document: Document, array: number, total: number): Int32Array {
  const { tape } = document
  const ends = new Int32Array(total + 1)
  const end = tape[array + 2]
  let row = 0
  for (let node = array + 6; node < end; node = nextNode(tape, node)) {
    ends[row++] = endOf(document, node)
  }
  ends[total] = tape[array + END] - 1
  return ends
}

function cutBehind ({ bytes }: Document, from: number, to: number): Uint8Array {
  const part = new Uint8Array(from + bytes.length - to)
  part.set(bytes.subarray(0, from))
  part.set(bytes.subarray(to), from)
  return part
}
