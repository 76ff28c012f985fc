/*
 * Making a typed array costs about as much as encoding a few hundred bytes, so small ones are cut from
 * a slab, and what is needed only for a moment is kept for the next time.
 */

const SLAB = 64 * 1024
const MAX_CUT = SLAB >> 3

let slabBuffer = new ArrayBuffer(SLAB)
let slab = new Uint8Array(slabBuffer)
let used = 0

/** New bytes, all zero, that nobody else uses; where they are few, part of a larger buffer. */
export function allocate (size: number): Uint8Array {
  if (size > MAX_CUT) return new Uint8Array(size)
  if (used + size > SLAB) renewSlab()
  const start = used
  used += size
  return slab.subarray(start, used)
}

/** Bytes to write a text into. */
export interface Room {
  bytes: Uint8Array
  /** A view of these bytes and of some behind their end. */
  view: DataView
}

/** The room for a short text that was made last, whose view serves whoever reads the text next. */
let lastRoom: Room = { bytes: slab, view: new DataView(slabBuffer) }

/** New bytes, all zero, with so many more behind their end that only the view shows. */
export function allocateRoom (size: number, slack: number): Room {
  if (size + slack > MAX_CUT) {
    const buffer = new ArrayBuffer(size + slack)
    return { bytes: new Uint8Array(buffer, 0, size), view: new DataView(buffer) }
  }
  if (used + size + slack > SLAB) renewSlab()
  const start = used
  used += size + slack
  lastRoom = { bytes: slab.subarray(start, start + size), view: new DataView(slabBuffer, start, size + slack) }
  return lastRoom
}

/** A view of a text; it may go on behind its end. */
export function viewText (text: Uint8Array): DataView {
  return lastRoom.bytes === text ? lastRoom.view : new DataView(text.buffer, text.byteOffset, text.length)
}

function renewSlab (): void {
  slabBuffer = new ArrayBuffer(SLAB)
  slab = new Uint8Array(slabBuffer)
  used = 0
}

/**
 * Holds one array that is not in use, for whoever needs one next, and one that is too large to be kept for as long as the
 * collector lets it: touching new memory may cost more than all that is done with it.
 */
export class Spare<T extends object & { readonly length: number }> {
  private held: T
  private large: WeakRef<T> | null = null

  /** @param maxLength larger arrays are held weakly */
  constructor (private readonly make: (length: number) => T, private readonly maxLength: number) {
    this.held = make(0)
  }

  /** An array of at least this length, of any content; it is the caller's until it is given back. */
  take (length: number): T {
    const { held } = this
    if (held.length < length) return this.takeLarge(length)
    this.held = this.make(0)
    return held
  }

  give (array: T): void {
    if (array.length > this.maxLength) this.large = new WeakRef(array)
    else if (array.length > this.held.length) this.held = array
  }

  private takeLarge (length: number): T {
    const large = length > this.maxLength ? this.large?.deref() : undefined
    if (large === undefined || large.length < length) return this.make(length)
    this.large = null
    return large
  }
}
