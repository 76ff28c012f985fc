import { matchRun, runTo } from '../../../json/escape-runs.js'
import { readCharacter, readTo } from '../../../json/read-character.js'

interface Source {
  bytes: Uint8Array
  view: DataView
}

/**
 * Compares a JSON string of a text, from `from` to its closing quote, with a spelling that starts at `start`. Reads
 * both character by character, whatever escapes they use, and makes nothing of either. What is no JSON string or no
 * UTF-8 is the same as nothing.
 *
 * @param source UTF-8, and a view of it
 * @param end where the spelling ends at the latest
 * @returns behind what says the same in the spelling, or -1; it is for the caller to see that the spelling ends there
 */
export function matchSpelling ({ bytes: source, view }: Source, from: number, spelling: Uint8Array, start: number, end: number): number {
  let i = from
  let k = start
  for (;;) {
    const byte = source[i]
    if (byte === 0x5c) {
      const next = matchRun(view, i, source.length, spelling, k)
      if (next > i) {
        i = next
        k = runTo()
        continue
      }
    } else {
      if (byte === 0x22) return k
      if (byte === spelling[k] && k < end) {
        i++
        k++
        continue
      }
      // Behind the first bytes of a character an escape cannot say the rest.
      if (spelling[k] !== 0x5c || (byte & 0xc0) === 0x80) return -1
    }
    const wanted = readCharacter(source, i, source.length)
    i = readTo()
    const found = readCharacter(spelling, k, spelling.length)
    k = readTo()
    if (wanted !== found) return -1
  }
}
