import { BYTE_CLASSES, FALSE_BYTES, NULL_BYTES, STOP, TRUE_BYTES, isDigit, matches } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import { findStop } from '../json/find-stop.js'
import { scanNumber, scannedNumber } from '../json/number.js'
import type { Sink } from '../json/sink.js'
import { isSimpleEscape, readHex4, writeShortest } from '../json/spelling.js'
import { StringReader } from '../json/string-reader.js'
import { FALSE, NULL, TRUE } from '../json/tape.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** Reads the tokens of a line: quoted strings, and what stands bare (TOON 4.0 sections 4 and 7). */
export class Tokens extends StringReader {
  private readonly textView: DataView

  constructor (private readonly line: Uint8Array, private readonly sink: Sink) {
    super(line)
    this.textView = new DataView(line.buffer, line.byteOffset, line.length)
  }

  /** Position of the first byte from `i` on that is no space. */
  skipSpaces (i: number, end: number): number {
    while (i < end && this.line[i] === SPACE) i++
    return i
  }

  /** Position behind the last byte before `end` that is no space. */
  trimEnd (start: number, end: number): number {
    while (end > start && this.line[end - 1] === SPACE) end--
    return end
  }

  /**
   * Reads the string whose opening quote stands at `at`, as the span that was read last.
   *
   * @returns the position behind the closing quote
   */
  readQuoted (at: number, end: number): number {
    const i = this.skipPlain(at + 1)
    if (i < end && this.line[i] === QUOTE) return i + 1
    return this.respellQuoted(at, end)
  }

  /** The same for a string with escapes that JSON spells shorter, with raw control characters, or with an error. */
  private respellQuoted (at: number, end: number): number {
    const { line } = this
    // A raw control character takes one byte here and up to six in JSON.
    const out = this.room((end - at) * 6)
    let written = 0
    for (let i = at + 1; i < end;) {
      const byte = line[i]
      if (byte === QUOTE) {
        this.point(out, 0, written)
        return i + 1
      }
      if (byte !== BACKSLASH) {
        written = byte < SPACE ? writeShortest(out, written, byte) : (out[written] = byte, written + 1)
        i++
      } else if (line[i + 1] === 0x75) {
        const unit = readHex4(line, i + 2, end)
        if (unit < 0 || (unit >= 0xd800 && unit < 0xe000)) throw new Failure(i, 'four hex digits behind \\u that are no surrogate')
        written = writeShortest(out, written, unit)
        i += 6
      } else if (isSimpleEscape(line[i + 1]) && i + 1 < end) {
        out[written++] = BACKSLASH
        out[written++] = line[i + 1]
        i += 2
      } else {
        throw new Failure(i, 'one of the escapes \\" \\\\ \\n \\r \\t \\u')
      }
    }
    throw new Failure(end, 'the closing quote of a string')
  }

  /** Takes a bare span as what was read, with escapes where JSON needs them. */
  readBare (start: number, end: number): void {
    const { line } = this
    if (findStop(line, this.textView, start, end) === end) {
      this.point(line, start, end)
      return
    }
    const out = this.room((end - start) * 6)
    let written = 0
    for (let i = start; i < end; i++) {
      if (BYTE_CLASSES[line[i]] & STOP) written = writeShortest(out, written, line[i])
      else out[written++] = line[i]
    }
    this.point(out, 0, written)
  }

  /** Reads a quoted string that is all of the span. */
  readWhole (start: number, end: number): void {
    const after = this.readQuoted(start, end)
    if (after !== end) throw new Failure(after, 'nothing behind the closing quote')
  }

  /** Hands the primitive that a span without blanks at its ends holds to the sink. */
  emitPrimitive (start: number, end: number): void {
    const { line, sink } = this
    const byte = line[start]
    if (start === end) {
      sink.string(line, start, end)
    } else if (byte === QUOTE) {
      this.readWhole(start, end)
      sink.string(this.bytes, this.start, this.end)
    } else if ((byte === 0x2d || isDigit(byte)) && this.isNumber(start, end)) {
      sink.number(line, start, end)
    } else if (byte === 0x74 && end - start === 4 && matches(line, start, TRUE_BYTES)) {
      sink.literal(TRUE)
    } else if (byte === 0x66 && end - start === 5 && matches(line, start, FALSE_BYTES)) {
      sink.literal(FALSE)
    } else if (byte === 0x6e && end - start === 4 && matches(line, start, NULL_BYTES)) {
      sink.literal(NULL)
    } else {
      this.readBare(start, end)
      sink.string(this.bytes, this.start, this.end)
    }
  }

  private isNumber (start: number, end: number): boolean {
    return scanNumber(this.line, start, end) === end && scannedNumber.error === null
  }

  /** Position of a byte outside of quotes, or -1. */
  findUnquoted (byte: number, start: number, end: number): number {
    const { line } = this
    let isQuoted = false
    for (let i = start; i < end; i++) {
      if (line[i] === QUOTE) isQuoted = !isQuoted
      else if (isQuoted && line[i] === BACKSLASH) i++
      else if (!isQuoted && line[i] === byte) return i
    }
    return -1
  }
}
