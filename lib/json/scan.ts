import type { Arena } from './arena.js'
import { COMMA_CLASSES, COMMA_PAIRS, EDGES, SECOND, STOP, STRUCTURAL, hasPlainEdges, isDigit } from './bare.js'
import { Failure } from './errors.js'
import { EscapedStrings } from './escaped-strings.js'
import { findStop } from './find-stop.js'
import { KEY_ESCAPED, MEMBER_EXTRA } from './key-table.js'
import type { KeyTable } from './key-table.js'
import { scanNumber, scannedNumber } from './number.js'
import { EMPTY_SHAPE, LAST_CHILD, LAST_KEY, LAST_NEXT, OPAQUE_CHILD, PRIMITIVE_CHILD, SHAPE_DUPLICATE, SHAPE_OPAQUE, STRIDE } from './shape-tree.js'
import type { ShapeTree } from './shape-tree.js'
import {
  ARRAY, COUNT, END, FALSE, KEY, KINDS_MASK, KIND_MASK, MEMBER, NULL, NUMBER, OBJECT, ODD_ESCAPES, PLAIN, ROWS, ROWS_UNORDERED, SHAPE, STRING, TRUE, kindBit
} from './tape.js'
import { growRoom, spareLists, spareTapes } from './word-room.js'

/** What a scan found; the tape is described in tape.ts. */
export interface ScanResult {
  tape: Int32Array
  /** Words of the tape that are in use. */
  length: number
  /** Spellings of those strings that came with escapes that JSON.stringify does not write. */
  arena: Arena
  /** Size of the document as JSON.stringify would write it, were its numbers kept, in bytes. */
  minifiedBytes: number
  /** How deep arrays and objects nest; 0 for a primitive. */
  depth: number
  /** Some string or key holds half of a surrogate pair. */
  hasLoneSurrogate: boolean
  /** Some object holds a key twice. */
  hasDuplicateKeys: boolean
  /** The nodes of all arrays and objects, in the order of the tape. */
  containers: Int32Array
  containerCount: number
  /** How many strings are marked PLAIN. */
  plainStrings: number
  /** Some number is not marked PLAIN, or some string is marked ODD_ESCAPES. */
  hasIrregularValues: boolean
}

/** No value has come yet that could be a row. */
const NO_ROW = -2
/** Values are no rows of one shape. */
const NOT_ROWS = -1
/** No key stands above a value. */
const NO_KEY = -1
/** Bit beside the kinds of values: the rows have the same fields in another order. */
const UNORDERED = 1

/** Words of an open container while one inside it is read. */
const FRAME = 6
/** Shared by all scans: a scan never waits, so there is only one at a time. */
let frames: Int32Array = new Int32Array(FRAME * 64)

/** The most words that one turn of the loop writes: a key, then a wide string or a container. */
const MAX_WORDS = 9

/** Up to this many digits an integer is in plain decimal form (TOON 4.0 section 2). */
const MAX_PLAIN_DIGITS = 21

/** Four bytes of the literals, read as little-endian numbers. */
const TRUE_WORD = 0x65757274
const NULL_WORD = 0x6c6c756e
const FALS_WORD = 0x736c6166

const STRING_BIT = kindBit(STRING)
const NUMBER_BIT = kindBit(NUMBER)
const OBJECT_BIT = kindBit(OBJECT)

/**
 * Reads one JSON text (RFC 8259), all of it; one BOM before it is skipped (section 8.1).
 *
 * One function with all state in local variables, since it is what the project's speed stands on;
 * what is rare lives in functions of its own.
 *
 * @param view a view of the same bytes
 * @param spare a tape to write on; a larger one is made where it does not do
 * @param spareList an array for the list of containers, likewise
 * @throws Failure at the first byte that is no JSON
 */
export function scan (bytes: Uint8Array, view: DataView, keys: KeyTable, shapes: ShapeTree, maxDepth: number, spare: Int32Array, spareList: Int32Array): ScanResult {
  const end = bytes.length
  const escaped = new EscapedStrings(bytes, view)
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const lastWord = end - 4
  let tape = spare
  let containers = spareList
  let containerCount = 0
  let plainStrings = 0
  let hasIrregularValues = false
  /** Where the next record goes. */
  let at = 0
  let { words } = shapes
  let keyStarts = keys.starts
  let keyFlags = keys.flags
  let { members, firstKeys, firstSteps } = keys
  let blanks = 0
  let depth = 0
  let deepest = 0
  let hasDuplicateKeys = false
  // The innermost open container.
  let node = -1
  let inObject = false
  let shape = EMPTY_SHAPE
  let count = 0
  let row = NO_ROW
  let kinds = 0
  let key = NO_KEY

  let i = skipBlanks(bytes, start, end)
  blanks += i - start

  for (;;) {
    if (at + MAX_WORDS > tape.length) tape = growRoom(tape, spareTapes, i, end)

    if (inObject) {
      // A member. Its key is mostly the one that came after the same keys before, with no blank around the colon; what
      // began other objects says little of this one, unless these were found below the same key.
      key = shape === EMPTY_SHAPE ? firstKeys[frames[depth * FRAME + 5] + 1] : words[shape * STRIDE + LAST_KEY]
      const keyAt = i
      // A key with escapes may hold a lone surrogate, which only the slow way notes.
      if (key >= 0 && (keyFlags[key] & KEY_ESCAPED) === 0) {
        let k = keyStarts[key] + key * MEMBER_EXTRA
        const length = keyStarts[key + 1] + (key + 1) * MEMBER_EXTRA - k
        if (i + length <= end && length >= 4) {
          let isSame
          if (length < 8) {
            isSame = view.getInt32(i, true) === members.getInt32(k, true) && view.getInt32(i + length - 4, true) === members.getInt32(k + length - 4, true)
          } else {
            // As numbers, bytes of UTF-8 are the same exactly if they are. The last eight may overlap those before them.
            const last = k + length - 8
            isSame = view.getFloat64(i + length - 8, true) === members.getFloat64(last, true)
            for (let from = i; isSame && k < last; from += 8, k += 8) isSame = view.getFloat64(from, true) === members.getFloat64(k, true)
          }
          if (isSame) i += length
        }
      }
      if (i === keyAt) {
        if (bytes[i] !== 0x22) throw new Failure(i, 'a key in double quotes')
        i = findStop(bytes, view, keyAt + 1, end)
        if (bytes[i] === 0x22) {
          key = keys.intern(bytes, keyAt + 1, i, 0)
        } else {
          i = escaped.readKey(keyAt + 1, keys, key)
          key = escaped.key
        }
        keyStarts = keys.starts
        keyFlags = keys.flags
        members = keys.members
        firstKeys = keys.firstKeys
        firstSteps = keys.firstSteps
        if (shape === EMPTY_SHAPE) {
          const first = frames[depth * FRAME + 5] + 1
          if (firstKeys[first] !== key) {
            firstKeys[first] = key
            firstSteps[2 * first + 1] = 0
          }
        }
        if (bytes[++i] !== 0x3a) {
          const from = i
          i = skipBlanks(bytes, i, end)
          blanks += i - from
          if (bytes[i] !== 0x3a) throw new Failure(i, 'a colon behind the key')
        }
        i++
      }
      tape[at] = KEY
      tape[at + 1] = keyAt + 1
      tape[at + 2] = key
      at += 3
      if (bytes[i] <= 0x20) {
        const from = i
        i = skipBlanks(bytes, i, end)
        blanks += i - from
      }
    }

    let child = PRIMITIVE_CHILD
    let isOpening = false
    const byte = bytes[i]
    if (byte === 0x22) {
      const from = ++i
      let cls = 0
      while (i <= lastWord) {
        const word = view.getInt32(i, true)
        cls = COMMA_PAIRS[word & 0xffff]
        if (cls !== 0) break
        cls = COMMA_PAIRS[word >>> 16]
        if (cls !== 0) {
          i += 2
          break
        }
        i += 4
      }
      i += cls >> 7
      cls &= ~SECOND
      if (cls === 0) while (i < end && (cls = COMMA_CLASSES[bytes[i]]) === 0) i++
      // From the first byte on that needs quotes anyway, all that matters is where the string ends.
      if (cls === STRUCTURAL) i = findStop(bytes, view, i, end)
      if (bytes[i] === 0x22) {
        const isPlain = cls === STOP && (EDGES[bytes[from]] === 0 ? bytes[i - 1] !== 0x20 : hasPlainEdges(bytes, from, i))
        if (isPlain) {
          tape[at] = STRING | PLAIN
          plainStrings++
        } else {
          tape[at] = STRING
        }
        tape[at + 1] = from
        tape[at + 2] = i
        at += 3
        i++
      } else {
        i = escaped.readString(from, i, tape, at)
        const flags = tape[at]
        if (flags & PLAIN) plainStrings++
        if (flags & ODD_ESCAPES) hasIrregularValues = true
        at = escaped.next
      }
      kinds |= STRING_BIT
    } else if (byte === 0x2d || isDigit(byte)) {
      const from = i
      if (byte === 0x2d) i++
      const digits = i
      const isFastStart = bytes[i] !== 0x30
      while (isDigit(bytes[i])) i++
      let isPlain = isFastStart && i > digits && i - digits <= MAX_PLAIN_DIGITS
      if (isPlain && bytes[i] === 0x2e) {
        const fraction = ++i
        while (isDigit(bytes[i])) i++
        isPlain = i > fraction && bytes[i - 1] !== 0x30
      }
      // Whatever is not the plain decimal number that most are goes the thorough way.
      if (!isPlain || (bytes[i] | 0x20) === 0x65) {
        i = scanNumber(bytes, from, end)
        if (scannedNumber.error !== null) throw new Failure(i, scannedNumber.error)
        isPlain = scannedNumber.plain
        if (!isPlain) hasIrregularValues = true
      }
      tape[at] = isPlain ? NUMBER | PLAIN : NUMBER
      tape[at + 1] = from
      tape[at + 2] = i
      at += 3
      kinds |= NUMBER_BIT
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw new Failure(i, `no more than ${maxDepth} levels`)
      if (depth > deepest) deepest = depth
      const frame = depth * FRAME
      if (frame + FRAME > frames.length) frames = growFrames()
      frames[frame] = node
      frames[frame + 1] = shape
      frames[frame + 2] = count
      frames[frame + 3] = row
      frames[frame + 4] = kinds
      frames[frame + 5] = key
      node = at
      if (containerCount === containers.length) containers = growRoom(containers, spareLists, i, end)
      containers[containerCount++] = at
      const member = inObject ? MEMBER : 0
      inObject = byte === 0x7b
      shape = EMPTY_SHAPE
      count = 0
      row = NO_ROW
      kinds = 0
      tape[at] = (inObject ? OBJECT : ARRAY) | member
      tape[at + 1] = i
      at += 6
      if (bytes[++i] <= 0x20) {
        const from = i
        i = skipBlanks(bytes, i, end)
        blanks += i - from
      }
      // An empty container is closed below, all others go on with their first value.
      if (bytes[i] !== (inObject ? 0x7d : 0x5d)) continue
      isOpening = true
    } else {
      const word = i + 4 <= end ? view.getInt32(i, true) : 0
      const kind = word === TRUE_WORD ? TRUE : word === NULL_WORD ? NULL : word === FALS_WORD && bytes[i + 4] === 0x65 ? FALSE : 0
      if (kind === 0) throw new Failure(i, 'a value')
      tape[at] = kind
      tape[at + 1] = i
      i += kind === FALSE ? 5 : 4
      tape[at + 2] = i
      at += 3
      kinds |= kindBit(kind)
    }

    // Behind a value: count it, then close all containers that end here.
    for (;;) {
      if (!isOpening) {
        if (depth === 0) {
          blanks += skipBlanks(bytes, i, end) - i
          i = skipBlanks(bytes, i, end)
          if (i < end) throw new Failure(i, 'the end of the text')
          return {
            tape,
            length: at,
            arena: escaped.arena,
            minifiedBytes: end - start - blanks - escaped.saved,
            depth: deepest,
            hasLoneSurrogate: escaped.hasLoneSurrogate,
            hasDuplicateKeys,
            containers,
            containerCount,
            plainStrings,
            hasIrregularValues
          }
        }
        count++
        if (inObject) {
          const from = shape * STRIDE
          if (shape === EMPTY_SHAPE) {
            // What begins with the same key below the same key; an object inside of this one may have begun with another.
            const first = frames[depth * FRAME + 5] + 1
            shape = firstKeys[first] === key && firstSteps[2 * first] === child ? firstSteps[2 * first + 1] : EMPTY_SHAPE
            if (shape === EMPTY_SHAPE) {
              shape = shapes.next(EMPTY_SHAPE, key, child, depth)
              words = shapes.words
              firstKeys[first] = key
              firstSteps[2 * first] = child
              firstSteps[2 * first + 1] = shape
            }
          } else if (words[from + LAST_KEY] === key && words[from + LAST_CHILD] === child) {
            shape = words[from + LAST_NEXT]
          } else {
            shape = shapes.next(shape, key, child, depth)
            words = shapes.words
          }
        }
      }
      isOpening = false
      if (bytes[i] <= 0x20) {
        const from = i
        i = skipBlanks(bytes, i, end)
        blanks += i - from
      }
      const next = bytes[i]
      if (next === 0x2c) {
        if (bytes[++i] <= 0x20) {
          const from = i
          i = skipBlanks(bytes, i, end)
          blanks += i - from
        }
        break
      }
      if (next !== (inObject ? 0x7d : 0x5d)) throw new Failure(i, `a comma or ${inObject ? '}' : ']'}`)
      i++
      let flags = kinds & KINDS_MASK
      if (row > 0 && flags === OBJECT_BIT) flags |= kinds & UNORDERED ? ROWS_UNORDERED : ROWS
      tape[node] |= flags
      tape[node + 2] = at
      tape[node + COUNT] = count
      tape[node + SHAPE] = inObject ? shape : row
      tape[node + END] = i
      child = OPAQUE_CHILD
      if (inObject && count > 0) {
        const shapeFlags = shapes.flags(shape)
        if (shapeFlags & SHAPE_DUPLICATE) hasDuplicateKeys = true
        if ((shapeFlags & SHAPE_OPAQUE) === 0) child = shape
      }
      const kind = inObject ? OBJECT : ARRAY
      const frame = depth * FRAME
      depth--
      node = frames[frame]
      shape = frames[frame + 1]
      count = frames[frame + 2]
      row = frames[frame + 3]
      kinds = frames[frame + 4] | kindBit(kind)
      key = frames[frame + 5]
      inObject = node >= 0 && (tape[node] & KIND_MASK) === OBJECT
      if (row === NO_ROW) {
        row = child
      } else if (row !== child && row !== NOT_ROWS) {
        if (child !== OPAQUE_CHILD && shapes.haveSameFields(row, child)) kinds |= UNORDERED
        else row = NOT_ROWS
      }
    }
  }
}

function growFrames (): Int32Array {
  const larger = new Int32Array(frames.length * 2)
  larger.set(frames)
  return larger
}

function skipBlanks (bytes: Uint8Array, i: number, end: number): number {
  while (i < end && (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09)) i++
  return i
}
