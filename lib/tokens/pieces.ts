/** The table of known pieces and the weights for all others; see model.ts for where they come from. */
export interface TokenModel {
  /** Whether a capital after a small letter starts a new piece. */
  splitsCamelCase: boolean
  /**
   * Known pieces, by hash: a bucket is four entries, the first in the lowest byte. An entry is 0 where empty, else
   * 4 * fingerprint + value. Value, for a word: bit 0, it is one token by itself; bit 1, it is one token after
   * a blank. With another lead: it is one token with that lead. For marks: their number of tokens, 1 to 3.
   */
  pieces: Int32Array
  /** What a pair of neighbouring bytes in an unknown piece adds, in 1 / PAIRS_IN_TOKEN tokens, by pairIndex. */
  pairs: Int8Array
  /** What a piece starts from, in 1 / UNITS tokens: see the offsets below. */
  bases: Int16Array
}

/** Kinds of pieces whose tokens have to be looked up: words without and with a small letter, runs of marks. */
export const CAPITALS = 0
export const SMALL = 1
export const MARKS = 2

/** Sums are whole numbers of 1 / UNITS tokens: V8 would allocate for each fraction that a function returns. */
export const UNITS = 256
export const PAIRS_IN_TOKEN = 32
/** The table has 2 ** BUCKET_BITS buckets of WAYS entries. */
export const BUCKET_BITS = 12
export const WAYS = 4
/** Pairs of bytes share 2 ** PAIR_BITS weights. */
export const PAIR_BITS = 11
/** Longer marks are not in the table. Looked up all the same, one of 20 would be taken for some short run. */
export const LONGEST_MARKS = 16

/** Words whose table value is 1, 2 or 3 but which are not one token, by lead: 3 * 128. */
export const KNOWN_BASE = 0
/** Unknown words by lead. */
export const LEAD_BASE = 384
/** Unknown marks: by whether a blank is before them. */
export const MARKS_BASE = 512
/** Unknown pieces by kind and length: 0 to 23 and more bytes, without the lead of a word. */
export const LENGTH_BASE = 514
export const LENGTHS = 24
export const BASES = LENGTH_BASE + 3 * LENGTHS

const HASH = 0x9e3779b1
const FINISH = 0x85ebca6b
/** Fingerprints that an entry tells apart: 1 to 63. */
const FINGERPRINTS = 63

/** The hash of a piece after one more byte; it starts from 0. A word is hashed without its lead, marks with the blank before them. */
export function hashOn (hash: number, byte: number): number {
  return Math.imul(hash ^ byte, HASH)
}

/** The hash of a word with a lead other than a blank, from the hash of the word. */
function hashWithLead (hash: number, lead: number): number {
  return Math.imul(hash + lead, FINISH)
}

/** The hash under which the table has a piece. */
export function keyOf (hash: number, lead: number): number {
  return lead === 0 || lead === 0x20 ? hash : hashWithLead(hash, lead)
}

/** The bucket of a hash. */
export function bucketOf (hash: number): number {
  return Math.imul(hash ^ hash >>> 15, FINISH) >>> 32 - BUCKET_BITS
}

/** 4 * fingerprint of a hash. */
export function fingerprintOf (hash: number): number {
  return ((Math.imul(hash ^ hash >>> 15, FINISH) & 0xffff) * FINGERPRINTS >>> 16) + 1 << 2
}

/**
 * The value of a piece in the table: 1, 2 or 3, or 0 where it is not known. The four entries of the bucket are
 * compared at once: a branch for each would be mispredicted more often than not.
 */
export function findPiece (pieces: Int32Array, hash: number): number {
  const bucket = pieces[bucketOf(hash)]
  const unlike = (bucket ^ Math.imul(fingerprintOf(hash), 0x01010101)) & 0xfcfcfcfc
  const found = (unlike - 0x01010101) & ~unlike & 0x80808080
  return found === 0 ? 0 : bucket >>> 24 - Math.clz32(found & -found) & 3
}

/** Where the weight of two neighbouring bytes is. */
export function pairIndex (first: number, second: number): number {
  return Math.imul(first << 8 | second, HASH) >>> 32 - PAIR_BITS
}

/** A lead as an index: ASCII as it is, all else as DEL, which hardly leads a word. */
export function leadIndex (lead: number): number {
  return lead < 0x80 ? lead : 0x7f
}

/**
 * The tokens of a word that the table tells, in 1 / UNITS tokens; 0 where it does not.
 *
 * @param lead the byte before the letters, 0 where there is none
 * @param value what findPiece returns for the hash
 */
export function knownTokens ({ pieces, bases }: TokenModel, hash: number, lead: number, value: number): number {
  if (lead === 0) {
    if ((value & 1) !== 0) return UNITS
  } else if (lead === 0x20) {
    if ((value & 2) !== 0) return UNITS
  } else if (findPiece(pieces, hashWithLead(hash, lead)) !== 0) {
    return UNITS
  }
  return value === 0 ? 0 : bases[KNOWN_BASE + (value - 1) * 128 + leadIndex(lead)]
}

/**
 * A guess at the tokens of the unknown piece `bytes[start, end)`, in 1 / UNITS tokens. Not below one token,
 * nor below one for each 16 bytes: no sum of weights may make a long text vanish.
 */
export function guessTokens ({ pairs, bases }: TokenModel, bytes: Uint8Array, start: number, end: number, kind: number, lead: number): number {
  let sum = 0
  let before = bytes[start]
  let length = end - start
  const least = length <= 16 ? 256 : length * 16
  let tokens = kind === 2 ? bases[MARKS_BASE + (before === 0x20 ? 1 : 0)] : bases[LEAD_BASE + leadIndex(lead)]
  for (let i = start + 1; i < end; i++) {
    const byte = bytes[i]
    sum += pairs[Math.imul(before << 8 | byte, 0x9e3779b1) >>> 21]
    before = byte
  }
  if (lead !== 0) length--
  tokens += bases[LENGTH_BASE + kind * LENGTHS + (length < LENGTHS ? length : LENGTHS - 1)] + sum * (UNITS / PAIRS_IN_TOKEN)
  return tokens > least ? tokens : least
}
