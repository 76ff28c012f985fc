import { NO_ARENA, spareArenas } from './arena.js'
import { COMMA, STOP, STRUCTURAL, hasPlainEdges } from './bare.js'
import { Failure } from './errors.js'
import { matchRun, runTo } from './escape-runs.js'
import { findStop } from './find-stop.js'
import { KEY_ESCAPED, KEY_ODD_ESCAPES } from './key-table.js'
import type { KeyTable } from './key-table.js'
import { isSimpleEscape, respell, respelled } from './spelling.js'
import { ESCAPED, ODD_ESCAPES, PLAIN, STRING, WIDE } from './tape.js'

/** Classes of characters that need quotes where the comma is the delimiter. */
const QUOTED = STOP | STRUCTURAL | COMMA

/** Reads the strings and keys of a document that hold a backslash; what is not as JSON.stringify spells it goes to the arena. */
export class EscapedStrings {
  /** The shortest spellings, one behind the other. */
  arena = NO_ARENA
  /** Bytes by which the spellings are shorter than what came. */
  saved = 0
  hasLoneSurrogate = false
  /** The id of the key that was read last. */
  key = 0
  /** Where the tape goes on behind the string that was read last. */
  next = 0
  private arenaEnd = 0

  constructor (private readonly bytes: Uint8Array, private readonly view: DataView) {}

  /**
   * Reads the key that starts at `start`, behind its quote, and returns where its closing quote stands.
   *
   * @param guess the id of the key that it most likely is, or -1
   * @throws Failure where it is no string
   */
  readKey (start: number, keys: KeyTable, guess: number): number {
    if (guess >= 0) {
      const end = this.matchKey(start, keys, guess)
      if (end >= 0) return end
    }
    this.makeArena(start)
    const from = this.arenaEnd
    const close = this.respell(start)
    const escapes = respelled.escaped ? KEY_ESCAPED | (respelled.odd ? KEY_ODD_ESCAPES : 0) : 0
    this.key = keys.intern(this.arena.bytes, from, this.arenaEnd, escapes)
    this.arenaEnd = from
    return close
  }

  /** The same if it is this key, with no escapes but for characters beyond ASCII; else -1. */
  private matchKey (start: number, keys: KeyTable, id: number): number {
    const { bytes, view } = this
    const from = keys.starts[id]
    const to = keys.starts[id + 1]
    let i = start
    let k = from
    for (;;) {
      // Quotes and backslashes are escaped in the table.
      if (bytes[i] === 0x5c) {
        const next = matchRun(view, i, bytes.length, keys.bytes, k)
        if (next === i) break
        i = next
        k = runTo()
      } else {
        if (k >= to || bytes[i] !== keys.bytes[k]) break
        i++
        k++
      }
    }
    if (k !== to || bytes[i] !== 0x22) return -1
    this.key = id
    this.saved += i - start - (to - from)
    return i
  }

  /**
   * Reads the string that starts at `start` and has a backslash or an error at `stop`, writes its
   * record and returns the position behind its closing quote.
   *
   * @throws Failure where it is no string
   */
  readString (start: number, stop: number, tape: Int32Array, at: number): number {
    const { bytes, view } = this
    const end = bytes.length
    let i = stop
    // As long as all escapes are the ones that JSON.stringify and TOON write, the source is the shortest spelling.
    while (bytes[i] === 0x5c && isSimpleEscape(bytes[i + 1])) i = findStop(bytes, view, i + 2, end)
    tape[at + 1] = start
    if (bytes[i] === 0x22) {
      tape[at] = STRING | ESCAPED
      tape[at + 2] = i
      this.next = at + 3
      return i + 1
    }
    // In quotes, so that it can be copied as a string of the source is.
    this.makeArena(start)
    this.arena.bytes[this.arenaEnd++] = 0x22
    const from = this.arenaEnd
    const close = this.respell(start)
    this.arena.bytes[this.arenaEnd] = 0x22
    let flags = STRING | WIDE
    if (respelled.escaped) flags |= respelled.odd ? ESCAPED | ODD_ESCAPES : ESCAPED
    else if ((respelled.classes & QUOTED) === 0 && hasPlainEdges(this.arena.bytes, from, this.arenaEnd)) flags |= PLAIN
    tape[at] = flags
    tape[at + 2] = close
    tape[at + 3] = from
    tape[at + 4] = this.arenaEnd++
    tape[at + 5] = 0
    this.next = at + 6
    return close + 1
  }

  /** No spelling is longer than what came, so what is left of the document, from the quote on, is room enough. */
  private makeArena (start: number): void {
    if (this.arena.length === 0) this.arena = spareArenas.take(this.bytes.length - start + 1)
  }

  /** Appends the shortest spelling to the arena and returns where the closing quote stands. */
  private respell (start: number): number {
    const { bytes, view } = this
    const from = this.arenaEnd
    this.arenaEnd = respell(bytes, view, start, bytes.length, this.arena, from)
    if (respelled.error !== null) throw new Failure(respelled.at, respelled.error)
    if (respelled.lone) this.hasLoneSurrogate = true
    this.saved += respelled.at - start - (this.arenaEnd - from)
    return respelled.at
  }
}
