import { isDigit } from '../../json/bare.js'
import type { Part, RowTemplate, Source } from './column.js'
import { isWordByte } from './key-template.js'
import { Span } from './span.js'

/** Sources that are tried; columns beyond that are not. */
export const MOST_SOURCES = 48
/** Rows that a template is made from, those among them that an earlier one did not fit. */
export const MOST_SAMPLES = 10
/** Beginnings and ends are compared up to so many bytes. */
const LONGEST = 400
const MOST_PARTS = 12

/**
 * Strings of some rows and what the sources hold in these rows, as spans: of the string in row k, and at
 * s * MOST_SAMPLES + k of source s.
 */
export class TemplateSearch {
  readonly textBytes: Uint8Array[] = []
  readonly textStart = new Int32Array(MOST_SAMPLES)
  readonly textEnd = new Int32Array(MOST_SAMPLES)
  readonly valueBytes: Uint8Array[] = []
  readonly valueStart = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  readonly valueEnd = new Int32Array(MOST_SOURCES * MOST_SAMPLES)
  /** 1 for the sources that may be used. */
  readonly isUsable = new Uint8Array(MOST_SOURCES)
  /** Where in each string what is not yet told starts and ends. */
  private readonly start = new Int32Array(MOST_SAMPLES)
  private readonly end = new Int32Array(MOST_SAMPLES)
  private from = 0
  private to = 0
  /** 1 for the bytes that a usable source starts or ends with in the first sample: most places have none. */
  private readonly isFirst = new Uint8Array(256)
  private readonly isLast = new Uint8Array(256)

  /** Lets go of the bytes of a document. */
  release (): void {
    this.textBytes.length = 0
    this.valueBytes.length = 0
  }

  /**
   * What the strings of the samples `from` to `to` have in common and the sources tell, from the left and from the
   * right; the row's own cell is what is left. Null where that is nothing.
   */
  search (sources: Source[], from: number, to: number): RowTemplate | null {
    this.from = from
    this.to = to
    this.mark(sources, 1)
    const template = this.build(sources)
    this.mark(sources, 0)
    return template
  }

  private mark (sources: Source[], value: number): void {
    for (let s = 0; s < sources.length; s++) {
      const v = s * MOST_SAMPLES + this.from
      if (this.isUsable[s] === 0 || this.valueEnd[v] === this.valueStart[v]) continue
      this.isFirst[this.valueBytes[v][this.valueStart[v]]] = value
      this.isLast[this.valueBytes[v][this.valueEnd[v] - 1]] = value
    }
  }

  private build (sources: Source[]): RowTemplate | null {
    const { from, to, start, end, textStart, textEnd } = this
    for (let k = from; k < to; k++) {
      start[k] = textStart[k]
      end[k] = textEnd[k]
    }
    const left: Part[] = []
    while (left.length < MOST_PARTS) {
      const common = this.commonStart()
      if (this.isAllTold(common)) {
        if (common > 0) left.push(this.literal(start[from], end[from]))
        return left.some(part => part.source !== null) ? { left, right: [], hasOwn: false } : null
      }
      if (!this.takeLeft(common, left, sources)) {
        this.keepLeft(common, left)
        break
      }
    }
    const right: Part[] = []
    while (right.length < MOST_PARTS) {
      const common = this.commonEnd()
      if (!this.takeRight(common, right, sources)) {
        this.keepRight(common, right)
        break
      }
    }
    return left.length + right.length > 0 ? { left, right, hasOwn: true } : null
  }

  private literal (start: number, end: number): Part {
    return { literal: new Span(this.textBytes[this.from], start, end), source: null }
  }

  private isAllTold (common: number): boolean {
    for (let k = this.from; k < this.to; k++) if (this.start[k] + common !== this.end[k]) return false
    return true
  }

  private shortest (): number {
    let shortest = LONGEST
    for (let k = this.from; k < this.to; k++) shortest = Math.min(shortest, this.end[k] - this.start[k])
    return shortest
  }

  private commonStart (): number {
    const { from, to, start, textBytes } = this
    const most = this.shortest()
    for (let i = 0; i < most; i++) {
      const byte = textBytes[from][start[from] + i]
      if (byte === 0x5c) return i
      for (let k = from + 1; k < to; k++) if (textBytes[k][start[k] + i] !== byte) return i
    }
    return most
  }

  private commonEnd (): number {
    const { from, to, end, textBytes } = this
    const most = this.shortest()
    for (let i = 1; i <= most; i++) {
      const byte = textBytes[from][end[from] - i]
      if (byte === 0x5c) return i - 1
      for (let k = from + 1; k < to; k++) if (textBytes[k][end[k] - i] !== byte) return i - 1
    }
    return most
  }

  /** Takes a literal and a source that follow in all strings, where a source tells what differs. */
  private takeLeft (common: number, left: Part[], sources: Source[]): boolean {
    const { from, to, start, textBytes, valueStart, valueEnd } = this
    const text = textBytes[from]
    for (let d = 0; d <= common; d++) {
      const byte = text[start[from] + d]
      if (this.isFirst[byte] === 0) continue
      let best = -1
      let bestLength = 0
      for (let s = 0; s < sources.length; s++) {
        if (this.isUsable[s] === 0) continue
        const v = s * MOST_SAMPLES + from
        const length = valueEnd[v] - valueStart[v]
        if (length <= bestLength || this.valueBytes[v][valueStart[v]] !== byte || !this.followAll(s, d, common)) continue
        best = s
        bestLength = length
      }
      if (best < 0) continue
      if (d > 0) left.push(this.literal(start[from], start[from] + d))
      left.push({ literal: null, source: sources[best] })
      for (let k = from; k < to; k++) {
        const v = best * MOST_SAMPLES + k
        start[k] += d + valueEnd[v] - valueStart[v]
      }
      return true
    }
    return false
  }

  /** Whether the source stands at distance d from the start of what is not told in all strings, and reaches beyond what they have in common. */
  private followAll (s: number, d: number, common: number): boolean {
    const { from, to, start, end, valueStart, valueEnd } = this
    let reaches = false
    for (let k = from; k < to; k++) {
      const v = s * MOST_SAMPLES + k
      const length = valueEnd[v] - valueStart[v]
      if (length === 0 || start[k] + d + length > end[k] || !this.stands(k, start[k] + d, v)) return false
      if (d + length > common) reaches = true
    }
    return reaches
  }

  private takeRight (common: number, right: Part[], sources: Source[]): boolean {
    const { from, to, end, textBytes, valueStart, valueEnd } = this
    const text = textBytes[from]
    for (let d = 0; d <= common; d++) {
      const byte = text[end[from] - 1 - d]
      if (this.isLast[byte] === 0) continue
      let best = -1
      let bestLength = 0
      for (let s = 0; s < sources.length; s++) {
        if (this.isUsable[s] === 0) continue
        const v = s * MOST_SAMPLES + from
        const length = valueEnd[v] - valueStart[v]
        if (length <= bestLength || this.valueBytes[v][valueEnd[v] - 1] !== byte || !this.precedeAll(s, d, common)) continue
        best = s
        bestLength = length
      }
      if (best < 0) continue
      if (d > 0) right.push(this.literal(end[from] - d, end[from]))
      right.push({ literal: null, source: sources[best] })
      for (let k = from; k < to; k++) {
        const v = best * MOST_SAMPLES + k
        end[k] -= d + valueEnd[v] - valueStart[v]
      }
      return true
    }
    return false
  }

  private precedeAll (s: number, d: number, common: number): boolean {
    const { from, to, start, end, valueStart, valueEnd } = this
    let reaches = false
    for (let k = from; k < to; k++) {
      const v = s * MOST_SAMPLES + k
      const length = valueEnd[v] - valueStart[v]
      if (length === 0 || end[k] - d - length < start[k] || !this.stands(k, end[k] - d - length, v)) return false
      if (d + length > common) reaches = true
    }
    return reaches
  }

  private stands (k: number, at: number, v: number): boolean {
    const text = this.textBytes[k]
    const value = this.valueBytes[v]
    const first = at
    for (let i = this.valueStart[v], end = this.valueEnd[v]; i < end; i++, at++) if (text[at] !== value[i]) return false
    // No number and no word is put together of two pieces.
    return (first === this.textStart[k] || !isOfOneKind(text[first - 1], text[first])) &&
      (at === this.textEnd[k] || !isOfOneKind(text[at - 1], text[at]))
  }

  /** Takes a common beginning up to where no word is cut; where the last source ends within a word, nothing but that. */
  private keepLeft (common: number, left: Part[]): void {
    const { from, to, start, textStart } = this
    let kept = this.uncut(start, common, 1)
    if (kept === 0 && left.length > 0 && this.isCut(start, 0)) {
      left.length = 0
      for (let k = from; k < to; k++) start[k] = textStart[k]
      kept = this.uncut(start, this.commonStart(), 1)
    }
    if (kept > 0) left.push(this.literal(start[from], start[from] + kept))
    for (let k = from; k < to; k++) start[k] += kept
  }

  private keepRight (common: number, right: Part[]): void {
    const { from, to, end, textEnd } = this
    let kept = this.uncut(end, common, -1)
    if (kept === 0 && right.length > 0 && this.isCut(end, 0)) {
      right.length = 0
      for (let k = from; k < to; k++) end[k] = textEnd[k]
      kept = this.uncut(end, this.commonEnd(), -1)
    }
    if (kept > 0) right.push(this.literal(end[from] - kept, end[from]))
  }

  private uncut (edge: Int32Array, common: number, direction: number): number {
    let kept = common
    while (kept > 0 && this.isCut(edge, kept * direction)) kept--
    return kept
  }

  private isCut (edge: Int32Array, distance: number): boolean {
    const { from, to, textBytes, textStart, textEnd } = this
    for (let k = from; k < to; k++) {
      const at = edge[k] + distance
      if (at > textStart[k] && at < textEnd[k] && isWordByte(textBytes[k][at - 1]) && isWordByte(textBytes[k][at])) return true
    }
    return false
  }
}

function isOfOneKind (a: number, b: number): boolean {
  return isWordByte(a) && isWordByte(b) && isDigit(a) === isDigit(b)
}
