import { ALWAYS, CONSTANT, COPIED, DEFAULT, FILLED, GROUP, KEYED, OWN, PLAIN, ROWS, TEMPLATE } from '../layout.js'
import type { Field, Layout } from '../layout.js'
import { RowReader } from './rows.js'

/** Reads the cells of rows by the fields of a header. */
export class CellReader extends RowReader {
  protected cells ({ fields }: Layout, base: number): void {
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
  protected fieldKey (field: Field, base: number): void {
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
}
