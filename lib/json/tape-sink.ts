import type { Document } from './document.js'
import { Failure } from './errors.js'
import type { NumberEquality } from './equal.js'
import { isSameNumber } from './number.js'
import type { Sink } from './sink.js'
import { isSameSpelling } from './same-spelling.js'
import { ARRAY, KEY, KIND_MASK, NUMBER, OBJECT, STRING, WIDE, nextNode } from './tape.js'
import { toText } from './utf8.js'

/**
 * Compares what is decoded with a document, step by step: strings and lexemes with the bytes that the
 * document was read from, so that what the scanner made of them is proved too.
 *
 * Every method throws a Failure at the first difference.
 */
export class TapeSink implements Sink {
  position = 0
  private node = 0
  private readonly open: number[] = []
  private readonly sourceView: DataView
  private readonly textView: DataView

  /** @param text the bytes that are being decoded, of which most spans will be */
  constructor (private readonly document: Document, private readonly text: Uint8Array, private readonly numbers: NumberEquality) {
    this.sourceView = document.view
    this.textView = new DataView(text.buffer, text.byteOffset, text.length)
  }

  /** To be called behind the last value. */
  finish (): void {
    if (this.node !== this.document.length) throw new Failure(0, 'more of the document')
  }

  beginObject (): void {
    this.begin(OBJECT)
  }

  beginArray (): void {
    this.begin(ARRAY)
  }

  endObject (): void {
    if (this.node !== this.document.tape[this.open.pop() as number]) differ()
  }

  endArray (): void {
    this.endObject()
  }

  key (bytes: Uint8Array, start: number, end: number): void {
    const { tape, bytes: source } = this.document
    const { node } = this
    if ((tape[node] & KIND_MASK) !== KEY || node >= this.document.length) differ()
    const from = tape[node + 1]
    const to = from + end - start
    const isPlainCopy = source[to] === 0x22 && this.isSame(from, to, bytes, start, end)
    if (!isPlainCopy && !isSameSpelling(source, this.sourceView, from, bytes, start, end)) differ()
    this.node = node + 3
  }

  defineKey (bytes: Uint8Array, start: number, end: number): number {
    const key = this.document.keys.find(bytes, start, end)
    if (key < 0) differ()
    return key
  }

  definedKey (handle: number): void {
    const { tape } = this.document
    const { node } = this
    if ((tape[node] & KIND_MASK) !== KEY || tape[node + 2] !== handle || node >= this.document.length) differ()
    this.node = node + 3
  }

  string (bytes: Uint8Array, start: number, end: number): void {
    const { tape } = this.document
    const node = this.take(STRING)
    const from = tape[node + 1]
    if (tape[node] & WIDE) {
      if (!isSameSpelling(this.document.bytes, this.sourceView, from, bytes, start, end)) differ()
    } else if (!this.isSame(from, tape[node + 2], bytes, start, end)) {
      differ()
    }
  }

  number (bytes: Uint8Array, start: number, end: number): void {
    const { tape, bytes: source } = this.document
    const node = this.take(NUMBER)
    if (this.isSame(tape[node + 1], tape[node + 2], bytes, start, end)) return
    if (this.numbers === 'lexeme') differ()
    const expected = toText(source.subarray(tape[node + 1], tape[node + 2]))
    if (!isSameNumber(expected, toText(bytes.subarray(start, end)))) differ()
  }

  literal (kind: number): void {
    this.take(kind)
  }

  private begin (kind: number): void {
    const { tape, length } = this.document
    const { node } = this
    if ((tape[node] & KIND_MASK) !== kind || node >= length) differ()
    this.open.push(node + 2)
    this.node = node + 6
  }

  private take (kind: number): number {
    const { tape, length } = this.document
    const { node } = this
    if ((tape[node] & KIND_MASK) !== kind || node >= length) differ()
    this.node = nextNode(tape, node)
    return node
  }

  /** Whether a span of the source holds the same bytes as a span that was decoded. */
  private isSame (from: number, to: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (to - from !== end - start) return false
    const source = this.document.bytes
    if (bytes === this.text) {
      for (; end - start >= 4; start += 4, from += 4) {
        if (this.sourceView.getInt32(from, true) !== this.textView.getInt32(start, true)) return false
      }
    }
    for (; start < end; start++, from++) {
      if (source[from] !== bytes[start]) return false
    }
    return true
  }
}

function differ (): never {
  throw new Failure(0, 'what the document holds')
}
