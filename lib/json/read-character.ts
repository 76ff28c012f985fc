import { ESCAPE_LETTERS, readHex4 } from './spelling.js'
import { isHighSurrogate, isLowSurrogate } from './surrogates.js'

let readEnd = 0

/** Behind what `readCharacter` read last. */
export const readTo = (): number => readEnd

/** What is no character: it is equal to none that the source holds. */
const NONE = -1

const LETTER_VALUES = new Int16Array(256).fill(NONE)
LETTER_VALUES[0x2f] = 0x2f
for (let value = 0; value < 256; value++) {
  if (ESCAPE_LETTERS[value] !== 0) LETTER_VALUES[ESCAPE_LETTERS[value]] = value
}

/**
 * The character of a JSON string that stands at `i`, raw or as an escape; a lone surrogate is itself. NONE where no
 * reader of JSON takes it, or what is raw is no UTF-8.
 */
export function readCharacter (bytes: Uint8Array, i: number, end: number): number {
  const unit = bytes[i] === 0x5c ? readEscape(bytes, i, end) : readRaw(bytes, i)
  if (!isHighSurrogate(unit) || bytes[readEnd] !== 0x5c || bytes[readEnd + 1] !== 0x75) return unit
  const low = readHex4(bytes, readEnd + 2, end)
  if (!isLowSurrogate(low)) return unit
  readEnd += 6
  return 0x10000 + (unit - 0xd800 << 10) + (low - 0xdc00)
}

function readEscape (bytes: Uint8Array, i: number, end: number): number {
  const letter = bytes[i + 1]
  readEnd = letter === 0x75 ? i + 6 : i + 2
  return letter === 0x75 ? readHex4(bytes, i + 2, end) : LETTER_VALUES[letter]
}

function readRaw (bytes: Uint8Array, i: number): number {
  const byte = bytes[i]
  const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
  readEnd = i + length
  if (length === 1) return byte < 0x20 || byte === 0x22 ? NONE : byte
  let codePoint = byte & 0xff >> length + 1
  for (let n = 1; n < length; n++) {
    if ((bytes[i + n] & 0xc0) !== 0x80) return NONE
    codePoint = codePoint << 6 | bytes[i + n] & 63
  }
  // No lead of a character, longer than it need be, half of a pair, or too large (RFC 3629 section 3).
  if (byte < 0xc2 || byte > 0xf4 || codePoint < LEAST_CODE_POINTS[length] || codePoint > 0x10ffff) return NONE
  return codePoint >= 0xd800 && codePoint < 0xe000 ? NONE : codePoint
}

/** The least character that is written in so many bytes. */
const LEAST_CODE_POINTS = [0, 0, 0x80, 0x800, 0x10000]
