import { isDigit, skipDigits } from '../../json/bare.js'
import type { Document } from '../../json/document.js'
import { Failure } from '../../json/errors.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { LockStep } from '../../json/lock-step.js'
import { isSameSpelling } from '../../json/same-spelling.js'
import { StringReader } from '../../json/string-reader.js'
import { ARRAY, KEY, KIND_MASK, NUMBER, OBJECT, STRING, WIDE, nextNode } from '../../json/tape.js'
import { findInvalidUtf8 } from '../../json/utf8.js'
import { CLASSES, IDENTIFIER_PART } from './cursor.js'
import { HeaderSource } from './decode.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, DEFAULT, FILLED, GROUP, KEYED, OWN, OWN_PART, PLAIN, ROWS } from './layout.js'
import type { Field, Layout, Template } from './layout.js'
import { respellAll } from './respell-all.js'
import type { Span } from './span.js'
import { isSpelledAlike } from './values.js'

const IS_KEY_BYTE = CLASSES.map(cls => cls & IDENTIFIER_PART ? 1 : 0)
const isValueStart = (byte: number): boolean => byte === 0x22 || byte === 0x2d || isDigit(byte) || byte === 0x74 || byte === 0x66 || byte === 0x6e || byte === 0x7b || byte === 0x5b

/**
 * Whether a text is a document of STC 2 that a reader decodes to exactly this document. It reads the text by the
 * grammar, in lock-step with the tape; what templates and copies insert is what the document holds in the cells
 * that they refer to, which are compared with the text in their turn.
 */
export function verifyStc2 (text: Uint8Array, document: Document, maxDepth: number): boolean {
  try {
    return new Verifier(text, document, maxDepth).document()
  } catch (error) {
    // A header that is none is the answer "no"; anything else is a defect of ours and must be seen.
    if (!(error instanceof Failure)) throw error
    return false
  }
}

/** A template or copy that waits for the end of its row. */
class Pending {
  field: Field | null = null
  /** The value in the document, or -1 where the row has no such key. */
  node = 0
  /** Where in the text the row's own cell starts; 0 where it has none. */
  own = 0
  ownEnd = 0
}

/* Shared, since one text is verified at a time and nothing is kept of it. */
let noted = new Int32Array(64)
const pendings: Pending[] = []

class Verifier extends LockStep {
  private depth = 0
  private readonly strings: StringReader
  /** Whether the text is UTF-8; null until that matters. */
  private isUtf8: boolean | null = null
  private headers: HeaderSource | null = null
  private hasCell = false
  /** The node of the row's key; -1 where it has none. */
  private rowKey = -1
  /** The next member of the object that is read, and where its members end. */
  private at = 0
  private last = 0
  /** How much is noted of open rows: the node in each cell and where in the text it stands; -1 where there is none. */
  private notedTo = 0
  private pendingTo = 0

  constructor (text: Uint8Array, private readonly document_: Document, private readonly maxDepth: number) {
    super(text, document_)
    this.strings = new StringReader(text)
  }

  document (): boolean {
    return this.value(0, false) && this.i === this.end
  }

  private value (node: number, isInner: boolean): boolean {
    const kind = this.tape[node] & KIND_MASK
    if (kind === STRING) return this.string(node)
    // A number or literal that goes on in the text fails at the separator that must follow.
    if (kind > STRING) return this.takeSpan(this.tape[node + 1], this.tape[node + 2])
    if (++this.depth > this.maxDepth) return false
    const isSame = kind === OBJECT ? this.object(node, isInner) : this.array(node, isInner)
    this.depth--
    return isSame
  }

  private string (node: number): boolean {
    const { tape } = this
    const from = tape[node + 1]
    return ((tape[node] & WIDE) === 0 && this.takeAsSpelled(from, tape[node + 2])) || this.takeInOtherWords(from)
  }

  /** A string in quotes that is spelled as the source does. */
  private takeAsSpelled (from: number, to: number): boolean {
    const start = this.i
    if (this.take(0x22) && this.takeSpan(from, to) && this.take(0x22)) return true
    this.i = start
    return false
  }

  /** A string in quotes that says the same as the one at `from` in the source. */
  private takeInOtherWords (from: number): boolean {
    const { strings } = this
    if (this.text[this.i] !== 0x22) return false
    const end = strings.readJson(this.i)
    if (!this.saysSame(from, strings.bytes, strings.start, strings.end)) return false
    this.i = end
    return true
  }

  /** Whether a spelling says the same as the string at `from` in the source. What is no UTF-8 could seem to. */
  private saysSame (from: number, spelling: Uint8Array, start: number, end: number): boolean {
    if (!isSameSpelling(this.source, from, spelling, start, end)) return false
    this.isUtf8 ??= findInvalidUtf8(this.text) < 0
    return this.isUtf8
  }

  private object (node: number, isInner: boolean): boolean {
    const { tape } = this
    const end = tape[node + 2]
    if (this.isAtHead(0x7b, 0x7d)) return this.tableRows(node + 6, end, isInner) === end
    if (!this.take(0x7b)) return false
    for (let at = node + 6; at < end;) {
      if (at > node + 6 && !this.take(0x2c)) return false
      if (this.text[this.i] === 0x7b) {
        at = this.tableRows(at, end, isInner)
        if (at < 0) return false
      } else {
        if (!this.key(at) || !this.take(0x3a) || !this.value(at + 3, isInner)) return false
        at = nextNode(tape, at + 3)
      }
    }
    return this.take(0x7d)
  }

  private array (node: number, isInner: boolean): boolean {
    const { tape } = this
    const end = tape[node + 2]
    if (this.isAtHead(0x5b, 0x5d)) return this.tableRows(node + 6, end, isInner) === end
    if (!this.take(0x5b)) return false
    for (let at = node + 6; at < end;) {
      if (at > node + 6 && !this.take(0x2c)) return false
      at = this.take(0x2b) ? this.tableRows(at, end, isInner) : this.element(at, end, isInner)
      if (at < 0) return false
    }
    return this.take(0x5d)
  }

  /** An element and its repetitions; returns what follows them, or -1. */
  private element (node: number, end: number, isInner: boolean): number {
    const { document_, tape } = this
    const start = this.i
    if (!this.value(node, isInner)) return -1
    let at = nextNode(tape, node)
    if (this.text[this.i] !== 0x2a) return at
    this.i++
    const count = this.count()
    const { i } = this
    for (let n = 1; n < count; n++) {
      if (at >= end) return -1
      if (!isSpelledAlike(document_, node, at)) {
        this.i = start
        if (!this.value(at, isInner)) return -1
      }
      at = nextNode(tape, at)
    }
    this.i = i
    return count > 0 ? at : -1
  }

  private key (node: number): boolean {
    const first = this.text[this.i]
    if (first !== 0x22) return !isDigit(first) && this.takeBareKey(node, IS_KEY_BYTE, KEY_IDENTIFIER)
    const from = this.tape[node + 1]
    return this.takeAsSpelled(from, this.keyEnd(node)) || this.takeInOtherWords(from)
  }

  private isAtHead (open: number, close: number): boolean {
    const { text } = this
    if (text[this.i] !== open || !isDigit(text[this.i + 1])) return false
    const i = skipDigits(text, this.i + 1, this.end)
    return text[i] === close && (text[i + 1] === 0x7b || (text[i + 1] === 0x22 && close === 0x7d))
  }

  /** A count of 1 or more; 0 where none stands here. */
  private count (): number {
    const { text } = this
    const start = this.i
    this.i = skipDigits(text, start, this.end)
    if (this.i === start || this.i - start > 15 || text[start] === 0x30) return 0
    let count = 0
    for (let i = start; i < this.i; i++) count = count * 10 + text[i] - 0x30
    return count
  }

  /** A table from its head on, which holds the elements or members from `at` on; returns what follows them, or -1. */
  private tableRows (at: number, end: number, isInner: boolean): number {
    const { tape, rowKey } = this
    const isKeyed = this.text[this.i] === 0x7b
    if (!this.take(isKeyed ? 0x7b : 0x5b)) return -1
    const count = this.count()
    if (count === 0 || !this.take(isKeyed ? 0x7d : 0x5d)) return -1
    const layout = this.header(isKeyed)
    if (!this.take(0x3a) || (!isInner && !this.take(0x0a))) return -1
    for (let r = 0; r < count; r++) {
      if (at >= end || (isInner && r > 0 && !this.take(0x2f))) return -1
      if (isKeyed) {
        if ((tape[at] & KIND_MASK) !== KEY || !this.startKeyed(layout, at)) return -1
        at += 3
      }
      if (!this.row(layout, at) || (!isInner && !this.take(0x0a))) return -1
      at = nextNode(tape, at)
    }
    this.rowKey = rowKey
    return at
  }

  private header (isKeyed: boolean): Layout {
    this.headers ??= new HeaderSource(this.text, this.maxDepth)
    const layout = this.headers.read(this.i, isKeyed, this.depth)
    this.i = this.headers.position
    return layout
  }

  /** The key of a row and its colon. */
  private startKeyed ({ keyTemplate }: Layout, node: number): boolean {
    this.rowKey = node
    if (keyTemplate === null) return this.key(node) && this.take(0x3a)
    const start = this.i
    const end = this.skipKey()
    if (end < 0) return false
    const [before, after] = keyTemplate.literals.map(bytesOf)
    const isQuoted = this.text[start] === 0x22
    const key = respellAll(concat([before, this.text.subarray(isQuoted ? start + 1 : start, isQuoted ? end - 1 : end), after]))
    this.i = end
    return this.saysSame(this.tape[node + 1], key, 0, key.length) && this.take(0x3a)
  }

  /** Behind the key that stands here; -1 where none does. */
  private skipKey (): number {
    const { text } = this
    if (text[this.i] === 0x22) return this.strings.readJson(this.i)
    let { i } = this
    if (isDigit(text[i])) return -1
    while (IS_KEY_BYTE[text[i]] === 1) i++
    return i > this.i ? i : -1
  }

  private row (layout: Layout, node: number): boolean {
    const { at, hasCell, last, tape } = this
    if ((tape[node] & KIND_MASK) !== OBJECT || ++this.depth > this.maxDepth) return false
    const base = this.notedTo
    const firstPending = this.pendingTo
    this.notedTo = base + 2 * layout.slots
    if (this.notedTo > noted.length) grow(this.notedTo)
    for (let n = base; n < this.notedTo; n++) noted[n] = -1
    this.at = node + 6
    this.last = tape[node + 2]
    this.hasCell = false
    const isSame = this.cells(layout, base) && this.at === this.last && this.settle(firstPending, base)
    this.at = at
    this.last = last
    this.hasCell = hasCell
    this.depth--
    this.notedTo = base
    this.pendingTo = firstPending
    return isSame
  }

  private cells ({ fields }: Layout, base: number): boolean {
    for (let f = 0; f < fields.length; f++) {
      const field = fields[f]
      if (!(field.kind === PLAIN ? this.plain(field, base) : this.form(field, base))) return false
    }
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
    if (field.handle === -1) field.handle = this.findKey(field)
    if (tape[at + 2] !== field.handle) return -1
    if (field.once >= 0) {
      if (noted[base + 2 * field.once] >= 0) return -1
      noted[base + 2 * field.once] = at
    }
    this.at = nextNode(tape, at + 3)
    return at + 3
  }

  /** The id of the field's key, compared with the bytes of a key of the document; -2 where there is none. */
  private findKey ({ keyBytes, keyStart, keyEnd }: Field): number {
    const { at, source, tape } = this
    const key = this.document_.keys.find(keyBytes, keyStart, keyEnd)
    if (key < 0) return -2
    // Not yet proved where the next member has another key.
    if (tape[at + 2] !== key) return -1
    return isSameSpelling(source, tape[at + 1], keyBytes, keyStart, keyEnd) ? key : -2
  }

  private startCell (): boolean {
    if (this.hasCell) return this.take(0x2c)
    this.hasCell = true
    return true
  }

  private plain (field: Field, base: number): boolean {
    if (!this.startCell()) return false
    const start = this.i
    if (!isValueStart(this.text[start])) return this.emptyCell(field, base)
    const node = this.member(field, base)
    if (node < 0 || !this.value(node, true)) return false
    if (field.slot >= 0) this.note(field.slot, base, node, start)
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
    if (field.proved > 0 && isSpelledAlike(this.document_, field.proved, node)) return true
    field.proved = node
    return this.reread(field.start, field.end, node)
  }

  private reread (start: number, end: number, node: number): boolean {
    const { i } = this
    this.i = start
    const isSame = this.value(node, true) && (end === 0 || this.i === end)
    this.i = i
    return isSame
  }

  private otherCell (field: Field, base: number): boolean {
    if (field.empty === ALWAYS) return false
    if (!isValueStart(this.text[this.i])) return this.emptyCell(field, base)
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
    this.i = this.strings.readJson(start)
    return this.fill(field, base, start, this.i)
  }

  /** A template; it is compared when all cells of the row are known. */
  private fill (field: Field, base: number, own = 0, ownEnd = 0): boolean {
    const node = this.member(field, base)
    if (node < 0 || (this.tape[node] & KIND_MASK) !== STRING) return false
    this.wait(field, node, own, ownEnd)
    return true
  }

  private wait (field: Field, node: number, own: number, ownEnd: number): void {
    if (this.pendingTo === pendings.length) pendings.push(new Pending())
    const pending = pendings[this.pendingTo++]
    pending.field = field
    pending.node = node
    pending.own = own
    pending.ownEnd = ownEnd
  }

  private copy (field: Field, base: number): boolean {
    this.wait(field, this.member(field, base), 0, 0)
    return true
  }

  private settle (first: number, base: number): boolean {
    for (let p = first; p < this.pendingTo; p++) {
      const pending = pendings[p]
      const field = pending.field as Field
      pending.field = null
      if (!(field.copy >= 0 ? this.isCopy(field, pending.node, base) : this.isFilled(pending, field.template as Template, base))) return false
    }
    return true
  }

  private isCopy ({ copy }: Field, node: number, base: number): boolean {
    const original = noted[base + 2 * copy]
    if (original < 0 || node < 0) return original === node
    return isSpelledAlike(this.document_, original, node) || this.reread(noted[base + 2 * copy + 1], 0, node)
  }

  /** Whether a string of the document is what the template makes of this row. */
  private isFilled (pending: Pending, template: Template, base: number): boolean {
    const { node, own, ownEnd } = pending
    const { literals, parts } = template
    const { source, tape } = this
    let at = tape[node + 1]
    const end = tape[node + 2]
    const [first] = literals
    if (!this.isPart(first.bytes, first.start, first.end, at, end)) return this.isFilledSlowly(pending, template, base)
    at += first.end - first.start
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      let bytes = source
      let from = 0
      let to = 0
      if (part === OWN_PART) {
        bytes = this.text
        from = own + 1
        to = ownEnd - 1
      } else {
        const cell = part >= 0 ? noted[base + 2 * part] : this.rowKey
        if (cell < 0 || !isInsertable(tape[cell] & KIND_MASK)) return false
        from = tape[cell + 1]
        to = part >= 0 ? tape[cell + 2] : this.keyEnd(cell)
      }
      if (!this.isPart(bytes, from, to, at, end)) return this.isFilledSlowly(pending, template, base)
      at += to - from
      const literal = literals[p + 1]
      if (!this.isPart(literal.bytes, literal.start, literal.end, at, end)) return this.isFilledSlowly(pending, template, base)
      at += literal.end - literal.start
    }
    return at === end || this.isFilledSlowly(pending, template, base)
  }

  private keyEnd (node: number): number {
    const { source } = this
    let i = this.tape[node + 1]
    while (source[i] !== 0x22) i += source[i] === 0x5c ? 2 : 1
    return i
  }

  private isPart (bytes: Uint8Array, from: number, to: number, at: number, end: number): boolean {
    const { source } = this
    if (at + to - from > end) return false
    for (; from < to; from++, at++) if (bytes[from] !== source[at]) return false
    return true
  }

  /** The same for strings that are spelled in several ways. */
  private isFilledSlowly ({ node, own, ownEnd }: Pending, { literals, parts }: Template, base: number): boolean {
    const { source, tape, text } = this
    const pieces: Uint8Array[] = [bytesOf(literals[0])]
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      if (part === OWN_PART) {
        pieces.push(text.subarray(own + 1, ownEnd - 1))
      } else {
        const cell = part >= 0 ? noted[base + 2 * part] : this.rowKey
        if (cell < 0 || !isInsertable(tape[cell] & KIND_MASK)) return false
        pieces.push(source.subarray(tape[cell + 1], part >= 0 ? tape[cell + 2] : this.keyEnd(cell)))
      }
      pieces.push(bytesOf(literals[p + 1]))
    }
    const string = respellAll(concat(pieces))
    return this.saysSame(tape[node + 1], string, 0, string.length)
  }
}

function grow (length: number): void {
  const larger = new Int32Array(2 * length)
  larger.set(noted)
  noted = larger
}

function isInsertable (kind: number): boolean {
  return kind === STRING || kind === NUMBER || kind === KEY
}

function bytesOf ({ bytes, start, end }: Span): Uint8Array {
  return bytes.subarray(start, end)
}

function concat (pieces: Uint8Array[]): Uint8Array {
  let length = 0
  for (const piece of pieces) length += piece.length
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
