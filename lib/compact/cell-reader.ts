import { COMMA_CLASSES, FALSE_BYTES, NULL_BYTES, TRUE_BYTES, hasPlainEdges, matches } from '../json/bare.js'
import { findStop } from '../json/find-stop.js'
import { isSimpleEscape, readHex4 } from '../json/spelling.js'
import { skipSameNumber } from './decimals.js'
import { TextStops, hasControl } from './text-stops.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** In strings of more code units than this V8 finds quotes and escapes. */
const LONG = 64

/** What a byte may be in a key without quotes: a dot, where such keys have some, a digit, or what it may begin with. */
const DOT = 1
const DIGIT = 2
const LETTER = 3
const NAME_CLASSES = new Uint8Array(256)
NAME_CLASSES[0x2e] = DOT
for (const char of '0123456789') NAME_CLASSES[char.charCodeAt(0)] = DIGIT
for (const char of 'abcdefghijklmnopqrstuvwxyz_') {
  NAME_CLASSES[char.charCodeAt(0)] = LETTER
  NAME_CLASSES[char.toUpperCase().charCodeAt(0)] = LETTER
}

/** What escapes stand for in JSON; TOON has only those that `isSimpleEscape` knows. */
const ESCAPES: Readonly<Record<number, number>> = { 0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 8, 0x66: 12, 0x6e: 10, 0x72: 13, 0x74: 9 }

/** A text in both of its forms. */
export interface Written {
  bytes: Uint8Array
  /** A view of the same bytes. */
  view: DataView
  /** How many of the bytes the text is. */
  length: number
  /** The text that these bytes are. */
  text: string
}

/**
 * Reads a text cell by cell, and compares each with the value that it should be. Its structure is read from the
 * bytes, and what strings hold from the text, where V8 compares them.
 */
export class CellReader {
  protected readonly bytes: Uint8Array
  /** Where the next byte is read. */
  protected i = 0
  private readonly view: DataView
  private readonly end: number
  private readonly text: string
  /** Whether bytes and code units of the text are the same. */
  private readonly isAscii: boolean
  /** By how much the next byte's position is larger than that of its code unit. */
  private shift = 0
  private readonly stops: TextStops
  /** Code units that were taken last. */
  private from = 0
  private to = 0

  constructor ({ bytes, view, length, text }: Written, protected readonly isToon: boolean) {
    this.bytes = bytes
    this.view = view
    this.end = length
    this.text = text
    this.isAscii = text.length === length
    this.stops = new TextStops(text)
  }

  protected isAtEnd (): boolean {
    return this.i === this.end
  }

  protected take (byte: number): boolean {
    return this.i < this.end && this.bytes[this.i++] === byte
  }

  /** Takes the value that stands here; what stands behind it is the caller's to check. */
  protected cell (value: unknown): boolean {
    const { bytes, i: start, end } = this
    if (typeof value === 'string') {
      if (start < end && bytes[start] === QUOTE) return this.quoted(value)
      return this.isToon && this.bare(value)
    }
    if (typeof value === 'number' && Number.isFinite(value)) {
      this.i = skipSameNumber(bytes, start, end, value)
      return this.i >= 0
    }
    // JSON.stringify has null for a number that is none.
    const word = value === true ? TRUE_BYTES : value === false ? FALSE_BYTES : NULL_BYTES
    this.i += word.length
    return this.i <= end && matches(bytes, start, word)
  }

  /** Takes a string without quotes; what would be read as something else is none (TOON 4.0 section 7.2). */
  private bare (value: string): boolean {
    const { bytes, i: start, end } = this
    let i = start
    while (i < end && COMMA_CLASSES[bytes[i]] === 0) i++
    return this.takeUnits(i) === value.length && this.isTaken(value) && hasPlainEdges(bytes, start, i)
  }

  /** Takes a string in quotes. */
  protected quoted (value: string): boolean {
    const { bytes, view, end } = this
    const isLong = value.length > LONG && this.isAscii
    const start = ++this.i
    let k = 0
    for (;;) {
      const stop = isLong ? this.stops.next(this.i) : findStop(bytes, view, this.i, end)
      const units = this.takeUnits(stop)
      if (stop >= end || bytes[stop] !== BACKSLASH) {
        return units === value.length - k && this.isTaken(k === 0 ? value : value.substring(k)) && !(isLong && hasControl(bytes, view, start, stop)) && this.take(QUOTE)
      }
      if ((units > 0 && !this.isTaken(value.substring(k, k + units))) || this.escape() !== value.charCodeAt(k + units)) return false
      k += units + 1
    }
  }

  /**
   * Takes the bytes up to `stop`, where another byte stands than before it, or the end.
   *
   * @returns how many code units of the text they are
   */
  private takeUnits (stop: number): number {
    const { text, bytes, end } = this
    const from = this.i - this.shift
    this.i = stop
    if (!this.isAscii) this.shift = stop - (stop === end ? text.length : text.indexOf(String.fromCharCode(bytes[stop]), from))
    this.from = from
    this.to = stop - this.shift
    return this.to - from
  }

  /** Whether what was taken last is this text. */
  private isTaken (value: string): boolean {
    return this.text.substring(this.from, this.to) === value
  }

  /** Takes an escape; returns what it stands for, or a negative number where it is none. */
  private escape (): number {
    const { bytes, end, isToon } = this
    const letter = bytes[this.i + 1]
    this.i += 2
    if (letter !== LETTER_U) return isSimpleEscape(letter) || !isToon ? ESCAPES[letter] ?? -1 : -1
    const unit = readHex4(bytes, this.i, end)
    this.i += 4
    return isToon && (unit & 0xf800) === 0xd800 ? -1 : unit
  }

  /** Takes a key, in quotes or without (TOON 4.0 section 7.3); only there a dot may stand without. */
  protected key (key: string): boolean {
    const { bytes, i: start, end } = this
    if (bytes[start] === QUOTE) return this.quoted(key)
    if (NAME_CLASSES[bytes[start]] !== LETTER) return false
    const least = this.isToon ? DOT : DIGIT
    let i = start + 1
    while (i < end && NAME_CLASSES[bytes[i]] >= least) i++
    this.i = i
    return this.text.substring(start - this.shift, i - this.shift) === key
  }
}
