import type { Document } from '../../json/document.js'
import type { Output } from '../../json/output.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, RECORD, STRING, WIDE, WIDE_RECORD, kindBit, nextNode } from '../../json/tape.js'
import { writeString } from '../../json/write.js'
import type { Column, RowTemplate, Table } from './column.js'
import { isIdentifier } from './cursor.js'
import type { KeyTemplate } from './key-template.js'
import { ABSENT, DEFAULT, FILLED, GROUP, KEYED, OWN, PLAIN, ROWS } from './layout.js'
import { findOwn, fitTemplate, own } from './own-range.js'
import type { Plan } from './plan.js'
import { isSpelledAlike, readSpan, sourceLength } from './values.js'
import { HeaderWriter } from './write-header.js'

/** Writes a document as STC 2 with the tables that are planned; the grammar stands in ../README.md. */
export function writeStc2 (out: Output, document: Document, plan: Plan): void {
  new Encoder(out, document, plan).value(0, false)
}

const NO_TABLES: Table[] = []
const OBJECTS = kindBit(OBJECT)
/** A run of equal elements is written as one and a count where that is shorter by so many bytes. */
const LEAST_REPEATED = 7

class Encoder extends HeaderWriter {
  private readonly bytes: Uint8Array
  private readonly words: Int32Array

  constructor (out: Output, document: Document, private readonly plan: Plan) {
    super(out, document)
    this.bytes = document.bytes
    this.words = plan.nodes.words
  }

  value (node: number, isInner: boolean): void {
    const head = this.tape[node]
    const kind = head & KIND_MASK
    if (kind > ARRAY) {
      this.primitive(node, head)
      return
    }
    // Rows are objects.
    const tables = (head & OBJECTS) === 0 ? undefined : this.plan.tables.get(node)
    if (tables === undefined) {
      if (kind === OBJECT) this.object(node, isInner, NO_TABLES)
      else this.array(node, isInner, NO_TABLES)
    } else if (tables[0].isWhole) {
      this.table(tables[0], isInner)
    } else if (kind === OBJECT) {
      this.object(node, isInner, tables)
    } else {
      this.array(node, isInner, tables)
    }
  }

  private primitive (node: number, head: number): void {
    const { out, tape } = this
    if ((head & KIND_MASK) !== STRING) out.copy(this.bytes, tape[node + 1], tape[node + 2])
    else if ((head & WIDE) === 0) out.copy(this.bytes, tape[node + 1] - 1, tape[node + 2] + 1)
    else writeString(out, this.document, node)
  }

  /** @param tables those of the members that are rows */
  private object (node: number, isInner: boolean, tables: Table[]): void {
    const { out, tape } = this
    const end = tape[node + 2]
    out.byte(0x7b)
    for (let at = node + 6, t = 0; at < end;) {
      if (at > node + 6) out.byte(0x2c)
      if (t < tables.length && tables[t].first === at) {
        at = this.table(tables[t++], isInner)
        continue
      }
      this.key(tape[at + 2])
      out.byte(0x3a)
      at += RECORD
      const head = tape[at]
      if ((head & KIND_MASK) > ARRAY) {
        this.primitive(at, head)
        at += head & WIDE ? WIDE_RECORD : RECORD
      } else {
        this.value(at, isInner)
        at = tape[at + 2]
      }
    }
    out.byte(0x7d)
  }

  /** @param tables those of the elements that are rows */
  private array (node: number, isInner: boolean, tables: Table[]): void {
    const { out, tape } = this
    const end = tape[node + 2]
    out.byte(0x5b)
    for (let at = node + 6, t = 0; at < end;) {
      if (at > node + 6) out.byte(0x2c)
      if (t < tables.length && tables[t].first === at) {
        out.byte(0x2b)
        at = this.table(tables[t++], isInner)
        continue
      }
      const head = tape[at]
      let next = at + (head & WIDE ? WIDE_RECORD : RECORD)
      if ((head & KIND_MASK) > ARRAY) {
        this.primitive(at, head)
      } else {
        this.value(at, isInner)
        next = tape[at + 2]
      }
      at = next < end && isSpelledAlike(this.document, at, next) ? this.repeat(at, next, end) : next
    }
    out.byte(0x5d)
  }

  /** How often an element comes, if that is shorter than the elements that are alike; returns what follows. */
  private repeat (node: number, next: number, end: number): number {
    const { out, document, tape } = this
    let count = 2
    let at = nextNode(tape, next)
    while (at < end && isSpelledAlike(document, node, at)) {
      count++
      at = nextNode(tape, at)
    }
    if ((count - 1) * (sourceLength(tape, node) + 1) < LEAST_REPEATED) return next
    out.byte(0x2a)
    out.count(count)
    return at
  }

  /** A table, from its head on; returns the node behind its last row. */
  private table ({ first, count, keys, fields }: Table, isInner: boolean): number {
    const { out, tape } = this
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    out.byte(isKeyed ? 0x7b : 0x5b)
    out.count(count)
    out.byte(isKeyed ? 0x7d : 0x5d)
    if (keys !== null) this.keyTemplate(keys)
    const cells: Column[] = []
    this.fields(fields, cells)
    out.byte(0x3a)
    if (!isInner) out.byte(0x0a)
    let at = first
    for (let r = 0; r < count; r++) {
      if (isInner && r > 0) out.byte(0x2f)
      if (isKeyed) {
        this.rowKey(tape[at + 2], keys)
        at += RECORD
      }
      this.row(cells, r)
      at = tape[at + 2]
      if (!isInner) out.byte(0x0a)
    }
    return at
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

  private row (cells: Column[], r: number): void {
    const { out, tape, words } = this
    for (let c = 0; c < cells.length; c++) {
      if (c > 0) out.byte(0x2c)
      const column = cells[c]
      const node = words[column.at + r]
      if (node === 0) continue
      const head = tape[node]
      if (column.kind !== PLAIN || column.empty !== ABSENT) this.cell(column, node, head & KIND_MASK, r)
      else if ((head & KIND_MASK) > ARRAY) this.primitive(node, head)
      else this.value(node, true)
    }
  }

  private cell (column: Column, node: number, kind: number, r: number): void {
    if (column.kind === GROUP && kind === OBJECT) this.group(column)
    else if (column.kind === OWN && kind === STRING) this.own(column.template as RowTemplate, node, r)
    else if (column.kind === ROWS && kind === ARRAY) this.rows(column, node)
    else if (column.kind === KEYED && kind === OBJECT) this.keyedRows(column, node)
    else if (!this.isLeftEmpty(column, node, kind, r)) this.value(node, true)
  }

  private group (column: Column): void {
    const { out } = this
    out.byte(0x7b)
    this.row(column.cells, column.cursor++)
    out.byte(0x7d)
  }

  private rows (column: Column, node: number): void {
    const { out } = this
    out.byte(0x5b)
    const count = this.tape[node + COUNT]
    for (let n = 0; n < count; n++) {
      if (n > 0) out.byte(0x2f)
      this.row(column.cells, column.cursor++)
    }
    out.byte(0x5d)
  }

  private keyedRows (column: Column, node: number): void {
    const { out, tape } = this
    out.byte(0x7b)
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = tape[at + RECORD + 2]) {
      if (at > node + 6) out.byte(0x2f)
      this.rowKey(tape[at + 2], column.keys)
      this.row(column.cells, column.cursor++)
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
