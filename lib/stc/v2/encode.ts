import type { Document } from '../../json/document.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, RECORD, STRING, WIDE, WIDE_RECORD, kindBit, nextNode } from '../../json/tape.js'
import type { Column, RowTemplate, Table } from './column.js'
import { isIdentifier } from './cursor.js'
import type { KeyTemplate } from './key-template.js'
import { ABSENT, DEFAULT, FILLED, GROUP, KEYED, OWN, PLAIN, ROWS } from './layout.js'
import { findOwn, fitTemplate, own } from './own-range.js'
import type { Plan } from './plan.js'
import { isSpelledAlike, readSpan, sourceLength } from './values.js'
import { HeaderWriter } from './write-header.js'

/** Making an encoder costs as much as writing a row, so the last one is kept, unless it would hold on to much memory: a small document may be part of a large body. */
const MOST_KEPT = 1 << 16
let spare: Encoder | null = null

/** A document as STC 2 with the tables that are planned; the grammar stands in ../README.md. */
export function writeStc2 (document: Document, plan: Plan): Uint8Array {
  const encoder = spare ?? new Encoder()
  spare = null
  const text = encoder.write(document, plan)
  if (document.bytes.buffer.byteLength <= MOST_KEPT) spare = encoder
  return text
}

const NO_TABLES: Table[] = []
const OBJECTS = kindBit(OBJECT)
/** A run of equal elements is written as one and a count where that is shorter by so many bytes. */
const LEAST_REPEATED = 7

class Encoder extends HeaderWriter {
  private plan!: Plan
  private words!: Int32Array

  write (document: Document, plan: Plan): Uint8Array {
    this.begin(document)
    this.plan = plan
    this.words = plan.nodes.words
    this.value(0, false)
    return this.finish()
  }

  value (node: number, isInner: boolean): void {
    const head = this.tape[node]
    const kind = head & KIND_MASK
    if (kind > ARRAY) {
      this.primitive(node, head)
      return
    }
    // Rows are objects.
    const tables = (head & OBJECTS) === 0 ? null : this.plan.tablesOf(node)
    if (tables === null) {
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

  /** @param tables those of the members that are rows */
  private object (node: number, isInner: boolean, tables: Table[]): void {
    const { tape } = this
    const end = tape[node + 2]
    this.byte(0x7b)
    for (let at = node + 6, t = 0; at < end;) {
      if (at > node + 6) this.byte(0x2c)
      if (t < tables.length && tables[t].first === at) {
        at = this.table(tables[t++], isInner)
        continue
      }
      this.key(tape[at + 2])
      this.byte(0x3a)
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
    this.byte(0x7d)
  }

  /** @param tables those of the elements that are rows */
  private array (node: number, isInner: boolean, tables: Table[]): void {
    const { tape } = this
    const end = tape[node + 2]
    this.byte(0x5b)
    for (let at = node + 6, t = 0; at < end;) {
      if (at > node + 6) this.byte(0x2c)
      if (t < tables.length && tables[t].first === at) {
        this.byte(0x2b)
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
    this.byte(0x5d)
  }

  /** How often an element comes, if that is shorter than the elements that are alike; returns what follows. */
  private repeat (node: number, next: number, end: number): number {
    const { document, tape } = this
    let count = 2
    let at = nextNode(tape, next)
    while (at < end && isSpelledAlike(document, node, at)) {
      count++
      at = nextNode(tape, at)
    }
    if ((count - 1) * (sourceLength(tape, node) + 1) < LEAST_REPEATED) return next
    this.byte(0x2a)
    this.count(count)
    return at
  }

  /** A table, from its head on; returns the node behind its last row. */
  private table ({ first, count, keys, fields }: Table, isInner: boolean): number {
    const { tape } = this
    const isKeyed = (tape[first] & KIND_MASK) === KEY
    this.byte(isKeyed ? 0x7b : 0x5b)
    this.count(count)
    this.byte(isKeyed ? 0x7d : 0x5d)
    if (keys !== null) this.keyTemplate(keys)
    const cells: Column[] = []
    this.fields(fields, cells)
    this.byte(0x3a)
    if (!isInner) this.byte(0x0a)
    let at = first
    for (let r = 0; r < count; r++) {
      if (isInner && r > 0) this.byte(0x2f)
      if (isKeyed) {
        this.rowKey(tape[at + 2], keys)
        at += RECORD
      }
      this.row(cells, r)
      at = tape[at + 2]
      if (!isInner) this.byte(0x0a)
    }
    return at
  }

  private rowKey (key: number, template: KeyTemplate | null): void {
    const { document: { keys } } = this
    if (template === null) {
      this.key(key)
    } else {
      const start = keys.starts[key] + template.before.length
      const end = keys.starts[key + 1] - template.after.length
      const isBare = isIdentifier(keys.bytes, start, end)
      if (!isBare) this.byte(0x22)
      this.copy(keys.bytes, start, end)
      if (!isBare) this.byte(0x22)
    }
    this.byte(0x3a)
  }

  private row (cells: Column[], r: number): void {
    const { tape, words } = this
    for (let c = 0; c < cells.length; c++) {
      const column = cells[c]
      const node = words[column.at + r]
      if (node !== 0 && column.kind === PLAIN && column.empty === ABSENT) {
        const head = tape[node]
        if ((head & KIND_MASK) > ARRAY) {
          if (c > 0) this.primitiveBehind(0x2c, node, head)
          else this.primitive(node, head)
          continue
        }
      }
      if (c > 0) this.byte(0x2c)
      if (node !== 0) this.cell(column, node, tape[node] & KIND_MASK, r)
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
    this.byte(0x7b)
    this.row(column.cells, column.cursor++)
    this.byte(0x7d)
  }

  private rows (column: Column, node: number): void {
    this.byte(0x5b)
    const count = this.tape[node + COUNT]
    for (let n = 0; n < count; n++) {
      if (n > 0) this.byte(0x2f)
      this.row(column.cells, column.cursor++)
    }
    this.byte(0x5d)
  }

  private keyedRows (column: Column, node: number): void {
    const { tape } = this
    this.byte(0x7b)
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = tape[at + RECORD + 2]) {
      if (at > node + 6) this.byte(0x2f)
      this.rowKey(tape[at + 2], column.keys)
      this.row(column.cells, column.cursor++)
    }
    this.byte(0x7d)
  }

  private own (template: RowTemplate, node: number, r: number): void {
    const { document, span, words } = this
    readSpan(document, node, span)
    findOwn(document, words, template, span, r)
    this.byte(0x22)
    this.copy(span.bytes, own.start, own.end)
    this.byte(0x22)
  }

  /** Whether the header says what the cell holds. */
  private isLeftEmpty ({ empty, value, template }: Column, node: number, kind: number, r: number): boolean {
    if (empty === DEFAULT) return isSpelledAlike(this.document, value, node)
    if (empty !== FILLED || kind !== STRING) return false
    readSpan(this.document, node, this.span)
    return fitTemplate(this.document, this.words, template as RowTemplate, this.span, r)
  }
}
