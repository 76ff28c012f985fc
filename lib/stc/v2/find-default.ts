import type { Document } from '../../json/document.js'
import { ARRAY, END, KIND_MASK } from '../../json/tape.js'
import type { Column } from './column.js'
import { DEFAULT } from './layout.js'
import { sampleRow } from './sample-row.js'
import { hashValue, isSpelledAlike, sourceLength } from './values.js'

/** Of so many rows at most it is looked at which values are frequent. */
const SAMPLE = 24

/* One column is looked at at a time, and nothing of this is kept. */
const hashes = new Int32Array(SAMPLE)
const SLOTS = 64
/** Counts of values by what is seen of them, on top of all that was counted before, modulo 2 ** 32. */
const counted = new Int32Array(SLOTS)
let ticks = 0

/** Looks at a sample of the cells: whether one value is so frequent that it is a default. */
export function findDefault (document: Document, words: Int32Array, column: Column): void {
  const { at, present, rows } = column
  if (present < rows || rows < 3) return
  const count = rows < SAMPLE ? rows : SAMPLE
  // A third of all rows, and a fourth of a sample; what comes once is not frequent.
  const least = Math.max(count === rows ? Math.ceil(rows / 3) : SAMPLE >> 2, 2)
  if (glance(document, words, column, count) < least) return
  hashSample(document, words, column, count)
  const best = findMostFrequent(count, least)
  if (best < 0) return
  const value = words[at + sampleRow(best, count, rows)]
  const length = sourceLength(document.tape, value)
  let frequency = 0
  for (let r = 0; r < rows; r++) if (isSpelledAlike(document, value, words[at + r])) frequency++
  if ((frequency - 1) * length < 2 || frequency * 3 < rows) return
  column.empty = DEFAULT
  column.value = value
}

/** A number that is the same for columns that are copies of each other. */
export function signColumn (document: Document, words: Int32Array, column: Column): number {
  const count = column.rows < SAMPLE ? column.rows : SAMPLE
  hashSample(document, words, column, count)
  let signature = column.present
  for (let k = 0; k < count; k++) signature = Math.imul(signature ^ hashes[k], 0x01000193)
  return signature
}

/**
 * How often one value may come at most in a sample of which no cell is empty, by what can be seen at once: most
 * columns have no default by that.
 */
function glance ({ bytes, tape }: Document, words: Int32Array, { at, rows }: Column, count: number): number {
  const before = ticks
  let most = 0
  for (let k = 0; k < count; k++) {
    const node = words[at + (count === rows ? k : sampleRow(k, count, rows))]
    const kind = tape[node] & KIND_MASK
    const start = tape[node + 1]
    const end = kind <= ARRAY ? tape[node + END] : tape[node + 2]
    const slot = kind + 11 * (end - start) + 23 * bytes[start] + 37 * bytes[end - 1] & SLOTS - 1
    // What was counted of another column is no more than `before`; after 2 ** 32 it may be taken for too much, never for too little.
    const known = counted[slot] - before | 0
    const times = known > 0 ? known + 1 : 1
    counted[slot] = before + times
    if (times > most) most = times
  }
  ticks = ticks + SAMPLE | 0
  return most
}

/** Hashes the values of a sample of the cells; 0 where there is none. */
function hashSample (document: Document, words: Int32Array, { at, rows }: Column, count: number): void {
  for (let k = 0; k < count; k++) {
    const node = words[at + (count === rows ? k : sampleRow(k, count, rows))]
    hashes[k] = node === 0 ? 0 : hashValue(document, node)
  }
}

/** Where in the sample the hash comes first that comes most often, of several the first; -1 where none comes at least so often. */
function findMostFrequent (count: number, least: number): number {
  let best = -1
  let most = least - 1
  for (let k = 0; k + most < count; k++) {
    const hash = hashes[k]
    let same = 1
    for (let n = k + 1; n < count; n++) if (hashes[n] === hash) same++
    if (same <= most) continue
    most = same
    best = k
  }
  return best
}
