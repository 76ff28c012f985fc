import { BYTE_CLASSES, COMMA as COMMA_CLASS, FALSE_BYTES, NULL_BYTES, STOP, STRUCTURAL, TRUE_BYTES, hasPlainEdges, isDigit, matches } from '../json/bare.js'
import { findStop } from '../json/find-stop.js'
import { scanNumber, scannedNumber } from '../json/number.js'
import { isSimpleEscape, readHex4 } from '../json/spelling.js'
import { toText } from '../json/utf8.js'
import { isSameNumber } from './decimals.js'
import type { Table } from './table.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const NEWLINE = 0x0a
const SLASH = 0x2f
const NEEDS_QUOTES = STOP | STRUCTURAL | COMMA_CLASS
/** Strings of more code units than this are left to V8. */
const LONG = 48

/** What escapes stand for in JSON; TOON has only those that `isSimpleEscape` knows. */
const ESCAPES: Readonly<Record<number, number>> = { 0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 8, 0x66: 12, 0x6e: 10, 0x72: 13, 0x74: 9 }

/**
 * Whether a text, in TOON or in STC, is this table: decodes it, cell by cell, and compares each with the value
 * that it should be.
 */
export function holdsTable (bytes: Uint8Array, table: Table, isToon: boolean): boolean {
  return new TableReader(bytes, isToon).read(table)
}

class TableReader {
  private i = 0
  private readonly view: DataView

  constructor (private readonly bytes: Uint8Array, private readonly isToon: boolean) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  read ({ rows, keys }: Table): boolean {
    const { bytes, isToon } = this
    if (!this.header(rows.length, keys)) return false
    for (let r = 0; r < rows.length; r++) {
      if (isToon ? !this.takeLineBreak() : r > 0 && !this.take(SLASH)) return false
      const row = rows[r] as Record<string, unknown>
      let column = 0
      // A for-in loop is what V8 reads the members of rows fastest with.
      for (const key in row) {
        if ((column > 0 && !this.take(COMMA)) || key !== keys[column++] || !this.cell(row[key])) return false
      }
      if (column !== keys.length) return false
    }
    return this.i === bytes.length
  }

  /** [2]{id,name}: */
  private header (count: number, keys: readonly string[]): boolean {
    const { bytes } = this
    const close = bytes.indexOf(0x5d)
    if (close < 0 || toText(bytes.subarray(0, close + 2)) !== `[${count}]{`) return false
    this.i = close + 2
    for (let column = 0; column < keys.length; column++) {
      if ((column > 0 && !this.take(COMMA)) || !this.key(keys[column])) return false
    }
    return this.take(0x7d) && this.take(0x3a)
  }

  private key (key: string): boolean {
    const { bytes } = this
    if (bytes[this.i] === QUOTE) return this.quoted(key)
    if (key === '' || isDigit(bytes[this.i])) return false
    for (let k = 0; k < key.length; k++, this.i++) {
      const byte = bytes[this.i]
      if (byte !== key.charCodeAt(k) || !(isNameByte(byte) || (this.isToon && byte === 0x2e))) return false
    }
    return bytes[this.i - key.length] !== 0x2e
  }

  private cell (value: unknown): boolean {
    const { bytes, i: start } = this
    if (typeof value === 'string') {
      if (bytes[start] === QUOTE) return this.quoted(value)
      return this.isToon && this.bare(value)
    }
    if (typeof value === 'number' && Number.isFinite(value)) {
      this.i = scanNumber(bytes, start, bytes.length)
      return scannedNumber.error === null && isSameNumber(bytes, start, this.i, value) && this.isCellEnd()
    }
    // JSON.stringify has null for a number that is none.
    const word = value === true ? TRUE_BYTES : value === false ? FALSE_BYTES : NULL_BYTES
    this.i += word.length
    return matches(bytes, start, word) && this.isCellEnd()
  }

  private isCellEnd (): boolean {
    const { bytes, i } = this
    return i === bytes.length || bytes[i] === COMMA || bytes[i] === (this.isToon ? NEWLINE : SLASH)
  }

  /** The string without quotes that starts here; what would be read as something else is none (TOON 4.0 section 7.2). */
  private bare (value: string): boolean {
    const { bytes, i: start } = this
    let classes = 0
    let units = 0
    let k = 0
    for (; k < value.length && bytes[start + k] === value.charCodeAt(k); k++) {
      classes |= BYTE_CLASSES[bytes[start + k]]
      units |= bytes[start + k]
    }
    if (k < value.length || units > 0x7f) {
      k = 0
      for (; start + k < bytes.length && bytes[start + k] !== COMMA && bytes[start + k] !== NEWLINE; k++) classes |= BYTE_CLASSES[bytes[start + k]]
      if (toText(bytes.subarray(start, start + k)) !== value) return false
    }
    this.i = start + k
    return (classes & NEEDS_QUOTES) === 0 && this.isCellEnd() && hasPlainEdges(bytes, start, this.i)
  }

  /** The string in quotes that starts here. */
  private quoted (value: string): boolean {
    const { bytes } = this
    const start = this.i + 1
    if (value.length > LONG) return this.quotedRuns(value, start)
    let units = 0
    let k = 0
    for (; k < value.length && bytes[start + k] === value.charCodeAt(k) && (BYTE_CLASSES[bytes[start + k]] & STOP) === 0; k++) units |= bytes[start + k]
    if (k < value.length || units > 0x7f || bytes[start + k] !== QUOTE) return this.quotedRuns(value, start)
    this.i = start + k + 1
    return true
  }

  /** The same for any string: what stands between escapes is left to V8. */
  private quotedRuns (value: string, start: number): boolean {
    const { bytes, view } = this
    let k = 0
    let i = start
    let stop = findStop(bytes, view, i, bytes.length)
    while (bytes[stop] === BACKSLASH) {
      const run = toText(bytes.subarray(i, stop))
      if (value.slice(k, k + run.length) !== run || this.escape(stop + 1) !== value.charCodeAt(k + run.length)) return false
      k += run.length + 1
      i = this.i
      stop = findStop(bytes, view, i, bytes.length)
    }
    this.i = stop + 1
    return bytes[stop] === QUOTE && toText(bytes.subarray(i, stop)) === value.slice(k)
  }

  /** What the escape with its letter at `at` stands for; negative where it is none. */
  private escape (at: number): number {
    const { bytes, isToon } = this
    const letter = bytes[at]
    this.i = at + 1
    if (letter !== 0x75) return isSimpleEscape(letter) || !isToon ? ESCAPES[letter] ?? -1 : -1
    this.i += 4
    const unit = readHex4(bytes, at + 1, bytes.length)
    return isToon && (unit & 0xf800) === 0xd800 ? -1 : unit
  }

  private takeLineBreak (): boolean {
    return this.take(NEWLINE) && this.take(SPACE) && this.take(SPACE)
  }

  private take (byte: number): boolean {
    return this.bytes[this.i++] === byte
  }
}

function isNameByte (byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || isDigit(byte)
}
