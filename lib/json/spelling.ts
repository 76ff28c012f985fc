import type { Arena } from './arena.js'
import { BYTE_CLASSES, COMMA_PAIRS } from './bare.js'
import { respellRun, runTo } from './escape-runs.js'
import { writeCodePoint } from './utf8.js'

/** What an escape letter stands for (RFC 8259 section 7); 0 where it is none. */
const ESCAPE_VALUES = new Uint8Array(256)
/** The letter that JSON.stringify writes behind the backslash; 0 where it writes \u00xx or the character itself. */
export const ESCAPE_LETTERS = new Uint8Array(256)
for (const [letter, value] of [['"', 0x22], ['\\', 0x5c], ['/', 0x2f], ['b', 8], ['f', 12], ['n', 10], ['r', 13], ['t', 9]] as const) {
  ESCAPE_VALUES[letter.charCodeAt(0)] = value
  if (letter !== '/') ESCAPE_LETTERS[value] = letter.charCodeAt(0)
}

const HEX_VALUES = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  HEX_VALUES[digit.toString(16).charCodeAt(0)] = digit
  HEX_VALUES[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}
const HEX_DIGITS = new TextEncoder().encode('0123456789abcdef')

/** The value of the four hex digits at `at`, or a negative number where they are none or the text ends. */
export function readHex4 (bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1
  return HEX_VALUES[bytes[at]] << 12 | HEX_VALUES[bytes[at + 1]] << 8 | HEX_VALUES[bytes[at + 2]] << 4 | HEX_VALUES[bytes[at + 3]]
}

/** Writes \uxxxx in lowercase and returns the position behind it. */
export function writeUnicodeEscape (out: Uint8Array, at: number, unit: number): number {
  out[at] = 0x5c
  out[at + 1] = 0x75
  out[at + 2] = HEX_DIGITS[unit >> 12]
  out[at + 3] = HEX_DIGITS[unit >> 8 & 15]
  out[at + 4] = HEX_DIGITS[unit >> 4 & 15]
  out[at + 5] = HEX_DIGITS[unit & 15]
  return at + 6
}

/** Writes one character as JSON.stringify spells it and returns the position behind it. */
export function writeShortest (out: Uint8Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    const letter = ESCAPE_LETTERS[codePoint]
    if (letter !== 0) {
      out[at] = 0x5c
      out[at + 1] = letter
      return at + 2
    }
    if (codePoint < 0x20) return writeUnicodeEscape(out, at, codePoint)
  } else if (codePoint >= 0xd800 && codePoint < 0xe000) {
    return writeUnicodeEscape(out, at, codePoint)
  }
  return writeCodePoint(out, at, codePoint)
}

/** The letter of an escape that JSON.stringify and TOON spell alike: quote, backslash, n, r, t. */
export function isSimpleEscape (letter: number): boolean {
  return letter === 0x22 || letter === 0x5c || letter === 0x6e || letter === 0x72 || letter === 0x74
}

/** Where `respell` stopped reading, and what the new spelling holds. Valid until the next call. */
export const respelled = {
  /** The closing quote, or, where `error` is set, the byte that is wrong. */
  at: 0,
  /** What was expected there; null where the string is well-formed. */
  error: null as string | null,
  lone: false,
  escaped: false,
  odd: false,
  /** Classes of all characters that are ASCII (bare.ts). */
  classes: 0
}

/**
 * Reads the body of a JSON string from `start` up to its closing quote and writes its shortest
 * spelling, as JSON.stringify has it: named escapes, \u00xx in lowercase for other controls, \udxxx for
 * a lone surrogate, all else raw. Never longer than what was read.
 *
 * @param view a view of the same bytes, which may go on behind them
 * @param end `start` or more
 * @param out as long as what is read, or longer
 * @returns the position in `out` behind the last byte written
 */
export function respell (bytes: Uint8Array, view: DataView, start: number, end: number, { bytes: out, view: outView }: Arena, at: number): number {
  respelled.lone = respelled.escaped = respelled.odd = false
  respelled.error = null
  let classes = 0
  let i = start
  const lastWord = end - 4
  while (i < end) {
    const byte = bytes[i]
    if (byte === 0x22) {
      respelled.at = i
      respelled.classes = classes
      return at
    }
    if (byte < 0x20) return fail(i, 'an escape instead of a raw control character', at)
    if (byte !== 0x5c) {
      classes |= BYTE_CLASSES[byte]
      out[at++] = byte
      i++
      while (i <= lastWord && bytes[i] !== 0x5c) {
        const word = view.getInt32(i, true)
        if ((COMMA_PAIRS[word & 0xffff] | COMMA_PAIRS[word >>> 16]) !== 0) break
        outView.setInt32(at, word, true)
        i += 4
        at += 4
      }
      continue
    }
    const next = respellRun(view, i, end, out, at)
    if (next > i) {
      i = next
      at = runTo()
      continue
    }
    // What is not of a run is an escape for ASCII or for half of a pair.
    let character: number = ESCAPE_VALUES[bytes[i + 1]]
    let length = 2
    if (bytes[i + 1] === 0x75) {
      character = readHex4(bytes, i + 2, end)
      if (character < 0) return fail(i, 'four hex digits behind \\u', at)
      length = 6
    } else if (character === 0 || i + 1 >= end) {
      return fail(i, 'one of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u', at)
    }
    noteEscape(character)
    if (character < 0x80) classes |= BYTE_CLASSES[character]
    at = writeShortest(out, at, character)
    i += length
  }
  return fail(end, 'the closing quote of a string', at)
}

function noteEscape (character: number): void {
  if (character >= 0xd800 && character < 0xe000) respelled.lone = respelled.escaped = respelled.odd = true
  else if (character < 0x20) {
    respelled.escaped = true
    if (character !== 10 && character !== 13 && character !== 9) respelled.odd = true
  } else if (character === 0x22 || character === 0x5c) respelled.escaped = true
}

function fail (at: number, expected: string, written: number): number {
  respelled.at = at
  respelled.error = expected
  return written
}
