import { findStop } from '../../../json/find-stop.js'
import { ARRAY, KIND_MASK, OBJECT, STRING, WIDE, nextNode } from '../../../json/tape.js'
import { isValueStart } from '../cursor.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, FILLED, GROUP, KEYED, OWN, PLAIN, ROWS } from '../layout.js'
import type { Field, Layout } from '../layout.js'
import { isSpelledAlike } from '../values.js'
import { matchSpelling } from './match-spelling.js'
import { noted } from './row-notes.js'
import { RowVerifier } from './rows.js'

const IS_VALUE_START = Uint8Array.from({ length: 256 }, (_, byte) => isValueStart(byte) ? 1 : 0)

/** Compares the cells of a row with the members of an object. */
export class Verifier extends RowVerifier {
  protected cells ({ fields }: Layout, base: number): boolean {
    for (let f = 0; f < fields.length; f++) {
      const field = fields[f]
      if (field.kind !== PLAIN) {
        if (!this.form(field, base)) return false
        continue
      }
      const next = this.simpleCells(fields, f, base)
      if (next > f) f = next - 1
      else if (!this.plain(field, base)) return false
    }
    return true
  }

  /**
   * Passes over plain cells from field f on that are spelled as the primitives of the members that follow, under keys
   * that are known: most cells. Returns the first field whose cell is for others to read.
   */
  private simpleCells (fields: Field[], f: number, base: number): number {
    const { last, tape, text } = this
    let { at, hasCell, i } = this
    for (; f < fields.length; f++) {
      const field = fields[f]
      if (field.kind !== PLAIN || at >= last || tape[at + 2] !== field.handle || field.once >= 0) break
      const head = tape[at + 3]
      if ((head & KIND_MASK) <= ARRAY || (head & WIDE) !== 0) break
      const start = hasCell ? i + 1 : i
      if ((hasCell && text[i] !== 0x2c) || IS_VALUE_START[text[start]] !== 1) break
      const next = this.matchPrimitive(start, at + 3, head)
      if (next < 0) break
      if (field.slot >= 0) this.note(field.slot, base, at + 3, start)
      hasCell = true
      at += 6
      i = next
    }
    this.at = at
    this.hasCell = hasCell
    this.i = i
    return f
  }

  private plain (field: Field, base: number): boolean {
    if (!this.startCell()) return false
    const { i: start, tape } = this
    if (IS_VALUE_START[this.text[start]] !== 1) return this.emptyCell(field, base)
    const node = this.member(field, base)
    if (node < 0) return false
    const head = tape[node]
    if (!((head & KIND_MASK) > ARRAY ? this.primitive(node, head) : this.container(node, head, true))) return false
    if (field.slot >= 0) this.note(field.slot, base, node, start)
    return true
  }

  private form (field: Field, base: number): boolean {
    switch (field.kind) {
      case CONSTANT: return this.constant(field, base)
      case GROUP: return this.group(field, base)
      case ROWS: return this.rows(field, base)
      case KEYED: return this.keyedRows(field, base)
      case OWN: return this.own(field, base)
      case COPY: return this.copy(field, base)
      default: return this.fill(field, base)
    }
  }

  /** Takes the next member where it has the key of the field; its value's node, or -1. */
  private member (field: Field, base: number): number {
    const { at, tape } = this
    if (at >= this.last) return -1
    if (tape[at + 2] !== field.handle && (field.handle !== -1 || !this.isKeyOf(field, at))) return -1
    if (field.once >= 0) {
      if (noted[base + 2 * field.once] >= 0) return -1
      noted[base + 2 * field.once] = at
    }
    this.at = nextNode(tape, at + 3)
    return at + 3
  }

  /** Whether the key at `at` is that of the field, by the bytes of the document; its id is known for the key from then on. */
  private isKeyOf (field: Field, at: number): boolean {
    const { document, keys: { starts }, source, tape, text } = this
    const { keyBytes, keyStart, keyEnd } = field
    const id = tape[at + 2]
    const from = tape[at + 1]
    const to = from + keyEnd - keyStart
    // Both are shortest spellings.
    if (starts[id + 1] - starts[id] !== keyEnd - keyStart) return false
    // Most are spelled alike; a quote there may also be an escaped one of a longer spelling.
    const isAlike = keyBytes === text && source[to] === 0x22 && this.matchSpan(keyStart, from, to) >= 0
    if (!isAlike && matchSpelling(document, from, keyBytes, keyStart, keyEnd) !== keyEnd) return false
    field.handle = id
    return true
  }

  private startCell (): boolean {
    if (this.hasCell) return this.take(0x2c)
    this.hasCell = true
    return true
  }

  private note (slot: number, base: number, node: number, start: number): void {
    noted[base + 2 * slot] = node
    noted[base + 2 * slot + 1] = start
  }

  private emptyCell (field: Field, base: number): boolean {
    if (field.empty === ABSENT) return true
    if (field.empty === FILLED) return this.fill(field, base)
    if (field.empty !== DEFAULT) return this.copy(field, base)
    if (field.slot >= 0 && this.at < this.last) this.note(field.slot, base, this.at + 3, field.start)
    return this.constant(field, base)
  }

  /** A constant or default of the header; it is read once and then known by a node that holds it. */
  private constant (field: Field, base: number): boolean {
    const node = this.member(field, base)
    if (node < 0) return false
    if (field.proved > 0 && isSpelledAlike(this.document, field.proved, node)) return true
    field.proved = node
    return this.reread(field.start, field.end, node)
  }

  private otherCell (field: Field, base: number): boolean {
    if (field.empty === ALWAYS) return false
    if (IS_VALUE_START[this.text[this.i]] !== 1) return this.emptyCell(field, base)
    const node = this.member(field, base)
    return node >= 0 && this.value(node, true)
  }

  private group (field: Field, base: number): boolean {
    if (field.empty === ALWAYS) return this.groupObject(field, base)
    if (!this.startCell()) return false
    if (!this.take(0x7b)) return this.otherCell(field, base)
    this.hasCell = false
    if (!this.groupObject(field, base)) return false
    this.hasCell = true
    return this.take(0x7d)
  }

  private groupObject (field: Field, base: number): boolean {
    const { tape, last } = this
    const node = this.member(field, base)
    if (node < 0 || (tape[node] & KIND_MASK) !== OBJECT || ++this.depth > this.maxDepth) return false
    const next = this.at
    this.at = node + 6
    this.last = next
    const isSame = this.cells(field.layout as Layout, base) && this.at === next
    this.last = last
    this.depth--
    return isSame
  }

  private rows (field: Field, base: number): boolean {
    const { tape } = this
    if (!this.startCell()) return false
    if (!this.take(0x5b)) return this.otherCell(field, base)
    const node = this.member(field, base)
    if (node < 0 || (tape[node] & KIND_MASK) !== ARRAY || ++this.depth > this.maxDepth) return false
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      // [] is no row, so a row that is alone must not be an empty text.
      if (at > node + 6 ? !this.take(0x2f) : this.text[this.i] === 0x5d) return false
      if (!this.row(field.layout as Layout, at)) return false
    }
    this.depth--
    return this.take(0x5d)
  }

  private keyedRows (field: Field, base: number): boolean {
    const { rowKey, tape } = this
    if (!this.startCell()) return false
    if (!this.take(0x7b)) return this.otherCell(field, base)
    const node = this.member(field, base)
    if (node < 0 || (tape[node] & KIND_MASK) !== OBJECT || ++this.depth > this.maxDepth) return false
    const layout = field.layout as Layout
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at + 3)) {
      if (at > node + 6 && !this.take(0x2f)) return false
      if (!this.startKeyed(layout, at) || !this.row(layout, at + 3)) return false
    }
    this.depth--
    this.rowKey = rowKey
    return this.take(0x7d)
  }

  private own (field: Field, base: number): boolean {
    if (!this.startCell()) return false
    const start = this.i
    if (this.text[start] !== 0x22) return this.otherCell(field, base)
    const { text, textView } = this
    const stop = findStop(text, textView, start + 1, this.end)
    this.i = text[stop] === 0x22 ? stop + 1 : this.skipString(start)
    return this.fill(field, base, start, this.i)
  }

  /** A template; it is compared when the cells that it refers to are known. */
  private fill (field: Field, base: number, own = 0, ownEnd = 0): boolean {
    const node = this.member(field, base)
    if (node < 0 || (this.tape[node] & KIND_MASK) !== STRING) return false
    return this.bring(field, node, own, ownEnd, base)
  }

  private copy (field: Field, base: number): boolean {
    return this.bring(field, this.member(field, base), 0, 0, base)
  }
}
