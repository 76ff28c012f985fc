import { skipDigits } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import type { Tokens } from './tokens.js'

const COMMA = 0x2c
const PIPE = 0x7c
const TAB = 0x09
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const QUOTE = 0x22
const MAX_COUNT_DIGITS = 15

/** Step of a row: the innermost group ends. */
export const END_GROUP = -1

/** What stands between the bracket and the colon of `key[3|]{a|b{c|d}}:` (TOON 4.0 section 6). */
export interface Header {
  count: number
  /** The byte that parts values and fields. */
  delimiter: number
  /** Whether the rows carry keys. */
  keyed: boolean
  /**
   * What to do for each row, in order: the handle of a key times two for a cell, plus one where a
   * group begins, END_GROUP where one ends; null where there is no field list.
   */
  steps: number[] | null
  /** Cells of a row. */
  cells: number
  /** Levels of groups. */
  groupDepth: number
  /** Position behind the colon. */
  after: number
}

/**
 * Reads a header whose bracket opens at `at`.
 *
 * @throws Failure where it is none
 */
export function readHeader (bytes: Uint8Array, tokens: Tokens, sink: Sink, at: number, end: number, maxDepth: number): Header {
  const countEnd = skipDigits(bytes, at + 1, end)
  const digits = countEnd - at - 1
  if (digits === 0 || digits > MAX_COUNT_DIGITS || (bytes[at + 1] === 0x30 && digits > 1)) throw new Failure(at + 1, 'a count')
  let count = 0
  for (let k = at + 1; k < countEnd; k++) count = count * 10 + bytes[k] - 0x30
  let i = countEnd
  const keyed = bytes[i] === COLON
  if (keyed) i++
  let delimiter = COMMA
  if (bytes[i] === TAB || bytes[i] === PIPE) delimiter = bytes[i++]
  if (bytes[i] !== 0x5d) throw new Failure(i, ']')
  i++
  let steps: number[] | null = null
  let groupDepth = 0
  let cells = 0
  if (bytes[i] === OPEN_BRACE && i < end) {
    const reader = new FieldReader(bytes, tokens, sink, delimiter, end, maxDepth)
    i = reader.read(i + 1, 1)
    steps = reader.steps
    groupDepth = reader.deepest
    cells = reader.cells
  } else if (keyed) {
    throw new Failure(i, 'a field list')
  }
  if (bytes[i] !== COLON || i >= end) throw new Failure(i, 'a colon behind the header')
  const after = tokens.skipSpaces(i + 1, end)
  if (steps !== null && after < end) throw new Failure(after, 'nothing behind a header with a field list')
  return { count, delimiter, keyed, steps, cells, groupDepth, after }
}

class FieldReader {
  readonly steps: number[] = []
  deepest = 0
  cells = 0

  constructor (
    private readonly bytes: Uint8Array,
    private readonly tokens: Tokens,
    private readonly sink: Sink,
    private readonly delimiter: number,
    private readonly end: number,
    private readonly maxDepth: number
  ) {}

  /** Reads the fields of one group from `i` on and returns the position behind its brace. */
  read (i: number, depth: number): number {
    const { bytes, tokens, end, steps } = this
    if (depth > this.maxDepth) throw new Failure(i, `no more than ${this.maxDepth} levels`)
    if (depth > this.deepest) this.deepest = depth
    const handles = new Set<number>()
    for (;;) {
      const start = tokens.skipSpaces(i, end)
      const nameEnd = this.readName(start)
      const handle = this.sink.defineKey(tokens.bytes, tokens.start, tokens.end)
      if (handles.has(handle)) throw new Failure(start, 'no field twice')
      handles.add(handle)
      i = nameEnd
      if (bytes[i] === OPEN_BRACE && i < end) {
        steps.push(handle * 2 + 1)
        i = this.read(i + 1, depth + 1)
        steps.push(END_GROUP)
      } else {
        steps.push(handle * 2)
        this.cells++
      }
      i = tokens.skipSpaces(i, end)
      if (bytes[i] === CLOSE_BRACE && i < end) return i + 1
      if (bytes[i] !== this.delimiter || i >= end) throw new Failure(i, 'a delimiter or }')
      i++
    }
  }

  /** Reads a name and returns the position behind it. */
  private readName (start: number): number {
    const { bytes, tokens, end } = this
    if (bytes[start] === QUOTE) return tokens.readQuoted(start, end)
    let i = start
    while (i < end && !this.endsName(bytes[i])) i++
    const nameEnd = tokens.trimEnd(start, i)
    if (nameEnd === start) throw new Failure(start, 'the name of a field')
    tokens.readBare(start, nameEnd)
    return nameEnd
  }

  private endsName (byte: number): boolean {
    return byte === COMMA || byte === PIPE || byte === TAB || byte === OPEN_BRACE || byte === CLOSE_BRACE || byte === QUOTE
  }
}
