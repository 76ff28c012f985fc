import { CodecDeclinedError } from '../codec-interface.js'
import type { Document } from '../json/document.js'
import { ByteWriter } from '../json/output.js'
import type { Output } from '../json/output.js'
import { ARRAY, COUNT, FALSE, KIND_MASK, NULL, NUMBER, OBJECT, STRING, TRUE, WIDE, nextNode } from '../json/tape.js'
import { writePrimitive, writeQuotedKey } from '../json/write.js'
import { BACKSLASH, SPACE, SPECIAL, kindOfValue } from './scalar.js'

const PIPE = 0x7c
const CONTROLS: Record<string, number> = { '"': 0x22, b: 8, f: 12, t: 9 }

/** Stops the writing of a document that would not come back exactly. */
export function decline (reason: 'not-uniform-object-array' | 'declined-inexact-value'): never {
  throw new CodecDeclinedError('rows', reason)
}

/**
 * Writes the values of rows and meta lines. Strict, it declines each that is read back as another: null
 * and [] (read as ""), arrays of one (read as their element), strings that look like a number or a
 * boolean, objects and arrays in arrays (strings of JSON), and line breaks. Lossy, it writes them.
 */
export class ValueWriter {
  constructor (private readonly out: Output, private readonly document: Document, private readonly escapes: boolean, private readonly lossy: boolean) {}

  /** The value of a field; arrays are joined by pipes. */
  cell (node: number): void {
    const { tape } = this.document
    if ((tape[node] & KIND_MASK) !== ARRAY) {
      this.scalar(node, false)
      return
    }
    if (tape[node + COUNT] < 2) this.lose()
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      if (at > node + 6) this.out.byte(PIPE)
      this.scalar(at, false)
    }
  }

  /** @param isMeta whether it stands in a meta line, where a blank ends it */
  scalar (node: number, isMeta: boolean): void {
    const { out, document } = this
    const { tape, bytes, arena } = document
    const head = tape[node]
    const kind = head & KIND_MASK
    if (kind === STRING) {
      if (head & WIDE) this.string(arena, tape[node + 3], tape[node + 4], isMeta)
      else this.string(bytes, tape[node + 1], tape[node + 2], isMeta)
    } else if (kind === NUMBER || kind === TRUE || kind === FALSE) {
      writePrimitive(out, document, node, kind)
    } else {
      this.lose()
      if (kind !== NULL) this.json(node)
    }
  }

  private lose (): void {
    if (!this.lossy) decline('declined-inexact-value')
  }

  /** A string in its shortest JSON spelling, which is undone on the way. */
  private string (bytes: Uint8Array, start: number, end: number, isMeta: boolean): void {
    const { out } = this
    if (kindOfValue(bytes, start, end) !== STRING) this.lose()
    for (let i = start; i < end; i++) {
      const byte = bytes[i]
      if (byte === BACKSLASH) {
        i = this.unescaped(bytes, i + 1)
      } else if (SPECIAL[byte] !== 0) {
        this.special(byte)
      } else {
        if (byte === SPACE && isMeta) this.lose()
        out.byte(byte)
      }
    }
  }

  /** The character whose JSON escape has its letter at `i`. @returns the position of the escape's last byte */
  private unescaped (bytes: Uint8Array, i: number): number {
    const letter = String.fromCharCode(bytes[i])
    if (letter === 'u') {
      this.out.byte(Number.parseInt(String.fromCharCode(...bytes.subarray(i + 1, i + 5)), 16))
      return i + 4
    }
    if (letter === '\\') {
      this.special(BACKSLASH)
    } else if (letter === 'n' || letter === 'r') {
      this.lose()
      this.out.byte(SPACE)
    } else {
      this.out.byte(CONTROLS[letter])
    }
    return i
  }

  private special (byte: number): void {
    if (this.escapes) this.out.byte(BACKSLASH)
    else if (byte !== BACKSLASH) this.lose()
    this.out.byte(byte)
  }

  /** A nested value as a string of JSON. */
  private json (node: number): void {
    const writer = new ByteWriter(64)
    writeJson(writer, this.document, node)
    for (const byte of writer.finish()) {
      if (SPECIAL[byte] !== 0) this.special(byte)
      else this.out.byte(byte)
    }
  }
}

function writeJson (out: Output, document: Document, node: number): void {
  const { tape } = document
  const kind = tape[node] & KIND_MASK
  if (kind > ARRAY) {
    writePrimitive(out, document, node, kind)
    return
  }
  const end = tape[node + 2]
  out.byte(kind === OBJECT ? 0x7b : 0x5b)
  for (let at = node + 6; at < end; at = nextNode(tape, at)) {
    if (at > node + 6) out.byte(0x2c)
    if (kind === OBJECT) {
      writeQuotedKey(out, document, tape[at + 2])
      out.byte(0x3a)
      at += 3
    }
    writeJson(out, document, at)
  }
  out.byte(kind === OBJECT ? 0x7d : 0x5d)
}
