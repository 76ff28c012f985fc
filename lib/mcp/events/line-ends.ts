export const LF = 0x0a
export const CR = 0x0d

/** Finds the line ends of one chunk in time that is linear in its length, whatever ends are used in it. */
export class LineEnds {
  readonly #bytes: Uint8Array
  /** The first of its kind that is not before the last position asked for. */
  #lf = -1
  #cr = -1

  constructor (bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The first CR or LF at `from` or behind it, or the chunk's length. `from` never goes back. */
  find (from: number): number {
    if (this.#lf < from) this.#lf = this.#search(LF, from)
    if (this.#cr < from) this.#cr = this.#search(CR, from)
    return Math.min(this.#lf, this.#cr)
  }

  #search (byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from)
    return at < 0 ? this.#bytes.length : at
  }
}
