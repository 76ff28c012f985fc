import { isDigit, skipDigits } from '../../json/bare.js'
import { Failure } from '../../json/errors.js'
import { StringReader } from '../../json/string-reader.js'

/** Counts of more digits than this leave the integers that a double holds exactly. */
const MAX_COUNT_DIGITS = 15

export const IDENTIFIER_START = 1
export const IDENTIFIER_PART = 2
/** Classes of bytes. */
export const CLASSES = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  const char = String.fromCharCode(byte)
  if (/[A-Za-z_]/.test(char)) CLASSES[byte] = IDENTIFIER_START | IDENTIFIER_PART
  else if (/[0-9]/.test(char)) CLASSES[byte] = IDENTIFIER_PART
}

/** Whether a key may stand bare. */
export function isIdentifier (bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end || (CLASSES[bytes[start]] & IDENTIFIER_START) === 0) return false
  for (let i = start; i < end; i++) if ((CLASSES[bytes[i]] & IDENTIFIER_PART) === 0) return false
  return true
}

/** Whether a value may start with this byte; false behind the end of the text, where reading gives undefined. */
export function isValueStart (byte: number): boolean {
  return byte === 0x22 || byte === 0x2d || isDigit(byte) || byte === 0x74 || byte === 0x66 || byte === 0x6e || byte === 0x7b || byte === 0x5b
}

/** Whether the bracket or brace at `i` begins the head of a table: a count, then fields, or before them what row keys have in common. */
export function isTableHead (text: Uint8Array, i: number, end: number, close: number): boolean {
  if (!isDigit(text[i + 1])) return false
  const stop = skipDigits(text, i + 1, end)
  return text[stop] === close && (text[stop + 1] === 0x7b || (text[stop + 1] === 0x22 && close === 0x7d))
}

/** The count that these digits are: 1 or more, without leading zeros; 0 where they are none. */
export function readCount (text: Uint8Array, start: number, end: number): number {
  if (start === end || end - start > MAX_COUNT_DIGITS || text[start] === 0x30) return 0
  let count = 0
  for (let i = start; i < end; i++) count = count * 10 + text[i] - 0x30
  return count
}

/** A place in a text of STC 2, and the tokens that all its readers share. */
export class Cursor {
  protected i = 0
  protected depth = 0
  protected end: number
  protected strings: StringReader

  constructor (protected text: Uint8Array, protected maxDepth: number) {
    this.end = text.length
    this.strings = new StringReader(text)
  }

  /**
   * Goes on with another text.
   *
   * @param view of the text
   */
  begin (text: Uint8Array, maxDepth: number, view: DataView): void {
    this.text = text
    this.maxDepth = maxDepth
    this.end = text.length
    this.strings = new StringReader(text, view)
  }

  /** One level of JSON more. */
  protected descend (): void {
    if (++this.depth > this.maxDepth) this.fail(`no more than ${this.maxDepth} levels`)
  }

  protected take (byte: number): boolean {
    if (this.text[this.i] !== byte) return false
    this.i++
    return true
  }

  protected expect (byte: number, expected: string): void {
    if (this.text[this.i] !== byte) this.fail(expected)
    this.i++
  }

  /** Whether a value starts here; else a cell is empty. */
  protected isAtValue (): boolean {
    return isValueStart(this.text[this.i])
  }

  protected isAtHead (close: number): boolean {
    return isTableHead(this.text, this.i, this.end, close)
  }

  /** A count of 1 or more, without leading zeros. */
  protected count (): number {
    const { text, i: start } = this
    const stop = skipDigits(text, start, this.end)
    const count = readCount(text, start, stop)
    if (count === 0) this.fail('a count of 1 or more')
    this.i = stop
    return count
  }

  /** A key, bare or in quotes; it is what `strings` read last. */
  protected key (): void {
    const { text, strings, i: start } = this
    if (text[start] === 0x22) {
      this.i = strings.readJson(start)
      return
    }
    const stop = this.identifierEnd()
    if (stop === start) this.fail('a key')
    strings.point(text, start, stop)
    this.i = stop
  }

  /** Where the identifier that starts here ends; here where none does. */
  protected identifierEnd (): number {
    const { text, end } = this
    let { i } = this
    if (i >= end || (CLASSES[text[i]] & IDENTIFIER_START) === 0) return i
    do i++; while (i < end && (CLASSES[text[i]] & IDENTIFIER_PART) !== 0)
    return i
  }

  protected fail (expected: string, at: number = this.i): never {
    throw new Failure(at, expected)
  }
}
