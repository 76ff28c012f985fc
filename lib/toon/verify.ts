import type { Document } from '../json/document.js'
import { KEY_DOTTED_IDENTIFIER } from '../json/key-table.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, nextNode } from '../json/tape.js'
import { ValueVerifier } from './verify-values.js'

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
const INDENT = 2
const FOUR_SPACES = 0x20202020

class Verifier extends ValueVerifier {
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
    const { tape, text } = this
    for (let first = isFirstLine; at < end; at = nextNode(tape, at + 3), first = false) {
      let i: number = first ? this.i : this.lineAt(this.i, depth)
      if (i < 0) return false
      // Most members have a bare key.
      const next = this.matchPlainKey(i, at, KEY_DOTTED_IDENTIFIER)
      const kind = tape[at + 3] & KIND_MASK
      if (next >= 0 && text[next] === COLON && kind > ARRAY) {
        if (text[next + 1] !== SPACE) return false
        i = this.primitiveAt(next + 2, at + 3, NEWLINE)
        if (i < 0) return false
        this.i = i
      } else if (next >= 0 && text[next] === COLON && kind === OBJECT) {
        this.i = next + 1
        if (!this.members(at + 9, tape[at + 5], depth + 1, false)) return false
      } else {
        this.i = i
        if (!this.member(at, depth)) return false
      }
    }
    return true
  }

  private line (depth: number): boolean {
    return this.goTo(this.lineAt(this.i, depth))
  }

  /** The position behind a line feed and the indentation, if they stand at `i`; else -1. */
  private lineAt (i: number, depth: number): number {
    const { text } = this
    if (text[i++] !== NEWLINE) return -1
    const start = i + depth * INDENT
    if (start > this.end) return -1
    const { textView } = this
    for (; i + 4 <= start; i += 4) {
      if (textView.getInt32(i, true) !== FOUR_SPACES) return -1
    }
    for (; i < start; i++) {
      if (text[i] !== SPACE) return -1
    }
    return i
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
    return this.goTo(this.matchQuotedKey(start, node)) && this.hasToonEscapes(start + 1, this.i - 1)
  }

  private emptyArray (): boolean {
    return this.take(OPEN_BRACKET) && this.take(CLOSE_BRACKET)
  }

  /** What a header announces, for the container at `node`. */
  private header (node: number, depth: number): boolean {
    const { tape, text } = this
    const kind = tape[node] & KIND_MASK
    if ((kind !== ARRAY && kind !== OBJECT) || !this.take(OPEN_BRACKET) || !this.goTo(this.matchCount(this.i, tape[node + COUNT]))) return false
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
    const { text } = this
    let { i } = this
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6 && text[i++] !== delimiter) return false
      i = this.primitiveAt(i, at, delimiter)
      if (i < 0) return false
    }
    this.i = i
    return this.isAtLineEnd()
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
    const { tape, text } = this
    if ((tape[node] & KIND_MASK) !== OBJECT) return false
    const end = tape[node + 2]
    let { i } = this
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
        else if (text[i++] !== delimiter) return false
        i = this.primitiveAt(i, at, delimiter)
        if (i < 0) return false
        at = nextNode(tape, at)
      }
    }
    this.i = i
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
}

const KEY_BYTES = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  if (/[A-Za-z0-9_.]/.test(String.fromCharCode(byte))) KEY_BYTES[byte] = 1
}
