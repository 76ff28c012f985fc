import { isHighSurrogate, isLowSurrogate } from './surrogates.js'
import { writeCodePoint } from './utf8.js'

/*
 * Runs of escapes \uxxxx for characters beyond ASCII, as nearly all are that come: writers who keep to ASCII escape
 * them, character by character. They are read by words, with one look-up for two hex digits.
 */

/** What ends a run: no such escape. */
const NONE = 0
/** A backslash and a u, read as a little-endian number. */
const BACKSLASH_U = 0x755c
/** In the tables below: these are two hex digits that may stand there. */
const FITS = 1 << 31
const BYTES = 0xffffff
/*
 * For two hex digits, read as a little-endian number, what they say of the UTF-8 form of a character: its bytes as a
 * little-endian number, to be joined by OR. LEADS are the first two digits of a character of three bytes, SHORT_LEADS
 * those of one of two, TAILS the last two for one of three; for one of two these are a byte further on.
 */
const LEADS = new Int32Array(65536)
const SHORT_LEADS = new Int32Array(65536)
const TAILS = new Int32Array(65536)
/** Their value, and FITS. */
const HEX_PAIRS = new Int32Array(65536)
for (const first of '0123456789abcdefABCDEF') {
  for (const second of '0123456789abcdefABCDEF') {
    const pair = first.charCodeAt(0) | second.charCodeAt(0) << 8
    const value = parseInt(first + second, 16)
    HEX_PAIRS[pair] = FITS | value
    if (value < 0x08) SHORT_LEADS[pair] = FITS | 0x80c0 | value << 2
    else if ((value & 0xf8) !== 0xd8) LEADS[pair] = FITS | 0x8080e0 | value >> 4 | (value & 15) << 10
    TAILS[pair] = FITS | value >> 6 << 8 | (value & 63) << 16
  }
}
/** What the first of two bytes is at least: with less the character is one of ASCII (RFC 3629 section 3). */
const LEAST_SHORT_LEAD = 0xc2

let runEnd = 0

/** Behind the last byte that `respellRun` wrote, or where `matchRun` stopped in the spelling. */
export const runTo = (): number => runEnd

/** Writes the characters of a run that starts at `i`, if one does, and ends at `end` at the latest, and returns where it ends. */
export function respellRun (view: DataView, i: number, end: number, out: Uint8Array, at: number): number {
  const last = end - 6
  for (;;) {
    while (i <= last) {
      const word = view.getInt32(i, true)
      // Before anything is looked up, since what stands behind a run would be looked up where nothing is in the cache.
      if ((word & 0xffff) !== BACKSLASH_U) break
      const lead = LEADS[word >>> 16]
      const tail = TAILS[view.getUint16(i + 4, true)]
      if (tail === 0) break
      if (lead === 0) {
        const utf8 = joinShort(SHORT_LEADS[word >>> 16], tail)
        if (utf8 === NONE) break
        out[at] = utf8
        out[at + 1] = utf8 >> 8
        at += 2
      } else {
        const utf8 = lead | tail
        out[at] = utf8
        out[at + 1] = utf8 >> 8
        out[at + 2] = utf8 >> 16
        at += 3
      }
      i += 6
    }
    const character = readPair(view, i, end)
    if (character === NONE) break
    at = writeCodePoint(out, at, character)
    i += 12
  }
  runEnd = at
  return i
}

/**
 * Goes on as long as the run that starts at `i` of the source, if one does, says what a spelling has as characters at
 * `k`, and returns where it stopped in the source, which ends at `end`.
 */
export function matchRun (sourceView: DataView, i: number, end: number, spelling: Uint8Array, k: number): number {
  const last = end - 6
  for (;;) {
    while (i <= last) {
      const word = sourceView.getInt32(i, true)
      if ((word & 0xffff) !== BACKSLASH_U) break
      const lead = LEADS[word >>> 16]
      const tail = TAILS[sourceView.getUint16(i + 4, true)]
      if (tail === 0) break
      if (lead === 0) {
        const utf8 = joinShort(SHORT_LEADS[word >>> 16], tail)
        if (utf8 === NONE || (spelling[k] | spelling[k + 1] << 8) !== utf8) break
        k += 2
      } else {
        if ((spelling[k] | spelling[k + 1] << 8 | spelling[k + 2] << 16) !== ((lead | tail) & BYTES)) break
        k += 3
      }
      i += 6
    }
    const character = readPair(sourceView, i, end)
    if (character === NONE || !isCharacter(spelling, k, character)) break
    k += 4
    i += 12
  }
  runEnd = k
  return i
}

/** The UTF-8 form of a character of two bytes, as a little-endian number; NONE where there is none such. */
function joinShort (lead: number, tail: number): number {
  const utf8 = (lead | (tail & BYTES) >> 8) & 0xffff
  return (utf8 & 0xff) < LEAST_SHORT_LEAD ? NONE : utf8
}

/** The character of four bytes that a pair of escapes at `i` stands for; NONE where there is no such pair. */
function readPair (view: DataView, i: number, end: number): number {
  const high = readUnit(view, i, end)
  const low = isHighSurrogate(high) ? readUnit(view, i + 6, end) : 0
  return isLowSurrogate(low) ? 0x10000 + (high - 0xd800 << 10) + (low - 0xdc00) : NONE
}

function readUnit (view: DataView, i: number, end: number): number {
  if (i + 6 > end || view.getUint16(i, true) !== BACKSLASH_U) return 0
  const first = HEX_PAIRS[view.getUint16(i + 2, true)]
  const second = HEX_PAIRS[view.getUint16(i + 4, true)]
  return (first & second) !== 0 ? (first & 255) << 8 | second & 255 : 0
}

/** Whether the UTF-8 form of a character of four bytes stands at `k`. */
function isCharacter (spelling: Uint8Array, k: number, character: number): boolean {
  return spelling[k] === (0xf0 | character >> 18) && spelling[k + 1] === (0x80 | character >> 12 & 63) &&
    spelling[k + 2] === (0x80 | character >> 6 & 63) && spelling[k + 3] === (0x80 | character & 63)
}
