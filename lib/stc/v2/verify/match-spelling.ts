import { readCharacter, readTo } from '../../../json/read-character.js'
import { readCommonEscape } from '../../../json/spelling.js'

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
      const next = matchRun(source, view, i, spelling, k)
      if (next > i) {
        i = next
        k = runEnd
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

/** Where `matchRun` stopped in the spelling. */
let runEnd = 0

/** Goes on as long as the source has escapes for characters beyond ASCII that the spelling holds as they are. */
function matchRun (source: Uint8Array, view: DataView, i: number, spelling: Uint8Array, k: number): number {
  const last = source.length - 6
  while (i <= last) {
    const first = spelling[k]
    // Three bytes are most that come escaped. Halves of pairs are no characters.
    if (first > 0xe0 && first < 0xf0 && first !== 0xed && (spelling[k + 1] & 0xc0) === 0x80 && (spelling[k + 2] & 0xc0) === 0x80 &&
      view.getUint16(i, true) === ESCAPE && view.getInt32(i + 2, true) === hexOf((first & 15) << 4 | spelling[k + 1] >> 2 & 15, (spelling[k + 1] & 3) << 6 | spelling[k + 2] & 63)) {
      k += 3
    } else {
      const unit = readCommonEscape(source, i)
      if (unit === 0) break
      if (unit < 0x800) {
        if (first !== (0xc0 | unit >> 6) || spelling[k + 1] !== (0x80 | unit & 63)) break
        k += 2
      } else {
        if (first !== (0xe0 | unit >> 12) || spelling[k + 1] !== (0x80 | unit >> 6 & 63) || spelling[k + 2] !== (0x80 | unit & 63)) break
        k += 3
      }
    }
    i += 6
  }
  runEnd = k
  return i
}

/** A backslash and u, and the two hex digits of a byte, as they are read from a view. */
const ESCAPE = 0x755c
const HEX_OF = new Uint16Array(256)
for (let byte = 0; byte < 256; byte++) {
  const digits = byte.toString(16).padStart(2, '0')
  HEX_OF[byte] = digits.charCodeAt(0) | digits.charCodeAt(1) << 8
}

function hexOf (high: number, low: number): number {
  return HEX_OF[high] | HEX_OF[low] << 16
}
