import { BYTE_CLASSES, STOP } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { writeShortest } from '../json/spelling.js'
import { StringReader } from '../json/string-reader.js'
import { FALSE, NUMBER, TRUE } from '../json/tape.js'
import { BACKSLASH, SPECIAL, kindOfValue } from './scalar.js'

const COMMA = 0x2c
const PIPE = 0x7c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Reads the values of rows and meta lines, and hands them to the sink. */
export class Values extends StringReader {
  constructor (private readonly source: Uint8Array, private readonly sink: Sink, private readonly escapes: boolean) {
    super(source)
  }

  /**
   * Reads the value that starts at `i`: an array where a pipe stands in it.
   *
   * @returns the position of the comma or bracket behind it
   */
  cell (i: number, end: number, mayNest: boolean): number {
    const { source, sink } = this
    let stop = this.findStop(i, end)
    if (source[stop] !== PIPE) {
      this.scalar(i, stop)
      return stop
    }
    if (!mayNest) throw new Failure(i, 'no array at this depth')
    sink.beginArray()
    this.scalar(i, stop)
    while (source[stop] === PIPE) {
      i = stop + 1
      stop = this.findStop(i, end)
      this.scalar(i, stop)
    }
    sink.endArray()
    return stop
  }

  scalar (start: number, end: number): void {
    const { source, sink } = this
    const kind = kindOfValue(source, start, end)
    if (kind === NUMBER) {
      sink.number(source, start, end)
    } else if (kind === TRUE || kind === FALSE) {
      sink.literal(kind)
    } else {
      this.read(start, end, this.escapes)
      sink.string(this.bytes, this.start, this.end)
    }
  }

  /** A name as the span that was read last; names have no escapes. */
  readName (start: number, end: number): void {
    this.read(start, end, false)
  }

  /** The comma, pipe or closing bracket that ends a value. */
  private findStop (i: number, end: number): number {
    const { source } = this
    for (; i < end; i++) {
      const byte = source[i]
      if (SPECIAL[byte] === 0) continue
      if (byte === COMMA || byte === PIPE || byte === CLOSE_BRACKET) return i
      if (byte === OPEN_BRACKET) throw new Failure(i, 'a backslash before this bracket')
      if (this.escapes) i++
    }
    throw new Failure(end, '] at the end of the line')
  }

  private read (start: number, end: number, escapes: boolean): void {
    const { source } = this
    let isPlain = true
    for (let i = start; i < end && isPlain; i++) isPlain = (BYTE_CLASSES[source[i]] & STOP) === 0
    if (isPlain) {
      this.point(source, start, end)
      return
    }
    // A raw control character takes one byte here and up to six in JSON.
    const out = this.room((end - start) * 6)
    let written = 0
    for (let i = start; i < end; i++) {
      if (escapes && source[i] === BACKSLASH && (SPECIAL[source[++i]] === 0 || i >= end)) {
        throw new Failure(i - 1, 'one of the escapes \\, \\| \\[ \\] \\\\')
      }
      if (BYTE_CLASSES[source[i]] & STOP) written = writeShortest(out, written, source[i])
      else out[written++] = source[i]
    }
    this.point(out, 0, written)
  }
}
