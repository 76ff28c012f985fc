import { BYTE_CLASSES, COMMA, FALSE_BYTES, NULL_BYTES, STOP, STRUCTURAL, TRUE_BYTES, hasPlainEdges, isBare, isDigit, matches } from './bare.js'
import { Failure } from './errors.js'
import { findStop } from './find-stop.js'
import { scanNumber, scannedNumber } from './number.js'
import { EMPTY_SHAPE, OPAQUE_CHILD, PRIMITIVE_CHILD, SHAPE_DUPLICATE, SHAPE_OPAQUE } from './shape-tree.js'
import type { ShapeTree } from './shape-tree.js'
import { KEY_ESCAPED, KEY_ODD_ESCAPES } from './key-table.js'
import type { KeyTable } from './key-table.js'
import { isSimpleEscape, respell, respelled } from './spelling.js'
import {
  ARRAY, ESCAPED, FALSE, KEY, KINDS_MASK, NULL, NUMBER, OBJECT, ODD_ESCAPES, PLAIN, ROWS, ROWS_UNORDERED, STRING, TRUE, WIDE,
  COUNT, END, SHAPE, kindBit
} from './tape.js'

/** What a scan found; the tape is described in tape.ts. */
export interface ScanResult {
  tape: Int32Array
  /** Words of the tape that are in use. */
  length: number
  /** Spellings of those strings that came with escapes that JSON.stringify does not write. */
  arena: Uint8Array
  /** Size of the document as JSON.stringify would write it, were its numbers kept, in bytes. */
  minifiedBytes: number
  /** How deep arrays and objects nest; 0 for a primitive. */
  depth: number
  /** Some string or key holds half of a surrogate pair. */
  hasLoneSurrogate: boolean
  /** Some object holds a key twice. */
  hasDuplicateKeys: boolean
}

/** No value has come yet that could be a row. */
const NO_ROW = -2
/** Values are no rows of one shape. */
const NOT_ROWS = -1
/** Bit beside the kinds of values: the rows have the same fields in another order. */
const UNORDERED = 1

const NODE = 0
const FRAME_SHAPE = 1
const FRAME_COUNT = 2
const FRAME_ROW = 3
const FRAME_KINDS = 4
const FRAME_KEY = 5
const FRAME = 6

const EMPTY_ARENA = new Uint8Array(0)

/** One scan of one document. */
export class Scanner {
  private tape: Int32Array
  private length = 0
  private frames = new Int32Array(FRAME * 32)
  private arena = EMPTY_ARENA
  private arenaEnd = 0
  private hasLoneSurrogate = false
  /** Bytes that a minified document does without: blanks, and escapes longer than need be. */
  private surplus = 0
  private readonly view: DataView
  private readonly end: number

  constructor (
    private readonly bytes: Uint8Array,
    private readonly keys: KeyTable,
    private readonly shapes: ShapeTree,
    private readonly maxDepth: number
  ) {
    this.end = bytes.length
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.tape = new Int32Array(Math.max(64, bytes.length >> 2))
  }

  /**
   * Reads one JSON text (RFC 8259), all of it; one BOM before it is skipped (section 8.1).
   *
   * @throws Failure
   */
  scan (): ScanResult {
    const { bytes, end, shapes } = this
    const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    let i = this.skipBlanks(start)
    let deepest = 0
    let depth = 0
    let hasDuplicateKeys = false
    // The innermost open container.
    let node = -1
    let inObject = false
    let shape = EMPTY_SHAPE
    let count = 0
    let row = NO_ROW
    let kinds = 0
    let key = 0
    // Nothing stands between the bracket that opened it and the one that closes it.
    let justOpened = false

    for (;;) {
      if (inObject) {
        // A member: its key, mostly the one that came after the same keys before.
        if (bytes[i] !== 0x22) throw new Failure(i, 'a key in double quotes')
        const keyStart = i + 1
        const expected = shapes.expectedKey(shape)
        let at = expected < 0 ? -1 : this.skipExpectedKey(expected, keyStart)
        if (at > 0) {
          key = expected
        } else {
          at = this.readKey(keyStart)
          key = this.readKeyId
        }
        if (this.length + 12 > this.tape.length) this.growTape()
        this.tape[this.length] = KEY
        this.tape[this.length + 1] = keyStart
        this.tape[this.length + 2] = key
        this.length += 3
        i = bytes[at] === 0x3a ? at : this.skipBlanks(at)
        if (bytes[i] !== 0x3a) throw new Failure(i, 'a colon behind the key')
        i++
        if (bytes[i] <= 0x20) i = this.skipBlanks(i)
      } else if (this.length + 9 > this.tape.length) {
        this.growTape()
      }

      let child = PRIMITIVE_CHILD
      const byte = bytes[i]
      if (byte === 0x22) {
        i = this.readString(i + 1)
        kinds |= kindBit(STRING)
      } else if (byte === 0x7b || byte === 0x5b) {
        if (++depth > this.maxDepth) throw new Failure(i, `no more than ${this.maxDepth} levels`)
        if (depth > deepest) deepest = depth
        this.pushFrame(depth, node, shape, count, row, kinds, key)
        node = this.length
        inObject = byte === 0x7b
        shape = EMPTY_SHAPE
        count = 0
        row = NO_ROW
        kinds = 0
        this.tape[node] = inObject ? OBJECT : ARRAY
        this.tape[node + 1] = i
        this.length = node + 6
        i++
        if (bytes[i] <= 0x20) i = this.skipBlanks(i)
        // An empty container is closed below, all others go on with their first value.
        if (bytes[i] !== (inObject ? 0x7d : 0x5d)) continue
        justOpened = true
      } else if (byte === 0x2d || isDigit(byte)) {
        const next = scanNumber(bytes, i, end)
        if (scannedNumber.error !== null) throw new Failure(next, scannedNumber.error)
        this.tape[this.length] = scannedNumber.plain ? NUMBER | PLAIN : NUMBER
        this.tape[this.length + 1] = i
        this.tape[this.length + 2] = next
        this.length += 3
        kinds |= kindBit(NUMBER)
        i = next
      } else {
        const kind = this.readLiteral(i)
        i = this.tape[this.length - 1]
        kinds |= kindBit(kind)
      }

      // Behind a value: count it, then close all containers that end here.
      for (;;) {
        if (!justOpened) {
          if (depth === 0) return this.finish(i, start, deepest, hasDuplicateKeys)
          count++
          if (inObject) shape = shapes.next(shape, key, child, depth)
        }
        if (bytes[i] <= 0x20) i = this.skipBlanks(i)
        const byte = bytes[i]
        if (byte === 0x2c) {
          i++
          if (bytes[i] <= 0x20) i = this.skipBlanks(i)
          break
        }
        if (byte !== (inObject ? 0x7d : 0x5d)) throw new Failure(i, `a comma or ${inObject ? '}' : ']'}`)
        i++
        justOpened = false
        this.closeContainer(node, count, inObject ? shape : row, row, kinds, i)
        child = OPAQUE_CHILD
        if (inObject && count > 0) {
          const flags = shapes.flags(shape)
          if (flags & SHAPE_DUPLICATE) hasDuplicateKeys = true
          if ((flags & SHAPE_OPAQUE) === 0) child = shape
        }
        const kind = inObject ? OBJECT : ARRAY
        const frame = depth * FRAME
        depth--
        node = this.frames[frame + NODE]
        shape = this.frames[frame + FRAME_SHAPE]
        count = this.frames[frame + FRAME_COUNT]
        row = this.frames[frame + FRAME_ROW]
        kinds = this.frames[frame + FRAME_KINDS] | kindBit(kind)
        key = this.frames[frame + FRAME_KEY]
        inObject = node >= 0 && (this.tape[node] & 15) === OBJECT
        if (row === NO_ROW) {
          row = child
        } else if (row !== child && row !== NOT_ROWS) {
          if (child !== OPAQUE_CHILD && shapes.haveSameFields(row, child)) kinds |= UNORDERED
          else row = NOT_ROWS
        }
      }
    }
  }

  private finish (i: number, start: number, depth: number, hasDuplicateKeys: boolean): ScanResult {
    if (i < this.end) i = this.skipBlanks(i)
    if (i < this.end) throw new Failure(i, 'the end of the text')
    return {
      tape: this.tape,
      length: this.length,
      arena: this.arena,
      minifiedBytes: this.end - start - this.surplus,
      depth,
      hasLoneSurrogate: this.hasLoneSurrogate,
      hasDuplicateKeys
    }
  }

  private pushFrame (depth: number, node: number, shape: number, count: number, row: number, kinds: number, key: number): void {
    const at = depth * FRAME
    if (at + FRAME > this.frames.length) {
      const frames = new Int32Array(this.frames.length * 2)
      frames.set(this.frames)
      this.frames = frames
    }
    this.frames[at + NODE] = node
    this.frames[at + FRAME_SHAPE] = shape
    this.frames[at + FRAME_COUNT] = count
    this.frames[at + FRAME_ROW] = row
    this.frames[at + FRAME_KINDS] = kinds
    this.frames[at + FRAME_KEY] = key
  }

  private closeContainer (node: number, count: number, shape: number, row: number, kinds: number, end: number): void {
    const { tape } = this
    if (row > 0 && (kinds & KINDS_MASK) === kindBit(OBJECT)) tape[node] |= kinds & UNORDERED ? ROWS_UNORDERED : ROWS
    tape[node] |= kinds & KINDS_MASK
    tape[node + 2] = this.length
    tape[node + COUNT] = count
    tape[node + SHAPE] = shape
    tape[node + END] = end
  }

  private growTape (): void {
    const tape = new Int32Array(this.tape.length * 2)
    tape.set(this.tape)
    this.tape = tape
  }

  private skipBlanks (i: number): number {
    const { bytes, end } = this
    const start = i
    while (i < end) {
      const byte = bytes[i]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
      i++
    }
    this.surplus += i - start
    return i
  }

  /** The position behind the closing quote if this key stands here, or -1. */
  private skipExpectedKey (key: number, at: number): number {
    const { bytes, keys } = this
    // A key with escapes may hold a lone surrogate, which only the slow way notes.
    if (keys.flags[key] & KEY_ESCAPED) return -1
    const last = keys.starts[key + 1]
    for (let k = keys.starts[key]; k < last; k++, at++) {
      if (bytes[at] !== keys.bytes[k]) return -1
    }
    return bytes[at] === 0x22 ? at + 1 : -1
  }

  private readKeyId = 0

  /** Reads a key, sets `readKeyId` and returns the position behind the closing quote. */
  private readKey (start: number): number {
    const at = findStop(this.bytes, this.view, start, this.end)
    if (this.bytes[at] === 0x22 && at < this.end) {
      this.readKeyId = this.keys.intern(this.bytes, start, at, 0)
      return at + 1
    }
    const from = this.arenaEnd
    const close = this.respellIntoArena(start)
    const escapes = respelled.escaped ? KEY_ESCAPED | (respelled.odd ? KEY_ODD_ESCAPES : 0) : 0
    this.readKeyId = this.keys.intern(this.arena, from, this.arenaEnd, escapes)
    this.arenaEnd = from
    return close + 1
  }

  /** Writes the record of a string that starts at `start` and returns the position behind its closing quote. */
  private readString (start: number): number {
    const { bytes, end } = this
    let i = start
    let seen = 0
    while (i < end && (seen = BYTE_CLASSES[bytes[i]] & (STOP | STRUCTURAL | COMMA)) === 0) i++
    // From the first byte on that needs quotes anyway, all that matters is where the string ends.
    if (seen !== STOP) i = findStop(bytes, this.view, i, end)
    const at = this.length
    this.tape[at + 1] = start
    if (i < end && bytes[i] === 0x22) {
      const bare = seen === STOP && hasPlainEdges(bytes, start, i)
      this.tape[at] = bare ? STRING | PLAIN : STRING
      this.tape[at + 2] = i
      this.length = at + 3
      return i + 1
    }
    return this.readEscapedString(start, i)
  }

  /** The same for a string with a backslash (or an error) at `stop`. */
  private readEscapedString (start: number, stop: number): number {
    const { bytes, end } = this
    let i = stop
    // As long as all escapes are the ones that JSON.stringify and TOON write, the source is the shortest spelling.
    while (i < end && bytes[i] === 0x5c && isSimpleEscape(bytes[i + 1])) i = findStop(bytes, this.view, i + 2, end)
    const at = this.length
    if (i < end && bytes[i] === 0x22) {
      this.tape[at] = STRING | ESCAPED
      this.tape[at + 2] = i
      this.length = at + 3
      return i + 1
    }
    const from = this.arenaEnd
    const close = this.respellIntoArena(start)
    let flags = STRING | WIDE
    if (respelled.escaped) flags |= respelled.odd ? ESCAPED | ODD_ESCAPES : ESCAPED
    else if (isBare(this.arena, from, this.arenaEnd, 0x2c)) flags |= PLAIN
    this.tape[at] = flags
    this.tape[at + 2] = close
    this.tape[at + 3] = from
    this.tape[at + 4] = this.arenaEnd
    this.tape[at + 5] = 0
    this.length = at + 6
    return close + 1
  }

  /** Appends the shortest spelling to the arena and returns where the closing quote stands. */
  private respellIntoArena (start: number): number {
    // No respelling is longer than the source, so what is left of the source is room enough.
    if (this.arena.length === 0) this.arena = new Uint8Array(this.end - start)
    const from = this.arenaEnd
    this.arenaEnd = respell(this.bytes, start, this.end, this.arena, from)
    if (respelled.error !== null) throw new Failure(respelled.at, respelled.error)
    if (respelled.lone) this.hasLoneSurrogate = true
    this.surplus += respelled.at - start - (this.arenaEnd - from)
    return respelled.at
  }

  private readLiteral (i: number): number {
    const byte = this.bytes[i]
    const kind = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL
    const word = byte === 0x74 ? TRUE_BYTES : byte === 0x66 ? FALSE_BYTES : NULL_BYTES
    if (!matches(this.bytes, i, word)) throw new Failure(i, 'a value')
    const at = this.length
    this.tape[at] = kind
    this.tape[at + 1] = i
    this.tape[at + 2] = i + word.length
    this.length = at + 3
    return kind
  }
}
