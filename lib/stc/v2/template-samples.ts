import type { Span } from './span.js'

/** Sources that are tried; columns beyond that are not. */
export const MOST_SOURCES = 48
/** Rows that a template is made from, those among them that an earlier one did not fit. */
export const MOST_SAMPLES = 10
/** Stands for the first and last byte of an empty text; no string holds it raw. */
const NO_BYTE = 0

/**
 * Strings of some rows and what the sources hold in these rows, as spans: of the string in row k, and at
 * s * MOST_SAMPLES + k of source s.
 */
export class TemplateSamples {
  protected readonly textBytes: Uint8Array[] = []
  protected readonly textStart = new Int32Array(MOST_SAMPLES)
  protected readonly textEnd = new Int32Array(MOST_SAMPLES)
  protected readonly textFirst = new Uint8Array(MOST_SAMPLES)
  protected readonly textLast = new Uint8Array(MOST_SAMPLES)
  /** 1 for the sources that may be used. */
  readonly isUsable = new Uint8Array(MOST_SOURCES)
  protected readonly valueBytes: Uint8Array[] = []
  protected readonly valueStart = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueEnd = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueFirst = new Uint8Array(MOST_SOURCES * MOST_SAMPLES)
  protected readonly valueLast = new Uint8Array(MOST_SOURCES * MOST_SAMPLES)
  /** The longest that was loaded of each source; so the longest in all rows of a search, or more. */
  protected readonly valueLongest = new Int32Array(MOST_SOURCES)

  /** Goes on with other sources, all of which may be used. */
  begin (): void {
    this.isUsable.fill(1)
    this.valueLongest.fill(0)
  }

  /** Lets go of the bytes of a document. */
  release (): void {
    this.textBytes.length = 0
    this.valueBytes.length = 0
  }

  setText (k: number, { bytes, start, end }: Span): void {
    this.textBytes[k] = bytes
    this.textStart[k] = start
    this.textEnd[k] = end
    this.textFirst[k] = end > start ? bytes[start] : NO_BYTE
    this.textLast[k] = end > start ? bytes[end - 1] : NO_BYTE
  }

  setValue (s: number, k: number, { bytes, start, end }: Span): void {
    const v = s * MOST_SAMPLES + k
    this.valueBytes[v] = bytes
    this.valueStart[v] = start
    this.valueEnd[v] = end
    this.valueFirst[v] = end > start ? bytes[start] : NO_BYTE
    this.valueLast[v] = end > start ? bytes[end - 1] : NO_BYTE
    if (end - start > this.valueLongest[s]) this.valueLongest[s] = end - start
  }
}
