import type { Layout } from '../layout.js'
import { NO_SINK } from '../no-sink.js'
import { TemplateReader } from './templates.js'

/** Reads the rows of tables: their keys, and where the cells stand that templates refer to. */
export abstract class RowReader extends TemplateReader {
  protected hasCell = false

  /** The cells of a row, or of a group in it. */
  protected abstract cells (layout: Layout, base: number): void

  /** The members or elements of a table. */
  protected tableRows (close: number, isInner: boolean): void {
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
  protected startKeyed ({ keyTemplate }: Layout): void {
    const { sink, strings } = this
    this.rowKey = this.i
    this.rowKeys = keyTemplate
    this.key()
    if (keyTemplate === null || this.isSkipping) {
      sink.key(strings.bytes, strings.start, strings.end)
    } else {
      this.filled.clear()
      this.appendKey()
      const key = this.filled.take()
      sink.key(key, 0, key.length)
    }
    this.expect(0x3a, 'a colon')
  }

  protected row (layout: Layout): void {
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
}
