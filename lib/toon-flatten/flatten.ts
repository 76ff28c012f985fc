import { CodecDeclinedError } from '../codec-interface.js'
import type { Reason } from '../decision.js'
import { Document } from '../json/document.js'
import { KEY_IDENTIFIER } from '../json/key-table.js'
import { ByteWriter } from '../json/output.js'
import { ARRAY, COUNT, KIND_MASK, OBJECT, nextNode } from '../json/tape.js'
import { toText } from '../json/utf8.js'
import { writePrimitive } from '../json/write.js'
import type { FlattenOptions } from './options.js'

/** How deep a value may stand; the limit of Apify's transform (docs of its TOON adoption, "Semantics"). */
export const MAX_FLATTEN_DEPTH = 20

/** The name that an error of this transform carries. */
export const FLATTEN_NAME = 'toon-flatten'

const DOT = 0x2e
const UNDERSCORE = 0x5f
const DOTTED_KEY: Reason = 'declined-dotted-key'

/**
 * Joins the keys of nested objects with dots: {"a":{"b":1}} becomes {"a.b":1}. Arrays stay, and the objects
 * in them are flattened one by one. An empty object stays a value, an empty key an empty part of the path,
 * so that `unflatten` gives back the very document; strings, lexemes and the order of members are kept.
 *
 * @returns minified JSON
 * @throws JsonSyntaxError where the input is no JSON
 * @throws CodecDeclinedError with reason `declined-dotted-key` (a key holds a dot, or with `underscore` two
 * keys of an object become one), `declined-duplicate-keys` or `declined-depth` (a value below 20 levels)
 */
export function flatten (json: string | Uint8Array | Document, options: FlattenOptions = {}): string {
  const flat = flattenDocument(json instanceof Document ? json : Document.parse(json), options)
  if (typeof flat === 'string') throw new CodecDeclinedError(FLATTEN_NAME, flat)
  return toText(flat)
}

/** The flattened document as minified JSON, or why there is none. */
export function flattenDocument (document: Document, { dots = 'decline' }: FlattenOptions): Uint8Array | Reason {
  if (document.hasDuplicateKeys) return 'declined-duplicate-keys'
  // A container at the limit may be empty; this also bounds the recursion.
  if (document.depth > MAX_FLATTEN_DEPTH + 1) return 'declined-depth'
  try {
    return new Flattener(document, dots).run()
  } catch (error) {
    if (!(error instanceof CodecDeclinedError)) throw error
    return error.reason
  }
}

class Flattener {
  private readonly out: ByteWriter
  /** Ids of the keys that lead to the current member. */
  private readonly path: number[] = []
  private needsComma = false

  constructor (private readonly document: Document, private readonly dots: 'decline' | 'underscore') {
    this.out = new ByteWriter(document.minifiedBytes)
  }

  run (): Uint8Array {
    this.value(0, 0)
    return this.out.finish()
  }

  private value (node: number, depth: number): void {
    const { out, document } = this
    const kind = document.tape[node] & KIND_MASK
    if (depth > MAX_FLATTEN_DEPTH) throw new CodecDeclinedError(FLATTEN_NAME, 'declined-depth')
    if (kind === OBJECT) {
      out.byte(0x7b)
      this.needsComma = false
      this.members(node, depth, this.path.length)
      out.byte(0x7d)
    } else if (kind === ARRAY) {
      out.byte(0x5b)
      const end = document.tape[node + 2]
      for (let at = node + 6; at < end; at = nextNode(document.tape, at)) {
        if (at > node + 6) out.byte(0x2c)
        this.value(at, depth + 1)
      }
      out.byte(0x5d)
    } else {
      writePrimitive(out, document, node, kind)
    }
  }

  /** @param from how much of the path belongs to objects around the one that is being written */
  private members (node: number, depth: number, from: number): void {
    const { out, path, document: { tape } } = this
    const end = tape[node + 2]
    const names = this.dots === 'underscore' ? new Set<string>() : null
    for (let at = node + 6; at < end; at = nextNode(tape, at + 3)) {
      const child = at + 3
      this.check(tape[at + 2], names)
      path.push(tape[at + 2])
      if ((tape[child] & KIND_MASK) === OBJECT && tape[child + COUNT] > 0) {
        this.members(child, depth + 1, from)
      } else {
        if (this.needsComma) out.byte(0x2c)
        this.key(from)
        this.value(child, depth + 1)
        this.needsComma = true
      }
      path.pop()
    }
  }

  /** @param names the keys of this object so far, as they are written; null where none may change */
  private check (key: number, names: Set<string> | null): void {
    const { keys } = this.document
    if (names === null) {
      if ((keys.flags[key] & KEY_IDENTIFIER) === 0 && this.spelling(key).includes(DOT)) throw new CodecDeclinedError(FLATTEN_NAME, DOTTED_KEY)
      return
    }
    const name = toText(this.spelling(key)).replaceAll('.', '_')
    if (names.has(name)) throw new CodecDeclinedError(FLATTEN_NAME, DOTTED_KEY)
    names.add(name)
  }

  private spelling (key: number): Uint8Array {
    const { keys } = this.document
    return keys.bytes.subarray(keys.starts[key], keys.starts[key + 1])
  }

  /** The path from `from` on as one key. Joining two shortest spellings makes no shorter one possible. */
  private key (from: number): void {
    const { out, path, document: { keys } } = this
    out.byte(0x22)
    for (let i = from; i < path.length; i++) {
      if (i > from) out.byte(DOT)
      const end = keys.starts[path[i] + 1]
      for (let k = keys.starts[path[i]]; k < end; k++) out.byte(keys.bytes[k] === DOT ? UNDERSCORE : keys.bytes[k])
    }
    out.ascii('":')
  }
}
