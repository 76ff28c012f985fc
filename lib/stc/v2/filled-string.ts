import { respellAll } from './respell-all.js'
import type { Span } from './span.js'

const NO_BYTES = new Uint8Array(0)

/** A string that is put together of spellings, as templates make it. */
export class FilledString {
  private bytes = NO_BYTES
  private to = 0

  /** In bytes, as it is spelled so far. */
  get length (): number {
    return this.to
  }

  clear (): void {
    this.to = 0
  }

  append (bytes: Uint8Array, start: number, end: number): void {
    const to = this.to + end - start
    if (to > this.bytes.length) {
      const larger = new Uint8Array(2 * to)
      larger.set(this.bytes.subarray(0, this.to))
      this.bytes = larger
    }
    this.bytes.set(bytes.subarray(start, end), this.to)
    this.to = to
  }

  appendSpan ({ bytes, start, end }: Span): void {
    this.append(bytes, start, end)
  }

  /** The shortest spelling of the string, good until something is appended. */
  take (): Uint8Array {
    const string = this.bytes.subarray(0, this.to)
    // Halves of a surrogate pair may have met.
    return string.includes(0x5c) ? respellAll(string) : string
  }
}
