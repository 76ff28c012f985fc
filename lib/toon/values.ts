import { isBare } from '../json/bare.js'
import type { Document } from '../json/document.js'
import { KEY_ODD_ESCAPES } from '../json/key-table.js'
import { toCanonicalNumber } from '../json/number.js'
import type { Output } from '../json/output.js'
import { ESCAPED, KIND_MASK, NUMBER, ODD_ESCAPES, PLAIN, STRING, WIDE } from '../json/tape.js'
import { toText } from '../json/utf8.js'

const COMMA = 0x2c
const QUOTE = 0x22

/** Writes primitives and quoted keys as TOON has them (TOON 4.0 sections 2, 7.1 and 7.2). */
export class ValueWriter {
  private readonly tape: Int32Array
  private readonly bytes: Uint8Array

  constructor (private readonly out: Output, private readonly document: Document, private readonly delimiter: number) {
    this.tape = document.tape
    this.bytes = document.bytes
  }

  primitive (node: number): void {
    const { out, tape, bytes } = this
    const head = tape[node]
    const kind = head & KIND_MASK
    if (kind === STRING) {
      if (head & WIDE) {
        const { arena } = this.document
        if (this.isBare(head, arena, tape[node + 3], tape[node + 4])) out.copy(arena, tape[node + 3], tape[node + 4])
        else this.quoted(head & ODD_ESCAPES, arena, tape[node + 3], tape[node + 4])
      } else if (this.isBare(head, bytes, tape[node + 1], tape[node + 2])) {
        out.copy(bytes, tape[node + 1], tape[node + 2])
      } else {
        // The source has the same quotes around the same spelling.
        out.copy(bytes, tape[node + 1] - 1, tape[node + 2] + 1)
      }
    } else if (kind === NUMBER && (head & PLAIN) === 0) {
      out.ascii(toCanonicalNumber(toText(bytes.subarray(tape[node + 1], tape[node + 2]))))
    } else {
      out.copy(bytes, tape[node + 1], tape[node + 2])
    }
  }

  /** A string that starts with U+FEFF is quoted at the start of a document, where a reader would skip it as a BOM. */
  rootPrimitive (): void {
    const { tape, bytes, arena } = this.document
    const [source, start, end] = tape[0] & WIDE ? [arena, tape[3], tape[4]] : [bytes, tape[1], tape[2]]
    if ((tape[0] & KIND_MASK) === STRING && startsWithBom(source, start, end)) this.quoted(tape[0] & ODD_ESCAPES, source, start, end)
    else this.primitive(0)
  }

  quotedKey (key: number): void {
    const { keys } = this.document
    this.quoted(keys.flags[key] & KEY_ODD_ESCAPES, keys.bytes, keys.starts[key], keys.starts[key + 1])
  }

  private isBare (head: number, source: Uint8Array, start: number, end: number): boolean {
    if (this.delimiter === COMMA) return (head & PLAIN) !== 0
    return (head & ESCAPED) === 0 && isBare(source, start, end, this.delimiter)
  }

  private quoted (odd: number, source: Uint8Array, start: number, end: number): void {
    const { out } = this
    out.byte(QUOTE)
    if (odd) this.withToonEscapes(source, start, end)
    else out.copy(source, start, end)
    out.byte(QUOTE)
  }

  /** TOON has no \b and no \f: they are written as other control characters are. */
  private withToonEscapes (source: Uint8Array, start: number, end: number): void {
    const { out } = this
    let from = start
    for (let i = start; i < end; i++) {
      if (source[i] !== 0x5c) continue
      const letter = source[++i]
      if (letter !== 0x62 && letter !== 0x66) continue
      out.copy(source, from, i - 1)
      out.ascii(letter === 0x62 ? '\\u0008' : '\\u000c')
      from = i + 1
    }
    out.copy(source, from, end)
  }
}

function startsWithBom (source: Uint8Array, start: number, end: number): boolean {
  return end - start >= 3 && source[start] === 0xef && source[start + 1] === 0xbb && source[start + 2] === 0xbf
}
