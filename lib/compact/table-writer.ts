import { BYTE_CLASSES, COMMA as COMMA_CLASS, STOP, STRUCTURAL, hasPlainEdges, isBare } from '../json/bare.js'
import { findStop } from '../json/find-stop.js'
import { ESCAPE_LETTERS } from '../json/spelling.js'
import { writeAscii, writeNumber } from './decimals.js'
import { NOT_PLAIN, isPlainRow } from './table.js'
import type { Table } from './table.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const NEEDS_QUOTES = COMMA_CLASS | STRUCTURAL
/** Strings of more code units than this are left to V8. */
const LONG = 48
const encoder = new TextEncoder()
/** The bytes of the string that is being written; of use within one call only. */
const shortRaw = new Uint8Array(1 << 14)
const shortView = new DataView(shortRaw.buffer)
const HEX = '0123456789abcdef'

/**
 * Writes the text of a table in TOON or STC, straight from its values, and counts the cells as JSON has
 * them, which are the same in STC.
 */
export class TableWriter {
  /** Bytes of all cells in JSON. */
  cellBytes = 0
  private at = 0

  /** @param bytes where to write, if it is large enough; else it is replaced */
  constructor (private readonly isToon: boolean, public bytes: Uint8Array) {}

  /** @throws NOT_PLAIN where a cell is no string, number, boolean or null, or a row is another than the first */
  write ({ rows, keys }: Table, header: Uint8Array): Uint8Array {
    const { isToon } = this
    const columns = keys.length
    this.room(header.length)
    this.bytes.set(header, 0)
    this.at = header.length
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r] as Record<string, unknown>
      if (!isPlainRow(row)) throw NOT_PLAIN
      this.room(4)
      if (isToon) {
        this.bytes[this.at] = 0x0a
        this.bytes[this.at + 1] = this.bytes[this.at + 2] = 0x20
        this.at += 3
      } else if (r > 0) {
        this.bytes[this.at++] = 0x2f
      }
      let column = 0
      // A for-in loop is what V8 reads the members of rows fastest with; what is inherited ends it.
      for (const key in row) {
        if (column === columns || key !== keys[column]) throw NOT_PLAIN
        if (column > 0) this.bytes[this.at++] = COMMA
        column++
        this.cell(row[key])
      }
      if (column < columns) throw NOT_PLAIN
    }
    return this.bytes.subarray(0, this.at)
  }

  /** Leaves room for a byte behind it. */
  private cell (value: unknown): void {
    const from = this.at
    if (typeof value === 'string') {
      if (value.length > LONG) this.longString(value)
      else this.string(value)
      return
    }
    this.room(32)
    if (typeof value === 'number') this.at = writeNumber(this.bytes, from, value)
    else if (value === true) this.ascii('true')
    else if (value === false) this.ascii('false')
    else if (value === null) this.ascii('null')
    else throw NOT_PLAIN
    this.cellBytes += this.at - from
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
    this.cellBytes += at - start + 2
    if (this.isToon && (classes & NEEDS_QUOTES) === 0 && hasPlainEdges(bytes, start, at)) {
      this.at = at
      return
    }
    bytes.copyWithin(start + 1, start, at)
    bytes[start] = bytes[at + 1] = QUOTE
    this.at = at + 2
  }

  /** A string of which V8 makes the bytes, and that may need escapes. */
  private longString (value: string): void {
    if (!value.isWellFormed()) throw NOT_PLAIN
    const raw = value.length * 3 <= shortRaw.length ? shortRaw : encoder.encode(value)
    const length = raw === shortRaw ? encoder.encodeInto(value, raw).written : raw.length
    if (this.isToon && isBare(raw, 0, length, COMMA)) {
      this.copy(raw, 0, length)
      this.cellBytes += length + 2
      return
    }
    this.room(1)
    this.bytes[this.at++] = QUOTE
    this.cellBytes += 2
    const view = raw === shortRaw ? shortView : new DataView(raw.buffer, raw.byteOffset, length)
    for (let i = 0; ; i++) {
      const stop = findStop(raw, view, i, length)
      this.copy(raw, i, stop)
      this.cellBytes += stop - i
      if (stop === length) break
      this.escaped(raw[stop])
      i = stop
    }
    this.bytes[this.at++] = QUOTE
  }

  /** Leaves room for an escape and a quote behind it. */
  private copy (raw: Uint8Array, start: number, end: number): void {
    this.room(end - start + 8)
    if (end - start > LONG) this.bytes.set(raw.subarray(start, end), this.at)
    else for (let i = start, at = this.at; i < end; i++) this.bytes[at++] = raw[i]
    this.at += end - start
  }

  /** A quote, a backslash or a control. TOON has no \b and no \f. */
  private escaped (byte: number): void {
    const letter = ESCAPE_LETTERS[byte]
    this.cellBytes += letter === 0 ? 6 : 2
    this.bytes[this.at++] = BACKSLASH
    if (letter === 0 || (this.isToon && (byte === 8 || byte === 12))) this.ascii(`u00${HEX[byte >> 4]}${HEX[byte & 15]}`)
    else this.bytes[this.at++] = letter
  }

  private room (length: number): void {
    if (this.at + length <= this.bytes.length) return
    const bytes = new Uint8Array(Math.max(this.bytes.length * 2, this.at + length))
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
  }
}
