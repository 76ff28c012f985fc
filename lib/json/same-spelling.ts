import { matchRun, runTo } from './escape-runs.js'
import { readCharacter, readTo } from './read-character.js'

/**
 * Whether a JSON string of a text, from `from` to its closing quote, and a spelling without quotes
 * are the same string. Reads both code unit by code unit, whatever escapes they use, and makes
 * nothing of either.
 *
 * @param sourceView a view of the bytes of `source`
 */
export function isSameSpelling (source: Uint8Array, sourceView: DataView, from: number, spelling: Uint8Array, start: number, end: number): boolean {
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
    const next = matchRun(sourceView, i, source.length, spelling, k)
    if (next > i) {
      i = next
      k = runTo()
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
