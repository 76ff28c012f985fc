import { allocate } from './allocate.js'
import { MEMBER_EXTRA } from './key-table.js'
import type { KeyTable } from './key-table.js'

/** Where an encoder writes: into bytes, or only into a count of them. */
export interface Output {
  /** Bytes so far. */
  at: number
  byte (value: number): void
  /** A line feed and so many blanks. */
  newline (indent: number): void
  /** The bytes of `source` from `start` to `end`. */
  copy (source: Uint8Array, start: number, end: number): void
  /** The spelling of a key, without quotes. */
  copyKey (keys: KeyTable, key: number): void
  /** A count, in decimal digits. */
  count (value: number): void
  /** A string of ASCII characters. */
  ascii (text: string): void
}

/** Copying in a loop is faster up to this length than making a view and calling set. */
const SHORT = 96
/** Copies of whole words may write so many bytes behind their end, which the next bytes overwrite. */
const SLACK = 3
const FOUR_BLANKS = 0x20202020

/** Collects what is written; grows where the size that it was made with does not do. */
export class ByteWriter implements Output {
  at = 0
  private bytes: Uint8Array
  private view: DataView
  /** How far whole words may be written. */
  private limit: number
  private readonly source: Uint8Array | null
  private readonly sourceView: DataView
  private readonly sourceLimit: number

  /**
   * @param size bytes to start with
   * @param document the document from whose bytes most of the text is copied, if there is one
   */
  constructor (size: number, document?: { bytes: Uint8Array, view: DataView }) {
    this.bytes = allocate(size + SLACK)
    this.view = viewOf(this.bytes)
    this.limit = this.bytes.length - SLACK
    this.source = document?.bytes ?? null
    this.sourceView = document?.view ?? this.view
    this.sourceLimit = this.sourceView.byteLength - SLACK
  }

  byte (value: number): void {
    if (this.at === this.bytes.length) this.grow(1)
    this.bytes[this.at++] = value
  }

  newline (indent: number): void {
    if (this.at + indent + 1 > this.limit) this.grow(indent + 1)
    const { view } = this
    const at = this.at + 1
    this.bytes[at - 1] = 0x0a
    for (let k = 0; k < indent; k += 4) view.setInt32(at + k, FOUR_BLANKS, true)
    this.at = at + indent
  }

  copy (source: Uint8Array, start: number, end: number): void {
    const length = end - start
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    if (length > SHORT) {
      this.bytes.set(source.subarray(start, end), at)
    } else if (source === this.source && end <= this.sourceLimit) {
      const { view, sourceView } = this
      for (let k = 0; k < length; k += 4) view.setInt32(at + k, sourceView.getInt32(start + k, true), true)
    } else {
      const { bytes } = this
      for (let k = 0; k < length; k++) bytes[at + k] = source[start + k]
    }
    this.at = at + length
  }

  copyKey (keys: KeyTable, key: number): void {
    const start = keys.starts[key]
    const length = keys.starts[key + 1] - start
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    if (length > SHORT) {
      this.bytes.set(keys.bytes.subarray(start, start + length), at)
    } else {
      const { view } = this
      const { members } = keys
      // Behind a spelling there are a quote and a colon, and the table ends with room for a word.
      const from = start + key * MEMBER_EXTRA + 1
      for (let k = 0; k < length; k += 4) view.setInt32(at + k, members.getInt32(from + k, true), true)
    }
    this.at = at + length
  }

  count (value: number): void {
    if (value < 10) this.byte(0x30 + value)
    else this.ascii(String(value))
  }

  ascii (text: string): void {
    if (this.at + text.length > this.bytes.length) this.grow(text.length)
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i)
  }

  /** What was written; a view where the size was right, and valid as long as nothing more is written. */
  finish (): Uint8Array {
    return this.bytes.subarray(0, this.at)
  }

  private grow (length: number): void {
    const bytes = allocate(Math.max(this.at + length + SLACK, this.bytes.length * 2, 64))
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
    this.view = viewOf(bytes)
    this.limit = bytes.length - SLACK
  }
}

function viewOf (bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Counts what would be written. */
export class ByteCounter implements Output {
  at = 0

  byte (): void {
    this.at++
  }

  newline (indent: number): void {
    this.at += indent + 1
  }

  copy (_source: Uint8Array, start: number, end: number): void {
    this.at += end - start
  }

  copyKey ({ starts }: KeyTable, key: number): void {
    this.at += starts[key + 1] - starts[key]
  }

  count (value: number): void {
    this.at += value < 10 ? 1 : String(value).length
  }

  ascii (text: string): void {
    this.at += text.length
  }
}
