import type { Document } from '../../json/document.js'
import type { Column } from './column.js'
import { DEFAULT } from './layout.js'
import { sampleRow } from './sample-row.js'
import { hashValue, isSpelledAlike, sourceLength } from './values.js'

/** Of so many rows at most it is looked at which values are frequent. */
const SAMPLE = 24
/** Slots of a table of their hashes, a power of two. */
const SLOTS = 64

/* One column is looked at at a time, and nothing of this is kept. */
const hashes = new Int32Array(SAMPLE)
/** How often the value of a row comes in the sample, counted where it comes first. */
const counts = new Int32Array(SAMPLE)
/** Open addressing: the first row with the hash and 1, or 0. */
const slots = new Uint8Array(SLOTS)

/** Looks at a sample of the cells: whether one value is so frequent that it is a default, and what tells copies of the column. */
export function findDefault (document: Document, words: Int32Array, column: Column): void {
  const { at, present, rows } = column
  const count = rows < SAMPLE ? rows : SAMPLE
  let signature = present
  for (let k = 0; k < count; k++) {
    const node = words[at + sampleRow(k, count, rows)]
    const hash = node === 0 ? 0 : hashValue(document, node)
    hashes[k] = hash
    signature = Math.imul(signature ^ hash, 0x01000193)
  }
  column.signature = signature
  if (present < rows || rows < 3) return
  const best = findMostFrequent(count)
  const most = counts[best]
  if (most * 4 < count || most < 2) return
  const value = words[at + sampleRow(best, count, rows)]
  const length = sourceLength(document.tape, value)
  let frequency = 0
  for (let r = 0; r < rows; r++) if (isSpelledAlike(document, value, words[at + r])) frequency++
  if ((frequency - 1) * length < 2 || frequency * 3 < rows) return
  column.empty = DEFAULT
  column.value = value
}

/** Where in the sample the value comes first that comes most often; of several the first. */
function findMostFrequent (count: number): number {
  slots.fill(0)
  for (let k = 0; k < count; k++) {
    const hash = hashes[k]
    let slot = (hash ^ hash >>> 13) & SLOTS - 1
    while (slots[slot] !== 0 && hashes[slots[slot] - 1] !== hash) slot = slot + 1 & SLOTS - 1
    if (slots[slot] === 0) {
      slots[slot] = k + 1
      counts[k] = 1
    } else {
      counts[k] = 0
      counts[slots[slot] - 1]++
    }
  }
  let best = 0
  for (let k = 1; k < count; k++) if (counts[k] > counts[best]) best = k
  return best
}
