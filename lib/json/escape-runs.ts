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
/** In LEADS and TAILS: these are two hex digits that go on as a character of three bytes. */
const FITS = 1 << 31
/** For two hex digits, read as a little-endian number, their value and 256; 0 where one is none. */
const HEX_PAIRS = new Uint16Array(65536)
/**
 * What the first and the last two digits of an escape say of a character that is three bytes long in UTF-8: these bytes
 * as a little-endian number, to be joined by OR.
 */
const LEADS = new Int32Array(65536)
const TAILS = new Int32Array(65536)
for (const first of '0123456789abcdefABCDEF') {
  for (const second of '0123456789abcdefABCDEF') {
    const pair = first.charCodeAt(0) | second.charCodeAt(0) << 8
    const value = parseInt(first + second, 16)
    HEX_PAIRS[pair] = 256 | value
    if (value >= 0x08 && (value & 0xf8) !== 0xd8) LEADS[pair] = FITS | 0x8080e0 | value >> 4 | (value & 15) << 10
    TAILS[pair] = FITS | value >> 6 << 8 | (value & 63) << 16
  }
}

let runEnd = 0

/** Behind the last byte that `respellRun` wrote, or where `matchRun` stopped in the spelling. */
export const runTo = (): number => runEnd

/** Writes the characters of a run that starts at `i`, if one does, and ends at `end` at the latest, and returns where it ends. */
export function respellRun (view: DataView, i: number, end: number, out: Uint8Array, at: number): number {
  const last = end - 6
  for (;;) {
    while (i <= last) {
      const word = view.getInt32(i, true)
      const lead = LEADS[word >>> 16]
      const tail = TAILS[view.getUint16(i + 4, true)]
      if ((word & 0xffff) !== BACKSLASH_U || (lead & tail) === 0) break
      const utf8 = lead | tail
      out[at] = utf8
      out[at + 1] = utf8 >> 8
      out[at + 2] = utf8 >> 16
      at += 3
      i += 6
    }
    const character = readOther(view, i, end)
    if (character === NONE) break
    at = writeCodePoint(out, at, character)
    i += character < 0x10000 ? 6 : 12
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
      const lead = LEADS[word >>> 16]
      const tail = TAILS[sourceView.getUint16(i + 4, true)]
      if ((word & 0xffff) !== BACKSLASH_U || (lead & tail) === 0) break
      if ((spelling[k] | spelling[k + 1] << 8 | spelling[k + 2] << 16) !== ((lead | tail) & 0xffffff)) break
      k += 3
      i += 6
    }
    const character = readOther(sourceView, i, end)
    if (character === NONE) break
    const next = matchOther(spelling, k, character)
    if (next < 0) break
    k = next
    i += character < 0x10000 ? 6 : 12
  }
  runEnd = k
  return i
}

/** The character of two bytes, or with a pair of escapes of four, that is escaped at `i`; NONE where there is none such. */
function readOther (view: DataView, i: number, end: number): number {
  const unit = readUnit(view, i, end)
  if (unit < 0x800) return unit < 0x80 ? NONE : unit
  const low = isHighSurrogate(unit) ? readUnit(view, i + 6, end) : 0
  return isLowSurrogate(low) ? 0x10000 + (unit - 0xd800 << 10) + (low - 0xdc00) : NONE
}

function readUnit (view: DataView, i: number, end: number): number {
  if (i + 6 > end || view.getUint16(i, true) !== BACKSLASH_U) return 0
  const first = HEX_PAIRS[view.getUint16(i + 2, true)]
  const second = HEX_PAIRS[view.getUint16(i + 4, true)]
  return first !== 0 && second !== 0 ? (first & 255) << 8 | second & 255 : 0
}

/** The position behind such a character, if its UTF-8 form stands at `k`; else -1. */
function matchOther (spelling: Uint8Array, k: number, codePoint: number): number {
  if (codePoint < 0x800) return spelling[k] === (0xc0 | codePoint >> 6) && isTail(spelling, k + 1, codePoint) ? k + 2 : -1
  if (spelling[k] !== (0xf0 | codePoint >> 18) || !isTail(spelling, k + 1, codePoint >> 12)) return -1
  return isTail(spelling, k + 2, codePoint >> 6) && isTail(spelling, k + 3, codePoint) ? k + 4 : -1
}

/** Whether a byte that goes on a character holds the last six of these bits. */
function isTail (spelling: Uint8Array, k: number, bits: number): boolean {
  return spelling[k] === (0x80 | bits & 63)
}
