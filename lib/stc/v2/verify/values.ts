import { isDigit, skipDigits } from '../../../json/bare.js'
import type { Document } from '../../../json/document.js'
import { KEY_IDENTIFIER } from '../../../json/key-table.js'
import { LockStep } from '../../../json/lock-step.js'
import { isSameSpelling } from '../../../json/same-spelling.js'
import { StringReader } from '../../../json/string-reader.js'
import { KIND_MASK, OBJECT, STRING, WIDE, nextNode } from '../../../json/tape.js'
import { findInvalidUtf8 } from '../../../json/utf8.js'
import { CLASSES, IDENTIFIER_PART, isTableHead, readCount } from '../cursor.js'
import { isSpelledAlike } from '../values.js'

export const IS_KEY_BYTE = CLASSES.map(cls => cls & IDENTIFIER_PART ? 1 : 0)

/** Compares values with the tape: all but the rows of tables. */
export abstract class ValueVerifier extends LockStep {
  protected depth = 0
  protected readonly strings: StringReader
  /** Whether the text is UTF-8; null until that matters. */
  private isUtf8: boolean | null = null

  constructor (text: Uint8Array, protected readonly document: Document, protected readonly maxDepth: number) {
    super(text, document)
    this.strings = new StringReader(text)
  }

  /** A table from its head on, which holds the elements or members from `at` on; returns what follows them, or -1. */
  protected abstract tableRows (at: number, end: number, isInner: boolean): number

  /** Whether the text is the document. */
  isWhole (): boolean {
    return this.value(0, false) && this.i === this.end
  }

  protected value (node: number, isInner: boolean): boolean {
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
  protected saysSame (from: number, spelling: Uint8Array, start: number, end: number): boolean {
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
    const { document, tape } = this
    const start = this.i
    if (!this.value(node, isInner)) return -1
    let at = nextNode(tape, node)
    if (this.text[this.i] !== 0x2a) return at
    this.i++
    const count = this.count()
    const { i } = this
    for (let n = 1; n < count; n++) {
      if (at >= end) return -1
      if (!isSpelledAlike(document, node, at)) {
        this.i = start
        if (!this.value(at, isInner)) return -1
      }
      at = nextNode(tape, at)
    }
    this.i = i
    return count > 0 ? at : -1
  }

  protected key (node: number): boolean {
    const first = this.text[this.i]
    if (first !== 0x22) return !isDigit(first) && this.takeBareKey(node, IS_KEY_BYTE, KEY_IDENTIFIER)
    const from = this.tape[node + 1]
    return this.takeAsSpelled(from, this.keyEnd(node)) || this.takeInOtherWords(from)
  }

  protected keyEnd (node: number): number {
    const { source } = this
    let i = this.tape[node + 1]
    while (source[i] !== 0x22) i += source[i] === 0x5c ? 2 : 1
    return i
  }

  protected reread (start: number, end: number, node: number): boolean {
    const { i } = this
    this.i = start
    const isSame = this.value(node, true) && (end === 0 || this.i === end)
    this.i = i
    return isSame
  }

  private isAtHead (open: number, close: number): boolean {
    return this.text[this.i] === open && isTableHead(this.text, this.i, this.end, close)
  }

  /** A count of 1 or more; 0 where none stands here. */
  protected count (): number {
    const start = this.i
    this.i = skipDigits(this.text, start, this.end)
    return readCount(this.text, start, this.i)
  }
}
