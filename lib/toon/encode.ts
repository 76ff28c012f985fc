import { CodecDeclinedError } from '../codec-interface.js'
import type { CodecOptions } from '../codec-interface.js'
import type { Document } from '../json/document.js'
import { KEY_DOTTED_IDENTIFIER } from '../json/key-table.js'
import type { KeyTable } from '../json/key-table.js'
import type { Output } from '../json/output.js'
import { ARRAY, COUNT, KEY, KINDS_MASK, KIND_MASK, NUMBER, OBJECT, ODD_ESCAPES, PLAIN, PRIMITIVE_KINDS, RECORD, ROWS, ROWS_UNORDERED, SHAPE, STRING, WIDE, WIDE_RECORD, kindBit, nextNode } from '../json/tape.js'
import { ValueWriter } from './values.js'

/**
 * Writes a document as TOON 4.0, byte for byte as @toon-format/toon 4.4 does wherever that is exact.
 *
 * @throws CodecDeclinedError where rows have the same keys in another order: a table would lose it
 */
export function writeToon (out: Output, document: Document, options: CodecOptions): void {
  new Encoder(out, document, (options.delimiter ?? ',').charCodeAt(0)).root()
}

const OBJECTS = kindBit(OBJECT)
const NEWLINE = 0x0a
const SPACE = 0x20
const COMMA = 0x2c
const INDENT = 2

class Encoder {
  private readonly values: ValueWriter
  private readonly tape: Int32Array
  private readonly bytes: Uint8Array
  private readonly keys: KeyTable

  constructor (private readonly out: Output, private readonly document: Document, private readonly delimiter: number) {
    this.tape = document.tape
    this.bytes = document.bytes
    this.keys = document.keys
    this.values = new ValueWriter(out, document, delimiter)
  }

  root (): void {
    const kind = this.tape[0] & KIND_MASK
    if (kind === OBJECT) {
      if (this.isKeyedTable(0)) this.keyedTable(0, 0)
      else if (this.tape[COUNT] > 0) this.rootMembers()
    } else if (kind === ARRAY) {
      if (this.tape[COUNT] === 0) this.out.ascii('[]')
      else this.array(0, 0)
    } else {
      this.values.rootPrimitive()
    }
  }

  /** The first line has no line feed before it. */
  private rootMembers (): void {
    const { tape } = this
    this.field(6, 0)
    this.lines(nextNode(tape, 9), tape[2], 0)
  }

  /** Members from `at` to `end`, each behind a line feed on a line of its own (section 8). */
  private lines (at: number, end: number, depth: number): void {
    const { out, tape, bytes, keys } = this
    const indent = depth * INDENT
    for (; at < end; at = nextNode(tape, at)) {
      const key = tape[at + 2]
      at += 3
      const head = tape[at]
      const kind = head & KIND_MASK
      if ((keys.flags[key] & KEY_DOTTED_IDENTIFIER) !== 0 && kind > ARRAY && this.isCopied(head, kind)) {
        const quote = kind === STRING && (head & PLAIN) === 0 ? 1 : 0
        out.copyMember(NEWLINE, indent, keys, key, true, bytes, tape[at + 1] - quote, tape[at + 2] + quote)
      } else {
        out.newline(indent)
        this.field(at - 3, depth)
      }
    }
  }

  /** Whether a primitive is written as the source has it, and a string that is not PLAIN with the quotes that the source has around it. */
  private isCopied (head: number, kind: number): boolean {
    if (kind === STRING) return (head & WIDE) === 0 && this.delimiter === COMMA
    return kind !== NUMBER || (head & PLAIN) !== 0
  }

  /** A key and its value; what needs lines of its own goes one level below `depth`. */
  private field (keyNode: number, depth: number): void {
    const { out, tape } = this
    this.key(tape[keyNode + 2])
    const node = keyNode + 3
    const kind = tape[node] & KIND_MASK
    if (kind === ARRAY) {
      if (tape[node + COUNT] === 0) out.ascii(': []')
      else this.array(node, depth)
    } else if (kind !== OBJECT) {
      out.byte(0x3a)
      out.byte(SPACE)
      this.values.primitive(node)
    } else if (this.isKeyedTable(node)) {
      this.keyedTable(node, depth)
    } else {
      out.byte(0x3a)
      this.lines(node + 6, tape[node + 2], depth + 1)
    }
  }

  private key (key: number): void {
    const { out, keys } = this
    if (keys.flags[key] & KEY_DOTTED_IDENTIFIER) out.copyKey(keys, key)
    else this.values.quotedKey(key)
  }

  /** An array that is not empty, behind its key if it has one (sections 9.1 to 9.4). */
  private array (node: number, depth: number): void {
    const { tape } = this
    if ((tape[node] & KINDS_MASK & ~PRIMITIVE_KINDS) === 0) {
      this.inline(node)
      return
    }
    if (!this.isTable(node)) {
      this.list(node, depth)
      return
    }
    const { out } = this
    this.bracket(tape[node + COUNT], false)
    this.fields(tape[node + SHAPE])
    out.byte(0x3a)
    const end = tape[node + 2]
    // The last blank of the indentation is what stands before the first cell.
    const indent = (depth + 1) * INDENT - 1
    for (let row = node + 6; row < end; row = tape[row + 2]) {
      out.newline(indent)
      this.cells(row, SPACE)
    }
  }

  /** Primitives on the line of their header (section 9.1). */
  private inline (node: number): void {
    const { out, tape } = this
    this.bracket(tape[node + COUNT], false)
    out.byte(0x3a)
    this.cells(node, SPACE)
  }

  /** One item a line (sections 9.2 and 9.4). */
  private list (node: number, depth: number): void {
    const { out, tape } = this
    this.bracket(tape[node + COUNT], false)
    out.byte(0x3a)
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = nextNode(tape, at)) {
      out.newline((depth + 1) * INDENT)
      out.byte(0x2d)
      const kind = tape[at] & KIND_MASK
      if (kind !== OBJECT) {
        out.byte(SPACE)
        if (kind !== ARRAY) this.values.primitive(at)
        else if ((tape[at] & KINDS_MASK & ~PRIMITIVE_KINDS) === 0) this.inline(at)
        else this.list(at, depth + 1)
      } else if (tape[at + COUNT] > 0) {
        // The first field stands behind the hyphen, as if its line had the depth of the others (section 10).
        out.byte(SPACE)
        this.field(at + 6, depth + 2)
        this.lines(nextNode(tape, at + 9), tape[at + 2], depth + 2)
      }
    }
  }

  /** A map of uniform objects: a header, then the key and the cells of each (section 9.5). */
  private keyedTable (node: number, depth: number): void {
    const { out, tape } = this
    this.bracket(tape[node + COUNT], true)
    this.fields(tape[node + 9 + SHAPE])
    out.byte(0x3a)
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = tape[at + 5]) {
      out.newline((depth + 1) * INDENT)
      this.key(tape[at + 2])
      out.byte(0x3a)
      this.cells(at + 3, SPACE)
    }
  }

  /** The comma is the default and not written (section 6). */
  private bracket (count: number, isKeyed: boolean): void {
    const { out } = this
    out.byte(0x5b)
    out.count(count)
    if (isKeyed) out.byte(0x3a)
    if (this.delimiter !== COMMA) out.byte(this.delimiter)
    out.byte(0x5d)
  }

  /** The field list of a header, with nested groups (section 9.3). */
  private fields (shape: number): void {
    const { out } = this
    out.byte(0x7b)
    let first = true
    for (const { key, child } of this.document.shapes.fields(shape)) {
      if (!first) out.byte(this.delimiter)
      first = false
      this.key(key)
      if (child > 0) this.fields(child)
    }
    out.byte(0x7d)
  }

  /** All primitives below a container, in order: of a row with nested groups these are its cells. `lead` is the byte before the first. */
  private cells (node: number, lead: number): void {
    const { out, tape, bytes, delimiter, document: { arena } } = this
    const end = tape[node + 2]
    for (let at = node + 6; at < end;) {
      const head = tape[at]
      const kind = head & KIND_MASK
      if (kind === KEY) {
        at += RECORD
      } else if (kind === OBJECT) {
        at += 2 * RECORD
      } else if (this.isCopied(head, kind)) {
        const quote = kind === STRING && (head & PLAIN) === 0 ? 1 : 0
        out.copyBehind(lead, bytes, tape[at + 1] - quote, tape[at + 2] + quote)
        lead = delimiter
        at += RECORD
      } else if (kind === STRING && delimiter === COMMA && (head & ODD_ESCAPES) === 0) {
        const quote = (head & PLAIN) === 0 ? 1 : 0
        out.copyBehind(lead, arena, tape[at + 3] - quote, tape[at + 4] + quote)
        lead = delimiter
        at += WIDE_RECORD
      } else {
        out.byte(lead)
        this.values.primitive(at)
        lead = delimiter
        at = nextNode(tape, at)
      }
    }
  }

  private isTable (node: number): boolean {
    const flags = this.tape[node]
    if (flags & ROWS_UNORDERED) throw new CodecDeclinedError('toon', 'declined-key-order')
    return (flags & ROWS) !== 0
  }

  private isKeyedTable (node: number): boolean {
    const { tape } = this
    return (tape[node] & KINDS_MASK) === OBJECTS && tape[node + COUNT] >= 2 && this.isTable(node)
  }
}
