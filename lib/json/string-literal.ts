import { allocate } from './allocate.js'
import { findStop } from './find-stop.js'
import { ESCAPE_LETTERS, readHex4, writeUnicodeEscape } from './spelling.js'
import { isHighSurrogate, isLowSurrogate } from './surrogates.js'
import { writeCodePoint } from './utf8.js'

const LETTER_VALUES = new Uint8Array(256)
LETTER_VALUES[0x2f] = 0x2f
for (let value = 0; value < 256; value++) {
  if (ESCAPE_LETTERS[value] !== 0) LETTER_VALUES[ESCAPE_LETTERS[value]] = value
}

/** What stands for a character in a string, behind a backslash where that is needed. */
const SPELLED = Uint8Array.from({ length: 256 }, (_, value) => ESCAPE_LETTERS[value] || value)
/** By how many bytes a character is longer in a string than by itself; 0 for most. */
const ADDED = new Uint8Array(256)
for (let value = 0; value < 256; value++) {
  if (ESCAPE_LETTERS[value] !== 0) ADDED[value] = 1
  else if (value < 0x20) ADDED[value] = 5
}

/**
 * What a JSON string stands for, as UTF-8.
 *
 * @param view a view of the same bytes
 * @param start behind the opening quote of a well-formed string
 * @param end where its closing quote stands
 * @param room gives bytes to write to, as many as the string has or more; not asked where the bytes are the text already
 * @returns null where it holds half of a surrogate pair, which UTF-8 cannot
 */
export function unescapeString (bytes: Uint8Array, view: DataView, start: number, end: number, room: (size: number) => Uint8Array = allocate): Uint8Array | null {
  let i = findStop(bytes, view, start, end)
  if (i === end) return bytes.subarray(start, end)
  // No text is longer than its spelling. Byte by byte, since between the escapes of JSON in a string there are few others.
  const out = room(end - start)
  let at = i - start
  out.set(bytes.subarray(start, i))
  while (i < end) {
    const byte = bytes[i]
    if (byte !== 0x5c) {
      out[at++] = byte
      i++
    } else if (bytes[i + 1] !== 0x75) {
      out[at++] = LETTER_VALUES[bytes[i + 1]]
      i += 2
    } else {
      const character = readEscape(bytes, i, end)
      if (character < 0) return null
      at = writeCodePoint(out, at, character)
      i += character < 0x10000 ? 6 : 12
    }
  }
  return out.subarray(0, at)
}

/** The character that \u stands for, or that it and another stand for together; -1 for half of a surrogate pair. */
function readEscape (bytes: Uint8Array, at: number, end: number): number {
  const unit = readHex4(bytes, at + 2, end)
  if (isLowSurrogate(unit)) return -1
  if (!isHighSurrogate(unit)) return unit
  const low = bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75 ? readHex4(bytes, at + 8, end) : -1
  return isLowSurrogate(low) ? 0x10000 + (unit - 0xd800 << 10) + (low - 0xdc00) : -1
}

/** Size in bytes of the shortest JSON string, quotes included, that stands for UTF-8 texts one behind the other. */
export function measureLiteral (texts: readonly Uint8Array[]): number {
  let size = 2
  for (const text of texts) size += measureEscaped(text)
  return size
}

function measureEscaped (text: Uint8Array): number {
  let size = text.length
  for (let i = 0; i < text.length; i++) size += ADDED[text[i]]
  return size
}

/** Writes that string and returns the position behind it. */
export function writeLiteral (out: Uint8Array, at: number, texts: readonly Uint8Array[]): number {
  out[at++] = 0x22
  for (const text of texts) at = writeEscaped(out, at, text)
  out[at++] = 0x22
  return at
}

function writeEscaped (out: Uint8Array, at: number, text: Uint8Array): number {
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    const added = ADDED[byte]
    if (added === 5) {
      at = writeUnicodeEscape(out, at, byte)
      continue
    }
    // Without a branch, which nobody could predict: a backslash that is written over where there is none.
    out[at] = 0x5c
    at += added
    out[at++] = SPELLED[byte]
  }
  return at
}
