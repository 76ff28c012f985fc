import { NO_ARENA, spareArenas } from './arena.js'
import type { Arena } from './arena.js'
import { Failure, JsonSyntaxError } from './errors.js'
import type { KeyTable } from './key-table.js'
import { scan } from './scan.js'
import type { ScanResult } from './scan.js'
import type { ShapeTree } from './shape-tree.js'
import { takeTables } from './tables.js'
import type { Tables } from './tables.js'
import { findInvalidUtf8, locate, toSource } from './utf8.js'
import type { Source } from './utf8.js'
import { NO_WORDS, spareLists, spareTapes } from './word-room.js'

/** How to read JSON. */
export interface ParseOptions {
  /** How deep arrays and objects may nest before the text is refused; 1 or more, default 10,000. */
  maxDepth?: number
  /**
   * Tells whether bytes are UTF-8, as `isUtf8` of node:buffer does. Default: a check in JavaScript,
   * which is slower.
   */
  isUtf8?: (bytes: Uint8Array) => boolean
}

const DEFAULT_MAX_DEPTH = 10_000

/**
 * One JSON document, read once and kept as it came: every number by its lexeme, members in their
 * order, duplicate keys and all. Encoders, the verifier and all else walk its tape (tape.ts).
 * It refers to the bytes that it was read from; they must not change while it is in use.
 */
export class Document {
  /** The bytes that were read; for a string its UTF-8 form. */
  readonly bytes: Uint8Array
  /** A view of the same bytes. */
  readonly view: DataView
  get tape (): Int32Array {
    return this.words
  }

  /** Words of the tape that are in use. */
  readonly length: number
  /** Shortest spellings of the strings that are marked WIDE on the tape. */
  get arena (): Uint8Array {
    return this.spellings.bytes
  }

  /** A view of these spellings. */
  get arenaView (): DataView {
    return this.spellings.view
  }

  readonly keys: KeyTable
  readonly shapes: ShapeTree
  /** How deep arrays and objects nest; 0 for a primitive. */
  readonly depth: number
  /** Size of the minified document in bytes, without minifying it. */
  readonly minifiedBytes: number
  /** Whether a string or key holds half of a surrogate pair. */
  readonly hasLoneSurrogate: boolean
  /** Whether an object holds a key twice. */
  readonly hasDuplicateKeys: boolean
  /** How many arrays and objects there are. */
  readonly containerCount: number
  /** How many strings are marked PLAIN. */
  readonly plainStrings: number
  /** Whether a number is not marked PLAIN, or a string is marked ODD_ESCAPES. */
  readonly hasIrregularValues: boolean
  /** The nodes of all arrays and objects, in the order of the tape; more words than `containerCount`. */
  get containers (): Int32Array {
    return this.list
  }

  private list: Int32Array
  private words: Int32Array
  private spellings: Arena
  private tables: Tables | null

  /** @param owned the tables, where the document is to give them back */
  private constructor (bytes: Uint8Array, view: DataView, { keys, shapes }: Pick<Tables, 'keys' | 'shapes'>, scanned: ScanResult, owned: Tables | null) {
    this.bytes = bytes
    this.view = view
    this.keys = keys
    this.shapes = shapes
    this.tables = owned
    this.words = scanned.tape
    this.length = scanned.length
    this.spellings = scanned.arena
    this.depth = scanned.depth
    this.minifiedBytes = scanned.minifiedBytes
    this.hasLoneSurrogate = scanned.hasLoneSurrogate
    this.hasDuplicateKeys = scanned.hasDuplicateKeys
    this.list = scanned.containers
    this.containerCount = scanned.containerCount
    this.plainStrings = scanned.plainStrings
    this.hasIrregularValues = scanned.hasIrregularValues
  }

  /** Says that the document is not needed any more, so that its tape can serve the next; nothing can be read from it then. */
  dispose (): void {
    spareTapes.give(this.words)
    spareArenas.give(this.spellings)
    spareLists.give(this.list)
    this.tables?.giveBack()
    this.tables = null
    this.list = NO_WORDS
    this.words = NO_WORDS
    this.spellings = NO_ARENA
  }

  /**
   * A document that is made of values of another, with its spellings in its own bytes; it is not to be disposed, and
   * what it says of all its values is not true.
   */
  static excerpt (document: Document, bytes: Uint8Array, tape: Int32Array, length: number): Document {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return new Document(bytes, view, document, {
      tape,
      length,
      arena: { bytes, view, length: bytes.length },
      minifiedBytes: bytes.length,
      depth: document.depth,
      hasLoneSurrogate: false,
      hasDuplicateKeys: false,
      containers: NO_WORDS,
      containerCount: 0,
      plainStrings: 0,
      hasIrregularValues: false
    }, null)
  }

  /**
   * Reads one JSON text (RFC 8259): the whole input, one document, nothing behind it. One leading
   * BOM is skipped.
   *
   * @throws JsonSyntaxError with offset, line, column and what was expected, also where the text is
   * no UTF-8 or nests deeper than `maxDepth`
   */
  static parse (input: Uint8Array | string, options: ParseOptions = {}): Document {
    const source = toSource(input)
    checkUtf8(source, options.isUtf8)
    // A Buffer is another class to the engine: code that has seen both runs at half the speed.
    const { buffer, byteOffset, length } = source.bytes
    const bytes = new Uint8Array(buffer, byteOffset, length)
    const view = new DataView(buffer, byteOffset, length)
    const tables = takeTables()
    // Most documents need about a word for every four bytes; of a large one the beginning tells.
    const tape = spareTapes.take(Math.min(1 << 14, Math.max(64, length >> 2)))
    const list = spareLists.take(Math.min(1 << 10, Math.max(16, length >> 6)))
    try {
      return new Document(bytes, view, tables, scan(bytes, view, tables.keys, tables.shapes, options.maxDepth ?? DEFAULT_MAX_DEPTH, tape, list), tables)
    } catch (error) {
      tables.giveBack()
      spareTapes.give(tape)
      spareLists.give(list)
      throw error instanceof Failure ? new JsonSyntaxError(error.expected, locate(source, error.at)) : error
    } finally {
      tables.endScan()
    }
  }
}

function checkUtf8 (source: Source, isUtf8: ParseOptions['isUtf8']): void {
  if (source.text !== null || isUtf8?.(source.bytes) === true) return
  const at = findInvalidUtf8(source.bytes)
  if (at >= 0) throw new JsonSyntaxError('UTF-8', locate(source, at))
}
