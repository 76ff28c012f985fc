import { Arena } from './arena.js'
import { Failure } from './errors.js'
import { findStop } from './find-stop.js'
import { isSimpleEscape, respell, respelled } from './spelling.js'

/** Where strings are respelled; shared, since only one text is read at a time and nothing is kept of it. */
let scratch = new Arena(1024)

/**
 * Reads strings in quotes. What was read last is the span from `start` to `end` of `bytes`: the shortest
 * JSON spelling, without quotes; valid until the next string is read.
 */
export class StringReader {
  bytes: Uint8Array
  start = 0
  end = 0
  /** @param view of the text, if there is one */
  constructor (private readonly text: Uint8Array, private readonly view = new DataView(text.buffer, text.byteOffset, text.length)) {
    this.bytes = text
  }

  /**
   * Reads the JSON string whose opening quote stands at `at` and returns the position behind it.
   *
   * @throws Failure where it is none
   */
  readJson (at: number): number {
    const i = this.skipPlain(at + 1)
    if (this.text[i] === 0x22) return i + 1
    this.room(this.text.length - at)
    const written = respell(this.text, this.view, at + 1, this.text.length, scratch, 0)
    if (respelled.error !== null) throw new Failure(respelled.at, respelled.error)
    this.point(scratch.bytes, 0, written)
    return respelled.at + 1
  }

  /** Takes a span as what was read. */
  point (bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes
    this.start = start
    this.end = end
  }

  /** At least `size` bytes to write a new spelling into. */
  room (size: number): Uint8Array {
    if (scratch.length < size) scratch = new Arena(size)
    return scratch.bytes
  }

  /** The first byte that ends the string or cannot stay as it is; the span up to it is what was read. */
  skipPlain (start: number): number {
    const { text, view } = this
    let i = findStop(text, view, start, text.length)
    while (text[i] === 0x5c && isSimpleEscape(text[i + 1])) i = findStop(text, view, i + 2, text.length)
    this.point(text, start, i)
    return i
  }
}
