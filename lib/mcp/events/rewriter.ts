import { readData, replaceData } from './event-data.js'
import { HeldBytes } from './held-bytes.js'
import { CR, LF, LineEnds } from './line-ends.js'
import type { EventStreamOptions, Piece, RewriteData } from './types.js'

/*
 * What the next byte is part of. Behind each kind of line's inside stands its start, where a line end would make
 * an empty line, which ends the event.
 */
/** A line before which the event had no data, and which is no data line. */
const LINE = 0
const START = 1
/** A line of an event that passes whatever it holds. */
const FREE_LINE = 2
const FREE_START = 3
/** A line of an event that is held. */
const HELD_LINE = 4
const HELD_START = 5
/** The first data line, before its first character other than a blank. */
const BLANKS = 6

const BOM = [0xef, 0xbb, 0xbf]
const DATA = Uint8Array.of(0x64, 0x61, 0x74, 0x61)
const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09
const OBJECT = 0x7b
const ARRAY = 0x5b
const NO_BYTES = new Uint8Array(0)

/**
 * Reads an event stream (WHATWG HTML, section 9.2) chunk by chunk and gives it on with the data of some events
 * rewritten. All other bytes are given on as they came and at once: those of an event up to its first data
 * line, and from there those of an event that cannot be JSON. An event that may be JSON is held until it is
 * complete.
 */
export class EventStreamRewriter {
  readonly #rewrite: RewriteData
  readonly #options: EventStreamOptions
  #state = START
  /** In START: how many characters of "data" the line has so far. */
  #matched = 0
  /** How many bytes of a byte order mark the stream has so far; -1 once it can have none. */
  #bom = 0
  /** The last byte was a CR: a LF belongs to the same line end. */
  #afterCr = false
  /** What is held of past chunks. */
  readonly #held = new HeldBytes()

  /* Of the chunk at hand: */
  #chunk: Uint8Array = NO_BYTES
  #pieces: Piece[] = []
  /** Where the bytes start that were neither given on nor held. */
  #from = 0
  /** Where the bytes start that are held, 0 where that was in a past chunk; -1: none are. */
  #hold = -1

  constructor (rewrite: RewriteData, options: EventStreamOptions) {
    this.#rewrite = rewrite
    this.#options = options
  }

  /**
   * Takes the next bytes, which must not change any more.
   *
   * @returns what is to be sent on now, in order
   */
  push (chunk: Uint8Array): Piece[] {
    this.#chunk = chunk
    this.#pieces = []
    this.#from = 0
    this.#hold = this.#held.size > 0 ? 0 : -1
    this.#read()
    this.#endChunk()
    return this.#pieces
  }

  /** What is to be sent on at the stream's end: an event that is not complete is none, and goes as it came. */
  end (): Uint8Array[] {
    return this.#held.size > 0 ? [this.#held.take()] : []
  }

  #read (): void {
    const chunk = this.#chunk
    const ends = new LineEnds(chunk)
    for (let at = this.#skipBom(); at < chunk.length;) {
      if (this.#afterCr) {
        this.#afterCr = false
        if (chunk[at] === LF) {
          at++
          continue
        }
      }
      at = this.#isInLine() ? this.#finishLine(ends.find(at)) : this.#step(at, chunk[at])
    }
  }

  #skipBom (): number {
    let at = 0
    while (this.#bom >= 0 && at < this.#chunk.length) {
      if (this.#bom === BOM.length) {
        this.#bom = -1
      } else if (this.#chunk[at] === BOM[this.#bom]) {
        this.#bom++
        at++
      } else {
        if (this.#bom > 0) this.#state = LINE
        this.#bom = -1
      }
    }
    return at
  }

  #isInLine (): boolean {
    return this.#state === LINE || this.#state === HELD_LINE || this.#state === FREE_LINE
  }

  /** @param end where the line's end starts; behind the chunk where that is still to come */
  #finishLine (end: number): number {
    return end < this.#chunk.length ? this.#endLine(end, this.#state + 1) : end
  }

  #endLine (at: number, next: number): number {
    this.#afterCr = this.#chunk[at] === CR
    this.#state = next
    return at + 1
  }

  /** Takes one byte, or none, outside of a line's inside. */
  #step (at: number, byte: number): number {
    const isEnd = byte === LF || byte === CR
    switch (this.#state) {
      case START:
        return this.#match(at, byte, isEnd)
      case BLANKS:
        if (isEnd) return this.#endLine(at, HELD_START)
        if (byte === SPACE || byte === TAB) return at + 1
        if (byte !== OBJECT && byte !== ARRAY) this.#release()
        this.#state = this.#hold < 0 ? FREE_LINE : HELD_LINE
        return at
      case HELD_START:
        if (isEnd) {
          this.#complete(at + 1)
          return this.#endLine(at, START)
        }
        this.#state = HELD_LINE
        return at
      default:
        if (isEnd) return this.#endLine(at, START)
        this.#state = FREE_LINE
        return at
    }
  }

  /** Finds out whether a line is a data line; what may become one is held. */
  #match (at: number, byte: number, isEnd: boolean): number {
    if (byte === DATA[this.#matched]) {
      if (this.#matched++ === 0) this.#hold = at
      return at + 1
    }
    const isData = this.#matched === DATA.length && (isEnd || byte === COLON)
    if (!isData) this.#release()
    this.#matched = 0
    if (isEnd) return this.#endLine(at, isData ? HELD_START : START)
    this.#state = isData ? BLANKS : LINE
    return isData ? at + 1 : at
  }

  /** Lets go of what is held; of this chunk it follows what stands before it. */
  #release (): void {
    if (this.#held.size > 0) this.#pieces.push(this.#held.take())
    this.#hold = -1
  }

  /** @param end where the event's last byte is behind */
  #complete (end: number): void {
    const isWhole = this.#held.size === 0
    const size = this.#held.size + end - this.#hold
    if (size > this.#options.maxEventBytes) return this.#refuse(size)
    if (!isWhole) this.#held.append(this.#chunk.subarray(0, end))
    const event = isWhole ? this.#chunk.subarray(this.#hold, end) : this.#held.take()
    const rewritten = this.#rewriteEvent(event)
    if (rewritten !== event || !isWhole) {
      this.#give(this.#hold)
      this.#pieces.push(rewritten)
      this.#from = end
    }
    this.#hold = -1
  }

  #rewriteEvent (event: Uint8Array): Piece {
    const data = readData(event)
    const next = data.length === 0 ? null : this.#rewrite(data)
    if (next instanceof Promise) return next.then((bytes) => bytes === null ? event : replaceData(event, bytes))
    return next === null ? event : replaceData(event, next)
  }

  #refuse (size: number): void {
    this.#options.onTooLarge?.(size)
    this.#release()
  }

  /** Gives on what stands before a position of this chunk. */
  #give (end: number): void {
    if (end > this.#from) this.#pieces.push(this.#chunk.subarray(this.#from, end))
    this.#from = end
  }

  #endChunk (): void {
    const { length } = this.#chunk
    const size = this.#held.size + length - this.#hold
    if (this.#hold >= 0 && size > this.#options.maxEventBytes && this.#state >= HELD_LINE) {
      this.#refuse(size)
      this.#state = this.#state === HELD_START ? FREE_START : FREE_LINE
    }
    this.#give(this.#hold < 0 ? length : this.#hold)
    if (this.#hold >= 0) this.#held.append(this.#chunk.subarray(this.#hold))
    // Nothing of a chunk may be kept alive by a stream that is idle.
    this.#chunk = NO_BYTES
  }
}
