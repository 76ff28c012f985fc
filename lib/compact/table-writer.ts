import { CellWriter } from './cell-writer.js'
import { writeNumber } from './decimals.js'
import { isPlainRow } from './group.js'
import type { Group } from './group.js'
import { membersOf } from './layout.js'
import type { Form } from './layout.js'
import { NOT_PLAIN } from './table.js'
import type { Table } from './table.js'

const COMMA = 0x2c
const SLASH = 0x2f
const NEWLINE = 0x0a
const SPACE = 0x20
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Writes the text of a table, straight from its values; the bytes are overwritten by the next. */
export class TableWriter extends CellWriter {
  /** The member that is next in a row, where they are written with their keys. */
  private member = 0
  private members: readonly string[] = []

  /**
   * @returns how many of the bytes the text is
   * @throws NOT_PLAIN where a cell is no primitive of JSON, or a row is another than the first
   */
  write (table: Table, form: Form): number {
    this.at = this.jsonBytes = this.savedInToon = 0
    this.isToon = form === 'toon'
    if (form === 'objects') this.objects(table)
    else this.table(table)
    return this.at
  }

  private table ({ rows, count, layout }: Table): void {
    const { isToon } = this
    const { root } = layout
    this.header(count, isToon ? layout.toonFields : layout.stcFields)
    for (let r = 0; r < count; r++) {
      if (isToon) {
        this.room(3)
        const { bytes, at } = this
        bytes[at] = NEWLINE
        bytes[at + 1] = bytes[at + 2] = SPACE
        this.at = at + 3
      }
      this.cells(rows[r], root)
      // A slash stands where the last comma is.
      if (isToon || r === count - 1) this.at--
      else this.bytes[this.at - 1] = SLASH
    }
  }

  /** `[2]{id,name}:` */
  private header (count: number, fields: string): void {
    this.bytes[0] = OPEN_BRACKET
    this.at = writeNumber(this.bytes, 1, count)
    this.bytes[this.at++] = CLOSE_BRACKET
    this.text(fields)
    this.room(1)
    this.bytes[this.at++] = COLON
  }

  /** The cells of a row, and a comma behind each. */
  private cells (row: unknown, { keys, groups }: Group): void {
    if (!isPlainRow(row)) throw NOT_PLAIN
    let column = 0
    // A for-in loop is what V8 reads the members of rows fastest with; what is inherited ends it.
    for (const key in row) {
      if (column === keys.length || key !== keys[column]) throw NOT_PLAIN
      const group = groups[column++]
      if (group !== null) {
        this.cells(row[key], group)
      } else {
        this.cell(row[key])
        this.bytes[this.at++] = COMMA
      }
    }
    if (column < keys.length) throw NOT_PLAIN
  }

  /** `[{id:1,name:"a"}]` */
  private objects ({ rows, count, layout }: Table): void {
    this.members = membersOf(layout)
    this.bytes[this.at++] = OPEN_BRACKET
    for (let r = 0; r < count; r++) {
      this.member = 0
      this.object(rows[r], layout.root)
    }
    this.bytes[this.at - 1] = CLOSE_BRACKET
  }

  /** An object, and a comma behind it. */
  private object (row: unknown, { keys, groups }: Group): void {
    if (!isPlainRow(row)) throw NOT_PLAIN
    this.room(1)
    this.bytes[this.at++] = OPEN_BRACE
    let column = 0
    for (const key in row) {
      if (column === keys.length || key !== keys[column]) throw NOT_PLAIN
      this.text(this.members[this.member++])
      const group = groups[column++]
      if (group !== null) {
        this.object(row[key], group)
      } else {
        this.cell(row[key])
        this.bytes[this.at++] = COMMA
      }
    }
    if (column < keys.length) throw NOT_PLAIN
    this.bytes[this.at - 1] = CLOSE_BRACE
    this.room(1)
    this.bytes[this.at++] = COMMA
  }
}
