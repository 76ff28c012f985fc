import type { Position } from './errors.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text as bytes, and what is needed to tell a reader where something stands in it. */
export interface Source {
  readonly bytes: Uint8Array
  /** The string that the bytes were made from; null where the text came as bytes. */
  readonly text: string | null
}

/** A half of a surrogate pair without its other half, with the backslashes before it. */
const LONE_SURROGATE = /(\\*)(?:[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/g

/**
 * The bytes of a text. UTF-8 cannot hold a lone surrogate, so in a string each becomes the escape
 * that JSON has for it; one behind an odd number of backslashes is left to become U+FFFD, which makes
 * the invalid escape that it already was.
 *
 * @throws TypeError where it is neither
 */
export function toSource (input: Uint8Array | string): Source {
  if (typeof input !== 'string') return { bytes: checkBytes(input), text: null }
  const text = input.isWellFormed() ? input : input.replace(LONE_SURROGATE, escapeLone)
  return { bytes: encoder.encode(text), text: input }
}

/**
 * The bytes that came; a value that is not JSON yet is what is passed in their place most often.
 *
 * @throws TypeError
 */
export function checkBytes (bytes: Uint8Array): Uint8Array {
  // Not instanceof: the bytes may come from another realm, such as a test runner's.
  if (ArrayBuffer.isView(bytes) && bytes.BYTES_PER_ELEMENT === 1) return bytes
  throw new TypeError(`expected a text, as a string or a Uint8Array, got ${bytes === null ? 'null' : typeof bytes}`)
}

function escapeLone (match: string, backslashes: string): string {
  if (backslashes.length % 2 === 1) return match
  return `${backslashes}\\u${match.charCodeAt(backslashes.length).toString(16)}`
}

/** Bytes as a string; a BOM is kept. */
export function toText (bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** A string as UTF-8 bytes. */
export function toBytes (text: string): Uint8Array {
  return encoder.encode(text)
}

/** Offset, line and column of a byte of the source. Counted without making strings: a body that is no JSON may be large. */
export function locate ({ bytes, text }: Source, byteOffset: number): Position {
  let units = 0
  let line = 1
  let lineStart = 0
  for (let i = 0; i < byteOffset; i++) {
    const byte = bytes[i]
    // A continuation byte stands for nothing of its own, the lead of four bytes for a pair of surrogates.
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1
    if (byte !== 0x0a && byte !== 0x0d) continue
    if (byte === 0x0d || bytes[i - 1] !== 0x0d) line++
    lineStart = units
  }
  const offset = text === null ? byteOffset : units - addedByEscapes(text, units)
  return { offset, line, column: units - lineStart + 1 }
}

/** How many of the first `length` code units of the escaped text stand there only because of `escapeLone`. */
function addedByEscapes (text: string, length: number): number {
  let added = 0
  for (const match of text.matchAll(LONE_SURROGATE)) {
    if (match.index + match[0].length + added >= length) break
    if (match[1].length % 2 === 0) added += 5
  }
  return added
}

/**
 * Offset of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF), or -1.
 */
export function findInvalidUtf8 (bytes: Uint8Array): number {
  const end = bytes.length
  const view = new DataView(bytes.buffer, bytes.byteOffset, end)
  let i = 0
  while (i < end) {
    if (i + 4 <= end && (view.getInt32(i, true) & 0x80808080) === 0) {
      i += 4
      continue
    }
    const length = sequenceLength(bytes, i)
    if (length === 0) return i
    i += length
  }
  return -1
}

/** Bytes of the well-formed sequence at `i` (Unicode table 3-7), or 0 where none stands there. */
function sequenceLength (bytes: Uint8Array, i: number): number {
  const first = bytes[i]
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const second = bytes[i + 1]
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (!(second >= low && second <= high)) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let k = 2; k < length; k++) {
    if ((bytes[i + k] & 0xc0) !== 0x80) return 0
  }
  return length
}

/** Writes the code point as UTF-8 at `at` and returns the position behind it. */
export function writeCodePoint (out: Uint8Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    out[at++] = codePoint
  } else if (codePoint < 0x800) {
    out[at++] = 0xc0 | codePoint >> 6
    out[at++] = 0x80 | codePoint & 63
  } else if (codePoint < 0x10000) {
    out[at++] = 0xe0 | codePoint >> 12
    out[at++] = 0x80 | codePoint >> 6 & 63
    out[at++] = 0x80 | codePoint & 63
  } else {
    out[at++] = 0xf0 | codePoint >> 18
    out[at++] = 0x80 | codePoint >> 12 & 63
    out[at++] = 0x80 | codePoint >> 6 & 63
    out[at++] = 0x80 | codePoint & 63
  }
  return at
}
