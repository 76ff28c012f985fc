/** Larger rooms are let go of between documents. */
const MOST_KEPT = 1 << 14

/**
 * Integers for a while: an array that grows and is used again by whoever comes next. Of any content at first, so each
 * user writes before it reads, and what another one left behind by failing does no harm.
 */
export class IntRoom {
  words = new Int32Array(256)

  /** The array, of at least this length; what it holds is kept. */
  of (length: number): Int32Array {
    if (this.words.length < length) {
      const words = new Int32Array(Math.max(length, 2 * this.words.length))
      words.set(this.words)
      this.words = words
    }
    return this.words
  }

  release (): void {
    if (this.words.length > MOST_KEPT) this.words = new Int32Array(256)
  }
}
