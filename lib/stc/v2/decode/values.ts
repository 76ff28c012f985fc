import type { Sink } from '../../../json/sink.js'
import { readPrimitive } from '../../read-primitive.js'
import { HeaderReader } from '../header-reader.js'
import { NO_SINK } from '../no-sink.js'

/** Reads values into a sink: all but the rows of tables. */
export abstract class ValueReader extends HeaderReader {
  /** What is passed over is read by the same rules, but goes nowhere and expands nothing. */
  protected isSkipping = false
  /** Where the cells of open rows stand that templates refer to: start and end by slot; 0 where there is none. */
  protected readonly places: number[] = []
  /** Whether the rows that are being read were passed over before; their places start at `noted`, in the order of the rows. */
  protected isNoted = false
  protected noted = 0
  /** What constants, defaults and templates have brought so far, in bytes of text. */
  private expanded = 0

  constructor (bytes: Uint8Array, maxDepth: number, protected sink: Sink, private readonly maxBytes: number) {
    super(bytes, maxDepth)
  }

  /** The members or elements of a table, from its head on. */
  protected abstract tableRows (close: number, isInner: boolean): void

  protected value (isInner: boolean): void {
    const byte = this.text[this.i]
    if (byte === 0x7b) {
      this.descend()
      if (this.isAtHead(0x7d)) this.table(0x7d, isInner)
      else this.object(isInner)
      this.depth--
    } else if (byte === 0x5b) {
      this.descend()
      if (this.isAtHead(0x5d)) this.table(0x5d, isInner)
      else this.array(isInner)
      this.depth--
    } else {
      this.primitive()
    }
  }

  private object (isInner: boolean): void {
    const { sink, strings } = this
    this.i++
    sink.beginObject()
    if (!this.take(0x7d)) {
      do {
        sink.position = this.i
        if (this.text[this.i] === 0x7b) {
          this.tableRows(0x7d, isInner)
        } else {
          this.key()
          sink.key(strings.bytes, strings.start, strings.end)
          this.expect(0x3a, 'a colon')
          this.value(isInner)
        }
      } while (this.take(0x2c))
      this.expect(0x7d, 'a comma or }')
    }
    sink.endObject()
  }

  private array (isInner: boolean): void {
    const { sink } = this
    this.i++
    sink.beginArray()
    if (!this.take(0x5d)) {
      do {
        if (this.take(0x2b)) this.tableRows(0x5d, isInner)
        else this.element(isInner)
      } while (this.take(0x2c))
      this.expect(0x5d, 'a comma or ]')
    }
    sink.endArray()
  }

  /** An element of an array, and how often it is there: 0*60. */
  private element (isInner: boolean): void {
    const start = this.i
    this.value(isInner)
    const end = this.i
    if (!this.take(0x2a)) return
    const count = this.count()
    if (this.isSkipping) return
    for (let n = 1; n < count; n++) this.repeat(start, end, isInner)
  }

  /** Reads once more what stands from `start` to `end`. */
  protected repeat (start: number, end: number, isInner: boolean): void {
    const { i, isNoted, noted } = this
    this.spend(end - start)
    this.isNoted = false
    this.i = start
    this.value(isInner)
    this.i = i
    this.isNoted = isNoted
    this.noted = noted
  }

  private primitive (): void {
    this.i = readPrimitive(this.text, this.i, this.strings, this.sink)
  }

  /** [2]{a,b}: and its rows, or {2}{a,b}: and its rows with their keys. */
  private table (close: number, isInner: boolean): void {
    const { sink } = this
    if (close === 0x7d) sink.beginObject()
    else sink.beginArray()
    this.tableRows(close, isInner)
    if (close === 0x7d) sink.endObject()
    else sink.endArray()
  }

  protected skipValue (): void {
    const byte = this.text[this.i]
    if (byte !== 0x7b && byte !== 0x5b) this.i = readPrimitive(this.text, this.i, this.strings, NO_SINK)
    else this.skipContainer()
  }

  private skipContainer (): void {
    const { sink, isSkipping, isNoted, places } = this
    const base = places.length
    this.sink = NO_SINK
    this.isSkipping = true
    this.isNoted = false
    this.value(true)
    this.isNoted = isNoted
    this.isSkipping = isSkipping
    this.sink = sink
    // To set a length costs as much as to read a value, even where it is the same.
    if (places.length > base) places.length = base
  }

  protected spend (bytes: number): void {
    this.expanded += bytes
    if (this.expanded > this.maxBytes) this.fail(`no more than ${this.maxBytes} bytes from constants, defaults and templates`)
  }
}
