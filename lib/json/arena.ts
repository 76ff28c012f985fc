import { Spare } from './allocate.js'

/** Where the spellings of strings are kept that the source spells in another way. */
export class Arena {
  readonly bytes: Uint8Array
  /** A view of the same bytes. */
  readonly view: DataView

  constructor (readonly length: number) {
    this.bytes = new Uint8Array(length)
    this.view = new DataView(this.bytes.buffer)
  }
}

export const NO_ARENA = new Arena(0)
/** Arenas of documents that are not in use any more. */
export const spareArenas = new Spare<Arena>(length => length === 0 ? NO_ARENA : new Arena(length), 1 << 20)
