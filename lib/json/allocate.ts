/*
 * Making a typed array costs about as much as encoding a few hundred bytes, so small ones are cut from
 * a slab, and what is needed only for a moment is kept for the next time.
 */

const SLAB = 64 * 1024
const MAX_CUT = SLAB >> 3

let slab = new Uint8Array(SLAB)
let used = 0

/** New bytes, all zero, that nobody else uses; where they are few, part of a larger buffer. */
export function allocate (size: number): Uint8Array {
  if (size > MAX_CUT) return new Uint8Array(size)
  if (used + size > SLAB) {
    slab = new Uint8Array(SLAB)
    used = 0
  }
  const start = used
  used += size
  return slab.subarray(start, used)
}

/** Holds one array that is not in use, for whoever needs one next. */
export class Spare<T extends Uint8Array | Int32Array> {
  private held: T

  /** @param maxLength larger arrays are not kept */
  constructor (private readonly make: (length: number) => T, private readonly maxLength: number) {
    this.held = make(0)
  }

  /** An array of at least this length, of any content; it is the caller's until it is given back. */
  take (length: number): T {
    const { held } = this
    if (held.length < length) return this.make(length)
    this.held = this.make(0)
    return held
  }

  give (array: T): void {
    if (array.length > this.held.length && array.length <= this.maxLength) this.held = array
  }
}
