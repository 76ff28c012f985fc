import { allocateRoom } from './allocate.js'
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
  /** One byte, then the bytes of `source` from `start` to `end`. */
  copyBehind (byte: number, source: Uint8Array, start: number, end: number): void
  /** The spelling of a key, without quotes. */
  copyKey (keys: KeyTable, key: number): void
  /**
   * A member on its way: a byte, so many blanks, the spelling of the key without quotes, a colon, a blank if `isSpaced`,
   * then the bytes of `source` from `start` to `end`.
   */
  copyMember (lead: number, blanks: number, keys: KeyTable, key: number, isSpaced: boolean, source: Uint8Array, start: number, end: number): void
  /** A count, in decimal digits. */
  count (value: number): void
  /** A string of ASCII characters. */
  ascii (text: string): void
}

/** Copying in a loop is faster up to this length than making a view and calling set. */
const SHORT = 256
/**
 * Short texts are copied as numbers of eight bytes; that may write so many bytes behind their end, which the next bytes
 * overwrite. UTF-8 comes out as it went in: what is no number holds bytes that it has not.
 */
const SLACK = 7
const EIGHT_BLANKS = new DataView(new Uint8Array(8).fill(0x20).buffer).getFloat64(0)

/** A document from whose bytes most of a text is copied. */
export interface CopiedDocument {
  bytes: Uint8Array
  view: DataView
  arena: Uint8Array
  arenaView: DataView
}

/** Collects what is written; grows where the size that it was made with does not do. */
export class ByteWriter implements Output {
  at = 0
  private bytes: Uint8Array
  private view: DataView
  /** Length of the bytes; words may go on a little behind it. */
  private limit: number
  private readonly source: Uint8Array | null
  private readonly sourceView: DataView
  private readonly sourceLimit: number
  /** Where else much of the text may be copied from: the spellings that the document has beside its bytes. */
  private readonly arena: Uint8Array | null
  private readonly arenaView: DataView

  /**
   * @param size bytes to start with
   * @param document the document from whose bytes most of the text is copied, if there is one
   */
  constructor (size: number, document?: CopiedDocument) {
    const { bytes, view } = allocateRoom(size, SLACK)
    this.bytes = bytes
    this.view = view
    this.limit = size
    this.source = document?.bytes ?? null
    this.sourceView = document?.view ?? this.view
    this.sourceLimit = this.sourceView.byteLength - SLACK
    this.arena = document?.arena ?? null
    this.arenaView = document?.arenaView ?? this.view
  }

  byte (value: number): void {
    if (this.at === this.bytes.length) this.grow(1)
    this.bytes[this.at++] = value
  }

  newline (indent: number): void {
    this.line(0x0a, indent)
  }

  private line (lead: number, blanks: number): void {
    if (this.at + blanks + 1 > this.limit) this.grow(blanks + 1)
    const { view } = this
    const at = this.at + 1
    this.bytes[at - 1] = lead
    for (let k = 0; k < blanks; k += 8) view.setFloat64(at + k, EIGHT_BLANKS, true)
    this.at = at + blanks
  }

  copy (source: Uint8Array, start: number, end: number): void {
    const length = end - start
    const { at } = this
    if (at + length > this.limit) this.grow(length)
    const view = source === this.source ? this.sourceView : this.arenaView
    if (length > SHORT) {
      this.bytes.set(source.subarray(start, end), at)
    } else if (end + SLACK <= view.byteLength && (source === this.source || source === this.arena)) {
      const to = this.view
      for (let k = 0; k < length; k += 8) to.setFloat64(at + k, view.getFloat64(start + k, true), true)
    } else {
      const { bytes } = this
      for (let k = 0; k < length; k++) bytes[at + k] = source[start + k]
    }
    this.at = at + length
  }

  copyBehind (byte: number, source: Uint8Array, start: number, end: number): void {
    const length = end - start
    const { at } = this
    if (length > SHORT || source !== this.source || end > this.sourceLimit || at + length + 1 > this.limit) {
      this.byte(byte)
      this.copy(source, start, end)
      return
    }
    this.bytes[at] = byte
    const { view, sourceView } = this
    for (let k = 0; k < length; k += 8) view.setFloat64(at + 1 + k, sourceView.getFloat64(start + k, true), true)
    this.at = at + 1 + length
  }

  copyMember (lead: number, blanks: number, keys: KeyTable, key: number, isSpaced: boolean, source: Uint8Array, start: number, end: number): void {
    const { starts, members } = keys
    const keyStart = starts[key]
    const keyLength = starts[key + 1] - keyStart
    const length = end - start
    let { at } = this
    if (length + keyLength > SHORT || source !== this.source || end > this.sourceLimit || at + blanks + keyLength + length + 3 > this.limit) {
      this.copyLongMember(lead, blanks, keys, key, isSpaced, source, start, end)
      return
    }
    const { bytes, view, sourceView } = this
    bytes[at++] = lead
    for (let k = 0; k < blanks; k += 8) view.setFloat64(at + k, EIGHT_BLANKS, true)
    at += blanks
    const from = keyStart + key * MEMBER_EXTRA + 1
    for (let k = 0; k < keyLength; k += 8) view.setFloat64(at + k, members.getFloat64(from + k, true), true)
    at += keyLength
    bytes[at++] = 0x3a
    if (isSpaced) bytes[at++] = 0x20
    for (let k = 0; k < length; k += 8) view.setFloat64(at + k, sourceView.getFloat64(start + k, true), true)
    this.at = at + length
  }

  private copyLongMember (lead: number, blanks: number, keys: KeyTable, key: number, isSpaced: boolean, source: Uint8Array, start: number, end: number): void {
    this.line(lead, blanks)
    this.copyKey(keys, key)
    this.byte(0x3a)
    if (isSpaced) this.byte(0x20)
    this.copy(source, start, end)
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
      const from = start + key * MEMBER_EXTRA + 1
      for (let k = 0; k < length; k += 8) view.setFloat64(at + k, members.getFloat64(from + k, true), true)
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

  /** What was written; valid as long as nothing more is written. */
  finish (): Uint8Array {
    return this.at === this.bytes.length ? this.bytes : this.bytes.subarray(0, this.at)
  }

  private grow (length: number): void {
    const { bytes, view } = allocateRoom(Math.max(this.at + length, this.bytes.length * 2, 64), SLACK)
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
    this.view = view
    this.limit = bytes.length
  }
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

  copyBehind (_byte: number, _source: Uint8Array, start: number, end: number): void {
    this.at += end - start + 1
  }

  copyMember (_lead: number, blanks: number, { starts }: KeyTable, key: number, isSpaced: boolean, _source: Uint8Array, start: number, end: number): void {
    this.at += blanks + starts[key + 1] - starts[key] + (isSpaced ? 3 : 2) + end - start
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
