import type { Document } from './document.js'
import type { KeyTable } from './key-table.js'
import { isSameSpelling } from './same-spelling.js'
import { WIDE } from './tape.js'

/**
 * What verifiers of all codecs share: a place in an encoded text, and comparisons of what stands there
 * with nodes of a document. They compare with the bytes that the document was read from, not with what
 * the scanner made of them, so that the scanner is proved along with the encoder.
 *
 * Each method returns whether the text agrees, and goes on behind what it compared if so.
 */
export class LockStep {
  protected i = 0
  protected readonly end: number
  protected readonly tape: Int32Array
  private readonly keys: KeyTable
  protected readonly source: Uint8Array
  protected readonly sourceView: DataView
  protected readonly textView: DataView

  constructor (protected readonly text: Uint8Array, document: Document) {
    const { bytes, view, tape } = document
    this.end = text.length
    this.tape = tape
    this.keys = document.keys
    this.source = bytes
    this.sourceView = view
    this.textView = new DataView(text.buffer, text.byteOffset, text.length)
  }

  /** Whether the next byte is this one. */
  protected take (byte: number): boolean {
    if (this.text[this.i] !== byte) return false
    this.i++
    return true
  }

  /** Goes on at a position; what is negative stands for a difference. */
  protected goTo (i: number): boolean {
    if (i < 0) return false
    this.i = i
    return true
  }

  /** Whether the bytes of the source from `from` to `to` stand next. */
  protected takeSpan (from: number, to: number): boolean {
    return this.goTo(this.matchSpan(this.i, from, to))
  }

  /** The position behind the bytes of the source from `from` to `to`, if they stand at `i`; else -1. */
  protected matchSpan (i: number, from: number, to: number): number {
    const { text, source, sourceView, textView } = this
    const length = to - from
    if (i + length > this.end) return -1
    const last = length - 4
    if (last >= 0) {
      // Word by word; the last one overlaps the one before it where it must.
      for (let k = 0; k < last; k += 4) {
        if (sourceView.getInt32(from + k, true) !== textView.getInt32(i + k, true)) return -1
      }
      if (sourceView.getInt32(from + last, true) !== textView.getInt32(i + last, true)) return -1
    } else {
      for (let k = 0; k < length; k++) {
        if (source[from + k] !== text[i + k]) return -1
      }
    }
    return i + length
  }

  /** Whether this count stands next. */
  protected takeCount (count: number): boolean {
    if (count < 10) return this.take(0x30 + count)
    const digits = String(count)
    for (let k = 0; k < digits.length; k++) {
      if (!this.take(digits.charCodeAt(k))) return false
    }
    return true
  }

  /**
   * Whether a quoted string stands next that is the one of the node. The text must spell it as the
   * source does, or in whatever way where the scanner marked the source's spelling as not the shortest.
   */
  protected takeQuoted (node: number): boolean {
    const { tape } = this
    const from = tape[node + 1]
    if (this.text[this.i] !== 0x22) return false
    if (tape[node] & WIDE) return this.takeRespelled(from)
    this.i++
    return this.takeSpan(from, tape[node + 2]) && this.take(0x22)
  }

  /** Whether a quoted string stands next that is the one that starts at `from` in the source, spelled in whatever way. */
  protected takeRespelled (from: number): boolean {
    const start = this.i + 1
    const close = this.findClosingQuote(start)
    if (close < 0 || !isSameSpelling(this.source, from, this.text, start, close)) return false
    this.i = close + 1
    return true
  }

  /** Whether the key of the node stands next, bare; see `matchBareKey`. */
  protected takeBareKey (node: number, isKeyByte: Uint8Array, bareFlag: number): boolean {
    return this.goTo(this.matchBareKey(this.i, node, isKeyByte, bareFlag))
  }

  /**
   * The position behind the key of the node, if it stands at `i` as a run of bytes that `isKeyByte` holds 1 for;
   * else -1. `bareFlag` marks the keys in the table that are such a run.
   */
  protected matchBareKey (i: number, node: number, isKeyByte: Uint8Array, bareFlag: number): number {
    const { text, source, keys } = this
    const from = this.tape[node + 1]
    const id = this.tape[node + 2]
    const to = from + keys.starts[id + 1] - keys.starts[id]
    // What the table of keys says is bare is so for the very bytes that the source and the text have here.
    if (keys.flags[id] & bareFlag && source[to] === 0x22) {
      const next = this.matchSpan(i, from, to)
      if (next >= 0) return isKeyByte[text[next]] === 0 ? next : -1
    }
    const start = i
    let k = from
    while (isKeyByte[text[i]] === 1 && text[i] === source[k]) {
      i++
      k++
    }
    if (source[k] === 0x5c) {
      // The source has escapes for what needs none.
      while (isKeyByte[text[i]] === 1) i++
      if (!isSameSpelling(source, from, text, start, i)) return -1
    } else if (source[k] !== 0x22 || isKeyByte[text[i]] === 1) {
      return -1
    }
    return i > start ? i : -1
  }

  /** Whether the key of the node stands next, in quotes. */
  protected takeQuotedKey (node: number): boolean {
    const { source } = this
    const from = this.tape[node + 1]
    const start = this.i
    if (!this.take(0x22)) return false
    let to = from
    while (source[to] !== 0x22 && source[to] !== 0x5c) to++
    if (source[to] === 0x22 && this.takeSpan(from, to) && this.take(0x22)) return true
    this.i = start
    return this.takeRespelled(from)
  }

  private findClosingQuote (i: number): number {
    const { text, end } = this
    for (; i < end; i++) {
      if (text[i] === 0x22) return i
      if (text[i] === 0x5c) i++
    }
    return -1
  }
}
