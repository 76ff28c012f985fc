import { ByteWriter } from './output.js'
import { findStop } from './find-stop.js'
import { ESCAPE_LETTERS, isHighSurrogate, isLowSurrogate, readHex4, writeUnicodeEscape } from './spelling.js'
import { writeCodePoint } from './utf8.js'

const LETTER_VALUES = new Uint8Array(256)
LETTER_VALUES[0x2f] = 0x2f
for (let value = 0; value < 256; value++) {
  if (ESCAPE_LETTERS[value] !== 0) LETTER_VALUES[ESCAPE_LETTERS[value]] = value
}

const scratch = new Uint8Array(8)

/**
 * What a JSON string stands for, as UTF-8.
 *
 * @param view a view of the same bytes
 * @param start behind the opening quote of a well-formed string
 * @param end where its closing quote stands
 * @returns null where it holds half of a surrogate pair, which UTF-8 cannot
 */
export function unescapeString (bytes: Uint8Array, view: DataView, start: number, end: number): Uint8Array | null {
  let i = findStop(bytes, view, start, end)
  if (i === end) return bytes.subarray(start, end)
  const out = new ByteWriter(end - start, { bytes, view })
  let from = start
  while (i < end) {
    out.copy(bytes, from, i)
    const letter = bytes[i + 1]
    if (letter !== 0x75) {
      out.byte(LETTER_VALUES[letter])
      i += 2
    } else {
      let unit = readHex4(bytes, i + 2, end)
      i += 6
      if (isLowSurrogate(unit)) return null
      if (isHighSurrogate(unit)) {
        const low = bytes[i] === 0x5c && bytes[i + 1] === 0x75 ? readHex4(bytes, i + 2, end) : -1
        if (!isLowSurrogate(low)) return null
        unit = 0x10000 + (unit - 0xd800 << 10) + (low - 0xdc00)
        i += 6
      }
      out.copy(scratch, 0, writeCodePoint(scratch, 0, unit))
    }
    from = i
    i = findStop(bytes, view, i, end)
  }
  out.copy(bytes, from, end)
  return out.finish()
}

/** Size in bytes of the shortest JSON string, quotes included, that stands for a UTF-8 text. */
export function measureLiteral (text: Uint8Array): number {
  const { length } = text
  const view = new DataView(text.buffer, text.byteOffset, length)
  let size = length + 2
  for (let i = findStop(text, view, 0, length); i < length; i = findStop(text, view, i + 1, length)) {
    size += ESCAPE_LETTERS[text[i]] !== 0 ? 1 : 5
  }
  return size
}

/** The shortest JSON string, quotes included, that stands for the UTF-8 texts one behind the other. */
export function toLiteral (...texts: readonly Uint8Array[]): Uint8Array {
  const out = new ByteWriter(texts.reduce((size, { length }) => size + length + (length >> 3), 2))
  out.byte(0x22)
  for (const text of texts) writeEscaped(out, text)
  out.byte(0x22)
  return out.finish()
}

function writeEscaped (out: ByteWriter, text: Uint8Array): void {
  const { length } = text
  const view = new DataView(text.buffer, text.byteOffset, length)
  let from = 0
  for (let i = findStop(text, view, 0, length); i < length; i = findStop(text, view, from, length)) {
    out.copy(text, from, i)
    const letter = ESCAPE_LETTERS[text[i]]
    if (letter !== 0) {
      out.byte(0x5c)
      out.byte(letter)
    } else {
      out.copy(scratch, 0, writeUnicodeEscape(scratch, 0, text[i]))
    }
    from = i + 1
  }
  out.copy(text, from, length)
}
