import { Failure } from './errors.js'
import { ByteWriter } from './output.js'
import type { Sink } from './sink.js'
import { FALSE, TRUE } from './tape.js'
import { toText } from './utf8.js'

/** A decoded document may be many times its text, since a header's keys count for every row. */
export const DEFAULT_MAX_DECODED_BYTES = 256 * 1024 * 1024

/** Writes what is decoded as minified JSON. */
export class TextSink implements Sink {
  position = 0
  private readonly out: ByteWriter
  private readonly names: Uint8Array[] = []
  private readonly handles = new Map<string, number>()
  private readonly seen: Set<string>[] = []
  private depth = 0
  private needsComma = false

  /**
   * @param sizeHint bytes to start with
   * @param maxBytes more than that is an error
   * @param uniqueKeys whether a key that stands twice in an object is an error
   */
  constructor (sizeHint: number, private readonly maxBytes: number, private readonly uniqueKeys: boolean) {
    this.out = new ByteWriter(sizeHint)
  }

  /** @throws Failure where the last value, or what closes the document, was too much */
  finish (): Uint8Array {
    this.checkSize()
    return this.out.finish()
  }

  beginObject (): void {
    this.separate()
    this.out.byte(0x7b)
    this.needsComma = false
    this.depth++
    if (this.uniqueKeys) this.seen[this.depth]?.clear()
  }

  endObject (): void {
    this.out.byte(0x7d)
    this.needsComma = true
    this.depth--
  }

  beginArray (): void {
    this.separate()
    this.out.byte(0x5b)
    this.needsComma = false
  }

  endArray (): void {
    this.out.byte(0x5d)
    this.needsComma = true
  }

  key (bytes: Uint8Array, start: number, end: number): void {
    if (this.uniqueKeys) {
      const keys = this.seen[this.depth] ??= new Set()
      const key = toText(bytes.subarray(start, end))
      if (keys.has(key)) throw new Failure(this.position, `no second key "${key}" in the same object`)
      keys.add(key)
    }
    this.writeKey(bytes, start, end)
  }

  defineKey (bytes: Uint8Array, start: number, end: number): number {
    const name = toText(bytes.subarray(start, end))
    let handle = this.handles.get(name)
    if (handle === undefined) {
      handle = this.names.push(bytes.slice(start, end)) - 1
      this.handles.set(name, handle)
    }
    return handle
  }

  definedKey (handle: number): void {
    const name = this.names[handle]
    this.writeKey(name, 0, name.length)
  }

  string (bytes: Uint8Array, start: number, end: number): void {
    this.separate()
    this.out.byte(0x22)
    this.out.copy(bytes, start, end)
    this.out.byte(0x22)
    this.needsComma = true
  }

  number (bytes: Uint8Array, start: number, end: number): void {
    this.separate()
    this.out.copy(bytes, start, end)
    this.needsComma = true
  }

  literal (kind: number): void {
    this.separate()
    this.out.ascii(kind === TRUE ? 'true' : kind === FALSE ? 'false' : 'null')
    this.needsComma = true
  }

  private writeKey (bytes: Uint8Array, start: number, end: number): void {
    this.separate()
    this.out.byte(0x22)
    this.out.copy(bytes, start, end)
    this.out.byte(0x22)
    this.out.byte(0x3a)
    this.needsComma = false
  }

  private checkSize (): void {
    if (this.out.at > this.maxBytes) throw new Failure(this.position, `no more than ${this.maxBytes} bytes of JSON`)
  }

  private separate (): void {
    this.checkSize()
    if (this.needsComma) this.out.byte(0x2c)
  }
}
