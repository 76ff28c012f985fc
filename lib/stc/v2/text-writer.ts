import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER, MEMBER_EXTRA } from '../../json/key-table.js'
import type { KeyTable } from '../../json/key-table.js'
import { KIND_MASK, STRING, WIDE } from '../../json/tape.js'

/** Copying eight bytes at a time is faster up to this length than making a view and calling set; byte by byte up to this one. */
const FEW_BY_WORDS = 384
const FEW_BY_BYTES = 96
/**
 * Copies of eight bytes, as numbers (see json/output.ts), may write and read so many bytes behind their end, which the
 * next bytes overwrite.
 */
const SLACK = 7
/* Making an array and a view of it costs as much as writing a row, so small texts are cut from a slab. */
const SLAB = 1 << 16
const MOST_CUT = SLAB >> 1

let slab = new Uint8Array(SLAB)
let slabView = new DataView(slab.buffer)
let slabUsed = 0

/** Collects a text, most of which is copied from a document. */
export class TextWriter {
  protected document!: Document
  protected tape!: Int32Array
  protected source!: Uint8Array
  private sourceView!: DataView
  private sourceLimit = 0
  private bytes = slab
  private view = slabView
  private at = 0
  private start = 0
  /** How far whole words may be written. */
  private limit = 0

  /** Goes on with a text of this document. */
  protected begin (document: Document): void {
    this.document = document
    this.tape = document.tape
    this.source = document.bytes
    this.sourceView = document.view
    this.sourceLimit = document.bytes.length - SLACK
    const size = document.minifiedBytes + SLACK
    if (size > MOST_CUT) {
      this.bytes = new Uint8Array(size)
      this.view = new DataView(this.bytes.buffer)
      this.at = this.start = 0
    } else {
      if (slabUsed + size > SLAB) {
        slab = new Uint8Array(SLAB)
        slabView = new DataView(slab.buffer)
        slabUsed = 0
      }
      this.bytes = slab
      this.view = slabView
      this.at = this.start = slabUsed
    }
    this.limit = this.bytes.length - SLACK
  }

  /** What was written, once. */
  protected finish (): Uint8Array {
    const { at, bytes } = this
    if (bytes === slab) slabUsed = at
    return bytes.subarray(this.start, at)
  }

  protected byte (value: number): void {
    if (this.at >= this.limit) this.grow(1)
    this.bytes[this.at++] = value
  }

  protected copy (source: Uint8Array, start: number, end: number): void {
    if (source === this.source && end <= this.sourceLimit) this.copySource(start, end)
    else this.copyBytes(source, start, end)
  }

  /** Bytes of the document behind which there are as many as a word may read. */
  private copySource (start: number, end: number): void {
    const length = end - start
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    if (length > FEW_BY_WORDS) {
      this.bytes.set(this.source.subarray(start, end), at)
    } else {
      const { sourceView, view } = this
      for (let k = 0; k < length; k += 8) view.setFloat64(at + k, sourceView.getFloat64(start + k, true), true)
    }
    this.at = at + length
  }

  private copyBytes (source: Uint8Array, start: number, end: number): void {
    const length = end - start
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    const { bytes } = this
    if (length > FEW_BY_BYTES) bytes.set(source.subarray(start, end), at)
    else for (let k = 0; k < length; k++) bytes[at + k] = source[start + k]
    this.at = at + length
  }

  private copyArena (start: number, end: number): void {
    const { arena, arenaView } = this.document
    const length = end - start
    if (end > arena.length - SLACK || length > FEW_BY_WORDS) {
      this.copyBytes(arena, start, end)
      return
    }
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    const { view } = this
    for (let k = 0; k < length; k += 8) view.setFloat64(at + k, arenaView.getFloat64(start + k, true), true)
    this.at = at + length
  }

  protected primitive (node: number, head: number): void {
    const { tape } = this
    const quote = (head & KIND_MASK) === STRING ? 1 : 0
    if ((head & WIDE) === 0) this.copy(this.source, tape[node + 1] - quote, tape[node + 2] + quote)
    else this.copyArena(tape[node + 3] - quote, tape[node + 4] + quote)
  }

  /** The same with a byte before it. */
  protected primitiveBehind (byte: number, node: number, head: number): void {
    const { tape } = this
    const quote = (head & KIND_MASK) === STRING ? 1 : 0
    const start = tape[node + 1] - quote
    const end = tape[node + 2] + quote
    const length = end - start
    const at = this.at + 1
    if ((head & WIDE) !== 0 || length > FEW_BY_WORDS || end > this.sourceLimit || at + length > this.limit) {
      this.byte(byte)
      this.primitive(node, head)
      return
    }
    const { sourceView, view } = this
    this.bytes[at - 1] = byte
    for (let k = 0; k < length; k += 8) view.setFloat64(at + k, sourceView.getFloat64(start + k, true), true)
    this.at = at + length
  }

  /** A key, in quotes where it must be. */
  protected key (key: number): void {
    const { keys } = this.document
    if (keys.flags[key] & KEY_IDENTIFIER) {
      this.copyKey(keys, key)
    } else {
      this.byte(0x22)
      this.copyKey(keys, key)
      this.byte(0x22)
    }
  }

  private copyKey (keys: KeyTable, key: number): void {
    const start = keys.starts[key]
    const length = keys.starts[key + 1] - start
    if (length > FEW_BY_WORDS) {
      this.copyBytes(keys.bytes, start, start + length)
      return
    }
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    const { view } = this
    const { members } = keys
    // Behind a spelling there are a quote and a colon, and the table ends with room for a word.
    const from = start + key * MEMBER_EXTRA + 1
    for (let k = 0; k < length; k += 8) view.setFloat64(at + k, members.getFloat64(from + k, true), true)
    this.at = at + length
  }

  /** A count, in decimal digits. */
  protected count (value: number): void {
    if (value < 10) this.byte(0x30 + value)
    else this.ascii(String(value))
  }

  /** A string of ASCII characters. */
  protected ascii (text: string): void {
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i))
  }

  private grow (length: number): void {
    const { at, bytes, start } = this
    this.bytes = new Uint8Array(Math.max(at - start + length + SLACK, (at - start) * 2, 64))
    this.bytes.set(bytes.subarray(start, at))
    this.view = new DataView(this.bytes.buffer)
    this.limit = this.bytes.length - SLACK
    this.at = at - start
    this.start = 0
  }
}
