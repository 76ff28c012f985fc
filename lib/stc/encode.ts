import type { CodecOptions } from '../codec-interface.js'
import type { Document } from '../json/document.js'
import { KEY_IDENTIFIER } from '../json/key-table.js'
import type { Output } from '../json/output.js'
import { ARRAY, COUNT, KEY, KIND_MASK, OBJECT, SHAPE, STRING, WIDE, nextNode } from '../json/tape.js'
import { writePrimitive, writeQuotedKey } from '../json/write.js'
import { isColumnar, isCompactArray } from './forms.js'

const SPACE = 0x20

/** Writes a document as STC 1; the grammar stands in README.md beside this file. */
export function writeStc (out: Output, document: Document, options: CodecOptions): void {
  new Encoder(out, document, options.spacing === 'adr').value(0)
}

class Encoder {
  private readonly tape: Int32Array
  private readonly bytes: Uint8Array

  constructor (private readonly out: Output, private readonly document: Document, private readonly isSpaced: boolean) {
    this.tape = document.tape
    this.bytes = document.bytes
  }

  value (node: number): void {
    const kind = this.tape[node] & KIND_MASK
    if (kind === OBJECT) this.object(node)
    else if (kind === ARRAY) this.array(node)
    else this.primitive(node, kind)
  }

  private object (node: number): void {
    const { out, tape } = this
    const end = tape[node + 2]
    out.byte(0x7b)
    for (let at = node + 6; at < end;) {
      if (at > node + 6) this.comma()
      this.key(tape[at + 2])
      at += 3
      if (isCompactArray(tape, at)) {
        this.count(at)
        this.colon()
        this.primitives(at)
      } else {
        this.colon()
        this.value(at)
      }
      at = nextNode(tape, at)
    }
    out.byte(0x7d)
  }

  /** Between members and elements. */
  private comma (): void {
    this.out.byte(0x2c)
    if (this.isSpaced) this.out.byte(SPACE)
  }

  /** Behind keys and headers. */
  private colon (): void {
    this.out.byte(0x3a)
    if (this.isSpaced) this.out.byte(SPACE)
  }

  /** Between rows. */
  private slash (): void {
    if (this.isSpaced) this.out.byte(SPACE)
    this.out.byte(0x2f)
    if (this.isSpaced) this.out.byte(SPACE)
  }

  private count (node: number): void {
    this.out.byte(0x5b)
    this.out.count(this.tape[node + COUNT])
    this.out.byte(0x5d)
  }

  private key (key: number): void {
    const { out, document } = this
    const { keys } = document
    if (keys.flags[key] & KEY_IDENTIFIER) out.copyKey(keys, key)
    else writeQuotedKey(out, document, key)
  }

  private array (node: number): void {
    const { out, tape } = this
    if (isColumnar(this.document, node)) {
      this.columnar(node)
      return
    }
    out.byte(0x5b)
    const end = tape[node + 2]
    if (isCompactArray(tape, node)) {
      // Without a key it is written like any other array, but for the blanks.
      this.primitives(node)
    } else {
      for (let at = node + 6; at < end; at = nextNode(tape, at)) {
        if (at > node + 6) this.comma()
        this.value(at)
      }
    }
    out.byte(0x5d)
  }

  private columnar (node: number): void {
    const { out, tape, document: { shapes } } = this
    this.count(node)
    out.byte(0x7b)
    let first = true
    for (const { key } of shapes.fields(tape[node + SHAPE])) {
      if (!first) out.byte(0x2c)
      first = false
      this.key(key)
    }
    out.byte(0x7d)
    this.colon()
    const end = tape[node + 2]
    for (let row = node + 6; row < end; row = tape[row + 2]) {
      if (row > node + 6) this.slash()
      this.primitives(row)
    }
  }

  private primitive (node: number, kind: number): void {
    const { out, tape, bytes, document } = this
    if (kind === STRING && (tape[node] & WIDE) === 0) out.copy(bytes, tape[node + 1] - 1, tape[node + 2] + 1)
    else writePrimitive(out, document, node, kind)
  }

  /** The primitives that a container holds, parted by commas; the keys of a row are passed over. */
  private primitives (node: number): void {
    const { out, tape } = this
    const end = tape[node + 2]
    let first = true
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if ((tape[at] & KIND_MASK) === KEY) at += 3
      if (!first) out.byte(0x2c)
      first = false
      this.primitive(at, tape[at] & KIND_MASK)
    }
  }
}
