import { ESCAPE_LETTERS, isHighSurrogate, isLowSurrogate, readCommonEscape, readHex4 } from './spelling.js'

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
    const wanted = readCodePoint(source, i, source.length)
    i = readEnd
    const found = readCodePoint(spelling, k, end)
    k = readEnd
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

/** Behind what `readCodePoint` read last. */
let readEnd = 0

/** What is no character: it is equal to none that the source holds. */
const NONE = -1

const LETTER_VALUES = new Int16Array(256).fill(NONE)
LETTER_VALUES[0x2f] = 0x2f
for (let value = 0; value < 256; value++) {
  if (ESCAPE_LETTERS[value] !== 0) LETTER_VALUES[ESCAPE_LETTERS[value]] = value
}

/** The character at `i`, written raw or as an escape; a lone surrogate is itself. NONE where no reader of JSON takes it. */
function readCodePoint (bytes: Uint8Array, i: number, end: number): number {
  const unit = readUnit(bytes, i, end)
  if (!isHighSurrogate(unit) || bytes[readEnd] !== 0x5c || bytes[readEnd + 1] !== 0x75) return unit
  const low = readHex4(bytes, readEnd + 2, end)
  if (!isLowSurrogate(low)) return unit
  readEnd += 6
  return 0x10000 + (unit - 0xd800 << 10) + (low - 0xdc00)
}

function readUnit (bytes: Uint8Array, i: number, end: number): number {
  const byte = bytes[i]
  if (byte === 0x5c) {
    const letter = bytes[i + 1]
    readEnd = letter === 0x75 ? i + 6 : i + 2
    return letter === 0x75 ? readHex4(bytes, i + 2, end) : LETTER_VALUES[letter]
  }
  const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
  readEnd = i + length
  if (length === 1) return byte < 0x20 ? NONE : byte
  let codePoint = byte & 0x7f >> length
  for (let n = 1; n < length; n++) {
    if ((bytes[i + n] & 0xc0) !== 0x80) return NONE
    codePoint = codePoint << 6 | bytes[i + n] & 63
  }
  // Longer than it need be, or half of a pair: no UTF-8 (RFC 3629 section 3).
  return codePoint < LEAST_CODE_POINTS[length] || (codePoint >= 0xd800 && codePoint < 0xe000) ? NONE : codePoint
}

/** The least character that is written in so many bytes. */
const LEAST_CODE_POINTS = [0, 0, 0x80, 0x800, 0x10000]
