import { Spare } from '../../json/allocate.js'
import { makeWords } from '../../json/word-room.js'

const spareNodes = new Spare<Int32Array>(makeWords, 1 << 20)

/** Lists of nodes of the tape, one behind the other in one array. */
export class Nodes {
  words: Int32Array
  private used = 0

  /** @param size about how many there will be */
  constructor (size: number) {
    this.words = spareNodes.take(size)
  }

  /** Room for a list of so many, all 0; returns where it starts. `words` may be another array then. */
  take (count: number): number {
    const at = this.takeRaw(count)
    this.words.fill(0, at, at + count)
    return at
  }

  /** The same of any content, for lists that are filled in. */
  takeRaw (count: number): number {
    const at = this.used
    const end = at + count
    if (end > this.words.length) {
      const words = new Int32Array(Math.max(end, 2 * this.words.length))
      words.set(this.words.subarray(0, at))
      this.words = words
    }
    this.used = end
    return at
  }

  /** Says that the lists are not needed any more. */
  dispose (): void {
    spareNodes.give(this.words)
  }
}
