import { guessTokens, knownTokens } from './pieces.js'
import type { TokenModel } from './pieces.js'

/*
 * Tokenizers of this family first part a text by a regular expression into pieces - a word with at most one
 * character before it, up to three digits, a run of marks, a run of blanks - and then encode each piece by
 * itself. So the tokens of a text are the sum over its pieces. For ASCII the pieces here are exactly those,
 * short of two rarities: an English contraction ('s, 're) is a piece of its own, and a slash after a line
 * break is not part of the piece before it. Beyond ASCII the first byte of a character tells: C2, E2,
 * EF and F0 to FF stand for marks and symbols, the rest for letters.
 */

/** Classes of bytes. The order matters: the ranges of it are what the loops below compare with. */
const LOWER = 0
/** The first byte of a letter beyond ASCII, and the bytes after the first of any character beyond ASCII. */
const LETTER = 1
const TRAIL = 2
const UPPER = 3
const MARK = 4
const DIGIT = 5
const BLANK = 6
const BREAK = 7

const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte))

function classOf (byte: number): number {
  if (byte >= 0x61 && byte <= 0x7a) return LOWER
  if (byte >= 0x41 && byte <= 0x5a) return UPPER
  if (byte >= 0x30 && byte <= 0x39) return DIGIT
  if (byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c) return BLANK
  if (byte === 0x0a || byte === 0x0d) return BREAK
  if (byte < 0x80) return MARK
  if (byte < 0xc0) return TRAIL
  return byte === 0xc2 || byte === 0xe2 || byte >= 0xef ? MARK : LETTER
}

/** Tokens of a text, and how many of them are guessed from the look of words that the table does not know. */
export interface TokenEstimate {
  tokens: number
  guessed: number
}

/** Adds the tokens of `bytes[from, to)`, at most 4 MB, so that the sums stay small integers. */
export function scan (model: TokenModel, bytes: Uint8Array, from: number, to: number, sum: TokenEstimate): void {
  // Literals and expressions where names and calls would be nicer: V8 folds neither what is imported nor what the
  // module holds, which makes this loop a third slower.
  const classes = CLASSES
  const pieces = model.pieces
  const lastInSmall = model.splitsCamelCase ? 2 : 3
  let tokens = 0
  let guessed = 0
  let at = from
  while (at < to) {
    let start = at
    let lead = 0
    let byte = bytes[at]
    let byteClass = classes[byte]
    if (byteClass === 5) {
      do at++; while (at < to && classes[bytes[at]] === 5)
      tokens += ((at - start + 2) / 3 | 0) * 256
      continue
    }
    if (byteClass >= 6) {
      while (byteClass === 6 && ++at < to) byteClass = classes[bytes[at]]
      if (byteClass === 7 || at === to) {
        while (at < to && classes[bytes[at]] === 7) at++
        tokens += 256
        continue
      }
      // All blanks but the last are one token. The last goes to the word or the marks after it, else it is one too.
      if (at - start > 1) tokens += 256
      byte = bytes[at]
      start = at - 1
      lead = bytes[start]
      if (byteClass === 5 || (byteClass === 4 && lead !== 0x20)) {
        tokens += 256
        continue
      }
    } else if (byteClass === 4) {
      // One mark goes to the word after it.
      at++
      if (byte >= 0x80) while (at < to && classes[bytes[at]] === 2) at++
      if (at < to && classes[bytes[at]] < 4) {
        lead = byte
        byteClass = 0
      } else {
        at = start
      }
    }

    let hash = 0
    let isMarks = false
    if (byteClass === 4) {
      isMarks = true
      if (lead !== 0) hash = Math.imul(lead, 0x9e3779b1)
      while (byteClass === 4 || byteClass === 2) {
        hash = Math.imul(hash ^ byte, 0x9e3779b1)
        if (++at === to) break
        byte = bytes[at]
        byteClass = classes[byte]
      }
      while (at < to && classes[bytes[at]] === 7) hash = Math.imul(hash ^ bytes[at++], 0x9e3779b1)
    } else {
      while (at < to && (classes[byte = bytes[at]] - 1) >>> 0 < 3) {
        hash = Math.imul(hash ^ byte, 0x9e3779b1)
        at++
      }
      byteClass = 0
      while (at < to && classes[byte = bytes[at]] <= lastInSmall) {
        hash = Math.imul(hash ^ byte, 0x9e3779b1)
        at++
        byteClass = 1
      }
    }

    // findPiece(pieces, hash)
    const mixed = Math.imul(hash ^ hash >>> 15, 0x85ebca6b)
    const bucket = pieces[mixed >>> 20]
    const unlike = (bucket ^ Math.imul(((mixed & 0xffff) * 63 >>> 16) + 1, 0x04040404)) & 0xfcfcfcfc
    const found = (unlike - 0x01010101) & ~unlike & 0x80808080
    const value = found === 0 ? 0 : bucket >>> 24 - Math.clz32(found & -found) & 3

    if (isMarks) {
      if (value !== 0 && at - start <= 16) tokens += value * 256
      else guessed += guessTokens(model, bytes, start, at, 2, 0)
    } else if (lead === 0 ? (value & 1) !== 0 : lead === 0x20 && (value & 2) !== 0) {
      tokens += 256
    } else {
      const known = knownTokens(model, hash, lead, value)
      if (known !== 0) tokens += known
      else guessed += guessTokens(model, bytes, start, at, byteClass, lead)
    }
  }
  sum.tokens += (tokens + guessed) / 256
  sum.guessed += guessed / 256
}

/**
 * Takes every branch of `scan` some times. V8 drops its compiled code at a branch that it had never seen taken, and was seen to then
 * stay with interpreted code, ten times slower, for as long as all texts were short.
 */
export function warmUp (model: TokenModel): void {
  const encoder = new TextEncoder()
  for (const text of WARM_UP_TEXTS) {
    const bytes = encoder.encode(text)
    for (let i = 0; i < WARM_UP_ROUNDS; i++) scan(model, bytes, 0, bytes.length, { tokens: 0, guessed: 0 })
  }
}

const WARM_UP_ROUNDS = 64
const WARM_UP_TEXTS = [
  '{"id":1234,"name":"camelCase HTTPServer qzxjvk"},\n  - b: 1.5e3\r\n\n   x  !!  42\t7\t\tword ~~ end',
  'the of and _name .value /path  日本語 é ñandú “quoted” — 🎉🎉 don\'t IT\'S ÀÉ ßtraße 🎉word ==========+++++++++++',
  '1', ' ', '\n', 'a', 'A', '!', '日', '\u00a0', '  ', ' \n', ' a', ' 1', '\t!', ' !', '!!', '12', 'é!', ''
]
