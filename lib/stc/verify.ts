import { isDigit } from '../json/bare.js'
import type { Document } from '../json/document.js'
import { KEY_IDENTIFIER } from '../json/key-table.js'
import { LockStep } from '../json/lock-step.js'
import { ARRAY, COUNT, KIND_MASK, OBJECT, STRING, nextNode } from '../json/tape.js'

/**
 * Whether a text is a document of STC 1 that a reader decodes to exactly this document. It reads the text
 * by the grammar, in lock-step with the tape: the text decides what is a compact array and what are rows.
 * What spells a string in another way than the source did may be refused.
 */
export function verifyStc (text: Uint8Array, document: Document): boolean {
  return new Verifier(text, document).document()
}

/** Every method takes a position in the text and returns the one behind what it read, or -1 where the text differs. */
class Verifier extends LockStep {
  document (): boolean {
    const i = this.value(this.skipBlanks(0), 0)
    return i >= 0 && this.skipBlanks(i) === this.end
  }

  private value (i: number, node: number): number {
    const kind = this.tape[node] & KIND_MASK
    if (kind === OBJECT) return this.object(i, node)
    return kind === ARRAY ? this.array(i, node) : this.primitive(i, node)
  }

  private primitive (i: number, node: number): number {
    const { tape } = this
    const kind = tape[node] & KIND_MASK
    if (kind === STRING) return this.matchQuoted(i, node)
    // A number or literal that goes on in the text fails at the separator that must follow.
    return kind > STRING ? this.matchSpan(i, tape[node + 1], tape[node + 2]) : -1
  }

  private object (i: number, node: number): number {
    const { tape, text } = this
    if (text[i] !== 0x7b) return -1
    const end = tape[node + 2]
    if (text[++i] <= 0x20) i = this.skipBlanks(i)
    for (let at = node + 6; at < end;) {
      if (at > node + 6) {
        i = this.separator(i, 0x2c)
        if (i < 0) return -1
      }
      let next = this.matchPlainKey(i, at, KEY_IDENTIFIER)
      if (next < 0 || (text[next] !== 0x3a && text[next] !== 0x5b)) {
        next = this.key(i, at)
        if (next < 0) return -1
        next = this.skipBlanks(next)
      }
      i = next
      at += 3
      if (text[i] === 0x5b) {
        i = this.compactArray(i, at)
      } else {
        i = this.separator(i, 0x3a)
        if (i < 0) return -1
        i = (tape[at] & KIND_MASK) <= ARRAY ? this.value(i, at) : this.primitive(i, at)
      }
      if (i < 0) return -1
      at = nextNode(tape, at)
    }
    if (text[i] <= 0x20) i = this.skipBlanks(i)
    return text[i] === 0x7d ? i + 1 : -1
  }

  private key (i: number, node: number): number {
    const first = this.text[i]
    if (first === 0x22) return this.matchQuotedKey(i, node)
    return isDigit(first) ? -1 : this.matchBareKey(i, node, IDENTIFIER_BYTES, KEY_IDENTIFIER)
  }

  /** [3]:1,2,3 behind a key. */
  private compactArray (i: number, node: number): number {
    const { tape } = this
    if ((tape[node] & KIND_MASK) !== ARRAY) return -1
    i = this.count(i, tape[node + COUNT])
    if (i < 0) return -1
    i = this.separator(i, 0x3a)
    return i < 0 ? -1 : this.elements(i, node)
  }

  private array (i: number, node: number): number {
    const { tape, text } = this
    if (text[i] !== 0x5b) return -1
    if (isDigit(text[i + 1]) || text[i + 1] <= 0x20) {
      // Rows, or an array whose first element is the number of its elements.
      const rows = this.count(i, tape[node + COUNT])
      if (rows >= 0) {
        const brace = this.skipBlanks(rows)
        if (text[brace] === 0x7b) return this.rows(brace, node)
      }
    }
    const end = tape[node + 2]
    if (text[++i] <= 0x20) i = this.skipBlanks(i)
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6) {
        i = this.separator(i, 0x2c)
        if (i < 0) return -1
      }
      i = (tape[at] & KIND_MASK) <= ARRAY ? this.value(i, at) : this.primitive(i, at)
      if (i < 0) return -1
    }
    if (text[i] <= 0x20) i = this.skipBlanks(i)
    return text[i] === 0x5d ? i + 1 : -1
  }

  /** A count in brackets. */
  private count (i: number, count: number): number {
    if (count === 0 || this.text[i] !== 0x5b) return -1
    i = this.matchCount(this.skipBlanks(i + 1), count)
    if (i < 0) return -1
    i = this.skipBlanks(i)
    return this.text[i] === 0x5d ? i + 1 : -1
  }

  /** {a,b}:1,2/3,4 behind a count: the first row tells the keys of the header, which all others must have. */
  private rows (i: number, node: number): number {
    const { tape } = this
    const first = node + 6
    if ((tape[first] & KIND_MASK) !== OBJECT || tape[first + COUNT] === 0) return -1
    const keys: number[] = []
    let byte = 0x7b
    for (let at = first + 6; at < tape[first + 2]; at = nextNode(tape, at + 3)) {
      i = this.separator(i, byte)
      if (i < 0) return -1
      i = this.key(i, at)
      if (i < 0) return -1
      keys.push(tape[at + 2])
      byte = 0x2c
    }
    i = this.separator(i, 0x7d)
    if (i < 0) return -1
    const end = tape[node + 2]
    byte = 0x3a
    for (let row = first; row < end; row = tape[row + 2]) {
      if ((tape[row] & KIND_MASK) !== OBJECT || tape[row + COUNT] !== keys.length) return -1
      let at = row + 6
      for (let column = 0; column < keys.length; column++) {
        i = this.separator(i, byte)
        if (i < 0 || tape[at + 2] !== keys[column]) return -1
        i = this.primitive(i, at + 3)
        if (i < 0) return -1
        at = nextNode(tape, at + 3)
        byte = 0x2c
      }
      byte = 0x2f
    }
    return i
  }

  private elements (i: number, node: number): number {
    const { tape } = this
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6) {
        i = this.separator(i, 0x2c)
        if (i < 0) return -1
      }
      i = this.primitive(i, at)
      if (i < 0) return -1
    }
    return i
  }

  /** One byte of structure and the blanks around it. */
  private separator (i: number, byte: number): number {
    const { text } = this
    if (text[i] !== byte) {
      i = this.skipBlanks(i)
      if (text[i] !== byte) return -1
    }
    return text[i + 1] <= 0x20 ? this.skipBlanks(i + 1) : i + 1
  }

  private skipBlanks (i: number): number {
    const { text, end } = this
    // A read behind the end, even one a document, makes the engine's code for all reads here slower.
    while (i < end && (text[i] === 0x20 || text[i] === 0x0a || text[i] === 0x0d || text[i] === 0x09)) i++
    return i
  }
}

const IDENTIFIER_BYTES = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  if (/[A-Za-z0-9_]/.test(String.fromCharCode(byte))) IDENTIFIER_BYTES[byte] = 1
}
