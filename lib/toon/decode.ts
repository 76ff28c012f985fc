import { BYTE_CLASSES } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { END_GROUP, readHeader } from './header.js'
import type { Header } from './header.js'
import { Lines } from './lines.js'
import { Tokens } from './tokens.js'

const QUOTE = 0x22
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const HYPHEN = 0x2d
const SPACE = 0x20
const TAB = 0x09

/**
 * Reads a document of TOON 4.0, strictly: what the specification leaves to lenient readers is an error,
 * and so is a bare value in a row that holds a quote.
 *
 * @throws Failure at the first byte that is wrong
 */
export function readToon (bytes: Uint8Array, maxDepth: number, sink: Sink): void {
  new Decoder(bytes, maxDepth, sink).document()
}

class Decoder {
  private readonly lines: Lines
  private readonly tokens: Tokens
  private level = 0

  constructor (private readonly bytes: Uint8Array, private readonly maxDepth: number, private readonly sink: Sink) {
    this.lines = new Lines(bytes)
    this.tokens = new Tokens(bytes, sink)
  }

  document (): void {
    const { lines, tokens, sink, bytes } = this
    const { start, end } = lines
    if (lines.depth > 0) throw new Failure(start, 'no indentation')
    const hasColon = lines.depth === 0 && tokens.findUnquoted(COLON, start, end) >= 0
    if (lines.depth === 0 && !hasColon) {
      lines.advance()
      if (this.isEmptyArray(start, end)) this.emptyArray()
      else if (lines.depth >= 0) throw new Failure(start, 'a key or a header')
      else tokens.emitPrimitive(start, end)
    } else if (hasColon && bytes[start] === OPEN_BRACKET) {
      const header = this.header(start, end)
      lines.advance()
      this.container(header, end, 0)
    } else {
      sink.beginObject()
      this.enter()
      this.fields(0)
      this.leave()
      sink.endObject()
    }
    if (lines.depth >= 0) throw new Failure(lines.start, 'the end of the document')
  }

  /** Members of an object on lines of one depth, up to a line that is less deep. */
  private fields (depth: number): void {
    const { lines } = this
    while (lines.depth >= depth) {
      if (lines.depth > depth) throw new Failure(lines.start, `indentation of level ${depth}`)
      this.field(lines.start, depth)
    }
  }

  /** The member whose key starts at `start` in the current line, with all lines that belong to it. */
  private field (start: number, depth: number): void {
    const { lines, tokens, sink } = this
    const { end } = lines
    const colon = this.key(start, end, OPEN_BRACKET)
    sink.position = start
    sink.key(tokens.bytes, tokens.start, tokens.end)
    if (this.bytes[colon] === OPEN_BRACKET) {
      const header = this.header(colon, end)
      lines.advance()
      this.container(header, end, depth)
      return
    }
    const rest = tokens.skipSpaces(colon + 1, end)
    lines.advance()
    if (rest < end) {
      if (this.isEmptyArray(rest, end)) this.emptyArray()
      else tokens.emitPrimitive(rest, end)
      return
    }
    sink.beginObject()
    this.enter()
    if (lines.depth > depth) this.fields(depth + 1)
    this.leave()
    sink.endObject()
  }

  /**
   * Reads the key at `start` and returns the position of the colon behind it, or of a bracket where
   * `opener` is one. In the rows of a keyed table a bracket is part of the key.
   */
  private key (start: number, end: number, opener: number): number {
    const { bytes, tokens } = this
    if (bytes[start] === QUOTE) {
      const after = tokens.readQuoted(start, end)
      if (bytes[after] === opener && after < end) return after
      const colon = tokens.skipSpaces(after, end)
      if (bytes[colon] !== COLON || colon >= end) throw new Failure(colon, 'a colon behind the key')
      return colon
    }
    let i = start
    while (i < end && bytes[i] !== COLON && bytes[i] !== opener && bytes[i] !== QUOTE) i++
    if (i >= end || bytes[i] === QUOTE) throw new Failure(i, 'a colon behind the key')
    const keyEnd = tokens.trimEnd(start, i)
    if (bytes[i] === OPEN_BRACKET && (i === start || keyEnd < i || bytes[i - 1] === TAB)) throw new Failure(i, 'a key directly before the bracket')
    tokens.readBare(start, keyEnd)
    return i
  }

  private header (at: number, end: number): Header {
    return readHeader(this.bytes, this.tokens, this.sink, at, end, this.maxDepth - this.level)
  }

  /** What a header announces: on the rest of its line, up to `end`, or on the lines below. */
  private container (header: Header, end: number, depth: number): void {
    const { sink, lines } = this
    if (header.keyed) sink.beginObject()
    else sink.beginArray()
    this.enter()
    if (header.after < end) {
      this.values(header.after, end, header)
    } else {
      const blanks = lines.blanks
      if (header.steps === null) this.items(header, depth + 1)
      else this.rows(header, header.steps, depth + 1)
      if (lines.depth > depth) throw new Failure(lines.start, `no more than ${header.count} entries`)
      if (lines.consumedBlanks > blanks) throw new Failure(lines.consumedStart, 'no blank line within an array')
    }
    this.leave()
    if (header.keyed) sink.endObject()
    else sink.endArray()
  }

  private values (start: number, end: number, header: Header): void {
    let i = start
    for (let n = 0; n < header.count; n++) i = this.cell(i, end, header.delimiter, n === header.count - 1, false)
    if (header.count === 0) throw new Failure(start, 'no value')
  }

  private rows (header: Header, steps: number[], depth: number): void {
    const { lines, tokens, sink } = this
    if (this.level + header.groupDepth > this.maxDepth) throw new Failure(lines.start, `no more than ${this.maxDepth} levels`)
    for (let row = 0; row < header.count; row++) {
      this.expectEntry(depth, row, header.count)
      const { end } = lines
      let { start } = lines
      if (header.keyed) {
        const colon = this.key(start, end, COLON)
        sink.position = start
        sink.key(tokens.bytes, tokens.start, tokens.end)
        start = tokens.skipSpaces(colon + 1, end)
        if (start === end) throw new Failure(end, 'the cells of the entry')
      }
      this.row(start, end, header, steps)
      lines.advance()
    }
  }

  private row (start: number, end: number, header: Header, steps: number[]): void {
    const { sink } = this
    let i = start
    let read = 0
    sink.beginObject()
    for (let n = 0; n < steps.length; n++) {
      const step = steps[n]
      if (step === END_GROUP) {
        sink.endObject()
        continue
      }
      sink.definedKey(step >> 1)
      if (step & 1) {
        sink.beginObject()
      } else {
        i = this.cell(i, end, header.delimiter, ++read === header.cells, read === 1 && !header.keyed)
      }
    }
    sink.endObject()
  }

  /**
   * Reads the cell at `i` and returns where the next one starts.
   *
   * @param isLast whether the line must end behind it
   * @param noColon whether a bare colon makes the line a member and no row (section 9.3)
   */
  private cell (i: number, end: number, delimiter: number, isLast: boolean, noColon: boolean): number {
    const { bytes, tokens, sink } = this
    const start = tokens.skipSpaces(i, end)
    let stop: number
    if (bytes[start] === QUOTE && start < end) {
      const after = tokens.readQuoted(start, end)
      sink.string(tokens.bytes, tokens.start, tokens.end)
      stop = tokens.skipSpaces(after, end)
    } else {
      stop = start
      while (stop < end && bytes[stop] !== delimiter) {
        if (BYTE_CLASSES[bytes[stop]] !== 0 && (bytes[stop] === QUOTE || (noColon && bytes[stop] === COLON))) {
          throw new Failure(stop, 'quotes around this value')
        }
        stop++
      }
      tokens.emitPrimitive(start, tokens.trimEnd(start, stop))
    }
    if (isLast ? stop !== end : stop === end || bytes[stop] !== delimiter) {
      throw new Failure(stop, isLast ? 'the end of the line' : 'one more value')
    }
    return stop + 1
  }

  private items (header: Header, depth: number): void {
    for (let item = 0; item < header.count; item++) {
      this.expectEntry(depth, item, header.count)
      this.item(depth)
    }
  }

  /** One item of a list; an object's first member stands behind the hyphen (section 10). */
  private item (depth: number): void {
    const { bytes, lines, tokens, sink } = this
    const { start: hyphen, end } = lines
    if (bytes[hyphen] !== HYPHEN || (hyphen + 1 < end && bytes[hyphen + 1] !== SPACE)) throw new Failure(hyphen, 'a hyphen and a blank')
    const start = tokens.skipSpaces(hyphen + 1, end)
    if (start === end) {
      lines.advance()
      sink.beginObject()
      sink.endObject()
    } else if (this.isEmptyArray(start, end)) {
      lines.advance()
      this.emptyArray()
    } else if (tokens.findUnquoted(COLON, start, end) < 0) {
      lines.advance()
      tokens.emitPrimitive(start, end)
    } else if (bytes[start] === OPEN_BRACKET) {
      const header = this.header(start, end)
      if (header.steps !== null) throw new Failure(start, 'no field list without a key')
      lines.advance()
      this.container(header, end, depth)
    } else {
      sink.beginObject()
      this.enter()
      this.field(start, depth + 1)
      this.fields(depth + 1)
      this.leave()
      sink.endObject()
    }
  }

  private expectEntry (depth: number, index: number, count: number): void {
    const { lines } = this
    if (lines.depth !== depth) throw new Failure(lines.start, `entry ${index + 1} of ${count} at level ${depth}`)
  }

  private isEmptyArray (start: number, end: number): boolean {
    return end - start === 2 && this.bytes[start] === OPEN_BRACKET && this.bytes[start + 1] === 0x5d
  }

  private emptyArray (): void {
    this.sink.beginArray()
    this.sink.endArray()
  }

  private enter (): void {
    if (++this.level > this.maxDepth) throw new Failure(this.lines.start, `no more than ${this.maxDepth} levels`)
  }

  private leave (): void {
    this.level--
  }
}
