import { readCharacter, readTo } from './read-character.js'
import { readCommonEscape } from './spelling.js'

/**
 * Whether a JSON string of a text, from `from` to its closing quote, and a spelling without quotes
 * are the same string. Reads both code unit by code unit, whatever escapes they use, and makes
 * nothing of either.
 */
export function isSameSpelling (source: Uint8Array, from: number, spelling: Uint8Array, start: number, end: number): boolean {
  let i = from
  let k = start
  while (source[i] !== 0x22) {
    if (k >= end) return false
    if (source[i] !== 0x5c && spelling[k] !== 0x5c) {
      if (source[i] !== spelling[k]) return false
      i++
      k++
      continue
    }
    const next = matchRun(source, i, spelling, k)
    if (next > i) {
      i = next
      k = matchedTo()
      continue
    }
    // Behind the first bytes of a character an escape cannot say the rest.
    if ((source[i] & 0xc0) === 0x80) return false
    const wanted = readCharacter(source, i, source.length)
    i = readTo()
    const found = readCharacter(spelling, k, end)
    k = readTo()
    if (wanted !== found) return false
  }
  return k === end
}

let runEnd = 0

/** Where `matchRun` stopped in the spelling. */
export const matchedTo = (): number => runEnd

/** Goes on as long as the source has escapes for characters beyond ASCII that the spelling holds as they are, and returns where it stopped in the source. */
export function matchRun (source: Uint8Array, i: number, spelling: Uint8Array, k: number): number {
  const last = source.length - 6
  while (i <= last) {
    const unit = readCommonEscape(source, i)
    if (unit === 0) break
    if (unit < 0x800) {
      if (spelling[k] !== (0xc0 | unit >> 6) || spelling[k + 1] !== (0x80 | unit & 63)) break
      k += 2
    } else {
      if (spelling[k] !== (0xe0 | unit >> 12) || spelling[k + 1] !== (0x80 | unit >> 6 & 63) || spelling[k + 2] !== (0x80 | unit & 63)) break
      k += 3
    }
    i += 6
  }
  runEnd = k
  return i
}
