import { Failure, JsonSyntaxError } from './errors.js'
import { KeyTable } from './key-table.js'
import { Scanner } from './scan.js'
import type { ScanResult } from './scan.js'
import { ShapeTree } from './shape-tree.js'
import { findInvalidUtf8, locate, toSource } from './utf8.js'
import type { Source } from './utf8.js'

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
/** Tables that grew beyond these bounds are not used for the next document. */
const MAX_WARM_KEYS = 8192
const MAX_WARM_KEY_BYTES = 1 << 18
const MAX_WARM_SHAPES = 16384

let warmKeys = new KeyTable()
let warmShapes = new ShapeTree()

/**
 * One JSON document, read once and kept as it came: every number by its lexeme, members in their
 * order, duplicate keys and all. Encoders, the verifier and all else walk its tape (tape.ts).
 * It refers to the bytes that it was read from; they must not change while it is in use.
 */
export class Document {
  /** The bytes that were read; for a string its UTF-8 form. */
  readonly bytes: Uint8Array
  readonly tape: Int32Array
  /** Words of the tape that are in use. */
  readonly length: number
  /** Shortest spellings of the strings that are marked WIDE on the tape. */
  readonly arena: Uint8Array
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

  private constructor (bytes: Uint8Array, keys: KeyTable, shapes: ShapeTree, scanned: ScanResult) {
    this.bytes = bytes
    this.keys = keys
    this.shapes = shapes
    this.tape = scanned.tape
    this.length = scanned.length
    this.arena = scanned.arena
    this.depth = scanned.depth
    this.minifiedBytes = scanned.minifiedBytes
    this.hasLoneSurrogate = scanned.hasLoneSurrogate
    this.hasDuplicateKeys = scanned.hasDuplicateKeys
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
    const keys = warmKeys
    const shapes = warmShapes
    const scanner = new Scanner(source.bytes, keys, shapes, options.maxDepth ?? DEFAULT_MAX_DEPTH)
    try {
      return new Document(source.bytes, keys, shapes, scanner.scan())
    } catch (error) {
      if (error instanceof Failure) throw new JsonSyntaxError(error.expected, locate(source, error.at))
      throw error
    } finally {
      shapes.endScan()
      replaceLargeTables()
    }
  }
}

function checkUtf8 (source: Source, isUtf8: ParseOptions['isUtf8']): void {
  if (source.text !== null || isUtf8?.(source.bytes) === true) return
  const at = findInvalidUtf8(source.bytes)
  if (at >= 0) throw new JsonSyntaxError('UTF-8', locate(source, at))
}

/** Documents keep the tables that they were read with, so these are replaced and never emptied. */
function replaceLargeTables (): void {
  if (warmKeys.count <= MAX_WARM_KEYS && warmKeys.bytes.length <= MAX_WARM_KEY_BYTES && warmShapes.count <= MAX_WARM_SHAPES) return
  warmKeys = new KeyTable()
  warmShapes = new ShapeTree()
}
