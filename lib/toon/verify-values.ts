import { BYTE_CLASSES, COMMA_PAIRS, FALSE_BYTES, NULL_BYTES, STOP, STOP_PAIRS, STRUCTURAL, TRUE_BYTES, matches } from '../json/bare.js'
import { matchRun, runTo } from '../json/escape-runs.js'
import { findStop } from '../json/find-stop.js'
import { LockStep } from '../json/lock-step.js'
import { isSameNumber, scanNumber, scannedNumber } from '../json/number.js'
import { isSameSpelling } from '../json/same-spelling.js'
import { isSimpleEscape, readHex4 } from '../json/spelling.js'
import { KIND_MASK, NUMBER, STRING, WIDE } from '../json/tape.js'
import { toText } from '../json/utf8.js'

const NEWLINE = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const HYPHEN = 0x2d
const BACKSLASH = 0x5c
const PIPE = 0x7c
const NON_ASCII = 0x80808080 | 0

/** The primitives of a text of TOON, in lock-step with those of a document (TOON 4.0 sections 4, 7.1 and 7.2). */
export class ValueVerifier extends LockStep {
  protected isAtLineEnd (): boolean {
    return this.i === this.end || this.text[this.i] === NEWLINE
  }

  protected primitive (node: number, delimiter: number): boolean {
    return this.goTo(this.primitiveAt(this.i, node, delimiter))
  }

  /** The position behind a primitive at `i` whose text ends at the delimiter, at the end of the line or at that of the text; else -1. */
  protected primitiveAt (i: number, node: number, delimiter: number): number {
    const { tape, text } = this
    const head = tape[node]
    const kind = head & KIND_MASK
    let next
    if (kind === STRING) {
      if (text[i] === QUOTE) {
        next = this.quotedString(i, node)
      } else {
        next = (head & WIDE) === 0 && delimiter !== PIPE ? this.bareAsInSource(i, tape[node + 1], tape[node + 2]) : -1
        if (next < 0 || !this.isEnd(next, delimiter)) return this.bareString(i, node, delimiter)
        return next
      }
    } else if (kind > STRING) {
      next = this.matchSpan(i, tape[node + 1], tape[node + 2])
      if (kind === NUMBER && (next < 0 || !this.isEnd(next, delimiter))) return this.otherNumber(i, node, delimiter)
    } else {
      return -1
    }
    return next >= 0 && this.isEnd(next, delimiter) ? next : -1
  }

  private isEnd (i: number, delimiter: number): boolean {
    // A read behind the end, even one a document, makes the engine's code for all reads here slower.
    if (i === this.end) return true
    const byte = this.text[i]
    return byte === delimiter || byte === NEWLINE
  }

  private quotedString (i: number, node: number): number {
    const { tape } = this
    if ((tape[node] & WIDE) === 0) return this.quotedAsInSource(i, tape[node + 1], tape[node + 2])
    const next = this.matchQuoted(i, node)
    return next >= 0 && this.hasToonEscapes(i + 1, next - 1) ? next : -1
  }

  /** The bytes of the source in quotes, with no escapes but those that TOON spells as JSON does. */
  private quotedAsInSource (i: number, from: number, to: number): number {
    const { text, textView, source, sourceView } = this
    if (++i + to - from >= this.end) return -1
    let k = from
    do {
      while (k + 8 <= to) {
        const first = sourceView.getInt32(k, true)
        const second = sourceView.getInt32(k + 4, true)
        if ((first ^ textView.getInt32(i, true) | second ^ textView.getInt32(i + 4, true)) !== 0) return -1
        if ((STOP_PAIRS[first & 0xffff] | STOP_PAIRS[first >>> 16] | STOP_PAIRS[second & 0xffff] | STOP_PAIRS[second >>> 16]) !== 0) break
        k += 8
        i += 8
      }
      while (k < to && (BYTE_CLASSES[source[k]] & STOP) === 0) {
        if (source[k++] !== text[i++]) return -1
      }
      if (k >= to) break
      if (source[k] !== BACKSLASH || text[i] !== BACKSLASH || text[i + 1] !== source[k + 1] || !isSimpleEscape(text[i + 1])) return -1
      k += 2
      i += 2
    } while (k < to)
    return text[i] === QUOTE ? i + 1 : -1
  }

  /**
   * The position behind the bytes of the source from `from` to `to`, if they stand at `i`, are a string there, and hold
   * nothing that may need quotes where a comma, a tab or the end of the line is what ends it; else -1, which says nothing.
   */
  private bareAsInSource (i: number, from: number, to: number): number {
    const { text, source, textView, sourceView } = this
    const length = to - from
    const next = i + length
    if (length < 2 || next > this.end || source[to] !== QUOTE) return -1
    if (text[next - 1] === SPACE || (IS_PLAIN_FIRST[text[i]] === 0 && !readsAsString(text, i, next))) return -1
    if (length < 4) {
      const first = textView.getUint16(i, true)
      const second = textView.getUint16(next - 2, true)
      const difference = first ^ sourceView.getUint16(from, true) | second ^ sourceView.getUint16(to - 2, true)
      return (difference | COMMA_PAIRS[first] | COMMA_PAIRS[second]) === 0 ? next : -1
    }
    // The last word overlaps the one before it where it must.
    const last = length - 4
    let word = textView.getInt32(i + last, true)
    let difference = word ^ sourceView.getInt32(from + last, true) | COMMA_PAIRS[word & 0xffff] | COMMA_PAIRS[word >>> 16]
    for (let k = 0; k < last; k += 4) {
      word = textView.getInt32(i + k, true)
      difference |= word ^ sourceView.getInt32(from + k, true)
      if ((word & NON_ASCII) !== NON_ASCII) difference |= COMMA_PAIRS[word & 0xffff] | COMMA_PAIRS[word >>> 16]
    }
    return difference === 0 ? next : -1
  }

  private bareString (i: number, node: number, delimiter: number): number {
    const { text, source, tape, end } = this
    const start = i
    let k = tape[node + 1]
    while (i < end && text[i] !== delimiter && (BYTE_CLASSES[text[i]] & (STOP | STRUCTURAL)) === 0) {
      if (text[i] !== source[k]) return this.bareRespelled(start, node, delimiter)
      i++
      k++
    }
    if (source[k] !== QUOTE) return this.bareRespelled(start, node, delimiter)
    return this.isEnd(i, delimiter) && readsAsString(text, start, i) ? i : -1
  }

  /** The same where the source has escapes for what the text holds as it is. */
  private bareRespelled (start: number, node: number, delimiter: number): number {
    const { text, source, sourceView, tape, end } = this
    let i = start
    let k = tape[node + 1]
    // Most such escapes are for characters beyond ASCII, which end nothing; what else there is must stand in both.
    for (;;) {
      const byte = source[k]
      if ((BYTE_CLASSES[byte] & (STOP | STRUCTURAL)) === 0) {
        if (i >= end || text[i] !== byte || byte === delimiter) break
        i++
        k++
        continue
      }
      const next = byte === BACKSLASH ? matchRun(sourceView, k, source.length, text, i) : k
      if (next === k) break
      k = next
      i = runTo()
    }
    if (source[k] !== QUOTE) {
      while (i < end && text[i] !== delimiter && (BYTE_CLASSES[text[i]] & (STOP | STRUCTURAL)) === 0) i++
      if (!isSameSpelling(source, sourceView, tape[node + 1], text, start, i)) return -1
    }
    return this.isEnd(i, delimiter) && readsAsString(text, start, i) ? i : -1
  }

  /** A number that is spelled in another way than in the source. */
  private otherNumber (i: number, node: number, delimiter: number): number {
    const { text, source, tape } = this
    const stop = scanNumber(text, i, this.end)
    if (scannedNumber.error !== null) return -1
    const lexeme = toText(source.subarray(tape[node + 1], tape[node + 2]))
    return this.isEnd(stop, delimiter) && isSameNumber(lexeme, toText(text.subarray(i, stop))) ? stop : -1
  }

  /** Whether all escapes in a quoted string are such that TOON has (section 7.1). */
  protected hasToonEscapes (start: number, end: number): boolean {
    const { text, textView } = this
    for (let i = findStop(text, textView, start, end); i < end; i = findStop(text, textView, i + 2, end)) {
      if (text[i] !== BACKSLASH) return false
      const letter = text[i + 1]
      if (letter === 0x75) {
        const unit = readHex4(text, i + 2, end)
        if (unit < 0 || (unit >= 0xd800 && unit < 0xe000)) return false
      } else if (letter !== QUOTE && letter !== BACKSLASH && letter !== 0x6e && letter !== 0x72 && letter !== 0x74) {
        return false
      }
    }
    return true
  }
}

/** Whether a strict reader takes a bare token for a string. */
function readsAsString (text: Uint8Array, start: number, end: number): boolean {
  const first = text[start]
  if (start === end || text[end - 1] === SPACE) return false
  if (first === SPACE || first === HYPHEN || first === 0x23) return false
  if (first >= 0x30 && first <= 0x39) return scanNumber(text, start, end) !== end || scannedNumber.error !== null
  const length = end - start
  return !(length === 4 && (matches(text, start, TRUE_BYTES) || matches(text, start, NULL_BYTES))) && !(length === 5 && matches(text, start, FALSE_BYTES))
}

/** First bytes with which no number, literal, list item or comment begins. */
const IS_PLAIN_FIRST = new Uint8Array(256).fill(1)
for (const char of ' -#0123456789tfn') IS_PLAIN_FIRST[char.charCodeAt(0)] = 0
