import { BYTE_CLASSES, COMMA_PAIRS, FALSE_BYTES, NULL_BYTES, STOP, STRUCTURAL, TRUE_BYTES, matches } from '../json/bare.js'
import type { Document } from '../json/document.js'
import { findStop, hasStop } from '../json/find-stop.js'
import { KEY_DOTTED_IDENTIFIER } from '../json/key-table.js'
import { LockStep } from '../json/lock-step.js'
import { isSameNumber, scanNumber, scannedNumber } from '../json/number.js'
import { isSameSpelling } from '../json/same-spelling.js'
import { isSimpleEscape, readHex4 } from '../json/spelling.js'
import { ARRAY, COUNT, KEY, KIND_MASK, NUMBER, OBJECT, STRING, WIDE, nextNode } from '../json/tape.js'
import { toText } from '../json/utf8.js'

/**
 * Whether a text is a document of TOON 4.0 that a strict reader decodes to exactly this document. It reads
 * the text line by line in lock-step with the tape: the text decides what is a table, a list or inline. What
 * readers let pass but no encoder writes (blanks around tokens, comments) may be refused.
 */
export function verifyToon (text: Uint8Array, document: Document): boolean {
  return new Verifier(text, document).document()
}

const NEWLINE = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const HYPHEN = 0x2d
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const BACKSLASH = 0x5c
const INDENT = 2

class Verifier extends LockStep {
  /** What parts the values of the header that was read last. */
  private delimiter = COMMA

  document (): boolean {
    const { tape, text } = this
    const kind = tape[0] & KIND_MASK
    if (kind === OBJECT) {
      if (tape[COUNT] === 0) return this.end === 0
      if (text[0] === OPEN_BRACKET) return this.header(0, 0) && this.i === this.end
      return this.members(6, tape[2], 0, true) && this.i === this.end
    }
    if (kind === ARRAY) return (tape[COUNT] === 0 ? this.emptyArray() : this.header(0, 0)) && this.i === this.end
    return !this.startsWithBom() && this.primitive(0, NEWLINE) && this.i === this.end
  }

  private startsWithBom (): boolean {
    return this.text[0] === 0xef && this.text[1] === 0xbb && this.text[2] === 0xbf
  }

  /** Members from `at` to `end`, each on a line of its own. */
  private members (at: number, end: number, depth: number, isFirstLine: boolean): boolean {
    const { tape } = this
    for (let first = isFirstLine; at < end; at = nextNode(tape, at + 3), first = false) {
      if (!first && !this.line(depth)) return false
      if (!this.member(at, depth)) return false
    }
    return true
  }

  private line (depth: number): boolean {
    const { text } = this
    let { i } = this
    if (text[i++] !== NEWLINE) return false
    for (const start = i + depth * INDENT; i < start; i++) {
      if (text[i] !== SPACE) return false
    }
    this.i = i
    return true
  }

  private member (keyNode: number, depth: number): boolean {
    const { tape, text } = this
    if (!this.key(keyNode)) return false
    const node = keyNode + 3
    const kind = tape[node] & KIND_MASK
    if (text[this.i] === OPEN_BRACKET) return this.header(node, depth)
    if (!this.take(COLON)) return false
    if (kind === OBJECT) return this.members(node + 6, tape[node + 2], depth + 1, false)
    if (!this.take(SPACE)) return false
    return kind === ARRAY ? tape[node + COUNT] === 0 && this.emptyArray() : this.primitive(node, NEWLINE)
  }

  private key (node: number): boolean {
    return this.text[this.i] === QUOTE ? this.quotedKey(node) : this.takeBareKey(node, KEY_BYTES, KEY_DOTTED_IDENTIFIER)
  }

  private quotedKey (node: number): boolean {
    const start = this.i
    return this.takeQuotedKey(node) && this.hasToonEscapes(start + 1, this.i - 1)
  }

  private emptyArray (): boolean {
    return this.take(OPEN_BRACKET) && this.take(CLOSE_BRACKET)
  }

  /** What a header announces, for the container at `node`. */
  private header (node: number, depth: number): boolean {
    const { tape, text } = this
    const kind = tape[node] & KIND_MASK
    if ((kind !== ARRAY && kind !== OBJECT) || !this.take(OPEN_BRACKET) || !this.takeCount(tape[node + COUNT])) return false
    const isKeyed = this.take(COLON)
    if (isKeyed !== (kind === OBJECT)) return false
    this.delimiter = text[this.i] === 0x09 || text[this.i] === 0x7c ? text[this.i++] : COMMA
    if (!this.take(CLOSE_BRACKET)) return false
    if (text[this.i] === OPEN_BRACE) return this.table(node, isKeyed, depth + 1)
    if (isKeyed || !this.take(COLON)) return false
    if (tape[node + COUNT] > 0 && this.take(SPACE)) return this.cells(node)
    return this.items(node, depth + 1)
  }

  /** Inline values: all that an array holds. */
  private cells (node: number): boolean {
    const { tape, delimiter } = this
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6 && !this.take(delimiter)) return false
      if (!this.primitive(at, delimiter)) return false
    }
    return this.isAtLineEnd()
  }

  private isAtLineEnd (): boolean {
    return this.i === this.end || this.text[this.i] === NEWLINE
  }

  /** Rows below a field list: the first of them tells the names in the header, which all others must have. */
  private table (node: number, isKeyed: boolean, depth: number): boolean {
    const { tape } = this
    const skip = isKeyed ? 3 : 0
    const end = tape[node + 2]
    const fields: number[] = []
    if (tape[node + COUNT] === 0 || !this.fields(node + 6 + skip, fields) || !this.take(COLON)) return false
    const { delimiter } = this
    for (let row = node + 6; row < end; row = tape[row + skip + 2]) {
      if (!this.line(depth)) return false
      if (isKeyed && !(this.key(row) && this.take(COLON) && this.take(SPACE))) return false
      if (!this.row(row + skip, fields, delimiter)) return false
    }
    return true
  }

  /** The field list that fits an object; `fields` gets the ids of its keys and, below 0, the counts of its groups. */
  private fields (node: number, fields: number[]): boolean {
    const { tape } = this
    if ((tape[node] & KIND_MASK) !== OBJECT || tape[node + COUNT] === 0 || !this.take(OPEN_BRACE)) return false
    fields.push(-tape[node + COUNT])
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at + 3)) {
      if (at > node + 6 && !this.take(this.delimiter)) return false
      if (!this.key(at)) return false
      fields.push(tape[at + 2])
      if (this.text[this.i] === OPEN_BRACE && !this.fields(at + 3, fields)) return false
    }
    return this.take(CLOSE_BRACE)
  }

  private row (node: number, fields: number[], delimiter: number): boolean {
    const { tape } = this
    if ((tape[node] & KIND_MASK) !== OBJECT) return false
    const end = tape[node + 2]
    let field = 0
    let isFirst = true
    for (let at = node; at < end;) {
      const kind = tape[at] & KIND_MASK
      if (kind === KEY) {
        if (tape[at + 2] !== fields[field++]) return false
        at += 3
      } else if (kind === OBJECT) {
        if (-tape[at + COUNT] !== fields[field++]) return false
        at += 6
      } else {
        if (isFirst) isFirst = false
        else if (!this.take(delimiter)) return false
        if (!this.primitive(at, delimiter)) return false
        at = nextNode(tape, at)
      }
    }
    return field === fields.length && this.isAtLineEnd()
  }

  private items (node: number, depth: number): boolean {
    const { tape } = this
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (!this.line(depth) || !this.take(HYPHEN)) return false
      const kind = tape[at] & KIND_MASK
      if (kind === OBJECT && tape[at + COUNT] === 0) {
        if (!this.isAtLineEnd()) return false
        continue
      }
      if (!this.take(SPACE)) return false
      if (kind === OBJECT) {
        // The first member stands behind the hyphen, as if on a line of the depth of the others.
        if (this.text[this.i] === OPEN_BRACKET || !this.members(at + 6, tape[at + 2], depth + 1, true)) return false
      } else if (kind === ARRAY) {
        if (!this.nestedArray(at, depth)) return false
      } else if (!this.primitive(at, NEWLINE)) {
        return false
      }
    }
    return true
  }

  /** An array without a key has no field list outside of the root (section 9.4). */
  private nestedArray (node: number, depth: number): boolean {
    const start = this.i
    if (!this.header(node, depth)) return false
    const { text } = this
    let i = start
    while (text[i] !== CLOSE_BRACKET) i++
    return text[i + 1] === COLON
  }

  /** A primitive whose text ends at the delimiter, at the end of the line or at that of the text. */
  private primitive (node: number, delimiter: number): boolean {
    const { tape, text } = this
    const kind = tape[node] & KIND_MASK
    if (kind === STRING) {
      if (text[this.i] !== QUOTE) return this.bareString(node, delimiter)
      return this.quotedString(node) && this.isAtEndOf(delimiter)
    }
    if (kind === NUMBER) return this.number(node, delimiter)
    return kind > NUMBER && this.takeSpan(tape[node + 1], tape[node + 2]) && this.isAtEndOf(delimiter)
  }

  private isAtEndOf (delimiter: number): boolean {
    const byte = this.text[this.i]
    return byte === delimiter || byte === NEWLINE || this.i === this.end
  }

  private quotedString (node: number): boolean {
    const { tape } = this
    if ((tape[node] & WIDE) === 0) return this.quotedAsInSource(tape[node + 1], tape[node + 2])
    const start = this.i
    return this.takeQuoted(node) && this.hasToonEscapes(start + 1, this.i - 1)
  }

  /** The bytes of the source in quotes, with no escapes but those that TOON spells as JSON does. */
  private quotedAsInSource (from: number, to: number): boolean {
    const { text, textView, source, sourceView } = this
    let i = this.i + 1
    if (i + to - from >= this.end) return false
    for (let k = from; ;) {
      while (k + 4 <= to) {
        const word = sourceView.getInt32(k, true)
        if (word !== textView.getInt32(i, true)) return false
        if (hasStop(word)) break
        k += 4
        i += 4
      }
      while (k < to && (BYTE_CLASSES[source[k]] & STOP) === 0) {
        if (source[k++] !== text[i++]) return false
      }
      if (k >= to) break
      if (source[k] !== BACKSLASH || text[i] !== BACKSLASH || text[i + 1] !== source[k + 1] || !isSimpleEscape(text[i + 1])) return false
      k += 2
      i += 2
    }
    this.i = i
    return this.take(QUOTE)
  }

  private bareString (node: number, delimiter: number): boolean {
    const { text, source, tape, end } = this
    const start = this.i
    let { i } = this
    let k = tape[node + 1]
    if (delimiter === COMMA) {
      // Two bytes at once; the line feed and the comma are among what stops here.
      const { textView, sourceView } = this
      const last = Math.min(end, i + source.length - k) - 2
      for (; i <= last; i += 2, k += 2) {
        const pair = textView.getUint16(i, true)
        if (COMMA_PAIRS[pair] !== 0 || pair !== sourceView.getUint16(k, true)) break
      }
    }
    while (i < end && text[i] !== delimiter && (BYTE_CLASSES[text[i]] & (STOP | STRUCTURAL)) === 0) {
      if (text[i] !== source[k]) return this.bareRespelled(node, delimiter)
      i++
      k++
    }
    if (source[k] !== QUOTE) return this.bareRespelled(node, delimiter)
    this.i = i
    return this.isAtEndOf(delimiter) && readsAsString(text, start, i)
  }

  /** The same where the source has escapes for what the text holds as it is. */
  private bareRespelled (node: number, delimiter: number): boolean {
    const { text, source, tape, end } = this
    const start = this.i
    let { i } = this
    while (i < end && text[i] !== delimiter && (BYTE_CLASSES[text[i]] & (STOP | STRUCTURAL)) === 0) i++
    this.i = i
    return isSameSpelling(source, tape[node + 1], text, start, i) && this.isAtEndOf(delimiter) && readsAsString(text, start, i)
  }

  private number (node: number, delimiter: number): boolean {
    const { text, source, tape } = this
    const start = this.i
    if (this.takeSpan(tape[node + 1], tape[node + 2]) && this.isAtEndOf(delimiter)) return true
    const stop = scanNumber(text, start, this.end)
    if (scannedNumber.error !== null) return false
    this.i = stop
    const lexeme = toText(source.subarray(tape[node + 1], tape[node + 2]))
    return this.isAtEndOf(delimiter) && isSameNumber(lexeme, toText(text.subarray(start, stop)))
  }

  /** Whether all escapes in a quoted string are such that TOON has (section 7.1). */
  private hasToonEscapes (start: number, end: number): boolean {
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

const KEY_BYTES = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  if (/[A-Za-z0-9_.]/.test(String.fromCharCode(byte))) KEY_BYTES[byte] = 1
}
