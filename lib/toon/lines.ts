import { Failure } from '../json/errors.js'

const NEWLINE = 0x0a
const SPACE = 0x20
const TAB = 0x09
const INDENT = 2

/**
 * Walks a TOON text line by line (TOON 4.0 sections 12 and 13, strict). The line that is current is
 * described by the fields; comments and blank lines are passed over, and the blank ones counted, since
 * inside of arrays they are errors.
 */
export class Lines {
  /** Where the content of the current line starts, behind its indentation. */
  start = 0
  /** Where it ends, before blanks, CR and LF. */
  end = 0
  /** Levels of indentation; -1 where there are no more lines. */
  depth = -1
  /** Blank lines before the current one. */
  blanks = 0
  /** Blank lines before the line that was current last. */
  consumedBlanks = 0
  /** Where that line starts. */
  consumedStart = 0
  /** Where the next line starts. */
  private next: number

  constructor (readonly bytes: Uint8Array) {
    const { length } = bytes
    this.next = length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    this.advance()
  }

  /** Goes on to the next line that says something. */
  advance (): void {
    const { bytes } = this
    const { length } = bytes
    this.consumedBlanks = this.blanks
    this.consumedStart = this.start
    for (;;) {
      if (this.next >= length) {
        this.depth = -1
        this.start = this.end = length
        return
      }
      const lineStart = this.next
      let lineEnd = bytes.indexOf(NEWLINE, lineStart)
      if (lineEnd < 0) lineEnd = length
      this.next = lineEnd + 1
      let start = lineStart
      while (start < lineEnd && bytes[start] === SPACE) start++
      let end = lineEnd
      if (end > start && bytes[end - 1] === 0x0d) end--
      while (end > start && bytes[end - 1] === SPACE) end--
      if (start === end) {
        this.blanks++
        continue
      }
      if (bytes[start] === 0x23) continue
      if (bytes[start] === TAB) throw new Failure(start, 'no tab in the indentation')
      const indentation = start - lineStart
      if (indentation % INDENT !== 0) throw new Failure(start, `indentation by a multiple of ${INDENT} blanks`)
      this.start = start
      this.end = end
      this.depth = indentation / INDENT
      return
    }
  }
}
