import { Spare, allocate } from './allocate.js'

/** Up to this many bytes new ones are as good. */
const SMALL = 8192

const spareRooms = new Spare<Uint8Array>(length => new Uint8Array(length), 1 << 20)

/** Bytes for texts that are needed only for a while: a large one is kept for the next, since touching new memory is dear. */
export class TextRooms {
  readonly #taken: Uint8Array[] = []

  /** At least so many bytes, of any content. */
  readonly take = (size: number): Uint8Array => {
    if (size <= SMALL) return allocate(size)
    const room = spareRooms.take(size)
    this.#taken.push(room)
    return room
  }

  /** Says that none of the bytes that were taken is needed any more. */
  giveBack (): void {
    for (const room of this.#taken) spareRooms.give(room)
    this.#taken.length = 0
  }
}
