import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import type { Output } from '../../json/output.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, STRING, WIDE, nextNode } from '../../json/tape.js'
import { writePrimitive, writeQuotedKey } from '../../json/write.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, FILLED, GROUP, KEYED, OWN, PLAIN, ROWS, TEMPLATE } from './layout.js'
import type { Column, Part, RowTemplate, Table } from './column.js'
import { isIdentifier } from './cursor.js'
import type { KeyTemplate } from './key-template.js'
import { findOwn, fitTemplate, own } from './own-range.js'
import type { Plan } from './plan.js'
import { Span } from './span.js'
import { isSpelledAlike, readSpan, sourceLength } from './values.js'

/** Writes a document as STC 2 with the tables that are planned; the grammar stands in ../README.md. */
export function writeStc2 (out: Output, document: Document, plan: Plan): void {
  new Encoder(out, document, plan).value(0, false)
}

const NO_TABLES: Table[] = []
/** A run of equal elements is written as one and a count where that is shorter by so many bytes. */
const LEAST_REPEATED = 7

class Encoder {
  private readonly tape: Int32Array
  private readonly bytes: Uint8Array
  private readonly words: Int32Array
  private readonly span = new Span()
  private hasCell = false

  constructor (private readonly out: Output, private readonly document: Document, private readonly plan: Plan) {
    this.tape = document.tape
    this.bytes = document.bytes
    this.words = plan.nodes.words
  }

  value (node: number, isInner: boolean): void {
    const kind = this.tape[node] & KIND_MASK
    if (kind > ARRAY) {
      this.primitive(node, kind)
      return
    }
    const tables = this.plan.tables.get(node)
    if (tables === undefined) this.container(node, kind === OBJECT, isInner, NO_TABLES)
    else if (tables[0].isWhole) this.table(tables[0], isInner)
    else this.container(node, kind === OBJECT, isInner, tables)
  }

  private primitive (node: number, kind: number): void {
    const { out, tape, bytes, document } = this
    if (kind === STRING && (tape[node] & WIDE) === 0) out.copy(bytes, tape[node + 1] - 1, tape[node + 2] + 1)
    else writePrimitive(out, document, node, kind)
  }

  /** @param tables those of the members or elements that are rows of tables within the container */
  private container (node: number, isObject: boolean, isInner: boolean, tables: Table[]): void {
    const { out, tape } = this
    const end = tape[node + 2]
    out.byte(isObject ? 0x7b : 0x5b)
    let t = 0
    for (let at = node + 6; at < end;) {
      if (at > node + 6) out.byte(0x2c)
      if (t < tables.length && tables[t].first === at) {
        if (!isObject) out.byte(0x2b)
        at = this.table(tables[t++], isInner)
      } else if (isObject) {
        this.key(tape[at + 2])
        out.byte(0x3a)
        this.value(at + 3, isInner)
        at = nextNode(tape, at + 3)
      } else {
        at = this.element(at, end, isInner)
      }
    }
    out.byte(isObject ? 0x7d : 0x5d)
  }

  /** An element and how often it comes; returns what follows. */
  private element (node: number, end: number, isInner: boolean): number {
    const { out, document, tape } = this
    this.value(node, isInner)
    let count = 1
    let next = nextNode(tape, node)
    let at = next
    while (at < end && isSpelledAlike(document, node, at)) {
      count++
      at = nextNode(tape, at)
    }
    if (count === 1 || (count - 1) * (sourceLength(tape, node) + 1) < LEAST_REPEATED) return next
    out.byte(0x2a)
    out.count(count)
    next = at
    return next
  }

  private key (key: number): void {
    const { out, document } = this
    const { keys } = document
    if (keys.flags[key] & KEY_IDENTIFIER) out.copy(keys.bytes, keys.starts[key], keys.starts[key + 1])
    else writeQuotedKey(out, document, key)
  }

  /** A table, from its head on; returns the node behind its last row. */
  private table ({ first, count, keys, fields }: Table, isInner: boolean): number {
    const { out, tape } = this
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    out.byte(isKeyed ? 0x7b : 0x5b)
    out.count(count)
    out.byte(isKeyed ? 0x7d : 0x5d)
    if (keys !== null) this.keyTemplate(keys)
    this.fields(fields)
    out.byte(0x3a)
    if (!isInner) out.byte(0x0a)
    let at = first
    for (let r = 0; r < count; r++) {
      if (isInner && r > 0) out.byte(0x2f)
      if (isKeyed) {
        this.rowKey(tape[at + 2], keys)
        at += 3
      }
      this.row(fields, r)
      at = nextNode(tape, at)
      if (!isInner) out.byte(0x0a)
    }
    return at
  }

  private keyTemplate ({ before, after }: KeyTemplate): void {
    const { out } = this
    out.byte(0x22)
    this.literal(before, 0, before.length)
    out.ascii('${}')
    this.literal(after, 0, after.length)
    out.byte(0x22)
  }

  private rowKey (key: number, template: KeyTemplate | null): void {
    const { out, document: { keys } } = this
    if (template === null) {
      this.key(key)
    } else {
      const start = keys.starts[key] + template.before.length
      const end = keys.starts[key + 1] - template.after.length
      const isBare = isIdentifier(keys.bytes, start, end)
      if (!isBare) out.byte(0x22)
      out.copy(keys.bytes, start, end)
      if (!isBare) out.byte(0x22)
    }
    out.byte(0x3a)
  }

  private fields (fields: Column[]): void {
    const { out } = this
    out.byte(0x7b)
    for (let f = 0; f < fields.length; f++) {
      if (f > 0) out.byte(0x2c)
      this.field(fields[f])
    }
    out.byte(0x7d)
  }

  private field (column: Column): void {
    const { out } = this
    const { kind, empty } = column
    column.cursor = 0
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
      if (kind === ROWS) out.ascii('[]')
      else if (kind === KEYED) out.ascii('{}')
      if (column.keys !== null) this.keyTemplate(column.keys)
      this.fields(column.fields as Column[])
    }
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
      if (bytes[i] !== 0x24 || bytes[i + 1] !== 0x7b) continue
      out.copy(bytes, from, i)
      out.ascii('\\u0024')
      from = i + 1
    }
    out.copy(bytes, from, end)
  }

  private template ({ left, right, hasOwn }: RowTemplate): void {
    const { out } = this
    out.byte(0x22)
    for (const part of left) this.part(part)
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

  private row (fields: Column[], r: number): void {
    const { hasCell } = this
    this.hasCell = false
    this.cells(fields, r)
    this.hasCell = hasCell
  }

  private cells (fields: Column[], r: number): void {
    for (let f = 0; f < fields.length; f++) {
      const column = fields[f]
      const { kind } = column
      if (kind === CONSTANT || kind === TEMPLATE || kind === COPY) continue
      if (kind === GROUP && column.empty === ALWAYS) {
        this.cells(column.fields as Column[], r)
        continue
      }
      if (this.hasCell) this.out.byte(0x2c)
      this.hasCell = true
      const node = this.words[column.at + r]
      if (node !== 0) this.cell(column, node, r)
    }
  }

  private cell (column: Column, node: number, r: number): void {
    const kind = this.tape[node] & KIND_MASK
    if (column.kind === GROUP && kind === OBJECT) this.group(column)
    else if (column.kind === OWN && kind === STRING) this.own(column.template as RowTemplate, node, r)
    else if (column.kind === ROWS && kind === ARRAY) this.rows(column, node)
    else if (column.kind === KEYED && kind === OBJECT) this.keyedRows(column, node)
    else if (!this.isLeftEmpty(column, node, kind, r)) this.value(node, true)
  }

  private group (column: Column): void {
    const { out } = this
    out.byte(0x7b)
    this.row(column.fields as Column[], column.cursor++)
    out.byte(0x7d)
  }

  private rows (column: Column, node: number): void {
    const { out } = this
    out.byte(0x5b)
    const count = this.tape[node + COUNT]
    for (let n = 0; n < count; n++) {
      if (n > 0) out.byte(0x2f)
      this.row(column.fields as Column[], column.cursor++)
    }
    out.byte(0x5d)
  }

  private keyedRows (column: Column, node: number): void {
    const { out, tape } = this
    out.byte(0x7b)
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at + 3)) {
      if (at > node + 6) out.byte(0x2f)
      this.rowKey(tape[at + 2], column.keys)
      this.row(column.fields as Column[], column.cursor++)
    }
    out.byte(0x7d)
  }

  private own (template: RowTemplate, node: number, r: number): void {
    const { out, document, span, words } = this
    readSpan(document, node, span)
    findOwn(document, words, template, span, r)
    out.byte(0x22)
    out.copy(span.bytes, own.start, own.end)
    out.byte(0x22)
  }

  /** Whether the header says what the cell holds. */
  private isLeftEmpty ({ empty, value, template }: Column, node: number, kind: number, r: number): boolean {
    if (empty === DEFAULT) return isSpelledAlike(this.document, value, node)
    if (empty !== FILLED || kind !== STRING) return false
    readSpan(this.document, node, this.span)
    return fitTemplate(this.document, this.words, template as RowTemplate, this.span, r)
  }
}
