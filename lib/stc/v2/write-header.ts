import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import type { Output } from '../../json/output.js'
import { KIND_MASK, STRING } from '../../json/tape.js'
import { writeQuotedKey } from '../../json/write.js'
import type { Column, Part, RowTemplate } from './column.js'
import type { KeyTemplate } from './key-template.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, FILLED, GROUP, KEYED, PLAIN, ROWS, TEMPLATE } from './layout.js'
import { Span } from './span.js'
import { readSpan } from './values.js'

const DOLLAR = 0x24

/** Writes headers of tables, and makes their columns ready for the rows. */
export abstract class HeaderWriter {
  protected readonly tape: Int32Array
  protected readonly span = new Span()

  constructor (protected readonly out: Output, protected readonly document: Document) {
    this.tape = document.tape
  }

  /** Writes a value; within a table rows are parted by slashes. */
  abstract value (node: number, isInner: boolean): void

  protected key (key: number): void {
    const { out, document } = this
    const { keys } = document
    if (keys.flags[key] & KEY_IDENTIFIER) out.copyKey(keys, key)
    else writeQuotedKey(out, document, key)
  }

  protected keyTemplate ({ before, after }: KeyTemplate): void {
    const { out } = this
    out.byte(0x22)
    this.literal(before, 0, before.length)
    out.ascii('${}')
    this.literal(after, 0, after.length)
    out.byte(0x22)
  }

  /** The fields in braces; the columns that have cells join `cells`. */
  protected fields (fields: Column[], cells: Column[]): void {
    const { out } = this
    out.byte(0x7b)
    for (let f = 0; f < fields.length; f++) {
      if (f > 0) out.byte(0x2c)
      this.field(fields[f], cells)
    }
    out.byte(0x7d)
  }

  private field (column: Column, cells: Column[]): void {
    const { out } = this
    const { kind, empty } = column
    this.key(column.key)
    if (column.isAgain) out.byte(0x5e)
    if (kind === COPY) {
      out.ascii('=$')
      this.path(column.original as Column)
      return
    }
    if (kind === CONSTANT) {
      out.byte(0x3d)
      this.constant(column.value)
      return
    }
    if (kind !== TEMPLATE && (kind !== GROUP || empty !== ALWAYS)) cells.push(column)
    if (empty === DEFAULT) {
      out.byte(0x7e)
      this.value(column.value, true)
    } else if (empty === FILLED) {
      out.byte(0x7e)
    } else if (empty === ABSENT && kind !== PLAIN) {
      out.byte(0x3f)
    }
    if (column.template !== null) {
      out.byte(0x3d)
      this.template(column.template)
    } else if (kind !== PLAIN) {
      this.form(column, cells)
    }
  }

  private form (column: Column, cells: Column[]): void {
    const { kind, empty } = column
    if (kind === ROWS) this.out.ascii('[]')
    else if (kind === KEYED) this.out.ascii('{}')
    if (column.keys !== null) this.keyTemplate(column.keys)
    column.cursor = 0
    // The cells of a group that every row has stand among those of the row.
    column.cells = kind === GROUP && empty === ALWAYS ? cells : []
    this.fields(column.fields as Column[], column.cells)
  }

  /** A constant; in a string ${ would open a path. */
  private constant (node: number): void {
    const { tape, out, document, span } = this
    if ((tape[node] & KIND_MASK) !== STRING) {
      this.value(node, true)
      return
    }
    readSpan(document, node, span)
    out.byte(0x22)
    this.literal(span.bytes, span.start, span.end)
    out.byte(0x22)
  }

  private literal (bytes: Uint8Array, start: number, end: number): void {
    const { out } = this
    let from = start
    for (let i = start; i < end - 1; i++) {
      if (bytes[i] !== DOLLAR || bytes[i + 1] !== 0x7b) continue
      out.copy(bytes, from, i)
      out.ascii('\\u0024')
      from = i + 1
    }
    out.copy(bytes, from, end)
  }

  private template ({ left, right, hasOwn }: RowTemplate): void {
    const { out } = this
    out.byte(0x22)
    for (let p = 0; p < left.length; p++) this.part(left[p])
    if (hasOwn) out.ascii('${}')
    for (let p = right.length - 1; p >= 0; p--) this.part(right[p])
    out.byte(0x22)
  }

  private part ({ literal, source }: Part): void {
    const { out } = this
    if (literal !== null) {
      this.literal(literal.bytes, literal.start, literal.end)
      return
    }
    out.ascii('${')
    if (source === null || source.column === null) out.byte(0x40)
    else this.path(source.column)
    out.byte(0x7d)
  }

  private path (column: Column): void {
    if (column.parent !== null) {
      this.path(column.parent)
      this.out.byte(0x2e)
    }
    this.key(column.key)
  }
}
