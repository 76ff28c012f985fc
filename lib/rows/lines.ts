import { matches } from '../json/bare.js'
import { toBytes } from '../json/utf8.js'

const NEWLINE = 0x0a
const CR = 0x0d
const HASH = 0x23
const OPEN_BRACKET = 0x5b
/** The first line of the footer that compares the sizes. */
export const FOOTER = '# Token Savings'
const FOOTER_BYTES = toBytes(FOOTER)

/** Walks the lines of a text that are not empty; they end with LF or CR LF. */
export class RowLines {
  /** Where the current line starts. */
  start = 0
  /** Where it ends, before its line break. */
  end = 0
  /** Whether there is a current line. */
  isOpen = false
  private following: number

  constructor (private readonly bytes: Uint8Array) {
    this.following = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  /** Goes on to the next line. @returns false behind the last */
  next (): boolean {
    const { bytes } = this
    while (this.following < bytes.length) {
      this.start = this.following
      const stop = bytes.indexOf(NEWLINE, this.start)
      this.end = stop < 0 ? bytes.length : stop
      this.following = this.end + 1
      if (this.end > this.start && bytes[this.end - 1] === CR) this.end--
      if (this.end === this.start) continue
      this.isOpen = true
      return true
    }
    this.start = this.end = bytes.length
    this.isOpen = false
    return false
  }

  isFooter (): boolean {
    return this.end - this.start === FOOTER_BYTES.length && matches(this.bytes, this.start, FOOTER_BYTES)
  }

  /** Whether the text, looked at from here on, is one block and nothing else. Stays where it is. */
  isSingleBlock (): boolean {
    const ahead = new RowLines(this.bytes)
    let blocks = 0
    while (ahead.next() && !ahead.isFooter()) {
      if (this.bytes[ahead.start] === HASH) return false
      if (this.bytes[ahead.start] !== OPEN_BRACKET && ++blocks > 1) return false
    }
    return blocks === 1
  }
}
