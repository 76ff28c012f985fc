import { isDigit } from '../../json/bare.js'
import type { Sink } from '../../json/sink.js'
import { readPrimitive } from '../read-primitive.js'
import { HeaderReader } from './header-reader.js'
import { ALWAYS, CONSTANT, COPIED, DEFAULT, FILLED, GROUP, KEYED, KEY_PART, OWN, OWN_PART, PLAIN, ROWS, TEMPLATE } from './layout.js'
import type { Field, Layout, Template } from './layout.js'
import { NO_SINK } from './no-sink.js'
import { respellAll } from './respell-all.js'
import type { Span } from './span.js'

/** Output bound: constants, defaults and templates let a short text stand for a long document. */
export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** Reads single headers of a text, for whoever reads its rows by other means. */
export class HeaderSource {
  private readonly decoder: Decoder

  constructor (text: Uint8Array, maxDepth: number) {
    this.decoder = new Decoder(text, maxDepth, NO_SINK, DEFAULT_MAX_BYTES)
  }

  /** Behind the header that was read last. */
  get position (): number {
    return this.decoder.position
  }

  /**
   * The header whose fields, or what row keys have in common, start at `at`.
   *
   * @param depth levels of JSON around it
   * @throws Failure
   */
  read (at: number, isKeyed: boolean, depth: number): Layout {
    return this.decoder.header(at, isKeyed, depth)
  }
}

/**
 * Reads a document of STC 2 in a single pass; of a row whose templates stand before the cells that they
 * refer to, the cells are looked up first.
 *
 * @param maxBytes bound of what constants, defaults and templates may bring, in bytes of text
 * @throws Failure at the first byte that the grammar does not allow
 */
export function readStc2 (bytes: Uint8Array, maxDepth: number, sink: Sink, maxBytes = DEFAULT_MAX_BYTES): void {
  new Decoder(bytes, maxDepth, sink, maxBytes).document()
}

const NO_BYTES = new Uint8Array(0)

class Decoder extends HeaderReader {
  /** What is passed over is read by the same rules, but goes nowhere and expands nothing. */
  private isSkipping = false
  /** Where the cells of open rows stand that templates refer to: start and end by slot; 0 where there is none. */
  private readonly places: number[] = []
  /** Whether the rows that are being read were passed over before; their places start at `noted`, in the order of the rows. */
  private isNoted = false
  private noted = 0
  /** Templates of open rows that are being passed over, each with the base of its row's places. */
  private readonly unproved: { template: Template, base: number }[] = []
  private hasCell = false
  /** Where the key of the row stands, and what it has in common with those of the other rows. */
  private rowKey = 0
  private rowKeys: Template | null = null
  /** What constants, defaults and templates have brought so far, in bytes of text. */
  private expanded = 0
  private filled = NO_BYTES
  private filledTo = 0

  constructor (bytes: Uint8Array, maxDepth: number, private sink: Sink, private readonly maxBytes: number) {
    super(bytes, maxDepth)
  }

  get position (): number {
    return this.i
  }

  header (at: number, isKeyed: boolean, depth: number): Layout {
    this.i = at
    this.depth = depth
    return this.rowLayout(isKeyed)
  }

  document (): void {
    this.value(false)
    if (this.i < this.end) this.fail('the end of the text')
  }

  private value (isInner: boolean): void {
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
  private repeat (start: number, end: number, isInner: boolean): void {
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

  /** The members or elements of a table. */
  private tableRows (close: number, isInner: boolean): void {
    const { sink, rowKey, rowKeys } = this
    const isKeyed = close === 0x7d
    this.expect(isKeyed ? 0x7b : 0x5b, isKeyed ? '{' : '[')
    const count = this.count()
    this.expect(close, isKeyed ? '}' : ']')
    const layout = this.rowLayout(isKeyed)
    this.expect(0x3a, 'a colon')
    if (!isInner) this.expect(0x0a, 'a line feed behind the header')
    for (let row = 0; row < count; row++) {
      if (isInner && row > 0) this.expect(0x2f, `/ and ${count - row} more of ${count} rows`)
      sink.position = this.i
      if (isKeyed) this.startKeyed(layout)
      this.row(layout)
      if (!isInner) this.expect(0x0a, 'a line feed behind the row')
    }
    this.rowKey = rowKey
    this.rowKeys = rowKeys
  }

  /** The key of a row. */
  private startKeyed ({ keyTemplate }: Layout): void {
    const { sink, strings } = this
    this.rowKey = this.i
    this.rowKeys = keyTemplate
    this.key()
    if (keyTemplate === null || this.isSkipping) {
      sink.key(strings.bytes, strings.start, strings.end)
    } else {
      this.filledTo = 0
      this.appendKey()
      const key = this.takeFilled()
      sink.key(key, 0, key.length)
    }
    this.expect(0x3a, 'a colon')
  }

  private row (layout: Layout): void {
    const { places } = this
    if (this.isNoted) {
      const base = this.noted
      this.noted += 2 * layout.slots
      for (let n = 0; n < layout.onces; n++) places[base + 2 * n] = 0
      this.rowObject(layout, base)
      return
    }
    const base = places.length
    if (this.isSkipping) {
      const firstUnproved = this.unproved.length
      this.allot(layout)
      this.rowObject(layout, base)
      this.prove(firstUnproved)
      return
    }
    if (layout.looksAhead) {
      this.skipRow(layout)
      for (let n = 0; n < layout.onces; n++) places[base + 2 * n] = 0
      this.isNoted = true
      this.noted = base + 2 * layout.slots
      this.rowObject(layout, base)
      this.isNoted = false
    } else {
      this.allot(layout)
      this.rowObject(layout, base)
    }
    places.length = base
  }

  private allot ({ slots }: Layout): void {
    for (let n = 0; n < slots; n++) this.places.push(0, 0)
  }

  /** Notes the places of a row, and of the rows in it, without leaving its start. */
  private skipRow (layout: Layout): void {
    const { sink, i } = this
    this.sink = NO_SINK
    this.isSkipping = true
    this.row(layout)
    this.isSkipping = false
    this.sink = sink
    this.i = i
  }

  protected skipValue (): void {
    const { sink, isSkipping, isNoted, places } = this
    const base = places.length
    this.sink = NO_SINK
    this.isSkipping = true
    this.isNoted = false
    this.value(true)
    this.isNoted = isNoted
    this.isSkipping = isSkipping
    this.sink = sink
    places.length = base
  }

  private prove (first: number): void {
    const { unproved } = this
    for (let n = first; n < unproved.length; n++) {
      const { template, base } = unproved[n]
      for (const part of template.parts) {
        if (part >= 0) this.placeOf(part, base)
      }
    }
    unproved.length = first
  }

  private placeOf (slot: number, base: number): number {
    const start = this.places[base + 2 * slot]
    if (start === 0 || !isInsertable(this.text[start])) this.fail('a string or number in each cell that a template refers to')
    return start
  }

  /** Reads the text of the row's key once more. */
  private readRowKey (): void {
    const { i } = this
    this.i = this.rowKey
    this.key()
    this.i = i
  }

  /** Appends the row's key, of which `strings` read last what stands in the row. */
  private appendKey (): void {
    const { strings, rowKeys } = this
    this.spend(1)
    if (rowKeys !== null) this.appendSpan(rowKeys.literals[0])
    this.append(strings.bytes, strings.start, strings.end)
    if (rowKeys !== null) this.appendSpan(rowKeys.literals[1])
  }

  private rowObject (layout: Layout, base: number): void {
    const { hasCell } = this
    this.descend()
    this.sink.beginObject()
    this.hasCell = false
    this.cells(layout, base)
    this.hasCell = hasCell
    this.sink.endObject()
    this.depth--
  }

  private cells ({ fields }: Layout, base: number): void {
    for (let f = 0; f < fields.length; f++) {
      const field = fields[f]
      if (field.kind === PLAIN) this.plain(field, base)
      else if (field.kind === CONSTANT) this.expand(field, base)
      else if (field.kind === TEMPLATE) this.fill(field, base, 0)
      else if (field.kind === OWN) this.own(field, base)
      else if (field.kind === GROUP) this.group(field, base)
      else if (field.kind === ROWS) this.rows(field, base)
      else if (field.kind === KEYED) this.keyedRows(field, base)
      else this.copy(field, base)
    }
  }

  /** Passes over the comma before a cell. */
  private startCell (): void {
    if (this.hasCell) this.expect(0x2c, 'a comma and one more cell')
    this.hasCell = true
  }

  /** The key of a field that the row has. */
  private fieldKey (field: Field, base: number): void {
    const { sink, places } = this
    if (field.once >= 0) {
      if (places[base + 2 * field.once] !== 0) this.fail('no second place of a key in one row')
      places[base + 2 * field.once] = 1
    }
    if (this.isSkipping) return
    if (field.handle < 0) field.handle = sink.defineKey(field.keyBytes, field.keyStart, field.keyEnd)
    sink.definedKey(field.handle)
  }

  private plain (field: Field, base: number): void {
    this.startCell()
    if (!this.isAtValue()) {
      this.emptyCell(field, base)
      return
    }
    this.fieldKey(field, base)
    const start = this.i
    this.value(true)
    if (field.slot >= 0) {
      this.places[base + 2 * field.slot] = start
      this.places[base + 2 * field.slot + 1] = this.i
    }
  }

  private own (field: Field, base: number): void {
    this.startCell()
    const start = this.i
    if (this.text[start] !== 0x22) {
      if (field.empty === ALWAYS) this.fail('a string')
      this.otherCell(field, base)
      return
    }
    const end = this.strings.readJson(start)
    this.fill(field, base, start)
    this.i = end
  }

  private group (field: Field, base: number): void {
    if (field.empty === ALWAYS) {
      this.groupObject(field, base)
      return
    }
    this.startCell()
    if (!this.take(0x7b)) {
      this.otherCell(field, base)
      return
    }
    this.hasCell = false
    this.groupObject(field, base)
    this.hasCell = true
    this.expect(0x7d, '}')
  }

  private groupObject (field: Field, base: number): void {
    this.fieldKey(field, base)
    this.descend()
    this.sink.beginObject()
    this.cells(field.layout as Layout, base)
    this.sink.endObject()
    this.depth--
  }

  private rows (field: Field, base: number): void {
    const { sink } = this
    this.startCell()
    if (!this.take(0x5b)) {
      if (field.empty === ALWAYS) this.fail('[')
      this.otherCell(field, base)
      return
    }
    this.fieldKey(field, base)
    this.descend()
    sink.beginArray()
    if (!this.take(0x5d)) {
      do this.row(field.layout as Layout); while (this.take(0x2f))
      this.expect(0x5d, '/ or ]')
    }
    sink.endArray()
    this.depth--
  }

  private keyedRows (field: Field, base: number): void {
    const { sink, rowKey, rowKeys } = this
    this.startCell()
    if (!this.take(0x7b)) {
      if (field.empty === ALWAYS) this.fail('{')
      this.otherCell(field, base)
      return
    }
    const layout = field.layout as Layout
    this.fieldKey(field, base)
    this.descend()
    sink.beginObject()
    if (!this.take(0x7d)) {
      do {
        this.startKeyed(layout)
        this.row(layout)
      } while (this.take(0x2f))
      this.expect(0x7d, '/ or }')
    }
    sink.endObject()
    this.depth--
    this.rowKey = rowKey
    this.rowKeys = rowKeys
  }

  /** A cell that is not of the form that its field has in most rows. */
  private otherCell (field: Field, base: number): void {
    if (!this.isAtValue()) {
      this.emptyCell(field, base)
      return
    }
    this.fieldKey(field, base)
    this.value(true)
  }

  private emptyCell (field: Field, base: number): void {
    if (field.empty === DEFAULT) {
      if (field.slot >= 0) {
        this.places[base + 2 * field.slot] = field.start
        this.places[base + 2 * field.slot + 1] = field.end
      }
      this.expand(field, base)
    } else if (field.empty === FILLED) {
      this.fill(field, base, 0)
    } else if (field.empty === COPIED) {
      this.copy(field, base)
    }
  }

  /** The value of another cell of the row; where that has none, neither has this. */
  private copy (field: Field, base: number): void {
    if (this.isSkipping) return
    const start = this.places[base + 2 * field.copy]
    if (start === 0) return
    this.fieldKey(field, base)
    this.repeat(start, this.places[base + 2 * field.copy + 1], true)
  }

  /** The constant or default of the header as the value of a row. */
  private expand (field: Field, base: number): void {
    this.fieldKey(field, base)
    if (!this.isSkipping) this.repeat(field.start, field.end, true)
  }

  /** The template of a field as the value of a row; `own` is where the row's own cell stands. */
  private fill (field: Field, base: number, own: number): void {
    const template = field.template as Template
    if (this.isSkipping) {
      this.fieldKey(field, base)
      this.unproved.push({ template, base })
      return
    }
    const { text, strings, places } = this
    const { literals, parts } = template
    this.fieldKey(field, base)
    this.filledTo = 0
    this.appendSpan(literals[0])
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      if (part === KEY_PART) {
        this.readRowKey()
        this.appendKey()
      } else {
        const start = part === OWN_PART ? own : this.placeOf(part, base)
        if (text[start] === 0x22) strings.readJson(start)
        else strings.point(text, start, places[base + 2 * part + 1])
        this.spend(1)
        this.append(strings.bytes, strings.start, strings.end)
      }
      this.appendSpan(literals[p + 1])
    }
    const string = this.takeFilled()
    this.sink.string(string, 0, string.length)
  }

  private takeFilled (): Uint8Array {
    const string = this.filled.subarray(0, this.filledTo)
    // Halves of a surrogate pair may have met.
    return string.includes(0x5c) ? respellAll(string) : string
  }

  private appendSpan ({ bytes, start, end }: Span): void {
    this.append(bytes, start, end)
  }

  private append (bytes: Uint8Array, start: number, end: number): void {
    const to = this.filledTo + end - start
    this.spend(end - start)
    if (to > this.filled.length) {
      const filled = new Uint8Array(2 * to)
      filled.set(this.filled)
      this.filled = filled
    }
    this.filled.set(bytes.subarray(start, end), this.filledTo)
    this.filledTo = to
  }

  private spend (bytes: number): void {
    this.expanded += bytes
    if (this.expanded > this.maxBytes) this.fail(`no more than ${this.maxBytes} bytes from constants, defaults and templates`)
  }
}

/** Whether a value that starts with this byte is a string or a number. */
function isInsertable (byte: number): boolean {
  return byte === 0x22 || byte === 0x2d || isDigit(byte)
}
