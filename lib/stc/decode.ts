import { isDigit, skipDigits } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { StringReader } from '../json/string-reader.js'
import { readPrimitive } from './read-primitive.js'

/** Counts of more digits than this leave the integers that a double holds exactly. */
const MAX_COUNT_DIGITS = 15

/**
 * Reads a document of STC 1, dense or spaced, in a single pass with one token of look-ahead.
 *
 * @throws Failure at the first byte that the grammar does not allow
 */
export function readStc (bytes: Uint8Array, maxDepth: number, sink: Sink): void {
  new Decoder(bytes, maxDepth, sink).document()
}

class Decoder {
  private i = 0
  private depth = 0
  private readonly end: number
  private readonly strings: StringReader

  constructor (private readonly bytes: Uint8Array, private readonly maxDepth: number, private readonly sink: Sink) {
    this.end = bytes.length
    this.strings = new StringReader(bytes)
  }

  document (): void {
    this.skipBlanks()
    this.value()
    this.skipBlanks()
    if (this.i < this.end) this.fail('the end of the text')
  }

  private value (): void {
    const byte = this.bytes[this.i]
    if (byte === 0x7b) this.nest(this.object)
    else if (byte === 0x5b) this.nest(this.bracket)
    else this.primitive()
  }

  private nest (read: () => void): void {
    if (++this.depth > this.maxDepth) this.fail(`no more than ${this.maxDepth} levels`)
    read.call(this)
    this.depth--
  }

  private object (): void {
    const { sink, strings } = this
    this.i++
    sink.beginObject()
    this.skipBlanks()
    if (!this.take(0x7d)) {
      do {
        this.skipBlanks()
        sink.position = this.i
        this.key()
        sink.key(strings.bytes, strings.start, strings.end)
        this.skipBlanks()
        if (this.take(0x5b)) this.compactArray()
        else {
          this.expect(0x3a, 'a colon')
          this.value()
        }
        this.skipBlanks()
      } while (this.take(0x2c))
      this.expect(0x7d, 'a comma or }')
    }
    sink.endObject()
  }

  /** Behind the bracket of key[3]:1,2,3 */
  private compactArray (): void {
    this.skipBlanks()
    const count = this.count()
    this.expect(0x5d, ']')
    this.expect(0x3a, 'a colon')
    if (this.depth >= this.maxDepth) this.fail(`no more than ${this.maxDepth} levels`)
    this.sink.beginArray()
    this.primitives(count)
    this.sink.endArray()
  }

  /** An array, or rows behind a header: what follows [3] tells. */
  private bracket (): void {
    const start = this.i
    this.i++
    if (this.isRowsHeader()) {
      this.rows()
      return
    }
    this.i = start + 1
    this.sink.beginArray()
    this.skipBlanks()
    if (!this.take(0x5d)) {
      do {
        this.skipBlanks()
        this.value()
        this.skipBlanks()
      } while (this.take(0x2c))
      this.expect(0x5d, 'a comma or ]')
    }
    this.sink.endArray()
  }

  private isRowsHeader (): boolean {
    this.skipBlanks()
    const start = this.i
    this.i = skipDigits(this.bytes, this.i, this.end)
    const digitsEnd = this.i
    this.skipBlanks()
    if (digitsEnd === start || !this.take(0x5d)) return false
    this.skipBlanks()
    if (!this.take(0x7b)) return false
    this.i = start
    return true
  }

  private rows (): void {
    const { sink, strings } = this
    const count = this.count()
    this.expect(0x5d, ']')
    this.expect(0x7b, '{')
    const keys: number[] = []
    do {
      this.skipBlanks()
      this.key()
      keys.push(sink.defineKey(strings.bytes, strings.start, strings.end))
      this.skipBlanks()
    } while (this.take(0x2c))
    this.expect(0x7d, 'a comma or }')
    this.expect(0x3a, 'a colon')
    if (this.depth >= this.maxDepth) this.fail(`no more than ${this.maxDepth} levels`)
    sink.beginArray()
    for (let row = 0; row < count; row++) {
      if (row > 0) this.expect(0x2f, `/ and ${count - row} more of ${count} rows`)
      sink.position = this.i
      sink.beginObject()
      for (let column = 0; column < keys.length; column++) {
        if (column > 0) this.expect(0x2c, `a comma and ${keys.length - column} more of ${keys.length} values`)
        sink.definedKey(keys[column])
        this.primitive()
      }
      sink.endObject()
      this.skipBlanks()
    }
    sink.endArray()
  }

  private primitives (count: number): void {
    for (let n = 0; n < count; n++) {
      if (n > 0) this.expect(0x2c, `a comma and ${count - n} more of ${count} values`)
      this.primitive()
      this.skipBlanks()
    }
  }

  private count (): number {
    const start = this.i
    this.i = skipDigits(this.bytes, this.i, this.end)
    const digits = this.i - start
    if (digits === 0 || digits > MAX_COUNT_DIGITS || this.bytes[start] === 0x30) {
      this.i = start
      this.fail('a count of 1 or more')
    }
    let count = 0
    for (let i = start; i < this.i; i++) count = count * 10 + this.bytes[i] - 0x30
    this.skipBlanks()
    return count
  }

  private key (): void {
    const { bytes, strings } = this
    if (bytes[this.i] === 0x22) {
      this.i = strings.readJson(this.i)
      return
    }
    const start = this.i
    while (isIdentifierByte(bytes[this.i])) this.i++
    if (this.i === start || isDigit(bytes[start])) {
      this.i = start
      this.fail('a key')
    }
    strings.bytes = bytes
    strings.start = start
    strings.end = this.i
  }

  private primitive (): void {
    this.i = readPrimitive(this.bytes, this.i, this.strings, this.sink)
  }

  /** Passes over one byte and the blanks around it. */
  private expect (byte: number, expected: string): void {
    this.skipBlanks()
    if (this.bytes[this.i] !== byte) this.fail(expected)
    this.i++
    this.skipBlanks()
  }

  private take (byte: number): boolean {
    if (this.bytes[this.i] !== byte) return false
    this.i++
    return true
  }

  private skipBlanks (): void {
    const { bytes, end } = this
    let { i } = this
    while (i < end && (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09)) i++
    this.i = i
  }

  private fail (expected: string): never {
    throw new Failure(this.i, expected)
  }
}

function isIdentifierByte (byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || isDigit(byte)
}
