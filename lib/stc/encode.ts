import type { CodecOptions } from '../codec-interface.js'
import type { Document } from '../json/document.js'
import { KEY_IDENTIFIER } from '../json/key-table.js'
import type { KeyTable } from '../json/key-table.js'
import type { Output } from '../json/output.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, RECORD, SHAPE, STRING, WIDE, WIDE_RECORD, nextNode } from '../json/tape.js'
import { writePrimitive, writeQuotedKey } from '../json/write.js'
import { isColumnar, isCompactArray } from './forms.js'

const SPACE = 0x20
const COMMA = 0x2c
const SLASH = 0x2f
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Writes a document as STC 1; the grammar stands in README.md beside this file. */
export function writeStc (out: Output, document: Document, options: CodecOptions): void {
  new Encoder(out, document, options.spacing === 'adr').value(0)
}

class Encoder {
  private readonly tape: Int32Array
  private readonly bytes: Uint8Array
  private readonly keys: KeyTable

  constructor (private readonly out: Output, private readonly document: Document, private readonly isSpaced: boolean) {
    this.tape = document.tape
    this.bytes = document.bytes
    this.keys = document.keys
  }

  value (node: number): void {
    const kind = this.tape[node] & KIND_MASK
    if (kind === OBJECT) this.object(node)
    else if (kind === ARRAY) this.array(node)
    else writePrimitive(this.out, this.document, node, kind)
  }

  private object (node: number): void {
    const { out, tape, bytes, keys, isSpaced } = this
    const end = tape[node + 2]
    if (end === node + 6) out.byte(OPEN_BRACE)
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      const isFirst = at === node + 6
      const lead = isFirst ? OPEN_BRACE : COMMA
      const blanks = isFirst || !isSpaced ? 0 : 1
      const key = tape[at + 2]
      at += 3
      const head = tape[at]
      const kind = head & KIND_MASK
      if ((keys.flags[key] & KEY_IDENTIFIER) === 0 || (kind === STRING && (head & WIDE) !== 0)) {
        this.member(lead, blanks, at - 3)
      } else if (kind > ARRAY) {
        // The quotes of a string are copied with it.
        const quote = kind === STRING ? 1 : 0
        out.copyMember(lead, blanks, keys, key, isSpaced, bytes, tape[at + 1] - quote, tape[at + 2] + quote)
      } else if (isCompactArray(tape, at)) {
        this.member(lead, blanks, at - 3)
      } else {
        out.copyMember(lead, blanks, keys, key, isSpaced, bytes, 0, 0)
        this.value(at)
      }
    }
    out.byte(CLOSE_BRACE)
  }

  /** A member, step by step: whatever its key, and key[3]:1,2,3 where its value is a compact array. */
  private member (lead: number, blanks: number, keyNode: number): void {
    const { out, tape, isSpaced } = this
    const node = keyNode + 3
    out.byte(lead)
    if (blanks > 0) out.byte(SPACE)
    this.key(tape[keyNode + 2])
    if (isCompactArray(tape, node)) {
      this.count(node)
      this.primitives(node, COLON)
    } else {
      out.byte(COLON)
      if (isSpaced) out.byte(SPACE)
      this.value(node)
    }
  }

  private key (key: number): void {
    const { out, keys } = this
    if (keys.flags[key] & KEY_IDENTIFIER) out.copyKey(keys, key)
    else writeQuotedKey(out, this.document, key)
  }

  private count (node: number): void {
    this.out.byte(OPEN_BRACKET)
    this.out.count(this.tape[node + COUNT])
    this.out.byte(CLOSE_BRACKET)
  }

  private array (node: number): void {
    const { out, tape, isSpaced } = this
    if (isColumnar(this.document, node)) {
      this.columnar(node)
    } else if (isCompactArray(tape, node)) {
      // Without a key it is written like any other array, but for the blanks.
      this.primitives(node, OPEN_BRACKET)
      out.byte(CLOSE_BRACKET)
    } else {
      out.byte(OPEN_BRACKET)
      const end = tape[node + 2]
      for (let at = node + 6; at < end; at = nextNode(tape, at)) {
        if (at > node + 6) {
          out.byte(COMMA)
          if (isSpaced) out.byte(SPACE)
        }
        this.value(at)
      }
      out.byte(CLOSE_BRACKET)
    }
  }

  private columnar (node: number): void {
    const { out, tape, document: { shapes }, isSpaced } = this
    this.count(node)
    let lead = OPEN_BRACE
    for (const { key } of shapes.fields(tape[node + SHAPE])) {
      out.byte(lead)
      this.key(key)
      lead = COMMA
    }
    out.byte(CLOSE_BRACE)
    const end = tape[node + 2]
    lead = COLON
    for (let row = node + 6; row < end; row = tape[row + 2]) {
      if (isSpaced && lead === SLASH) out.byte(SPACE)
      this.primitives(row, lead)
      lead = SLASH
    }
  }

  /**
   * The primitives that a container holds, which is not empty: `lead` before the first, commas between them. The
   * keys of a row are passed over.
   */
  private primitives (node: number, lead: number): void {
    const { out, tape, bytes, isSpaced, document: { arena } } = this
    const end = tape[node + 2]
    if (isSpaced && lead !== OPEN_BRACKET) {
      out.byte(lead)
      lead = SPACE
    }
    for (let at = node + 6; at < end;) {
      if ((tape[at] & KIND_MASK) === KEY) at += 3
      const head = tape[at]
      const kind = head & KIND_MASK
      if (head & WIDE) {
        out.copyBehind(lead, arena, tape[at + 3] - 1, tape[at + 4] + 1)
        at += WIDE_RECORD
      } else {
        const quote = kind === STRING ? 1 : 0
        out.copyBehind(lead, bytes, tape[at + 1] - quote, tape[at + 2] + quote)
        at += RECORD
      }
      lead = COMMA
    }
  }
}
