const FIRST_SIZE = 1024

/** Collects bytes that come in chunks of any size; each is copied a bounded number of times. */
export class HeldBytes {
  size = 0
  #bytes = new Uint8Array(0)

  append (chunk: Uint8Array): void {
    const needed = this.size + chunk.length
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length, FIRST_SIZE))
      larger.set(this.#bytes.subarray(0, this.size))
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.size)
    this.size = needed
  }

  /** Gives the bytes away and starts anew. */
  take (): Uint8Array {
    const taken = this.#bytes.subarray(0, this.size)
    this.#bytes = new Uint8Array(0)
    this.size = 0
    return taken
  }
}
