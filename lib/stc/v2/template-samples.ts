import type { Document } from '../../json/document.js'
import { KEY, WIDE } from '../../json/tape.js'
import type { Source } from './column.js'
import { Span } from './span.js'
import { readSpan } from './values.js'

/** Sources that are tried; columns beyond that are not. */
export const MOST_SOURCES = 48
/** Rows that a template is made from, those among them that an earlier one did not fit. */
export const MOST_SAMPLES = 10
/** Beginnings and ends are compared up to so many bytes. */
export const LONGEST = 400
/** Stands for the first and last byte of an empty text; no string holds it raw. */
const NO_BYTE = 0
const NOTHING = new Uint8Array(0)
const span = new Span()

/**
 * Strings of some rows and what the sources hold in these rows, as spans: of the string in row k, and at
 * s * MOST_SAMPLES + k of source s.
 */
export class TemplateSamples {
  protected readonly textBytes: Uint8Array[] = new Array<Uint8Array>(MOST_SAMPLES).fill(NOTHING)
  protected readonly textStart = new Int32Array(MOST_SAMPLES)
  protected readonly textEnd = new Int32Array(MOST_SAMPLES)
  protected readonly textFirst = new Uint8Array(MOST_SAMPLES)
  protected readonly textLast = new Uint8Array(MOST_SAMPLES)
  /** 1 for the sources that may be used. */
  readonly isUsable = new Uint8Array(MOST_SOURCES)
  protected readonly valueBytes: Uint8Array[] = new Array<Uint8Array>(MOST_SOURCES * MOST_SAMPLES).fill(NOTHING)
  protected readonly valueStart = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueEnd = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueFirst = new Uint8Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueLast = new Uint8Array(MOST_SOURCES * MOST_SAMPLES)
  /** The longest that was loaded of each source; so the longest in all rows of a search, or more. */
  protected readonly valueLongest = new Int32Array(MOST_SOURCES)

  /** Goes on with so many other sources, all of which may be used. */
  begin (count: number): void {
    for (let s = 0; s < count; s++) {
      this.isUsable[s] = 1
      this.valueLongest[s] = 0
    }
  }

  /** Lets go of the bytes of a document. */
  release (): void {
    this.textBytes.fill(NOTHING)
    this.valueBytes.fill(NOTHING)
    span.bytes = NOTHING
  }

  /** Takes the string at a node as that of row k. */
  setText (document: Document, k: number, node: number): void {
    readSpan(document, node, span)
    const { bytes, start, end } = span
    if (this.textBytes[k] !== bytes) this.textBytes[k] = bytes
    this.textStart[k] = start
    this.textEnd[k] = end
    this.textFirst[k] = end > start ? bytes[start] : NO_BYTE
    this.textLast[k] = end > start ? bytes[end - 1] : NO_BYTE
  }

  /** Takes what the sources hold in row r, of nodes that they list in `words`, as that of row k. */
  setValues (document: Document, words: Int32Array, sources: Source[], k: number, r: number): void {
    const { valueBytes, valueEnd, valueFirst, valueLast, valueLongest, valueStart } = this
    const { tape } = document
    for (let s = 0, v = k; s < sources.length; s++, v += MOST_SAMPLES) {
      const node = words[sources[s].at + r]
      let { bytes } = document
      let start = tape[node + 1]
      let end = tape[node + 2]
      if ((tape[node] & (KEY | WIDE)) !== 0) {
        readSpan(document, node, span)
        bytes = span.bytes
        start = span.start
        end = span.end
      }
      if (valueBytes[v] !== bytes) valueBytes[v] = bytes
      valueStart[v] = start
      valueEnd[v] = end
      valueFirst[v] = end > start ? bytes[start] : NO_BYTE
      valueLast[v] = end > start ? bytes[end - 1] : NO_BYTE
      if (end - start > valueLongest[s]) valueLongest[s] = end - start
    }
  }

  /** Whether the strings of so many rows are spelled alike and can be told by a literal, so that no template is made of them. */
  areAlike (count: number): boolean {
    const { textBytes, textEnd, textStart } = this
    const length = textEnd[0] - textStart[0]
    if (length > LONGEST) return false
    for (let k = 1; k < count; k++) if (textEnd[k] - textStart[k] !== length) return false
    const first = textBytes[0]
    for (let k = 1; k < count; k++) {
      const bytes = textBytes[k]
      for (let i = textStart[0], n = textStart[k]; i < textEnd[0]; i++, n++) if (first[i] !== bytes[n] || first[i] === 0x5c) return false
    }
    return true
  }
}
