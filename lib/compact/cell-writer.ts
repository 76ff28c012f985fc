import { BYTE_CLASSES, COMMA as COMMA_CLASS, COMMA_PAIRS, COMMA_CLASSES, STOP, STOP_PAIRS, STRUCTURAL, hasPlainEdges } from '../json/bare.js'
import { ESCAPE_LETTERS } from '../json/spelling.js'
import { writeAscii, writeNumber } from './decimals.js'
import { NOT_PLAIN } from './table.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NEEDS_QUOTES = COMMA_CLASS | STRUCTURAL
/** Of strings of more code units than this V8 makes the bytes. */
const LONG = 32
/** The most bytes that an escape takes, and a closing quote and a separator behind it, and that are written for what is left of a word. */
const SLACK = 16
const encoder = new TextEncoder()
/** The bytes of the long string that is being written; of use within one call only. */
const longRaw = new Uint8Array(1 << 14)
const longView = new DataView(longRaw.buffer)
const HEX = '0123456789abcdef'

/** Writes primitives as TOON or STC have them, and counts what they take in the other. */
export class CellWriter {
  /** Bytes of all cells in JSON, which are the same in STC. */
  jsonBytes = 0
  /** By how much they are shorter in TOON. */
  savedInToon = 0
  bytes = new Uint8Array(1 << 14)
  /** A view of these bytes. */
  view = new DataView(this.bytes.buffer)
  /** Where the next byte goes. */
  protected at = 0
  protected isToon = true

  /** Makes room for so many bytes. */
  protected room (length: number): void {
    if (this.at + length > this.bytes.length) this.grow(length)
  }

  private grow (length: number): void {
    const bytes = new Uint8Array(Math.max(this.bytes.length * 2, this.at + length))
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
    this.view = new DataView(bytes.buffer)
  }

  /** Text that is written as it is. */
  protected text (text: string): void {
    this.room(text.length * 3)
    const { bytes } = this
    let { at } = this
    if (text.length <= LONG) {
      let i = 0
      let unit = 0
      for (; i < text.length && (unit = text.charCodeAt(i)) < 0x80; i++) bytes[at++] = unit
      if (i === text.length) {
        this.at = at
        return
      }
    }
    this.at += encoder.encodeInto(text, bytes.subarray(this.at)).written
  }

  /**
   * Leaves room for a byte behind it.
   *
   * @throws NOT_PLAIN where it is no string, number, boolean or null, or holds half of a surrogate pair
   */
  protected cell (value: unknown): void {
    if (typeof value === 'string') {
      if (value.length > LONG) this.longString(value)
      else this.string(value)
      return
    }
    this.room(32)
    const from = this.at
    if (typeof value === 'number') this.at = writeNumber(this.bytes, from, value)
    else if (value === true) this.ascii('true')
    else if (value === false) this.ascii('false')
    else if (value === null) this.ascii('null')
    else throw NOT_PLAIN
    this.jsonBytes += this.at - from
  }

  private ascii (text: string): void {
    this.at = writeAscii(this.bytes, this.at, text)
  }

  private string (value: string): void {
    this.room(value.length * 3 + 3)
    const { bytes } = this
    const start = this.at
    let at = start
    let classes = 0
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit < 0x80) {
        classes |= BYTE_CLASSES[unit]
        bytes[at++] = unit
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | unit >> 6
        bytes[at++] = 0x80 | unit & 63
      } else if (unit < 0xd800 || unit >= 0xe000) {
        bytes[at++] = 0xe0 | unit >> 12
        bytes[at++] = 0x80 | unit >> 6 & 63
        bytes[at++] = 0x80 | unit & 63
      } else {
        const codePoint = value.codePointAt(i) as number
        if (codePoint < 0x10000) throw NOT_PLAIN
        i++
        bytes[at++] = 0xf0 | codePoint >> 18
        bytes[at++] = 0x80 | codePoint >> 12 & 63
        bytes[at++] = 0x80 | codePoint >> 6 & 63
        bytes[at++] = 0x80 | codePoint & 63
      }
    }
    if (classes & STOP) {
      this.longString(value)
      return
    }
    this.jsonBytes += at - start + 2
    if ((classes & NEEDS_QUOTES) === 0 && hasPlainEdges(bytes, start, at)) {
      this.savedInToon += 2
      if (this.isToon) {
        this.at = at
        return
      }
    }
    bytes.copyWithin(start + 1, start, at)
    bytes[start] = bytes[at + 1] = QUOTE
    this.at = at + 2
  }

  /** A string that may need escapes. */
  private longString (value: string): void {
    const raw = value.length * 3 <= longRaw.length ? longRaw : encoder.encode(value)
    const length = raw === longRaw ? encoder.encodeInto(value, raw).written : raw.length
    // Bytes of ASCII are as many as code units.
    if (length !== value.length && !value.isWellFormed()) throw NOT_PLAIN
    const view = raw === longRaw ? longView : new DataView(raw.buffer, raw.byteOffset, length)
    this.room(length + SLACK)
    // V8 finds what most long texts hold faster than they are looked through.
    if (!value.includes(',') && !value.includes('\n') && isBare(raw, view, length)) {
      this.savedInToon += 2
      if (this.isToon) {
        this.jsonBytes += this.run(raw, view, 0, length) + 2
        return
      }
    }
    this.bytes[this.at++] = QUOTE
    this.jsonBytes += 2
    let i = 0
    for (;;) {
      const size = this.run(raw, view, i, length)
      this.jsonBytes += size
      i += size
      if (i === length) break
      this.escaped(raw[i++])
      this.room(length - i + SLACK)
    }
    this.bytes[this.at++] = QUOTE
  }

  /** Copies what needs no escape, for which there is room; returns how many bytes it is. */
  private run (raw: Uint8Array, view: DataView, start: number, end: number): number {
    const { bytes, view: out } = this
    let { at } = this
    let i = start
    for (const last = end - 16; i <= last; i += 16, at += 16) {
      const a = view.getInt32(i, true)
      const b = view.getInt32(i + 4, true)
      const c = view.getInt32(i + 8, true)
      const d = view.getInt32(i + 12, true)
      out.setInt32(at, a, true)
      out.setInt32(at + 4, b, true)
      out.setInt32(at + 8, c, true)
      out.setInt32(at + 12, d, true)
      if (hasStop(a) | hasStop(b) | hasStop(c) | hasStop(d)) break
    }
    while (i < end && (BYTE_CLASSES[raw[i]] & STOP) === 0) bytes[at++] = raw[i++]
    this.at = at
    return i - start
  }

  /** A quote, a backslash or a control. TOON has no \b and no \f. */
  private escaped (byte: number): void {
    const letter = ESCAPE_LETTERS[byte]
    const isOdd = byte === 8 || byte === 12
    this.jsonBytes += letter === 0 ? 6 : 2
    if (isOdd) this.savedInToon -= 4
    this.bytes[this.at++] = BACKSLASH
    if (letter === 0 || (this.isToon && isOdd)) this.ascii(`u00${HEX[byte >> 4]}${HEX[byte & 15]}`)
    else this.bytes[this.at++] = letter
  }
}

/** Whether the string stands bare between commas (TOON 4.0 section 7.2). */
function isBare (raw: Uint8Array, view: DataView, length: number): boolean {
  let i = 0
  for (; i + 8 <= length; i += 8) {
    const first = view.getInt32(i, true)
    const second = view.getInt32(i + 4, true)
    if ((COMMA_PAIRS[first & 0xffff] | COMMA_PAIRS[first >>> 16] | COMMA_PAIRS[second & 0xffff] | COMMA_PAIRS[second >>> 16]) !== 0) return false
  }
  for (; i < length; i++) {
    if (COMMA_CLASSES[raw[i]] !== 0) return false
  }
  return hasPlainEdges(raw, 0, length)
}

/** Not 0 where one of four bytes needs an escape. */
function hasStop (word: number): number {
  return STOP_PAIRS[word & 0xffff] | STOP_PAIRS[word >>> 16]
}
