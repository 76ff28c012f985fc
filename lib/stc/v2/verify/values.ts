import { isDigit, skipDigits } from '../../../json/bare.js'
import type { Document } from '../../../json/document.js'
import { KEY_IDENTIFIER } from '../../../json/key-table.js'
import type { KeyTable } from '../../../json/key-table.js'
import { StringReader } from '../../../json/string-reader.js'
import { ARRAY, KIND_MASK, OBJECT, STRING, WIDE, nextNode } from '../../../json/tape.js'
import { CLASSES, IDENTIFIER_PART, isTableHead, readCount } from '../cursor.js'
import { isSpelledAlike } from '../values.js'
import { matchSpelling } from './match-spelling.js'

export const IS_KEY_BYTE = CLASSES.map(cls => cls & IDENTIFIER_PART ? 1 : 0)

/**
 * A place in a text, and comparisons of the values that stand there with the tape: all but the rows of tables. It
 * compares with the bytes that the document was read from, not with what the scanner made of them.
 *
 * Like json/lock-step.ts, on its own: methods that other verifiers run too would be slow for all of them.
 */
export abstract class ValueVerifier {
  protected i = 0
  protected depth = 0
  protected text!: Uint8Array
  protected textView!: DataView
  protected end = 0
  protected maxDepth = 0
  protected document!: Document
  protected tape!: Int32Array
  protected keys!: KeyTable
  protected source!: Uint8Array
  private sourceView!: DataView
  private strings: StringReader | null = null

  /** A table from its head on, which holds the elements or members from `at` on; returns what follows them, or -1. */
  protected abstract tableRows (at: number, end: number, isInner: boolean): number

  /** Whether a text is a document; where it is, others can be compared next. */
  isWhole (text: Uint8Array, document: Document, maxDepth: number): boolean {
    this.begin(text, document, maxDepth)
    return this.value(0, false) && this.i === this.end
  }

  protected begin (text: Uint8Array, document: Document, maxDepth: number): void {
    this.i = 0
    this.text = text
    this.textView = new DataView(text.buffer, text.byteOffset, text.length)
    this.end = text.length
    this.maxDepth = maxDepth
    this.document = document
    this.tape = document.tape
    this.keys = document.keys
    this.source = document.bytes
    this.sourceView = document.view
    this.strings = null
  }

  /** Whether the next byte is this one; goes on behind it if so. */
  protected take (byte: number): boolean {
    if (this.text[this.i] !== byte) return false
    this.i++
    return true
  }

  /** The position behind the bytes of the source from `from` to `to`, if they stand at `i`; else -1. */
  protected matchSpan (i: number, from: number, to: number): number {
    const { sourceView, textView } = this
    const length = to - from
    if (i + length > this.end) return -1
    if (length >= 8) return this.isSameLong(i, from, length) ? i + length : -1
    if (length >= 4) {
      // The last four bytes overlap the first where they must.
      const last = length - 4
      if (sourceView.getInt32(from, true) !== textView.getInt32(i, true) || sourceView.getInt32(from + last, true) !== textView.getInt32(i + last, true)) return -1
    } else {
      const { source, text } = this
      for (let k = 0; k < length; k++) {
        if (source[from + k] !== text[i + k]) return -1
      }
    }
    return i + length
  }

  /** Eight bytes at a time, as numbers, which is exact: UTF-8 is never NaN, and the bytes of 0 stand in no JSON. */
  private isSameLong (i: number, from: number, length: number): boolean {
    const { sourceView, textView } = this
    const last = length - 8
    if (sourceView.getFloat64(from + last, true) !== textView.getFloat64(i + last, true)) return false
    for (let k = 0; k < last; k += 8) {
      if (sourceView.getFloat64(from + k, true) !== textView.getFloat64(i + k, true)) return false
    }
    return true
  }

  protected value (node: number, isInner: boolean): boolean {
    const head = this.tape[node]
    return (head & KIND_MASK) > ARRAY ? this.primitive(node, head) : this.container(node, head, isInner)
  }

  protected primitive (node: number, head: number): boolean {
    const { i, text } = this
    if ((head & WIDE) === 0) {
      const next = this.matchPrimitive(i, node, head)
      if (next >= 0) {
        this.i = next
        return true
      }
    }
    return (head & KIND_MASK) === STRING && text[i] === 0x22 && this.takeInOtherWords(this.tape[node + 1])
  }

  /**
   * The position behind a primitive, if it stands at `i` as the source spells it; else -1. A number or literal that
   * goes on in the text fails at the separator that must follow.
   */
  protected matchPrimitive (i: number, node: number, head: number): number {
    const { tape, text } = this
    if ((head & KIND_MASK) !== STRING) return this.matchSpan(i, tape[node + 1], tape[node + 2])
    const next = this.matchSpan(i, tape[node + 1] - 1, tape[node + 2] + 1)
    return next >= 0 && text[i] === 0x22 && text[next - 1] === 0x22 ? next : -1
  }

  protected container (node: number, head: number, isInner: boolean): boolean {
    if (++this.depth > this.maxDepth) return false
    const isSame = (head & KIND_MASK) === OBJECT ? this.object(node, isInner) : this.array(node, isInner)
    this.depth--
    return isSame
  }

  /** A string in quotes that says the same as the one at `from` in the source. */
  private takeInOtherWords (from: number): boolean {
    const close = matchSpelling(this.document, from, this.text, this.i + 1, this.end)
    if (close < 0 || this.text[close] !== 0x22) return false
    this.i = close + 1
    return true
  }

  /** Behind the string in quotes that stands at `at`. @throws Failure where none does */
  protected skipString (at: number): number {
    this.strings ??= new StringReader(this.text, this.textView)
    return this.strings.readJson(at)
  }

  private object (node: number, isInner: boolean): boolean {
    const { tape } = this
    const end = tape[node + 2]
    // Rows are objects.
    if (node + 6 < end && (tape[node + 9] & KIND_MASK) === OBJECT && this.isAtHead(0x7b, 0x7d)) return this.tableRows(node + 6, end, isInner) === end
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
    if (node + 6 < end && (tape[node + 6] & KIND_MASK) === OBJECT && this.isAtHead(0x5b, 0x5d)) return this.tableRows(node + 6, end, isInner) === end
    if (!this.take(0x5b)) return false
    for (let at = node + 6; at < end;) {
      if (at > node + 6 && !this.take(0x2c)) return false
      const head = tape[at]
      if (this.text[this.i] === 0x2b) {
        this.i++
        at = this.tableRows(at, end, isInner)
        if (at < 0) return false
        continue
      }
      const start = this.i
      if (!((head & KIND_MASK) > ARRAY ? this.primitive(at, head) : this.container(at, head, isInner))) return false
      const next = nextNode(tape, at)
      at = this.text[this.i] === 0x2a ? this.repetitions(at, next, end, start, isInner) : next
      if (at < 0) return false
    }
    return this.take(0x5d)
  }

  /** The repetitions of an element that stands at `start` in the text; returns what follows them, or -1. */
  private repetitions (node: number, next: number, end: number, start: number, isInner: boolean): number {
    const { document, i: stop, tape } = this
    this.i++
    const count = this.count()
    const { i } = this
    let at = next
    for (let n = 1; n < count; n++) {
      if (at >= end) return -1
      if (!isSpelledAlike(document, node, at)) {
        this.i = start
        // A number in the text may begin with another.
        if (!this.value(at, isInner) || this.i !== stop) return -1
      }
      at = nextNode(tape, at)
    }
    this.i = i
    return count > 0 ? at : -1
  }

  protected key (node: number): boolean {
    const first = this.text[this.i]
    const from = this.tape[node + 1]
    if (first !== 0x22) return !isDigit(first) && this.bareKey(from, this.tape[node + 2])
    return this.takeInOtherWords(from)
  }

  /** The key at `from` in the source, as an identifier. */
  private bareKey (from: number, id: number): boolean {
    const { document, keys, source, text, i: start } = this
    const to = from + keys.starts[id + 1] - keys.starts[id]
    // What the table of keys says is bare is so for the very bytes that the source and the text have here.
    if (keys.flags[id] & KEY_IDENTIFIER && source[to] === 0x22) {
      this.i = this.matchSpan(start, from, to)
      return this.i > start && IS_KEY_BYTE[text[this.i]] !== 1
    }
    let stop = start
    while (IS_KEY_BYTE[text[stop]] === 1) stop++
    this.i = stop
    return stop > start && matchSpelling(document, from, text, start, stop) === stop
  }

  protected keyEnd (node: number): number {
    const { source } = this
    let i = this.tape[node + 1]
    while (source[i] !== 0x22) i += source[i] === 0x5c ? 2 : 1
    return i
  }

  /** @param end where the value ends in the text; 0 for what cannot go on behind a value that it begins with */
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
