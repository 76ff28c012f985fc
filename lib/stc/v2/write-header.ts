import { KIND_MASK, STRING } from '../../json/tape.js'
import type { Column, Part, RowTemplate } from './column.js'
import type { KeyTemplate } from './key-template.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, FILLED, GROUP, KEYED, PLAIN, ROWS, TEMPLATE } from './layout.js'
import { Span } from './span.js'
import { TextWriter } from './text-writer.js'
import { readSpan } from './values.js'

const DOLLAR = 0x24

/** Writes headers of tables, and makes their columns ready for the rows. */
export abstract class HeaderWriter extends TextWriter {
  protected readonly span = new Span()

  /** Writes a value; within a table rows are parted by slashes. */
  abstract value (node: number, isInner: boolean): void

  protected keyTemplate ({ before, after }: KeyTemplate): void {
    this.byte(0x22)
    this.literal(before, 0, before.length)
    this.ascii('${}')
    this.literal(after, 0, after.length)
    this.byte(0x22)
  }

  /** The fields in braces; the columns that have cells join `cells`. */
  protected fields (fields: Column[], cells: Column[]): void {
    this.byte(0x7b)
    for (let f = 0; f < fields.length; f++) {
      if (f > 0) this.byte(0x2c)
      this.field(fields[f], cells)
    }
    this.byte(0x7d)
  }

  private field (column: Column, cells: Column[]): void {
    const { kind, empty } = column
    this.key(column.key)
    if (column.isAgain) this.byte(0x5e)
    if (kind === COPY) {
      this.ascii('=$')
      this.path(column.original as Column)
      return
    }
    if (kind === CONSTANT) {
      this.byte(0x3d)
      this.constant(column.value)
      return
    }
    if (kind !== TEMPLATE && (kind !== GROUP || empty !== ALWAYS)) cells.push(column)
    if (empty === DEFAULT) {
      this.byte(0x7e)
      this.value(column.value, true)
    } else if (empty === FILLED) {
      this.byte(0x7e)
    } else if (empty === ABSENT && kind !== PLAIN) {
      this.byte(0x3f)
    }
    if (column.template !== null) {
      this.byte(0x3d)
      this.template(column.template)
    } else if (kind !== PLAIN) {
      this.form(column, cells)
    }
  }

  private form (column: Column, cells: Column[]): void {
    const { kind, empty } = column
    if (kind === ROWS) this.ascii('[]')
    else if (kind === KEYED) this.ascii('{}')
    if (column.keys !== null) this.keyTemplate(column.keys)
    column.cursor = 0
    // The cells of a group that every row has stand among those of the row.
    column.cells = kind === GROUP && empty === ALWAYS ? cells : []
    this.fields(column.fields as Column[], column.cells)
  }

  /** A constant; in a string ${ would open a path. */
  private constant (node: number): void {
    const { tape, document, span } = this
    if ((tape[node] & KIND_MASK) !== STRING) {
      this.value(node, true)
      return
    }
    readSpan(document, node, span)
    this.byte(0x22)
    this.literal(span.bytes, span.start, span.end)
    this.byte(0x22)
  }

  private literal (bytes: Uint8Array, start: number, end: number): void {
    let from = start
    for (let i = start; i < end - 1; i++) {
      if (bytes[i] !== DOLLAR || bytes[i + 1] !== 0x7b) continue
      this.copy(bytes, from, i)
      this.ascii('\\u0024')
      from = i + 1
    }
    this.copy(bytes, from, end)
  }

  private template ({ left, right, hasOwn }: RowTemplate): void {
    this.byte(0x22)
    for (let p = 0; p < left.length; p++) this.part(left[p])
    if (hasOwn) this.ascii('${}')
    for (let p = right.length - 1; p >= 0; p--) this.part(right[p])
    this.byte(0x22)
  }

  private part ({ literal, source }: Part): void {
    if (literal !== null) {
      this.literal(literal.bytes, literal.start, literal.end)
      return
    }
    this.ascii('${')
    if (source === null || source.column === null) this.byte(0x40)
    else this.path(source.column)
    this.byte(0x7d)
  }

  private path (column: Column): void {
    if (column.parent !== null) {
      this.path(column.parent)
      this.byte(0x2e)
    }
    this.key(column.key)
  }
}
