import { viewText } from './allocate.js'
import type { Document } from './document.js'
import { matchRun, runTo } from './escape-runs.js'
import type { KeyTable } from './key-table.js'
import { isSameSpelling } from './same-spelling.js'
import { isSimpleEscape } from './spelling.js'
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
    this.textView = viewText(text)
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

  /** The position behind the bytes of the source from `from` to `to`, if they stand at `i`; else -1. */
  protected matchSpan (i: number, from: number, to: number): number {
    const { sourceView, textView } = this
    const length = to - from
    const next = i + length
    if (next > this.end) return -1
    if (length < 8) return this.isSameShort(i, from, length) ? next : -1
    // The last eight bytes overlap those before them where they must.
    const last = length - 8
    if (sourceView.getFloat64(from + last, true) !== textView.getFloat64(next - 8, true)) return -1
    for (let k = 0; k < last; k += 8) {
      if (sourceView.getFloat64(from + k, true) !== textView.getFloat64(i + k, true)) return -1
    }
    return next
  }

  /** Whether less than eight bytes are the same. */
  private isSameShort (i: number, from: number, length: number): boolean {
    const { text, source, sourceView, textView } = this
    if (length >= 4) {
      const last = length - 4
      return (sourceView.getInt32(from, true) ^ textView.getInt32(i, true) | sourceView.getInt32(from + last, true) ^ textView.getInt32(i + last, true)) === 0
    }
    if (i + 4 <= this.end && from + 4 <= source.length) {
      const difference = sourceView.getInt32(from, true) ^ textView.getInt32(i, true)
      return (difference & (1 << (length << 3)) - 1) === 0
    }
    for (let k = 0; k < length; k++) {
      if (source[from + k] !== text[i + k]) return false
    }
    return true
  }

  /** The position behind this count, if it stands at `i`; else -1. */
  protected matchCount (i: number, count: number): number {
    const { text } = this
    if (count < 10) return text[i] === 0x30 + count ? i + 1 : -1
    const digits = String(count)
    for (let k = 0; k < digits.length; k++) {
      if (text[i + k] !== digits.charCodeAt(k)) return -1
    }
    return i + digits.length
  }

  /**
   * The position behind a quoted string at `i` that is the one of the node; else -1. The text must spell it as the
   * source does, or in whatever way where the scanner marked the source's spelling as not the shortest.
   */
  protected matchQuoted (i: number, node: number): number {
    const { tape, text } = this
    if (text[i] !== 0x22) return -1
    const from = tape[node + 1]
    if (tape[node] & WIDE) return this.matchRespelled(i, from)
    // With the quotes, which the source has around it too.
    const next = this.matchSpan(i, from - 1, tape[node + 2] + 1)
    return next >= 0 && text[next - 1] === 0x22 ? next : -1
  }

  /** The position behind a quoted string at `i` that is the one that starts at `from` in the source, spelled in whatever way; else -1. */
  protected matchRespelled (i: number, from: number): number {
    const { source, sourceView, text } = this
    let at = i + 1
    let k = from
    // Most escapes that came are for characters beyond ASCII; what is not spelled alike beside these is read unit by unit.
    for (;;) {
      const byte = source[k]
      if (byte !== 0x5c) {
        if (byte !== text[at]) break
        if (byte === 0x22) return at + 1
        at++
        k++
        continue
      }
      const next = matchRun(sourceView, k, source.length, text, at)
      if (next > k) {
        k = next
        at = runTo()
      } else {
        if (text[at] !== 0x5c || source[k + 1] !== text[at + 1] || !isSimpleEscape(text[at + 1])) break
        at += 2
        k += 2
      }
    }
    const close = this.findClosingQuote(i + 1)
    return close >= 0 && isSameSpelling(source, sourceView, from, text, i + 1, close) ? close + 1 : -1
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
    const next = this.matchPlainKey(i, node, bareFlag)
    return next >= 0 && isKeyByte[this.text[next]] === 0 ? next : this.matchOtherKey(i, this.tape[node + 1], isKeyByte)
  }

  /**
   * The position behind the key of the node, if it stands at `i`, is marked with `bareFlag` and has no escapes in the
   * source, as most; else -1. Whether the key goes on there is for the caller to see.
   */
  protected matchPlainKey (i: number, node: number, bareFlag: number): number {
    const { tape, keys: { starts, flags } } = this
    const from = tape[node + 1]
    const id = tape[node + 2]
    const to = from + starts[id + 1] - starts[id]
    // What the table of keys says is bare is so for the very bytes that the source and the text have here.
    return (flags[id] & bareFlag) !== 0 && this.source[to] === 0x22 ? this.matchSpan(i, from, to) : -1
  }

  /** The same as `matchBareKey`, byte by byte, for what the table says nothing about or the source has with escapes. */
  private matchOtherKey (i: number, from: number, isKeyByte: Uint8Array): number {
    const { text, source } = this
    const start = i
    let k = from
    while (isKeyByte[text[i]] === 1 && text[i] === source[k]) {
      i++
      k++
    }
    if (source[k] === 0x5c) {
      // The source has escapes for what needs none.
      while (isKeyByte[text[i]] === 1) i++
      if (!isSameSpelling(source, this.sourceView, from, text, start, i)) return -1
    } else if (source[k] !== 0x22 || isKeyByte[text[i]] === 1) {
      return -1
    }
    return i > start ? i : -1
  }

  /** The position behind the key of the node, if it stands at `i` in quotes; else -1. */
  protected matchQuotedKey (i: number, node: number): number {
    const { source, text } = this
    const from = this.tape[node + 1]
    if (text[i] !== 0x22) return -1
    let to = from
    while (source[to] !== 0x22 && source[to] !== 0x5c) to++
    if (source[to] === 0x22) {
      const next = this.matchSpan(i, from - 1, to + 1)
      if (next >= 0) return next
    }
    return this.matchRespelled(i, from)
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
