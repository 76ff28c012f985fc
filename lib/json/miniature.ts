import { Spare } from './allocate.js'
import { Document } from './document.js'
import { ByteWriter } from './output.js'
import { ARRAY, COUNT, END, ESCAPED, KEY, KIND_MASK, OBJECT, ODD_ESCAPES, ROWS, STRING, WIDE, nextNode } from './tape.js'
import { makeWords } from './word-room.js'

/** A document that stands for a larger one. */
export interface Miniature {
  /** Its bytes are minified. Only for writing it: what a codec measures and verifies by is not kept true. */
  document: Document
  /** Whether values were left out, and not only parts of strings. */
  isThinned: boolean
  /** Bytes of the middles of long strings that were left out of it. */
  elidedBytes: number
  /** Some of what was left out of strings, to tell what it is like. */
  elided: Uint8Array
}

/** A string this long or longer is cut down to its ends, about so many bytes of each. */
const LONG_STRING = 56
const STRING_END = 16
/** How much of what is left out of strings is kept to look at, of one string and in all, up to the end of the last character. */
const ELIDED_PART = 64
const ELIDED_SAMPLE = 512
/** So many values are taken of a container where not all fit, if so many words are left for each. */
const FEWEST_VALUES = 4
const FEWEST_WORDS = 24
/** More bytes than this for a word of the tape mean long strings, most of which will be left out. */
const MOST_BYTES_OF_WORD = 8

const spareTapes = new Spare<Int32Array>(makeWords, 1 << 16)
const NOTHING = new Uint8Array(0)

/**
 * Makes a document of about so many bytes that a codec writes as it writes the larger one: of lists and maps
 * it has every n-th value, of long strings the ends, and each value keeps the marks by which codecs choose its form,
 * so that rows of a table are that here too. What a codec gains or loses by its form on the larger document shows on it, while what
 * all texts of the document share, such as prose, is mostly left out.
 *
 * @param bytes how large it should be; what cannot be thinned may make it larger
 */
export function makeMiniature (document: Document, bytes: number): Miniature {
  return new Reducer(document, bytes).run()
}

/** Says that a miniature is not needed any more, so that its tape can serve the next. */
export function disposeMiniature ({ document }: Miniature): void {
  spareTapes.give(document.tape)
}

class Reducer {
  private readonly source: Document
  private readonly tape: Int32Array
  private readonly out: ByteWriter
  private words: Int32Array
  private at = 0
  private elidedBytes = 0
  private isThinned = false
  private elided: ByteWriter | null = null
  private readonly budget: number

  constructor (document: Document, bytes: number) {
    this.source = document
    this.tape = document.tape
    this.budget = bytes / Math.min(MOST_BYTES_OF_WORD, document.minifiedBytes / document.length)
    this.words = spareTapes.take(Math.min(document.length, 2 * this.budget) + 64)
    this.out = new ByteWriter(Math.min(document.minifiedBytes, 2 * bytes), document)
  }

  run (): Miniature {
    this.value(0, this.budget)
    const { source, out, words, at, isThinned, elidedBytes, elided } = this
    return { document: Document.excerpt(source, out.finish(), words, at), isThinned, elidedBytes, elided: elided?.finish() ?? NOTHING }
  }

  /** @param budget how many words it may take on the tape */
  private value (node: number, budget: number): void {
    const { tape, out } = this
    const kind = tape[node] & KIND_MASK
    if (kind === STRING) this.string(node)
    else if (kind > ARRAY) this.primitive(node)
    else {
      const from = this.at
      this.room(6)
      const { words } = this
      words[from] = tape[node]
      words[from + 1] = out.at
      words[from + COUNT] = tape[node + COUNT]
      words[from + 4] = tape[node + 4]
      this.at += 6
      out.byte(kind === OBJECT ? 0x7b : 0x5b)
      this.values(node, budget)
      out.byte(kind === OBJECT ? 0x7d : 0x5d)
      this.words[from + 2] = this.at
      this.words[from + END] = out.at
    }
  }

  /**
   * Where not all fit, as many as are wanted of average size, taken at equal distances on the tape, so that a large one
   * is met more often than a small one, and each cut down to its part of the budget. Rows are never cut.
   */
  private values (node: number, budget: number): void {
    const { tape, out } = this
    const end = tape[node + 2]
    const isObject = (tape[node] & KIND_MASK) === OBJECT
    const isRows = (tape[node] & ROWS) !== 0
    const size = end - node
    const count = tape[node + COUNT]
    const fewest = isRows ? FEWEST_VALUES : Math.min(FEWEST_VALUES, Math.max(1, Math.floor(budget / FEWEST_WORDS)))
    const wanted = size <= budget ? count : Math.min(count, Math.max(fewest, Math.round(count * budget / size)))
    const step = wanted < count ? size / wanted : 0
    if (step > 0) this.isThinned = true
    let mark = node + step / 2
    let isFirst = true
    for (let at = node + 6; at < end;) {
      const value = isObject ? at + 3 : at
      const next = nextNode(tape, value)
      if (next > mark) {
        if (!isFirst) out.byte(0x2c)
        isFirst = false
        if (isObject) this.key(tape[at + 2])
        let marks = 1
        if (step > 0) {
          marks = Math.ceil((next - mark) / step)
          mark += marks * step
        }
        this.value(value, size <= budget || isRows ? Infinity : step > 0 ? marks * budget / wanted : (next - at) * budget / size)
      }
      at = next
    }
  }

  private key (key: number): void {
    const { out } = this
    const { keys } = this.source
    out.byte(0x22)
    this.record(KEY, out.at, key)
    out.copyKey(keys, key)
    out.byte(0x22)
    out.byte(0x3a)
  }

  private primitive (node: number): void {
    const { out, tape } = this
    const start = out.at
    out.copy(this.source.bytes, tape[node + 1], tape[node + 2])
    this.record(tape[node], start, out.at)
  }

  private string (node: number): void {
    const { out, tape, source } = this
    const head = tape[node]
    const isWide = (head & WIDE) !== 0
    const bytes = isWide ? source.arena : source.bytes
    const from = tape[node + (isWide ? 3 : 1)]
    const to = tape[node + (isWide ? 4 : 2)]
    out.byte(0x22)
    const start = out.at
    if (to - from < LONG_STRING || (head & ODD_ESCAPES) !== 0) out.copy(bytes, from, to)
    else this.ends(bytes, from, to, (head & ESCAPED) !== 0)
    // The spelling stands for the source, but where codecs look it up because they have not all of its escapes.
    if ((head & ODD_ESCAPES) === 0) {
      this.record(head & ~WIDE, start, out.at)
    } else {
      this.record(head | WIDE, start, out.at)
      this.record(start, out.at, 0)
    }
    out.byte(0x22)
  }

  /** The ends of a long string, cut between characters and not inside of an escape. */
  private ends (bytes: Uint8Array, from: number, to: number, isEscaped: boolean): void {
    const { out } = this
    const head = behindCharacter(bytes, from + STRING_END, from, isEscaped)
    const tail = Math.min(to, behindCharacter(bytes, to - STRING_END, from, isEscaped))
    out.copy(bytes, from, head)
    out.copy(bytes, tail, to)
    this.elidedBytes += tail - head
    const elided = this.elided ??= new ByteWriter(ELIDED_SAMPLE + 3)
    const room = Math.min(ELIDED_PART, ELIDED_SAMPLE - elided.at)
    if (room > 0) elided.copy(bytes, head, Math.min(tail, behindCharacter(bytes, head + room, from, isEscaped)))
  }

  private record (first: number, second: number, third: number): void {
    this.room(3)
    this.words[this.at] = first
    this.words[this.at + 1] = second
    this.words[this.at + 2] = third
    this.at += 3
  }

  private room (count: number): void {
    if (this.at + count <= this.words.length) return
    const larger = new Int32Array(this.words.length * 2)
    larger.set(this.words)
    this.words = larger
  }
}

/** The position itself, or the one behind the character or the escape of two bytes that it is in the middle of. */
function behindCharacter (bytes: Uint8Array, position: number, start: number, isEscaped: boolean): number {
  if (isEscaped) {
    let i = position
    while (i > start && bytes[i - 1] === 0x5c) i--
    if ((position - i) % 2 !== 0) position++
  }
  while ((bytes[position] & 0xc0) === 0x80) position++
  return position
}
