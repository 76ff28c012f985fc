import { isDigit } from '../../json/bare.js'
import type { Part, RowTemplate, Source } from './column.js'
import { isWordByte } from './key-template.js'
import { Span } from './span.js'
import { LONGEST, MOST_SAMPLES, TemplateSamples } from './template-samples.js'

const MOST_PARTS = 12
/** From which end of the strings parts are taken: the direction in which what is left of them shrinks. */
type Side = typeof LEFT | typeof RIGHT
const LEFT = 1
const RIGHT = -1

/** Looks for what the strings of samples are made of. */
export class TemplateSearch extends TemplateSamples {
  /** Where in each string what is not yet told starts and ends. */
  private readonly start = new Int32Array(MOST_SAMPLES)
  private readonly end = new Int32Array(MOST_SAMPLES)
  private from = 0
  private to = 0

  /**
   * What the strings of the samples `from` to `to` have in common and the sources tell, from the left and from the
   * right; the row's own cell is what is left. Null where that is nothing.
   *
   * @param isWhole whether a template with an own cell is none
   */
  search (sources: Source[], from: number, to: number, isWhole: boolean): RowTemplate | null {
    this.from = from
    this.to = to
    // A template without an own cell tells both ends, any other one of them.
    if (this.mayTake(LEFT, sources.length) === isWhole ? !this.mayTake(RIGHT, sources.length) : isWhole) return null
    const { start, end, textStart, textEnd } = this
    for (let k = from; k < to; k++) {
      start[k] = textStart[k]
      end[k] = textEnd[k]
    }
    const left: Part[] = []
    while (left.length < MOST_PARTS) {
      const common = this.common(LEFT)
      if (this.isAllTold(common)) {
        if (common > 0) left.push(this.literal(LEFT, common))
        return hasSource(left) ? { left, right: [], hasOwn: false } : null
      }
      if (!this.take(LEFT, common, left, sources)) {
        if (isWhole) return null
        this.keep(LEFT, common, left)
        break
      }
    }
    if (isWhole) return null
    const right: Part[] = []
    while (right.length < MOST_PARTS) {
      const common = this.common(RIGHT)
      if (!this.take(RIGHT, common, right, sources)) {
        this.keep(RIGHT, common, right)
        break
      }
    }
    return left.length + right.length > 0 ? { left, right, hasOwn: true } : null
  }

  /** Whether something may be taken from one end of whole strings: by the bytes there, which tell that of most columns. */
  private mayTake (side: Side, sourceCount: number): boolean {
    const { from, to, isUsable } = this
    const texts = side === LEFT ? this.textFirst : this.textLast
    const values = side === LEFT ? this.valueFirst : this.valueLast
    const byte = texts[from]
    let k = from + 1
    while (k < to && texts[k] === byte) k++
    if (k === to) return true
    for (let s = 0; s < sourceCount; s++) {
      if (isUsable[s] === 0 || values[s * MOST_SAMPLES + from] !== byte) continue
      k = from + 1
      while (k < to && values[s * MOST_SAMPLES + k] === texts[k]) k++
      if (k === to) return true
    }
    return false
  }

  private edge (side: Side): Int32Array {
    return side === LEFT ? this.start : this.end
  }

  /** So much of the first string, from where what is not told starts or ends. */
  private literal (side: Side, length: number): Part {
    const edge = this.edge(side)[this.from]
    return { literal: side === LEFT ? new Span(this.textBytes[this.from], edge, edge + length) : new Span(this.textBytes[this.from], edge - length, edge), source: null }
  }

  private isAllTold (common: number): boolean {
    for (let k = this.from; k < this.to; k++) if (this.start[k] + common !== this.end[k]) return false
    return true
  }

  /** How many bytes the strings have in common at one end, up to a backslash. */
  private common (side: Side): number {
    const { from, to, start, end, textBytes } = this
    const edge = this.edge(side)
    // The byte before an end is the first from the right.
    const offset = side === LEFT ? 0 : -1
    let most = LONGEST
    for (let k = from; k < to; k++) if (end[k] - start[k] < most) most = end[k] - start[k]
    const text = textBytes[from]
    const first = edge[from] + offset
    for (let k = from + 1; k < to && most > 0; k++) {
      const other = textBytes[k]
      const distance = edge[k] + offset
      let i = 0
      while (i < most && text[first + side * i] === other[distance + side * i] && text[first + side * i] !== 0x5c) i++
      most = i
    }
    return most
  }

  /** Takes a literal and a source that follow in all strings, where a source tells what differs: the nearest, of several the longest. */
  private take (side: Side, common: number, parts: Part[], sources: Source[]): boolean {
    const { from, isUsable, textBytes, valueStart, valueEnd, valueLongest } = this
    const edge = this.edge(side)
    const bytes = side === LEFT ? this.valueFirst : this.valueLast
    const text = textBytes[from]
    const first = edge[from] + (side === LEFT ? 0 : -1)
    const room = this.end[from] - this.start[from]
    const second = textBytes[from + 1]
    const apart = edge[from + 1] - edge[from]
    let best = -1
    let nearest = common
    let most = 0
    for (let s = 0; s < sources.length; s++) {
      if (isUsable[s] === 0) continue
      const v = s * MOST_SAMPLES + from
      const byte = bytes[v]
      const length = valueEnd[v] - valueStart[v]
      // A source that is nearer would not reach beyond what is common, one that is farther goes on behind the string.
      const farthest = Math.min(nearest, room - length)
      for (let d = Math.max(common + 1 - valueLongest[s], 0); d <= farthest; d++) {
        const i = first + side * d
        if (text[i] !== byte || second[i + apart] !== bytes[v + 1] || (d === nearest && length <= most) || !this.isEverywhere(side, s, d, common)) continue
        best = s
        nearest = d
        most = length
        break
      }
    }
    if (best < 0) return false
    if (nearest > 0) parts.push(this.literal(side, nearest))
    parts.push({ literal: null, source: sources[best] })
    for (let k = from, v = best * MOST_SAMPLES + from; k < this.to; k++, v++) edge[k] += side * (nearest + valueEnd[v] - valueStart[v])
    return true
  }

  /** Whether the source stands at distance d from the edge of what is not told in all strings, and reaches beyond what they have in common. */
  private isEverywhere (side: Side, s: number, d: number, common: number): boolean {
    const { from, to, start, end, valueStart, valueEnd } = this
    let reaches = false
    for (let k = from; k < to; k++) {
      const v = s * MOST_SAMPLES + k
      const length = valueEnd[v] - valueStart[v]
      if (length === 0 || d + length > end[k] - start[k]) return false
      if (!this.stands(k, side === LEFT ? start[k] + d : end[k] - d - length, v)) return false
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

  /** Takes what is common at one end up to where no word is cut; where the last source ends within a word, nothing but that. */
  private keep (side: Side, common: number, parts: Part[]): void {
    const { from, to } = this
    const edge = this.edge(side)
    let kept = this.uncut(side, common)
    if (kept === 0 && parts.length > 0 && this.isCut(side, 0)) {
      const whole = side === LEFT ? this.textStart : this.textEnd
      parts.length = 0
      for (let k = from; k < to; k++) edge[k] = whole[k]
      kept = this.uncut(side, this.common(side))
    }
    if (kept === 0) return
    parts.push(this.literal(side, kept))
    for (let k = from; k < to; k++) edge[k] += side * kept
  }

  private uncut (side: Side, common: number): number {
    let kept = common
    while (kept > 0 && this.isCut(side, kept)) kept--
    return kept
  }

  private isCut (side: Side, distance: number): boolean {
    const { from, to, textBytes, textStart, textEnd } = this
    const edge = this.edge(side)
    for (let k = from; k < to; k++) {
      const at = edge[k] + side * distance
      if (at > textStart[k] && at < textEnd[k] && isWordByte(textBytes[k][at - 1]) && isWordByte(textBytes[k][at])) return true
    }
    return false
  }
}

function hasSource (parts: Part[]): boolean {
  for (let p = 0; p < parts.length; p++) if (parts[p].source !== null) return true
  return false
}

function isOfOneKind (a: number, b: number): boolean {
  return isWordByte(a) && isWordByte(b) && isDigit(a) === isDigit(b)
}
