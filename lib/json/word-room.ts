import { Spare } from './allocate.js'

export const NO_WORDS = new Int32Array(0)
/** New words, all zero. */
export const makeWords = (length: number): Int32Array => length === 0 ? NO_WORDS : new Int32Array(length)
/** Tapes of documents that are not in use any more. */
export const spareTapes = new Spare<Int32Array>(makeWords, 1 << 20)
/** Their lists of containers. */
export const spareLists = new Spare<Int32Array>(makeWords, 1 << 18)

/** A document longer than it seemed at first asks for at most so many times what it had, so that a dense beginning does not decide. */
const MOST_GROWTH = 8
const LEAST_GROWTH = 1.5
/** What is asked for beyond what the part that was read suggests. */
const MARGIN = 1.05

/**
 * Larger room with the same words in it. How large, the part of the text that has been read tells; new memory is dear to
 * touch, so no more of it is than will be needed.
 *
 * @param read how many bytes of the text have been read
 * @param total how many there are
 */
export function growRoom (words: Int32Array, spare: Spare<Int32Array>, read: number, total: number): Int32Array {
  const { length } = words
  const expected = MARGIN * length * (total / read)
  const larger = spare.take(Math.ceil(Math.min(MOST_GROWTH * length, Math.max(LEAST_GROWTH * length, expected))))
  larger.set(words)
  return larger
}
