import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { toText } from '../json/utf8.js'
import { RowLines } from './lines.js'
import { Values } from './read-values.js'
import { SPACE } from './scalar.js'

const HASH = 0x23
const COMMA = 0x2c
const EQUALS = 0x3d
const OPEN_BRACKET = 0x5b
const OPEN_PAREN = 0x28
const CLOSE_PAREN = 0x29

/**
 * Reads a document of the rows dialect. A single block without meta lines is an array; all else is
 * an object whose members are the blocks and the values of the meta lines, in their order.
 *
 * @param escapes whether a backslash escapes a comma, a pipe, a bracket or a backslash
 * @throws Failure at the first byte that is wrong
 */
export function readRows (bytes: Uint8Array, maxDepth: number, sink: Sink, escapes: boolean): void {
  new Decoder(bytes, maxDepth, sink, escapes).document()
}

class Decoder {
  private readonly lines: RowLines
  private readonly values: Values
  private level = 0

  constructor (private readonly bytes: Uint8Array, private readonly maxDepth: number, private readonly sink: Sink, escapes: boolean) {
    this.lines = new RowLines(bytes)
    this.values = new Values(bytes, sink, escapes)
  }

  document (): void {
    const { bytes, lines, sink } = this
    const isArray = lines.isSingleBlock()
    if (!isArray) {
      this.enter()
      sink.beginObject()
    }
    if (!lines.next() || lines.isFooter()) throw new Failure(lines.start, 'a header or a meta line')
    while (lines.isOpen) {
      if (bytes[lines.start] !== HASH) this.block(isArray)
      else if (lines.isFooter()) this.footer()
      else this.meta()
    }
    if (!isArray) sink.endObject()
  }

  /** # key=value key=value */
  private meta (): void {
    const { bytes, lines, sink, values } = this
    const { end } = lines
    let i = lines.start + 1
    if (bytes[i] !== SPACE || i >= end) throw new Failure(i, 'a blank behind #')
    for (;;) {
      while (i < end && bytes[i] === SPACE) i++
      if (i === end) break
      const equals = findEquals(bytes, i, endOfWord(bytes, i, end))
      if (equals <= i) throw new Failure(i, 'key=value')
      sink.position = i
      values.readName(i, equals)
      sink.key(values.bytes, values.start, values.end)
      i = endOfValue(bytes, equals + 1, end)
      values.scalar(equals + 1, i)
    }
    lines.next()
  }

  /** name(f1,f2) and the lines of its rows. */
  private block (isArray: boolean): void {
    const { bytes, lines, sink, values } = this
    const { start, end } = lines
    const open = bytes.indexOf(OPEN_PAREN, start)
    if (open <= start || open >= end) throw new Failure(start, 'a header')
    const close = end - 1
    if (bytes[close] !== CLOSE_PAREN) throw new Failure(end, ')')
    sink.position = start
    if (!isArray) {
      values.readName(start, open)
      sink.key(values.bytes, values.start, values.end)
    }
    const fields = this.fields(open + 1, close)
    this.enter()
    sink.beginArray()
    while (lines.next() && bytes[lines.start] === OPEN_BRACKET) this.row(fields)
    sink.endArray()
    this.level--
  }

  private fields (start: number, end: number): number[] {
    const { bytes, sink, values } = this
    const fields = new Set<number>()
    for (let i = start; i < end; i++) {
      let stop = i
      while (stop < end && bytes[stop] !== COMMA) stop++
      if (stop === i) throw new Failure(i, 'the name of a field')
      values.readName(i, stop)
      const handle = sink.defineKey(values.bytes, values.start, values.end)
      if (fields.has(handle)) throw new Failure(i, 'no field twice')
      fields.add(handle)
      i = stop
      if (stop === end - 1) throw new Failure(end, 'the name of a field')
    }
    return [...fields]
  }

  private row (fields: number[]): void {
    const { bytes, lines, sink, values } = this
    const { end } = lines
    let i = lines.start + 1
    sink.position = lines.start
    this.enter()
    sink.beginObject()
    for (let n = 0; n < fields.length; n++) {
      if (n > 0) {
        if (bytes[i] !== COMMA) throw new Failure(i, `a comma and ${fields.length - n} more of ${fields.length} values`)
        i++
      }
      sink.definedKey(fields[n])
      i = values.cell(i, end, this.level < this.maxDepth)
    }
    if (bytes[i] !== 0x5d || i !== end - 1) throw new Failure(i, '] at the end of the line')
    sink.endObject()
    this.level--
  }

  private footer (): void {
    const { bytes, lines } = this
    for (const pattern of [/^JSON: \d+ tokens$/, /^TOON: \d+ tokens$/, /^Savings: -?\d+ tokens \(-?\d+\.\d%\)$/]) {
      if (!lines.next() || !pattern.test(toText(bytes.subarray(lines.start, lines.end)))) throw new Failure(lines.start, `a line such as ${pattern.source}`)
    }
    if (lines.next()) throw new Failure(lines.start, 'the end of the text')
  }

  private enter (): void {
    if (++this.level > this.maxDepth) throw new Failure(this.lines.start, `no more than ${this.maxDepth} levels`)
  }
}

/** Words without = belong to the value before them. */
function endOfValue (bytes: Uint8Array, start: number, end: number): number {
  let stop = endOfWord(bytes, start, end)
  while (stop < end) {
    const next = endOfWord(bytes, stop + 1, end)
    if (next === stop + 1 || findEquals(bytes, stop + 1, next) >= 0) break
    stop = next
  }
  return stop
}

function endOfWord (bytes: Uint8Array, i: number, end: number): number {
  while (i < end && bytes[i] !== SPACE) i++
  return i
}

function findEquals (bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    if (bytes[i] === EQUALS) return i
  }
  return -1
}
