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

class Verifier extends LockStep {
  document (): boolean {
    this.skipBlanks()
    return this.value(0) && this.isAtEnd()
  }

  private value (node: number): boolean {
    const kind = this.tape[node] & KIND_MASK
    if (kind === OBJECT) return this.object(node)
    if (kind === ARRAY) return this.array(node)
    return this.primitive(node, kind)
  }

  private primitive (node: number, kind: number): boolean {
    if (kind === STRING) return this.takeQuoted(node)
    // A number or literal that goes on in the text fails at the separator that must follow.
    return kind > STRING && this.takeSpan(this.tape[node + 1], this.tape[node + 2])
  }

  private object (node: number): boolean {
    const { tape, text } = this
    if (!this.take(0x7b)) return false
    this.skipBlanks()
    const end = tape[node + 2]
    for (let at = node + 6; at < end;) {
      if (at > node + 6 && !this.separator(0x2c)) return false
      if (!this.key(at)) return false
      at += 3
      this.skipBlanks()
      if (text[this.i] === 0x5b) {
        if (!this.compactArray(at)) return false
      } else if (!this.separator(0x3a) || !this.value(at)) {
        return false
      }
      at = nextNode(tape, at)
    }
    this.skipBlanks()
    return this.take(0x7d)
  }

  private key (node: number): boolean {
    const first = this.text[this.i]
    if (first === 0x22) return this.takeQuotedKey(node)
    return !isDigit(first) && this.takeBareKey(node, IDENTIFIER_BYTES, KEY_IDENTIFIER)
  }

  /** [3]:1,2,3 behind a key. */
  private compactArray (node: number): boolean {
    const { tape } = this
    return (tape[node] & KIND_MASK) === ARRAY && this.count(tape[node + COUNT]) && this.separator(0x3a) && this.elements(node)
  }

  private array (node: number): boolean {
    const { tape } = this
    const start = this.i
    if (tape[node + COUNT] > 0 && this.count(tape[node + COUNT])) {
      this.skipBlanks()
      if (this.text[this.i] === 0x7b) return this.rows(node)
    }
    this.i = start
    if (!this.take(0x5b)) return false
    this.skipBlanks()
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6 && !this.separator(0x2c)) return false
      if (!this.value(at)) return false
    }
    this.skipBlanks()
    return this.take(0x5d)
  }

  /** Whether this count stands next, in brackets. */
  private count (count: number): boolean {
    if (count === 0 || !this.take(0x5b)) return false
    this.skipBlanks()
    if (!this.takeCount(count)) return false
    this.skipBlanks()
    return this.take(0x5d)
  }

  /** {a,b}:1,2/3,4 behind a count: the first row tells the keys of the header, which all others must have. */
  private rows (node: number): boolean {
    const { tape } = this
    const first = node + 6
    if ((tape[first] & KIND_MASK) !== OBJECT || tape[first + COUNT] === 0 || !this.take(0x7b)) return false
    const keys: number[] = []
    for (let at = first + 6; at < tape[first + 2]; at = nextNode(tape, at + 3)) {
      if (at > first + 6 && !this.separator(0x2c)) return false
      this.skipBlanks()
      if (!this.key(at)) return false
      keys.push(tape[at + 2])
    }
    if (!this.separator(0x7d) || !this.separator(0x3a)) return false
    const end = tape[node + 2]
    for (let row = first; row < end; row = tape[row + 2]) {
      if (row > first && !this.separator(0x2f)) return false
      if ((tape[row] & KIND_MASK) !== OBJECT || tape[row + COUNT] !== keys.length) return false
      let at = row + 6
      for (let column = 0; column < keys.length; column++) {
        if (column > 0 && !this.separator(0x2c)) return false
        if (tape[at + 2] !== keys[column] || !this.primitive(at + 3, tape[at + 3] & KIND_MASK)) return false
        at = nextNode(tape, at + 3)
      }
    }
    return true
  }

  private elements (node: number): boolean {
    const { tape } = this
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6 && !this.separator(0x2c)) return false
      if (!this.primitive(at, tape[at] & KIND_MASK)) return false
    }
    return true
  }

  /** One byte of structure and the blanks around it. */
  private separator (byte: number): boolean {
    if (this.text[this.i] !== byte) {
      this.skipBlanks()
      if (this.text[this.i] !== byte) return false
    }
    this.i++
    this.skipBlanks()
    return true
  }

  private skipBlanks (): void {
    const { text } = this
    while (text[this.i] === 0x20 || text[this.i] === 0x0a || text[this.i] === 0x0d || text[this.i] === 0x09) this.i++
  }

  private isAtEnd (): boolean {
    this.skipBlanks()
    return this.i === this.end
  }
}

const IDENTIFIER_BYTES = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  if (/[A-Za-z0-9_]/.test(String.fromCharCode(byte))) IDENTIFIER_BYTES[byte] = 1
}
