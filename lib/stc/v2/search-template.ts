import { isWordByte } from './key-template.js'
import type { RowTemplate, Source } from './plan-templates.js'

/** Beginnings and ends are compared up to so many bytes. */
const LONGEST = 400
const MOST_PARTS = 12

/**
 * A template for strings of some rows: what they have in common and what the sources tell, from the left and from
 * the right; the row's own cell is what is left.
 *
 * @param texts the strings
 * @param values for each string the values of the sources
 */
export function searchTemplate (texts: Uint8Array[], sources: Source[], values: Uint8Array[][]): RowTemplate | null {
  const start = texts.map(() => 0)
  const end = texts.map(text => text.length)
  const left: RowTemplate['left'] = []
  const right: RowTemplate['right'] = []
  while (left.length < MOST_PARTS) {
    const common = commonStart(texts, start, end)
    if (start.every((at, r) => at + common === end[r])) {
      if (common > 0) left.push(texts[0].slice(start[0], end[0]))
      return left.some(part => !(part instanceof Uint8Array)) ? { left, right, hasOwn: false } : null
    }
    if (!takeLeft(texts, start, end, common, left, sources, values)) {
      const kept = wordStart(texts, start, common)
      if (kept > 0) left.push(texts[0].slice(start[0], start[0] + kept))
      for (let r = 0; r < start.length; r++) start[r] += kept
      break
    }
  }
  while (right.length < MOST_PARTS) {
    const common = commonEnd(texts, start, end)
    if (!takeRight(texts, start, end, common, right, sources, values)) {
      const kept = wordEnd(texts, end, common)
      if (kept > 0) right.push(texts[0].slice(end[0] - kept, end[0]))
      break
    }
  }
  return left.length + right.length > 0 ? { left, right, hasOwn: true } : null
}

function commonStart (texts: Uint8Array[], start: number[], end: number[]): number {
  let most = LONGEST
  for (let r = 0; r < texts.length; r++) most = Math.min(most, end[r] - start[r])
  const [first] = texts
  for (let i = 0; i < most; i++) {
    const byte = first[start[0] + i]
    if (byte === 0x5c) return i
    for (let r = 1; r < texts.length; r++) if (texts[r][start[r] + i] !== byte) return i
  }
  return most
}

function commonEnd (texts: Uint8Array[], start: number[], end: number[]): number {
  let most = LONGEST
  for (let r = 0; r < texts.length; r++) most = Math.min(most, end[r] - start[r])
  const [first] = texts
  for (let i = 0; i < most; i++) {
    const byte = first[end[0] - 1 - i]
    if (byte === 0x5c) return i
    for (let r = 1; r < texts.length; r++) if (texts[r][end[r] - 1 - i] !== byte) return i
  }
  return most
}

/** Takes a literal and a source that follow in all strings, where a source tells what differs. */
function takeLeft (texts: Uint8Array[], start: number[], end: number[], common: number, left: RowTemplate['left'], sources: Source[], values: Uint8Array[][]): boolean {
  for (let d = 0; d <= common; d++) {
    const byte = texts[0][start[0] + d]
    let best = -1
    let bestLength = 0
    for (let s = 0; s < sources.length; s++) {
      const value = values[0][s]
      if (value[0] !== byte || value.length <= bestLength || !standsAt(texts, start, end, d, values, s, common)) continue
      best = s
      bestLength = value.length
    }
    if (best < 0) continue
    if (d > 0) left.push(texts[0].slice(start[0], start[0] + d))
    left.push(sources[best])
    for (let r = 0; r < texts.length; r++) start[r] += d + values[r][best].length
    return true
  }
  return false
}

function standsAt (texts: Uint8Array[], start: number[], end: number[], d: number, values: Uint8Array[][], s: number, common: number): boolean {
  let crosses = false
  for (let r = 0; r < texts.length; r++) {
    const value = values[r][s]
    const at = start[r] + d
    if (value.length === 0 || at + value.length > end[r] || !holds(texts[r], at, value)) return false
    if (d + value.length > common) crosses = true
  }
  return crosses
}

function takeRight (texts: Uint8Array[], start: number[], end: number[], common: number, right: RowTemplate['right'], sources: Source[], values: Uint8Array[][]): boolean {
  for (let d = 0; d <= common; d++) {
    const byte = texts[0][end[0] - 1 - d]
    let best = -1
    let bestLength = 0
    for (let s = 0; s < sources.length; s++) {
      const value = values[0][s]
      if (value[value.length - 1] !== byte || value.length <= bestLength || !standsBefore(texts, start, end, d, values, s, common)) continue
      best = s
      bestLength = value.length
    }
    if (best < 0) continue
    if (d > 0) right.push(texts[0].slice(end[0] - d, end[0]))
    right.push(sources[best])
    for (let r = 0; r < texts.length; r++) end[r] -= d + values[r][best].length
    return true
  }
  return false
}

function standsBefore (texts: Uint8Array[], start: number[], end: number[], d: number, values: Uint8Array[][], s: number, common: number): boolean {
  let crosses = false
  for (let r = 0; r < texts.length; r++) {
    const value = values[r][s]
    const at = end[r] - d - value.length
    if (value.length === 0 || at < start[r] || !holds(texts[r], at, value)) return false
    if (d + value.length > common) crosses = true
  }
  return crosses
}

function holds (text: Uint8Array, at: number, value: Uint8Array): boolean {
  for (let i = 0; i < value.length; i++) if (text[at + i] !== value[i]) return false
  return true
}

/** How much of a common beginning may go, so that no word and no character is cut. */
function wordStart (texts: Uint8Array[], start: number[], common: number): number {
  let kept = common
  while (kept > 0 && isCut(texts, start, kept)) kept--
  return kept
}

function isCut (texts: Uint8Array[], start: number[], kept: number): boolean {
  for (let r = 0; r < texts.length; r++) {
    const at = start[r] + kept
    if (isWordByte(texts[r][at - 1]) && at < texts[r].length && isWordByte(texts[r][at])) return true
  }
  return false
}

function wordEnd (texts: Uint8Array[], end: number[], common: number): number {
  let kept = common
  while (kept > 0 && isCut(texts, end, -kept)) kept--
  return kept
}
