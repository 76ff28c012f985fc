import type { CodecOptions } from '../codec-interface.js'
import type { Reason } from '../decision.js'
import { countDigits } from '../json/count-digits.js'
import type { Document } from '../json/document.js'
import { measureFieldList } from '../json/field-list.js'
import type { FieldListSize } from '../json/field-list.js'
import { KEY_DOTTED_IDENTIFIER, KEY_ODD_ESCAPES } from '../json/key-table.js'
import { SHAPE_ODD_KEYS } from '../json/shape-tree.js'
import { ARRAY, COUNT, KINDS_MASK, KIND_MASK, OBJECT, PRIMITIVE_KINDS, ROWS, ROWS_UNORDERED, SHAPE, kindBit } from '../json/tape.js'
import { measureIrregularValues, measureOddEscapes } from './irregular.js'

const OBJECTS = kindBit(OBJECT)

/** Whether `measureToon` knows this document's size: only the comma is what the scanner looked out for. */
export function canMeasureToon (document: Document, { delimiter = ',' }: CodecOptions): boolean {
  return delimiter === ',' && document.containerCount > 0
}

/**
 * Size in bytes of the TOON text of a document, or why it declines: that of minified JSON, less the quotes of
 * bare strings, plus what each array and object adds or saves. Only arrays and objects are looked at.
 */
export function measureToon (document: Document): number | Reason {
  const measure = new Measure(document)
  const difference = measure.root()
  if (measure.isDeclined) return 'declined-key-order'
  const irregular = document.hasIrregularValues ? measureIrregularValues(document) : 0
  return document.minifiedBytes - 2 * document.plainStrings + irregular + difference
}

/**
 * Every method takes the container that the cursor has just passed, and returns by how many bytes its text
 * is longer than its JSON, where values count the same in both. Depths are those of the encoder.
 */
class Measure {
  isDeclined = false
  private readonly tape: Int32Array
  private readonly containers: Int32Array
  private readonly containerCount: number
  private next = 1

  constructor (private readonly document: Document) {
    this.tape = document.tape
    this.containers = document.containers
    this.containerCount = document.containerCount
  }

  root (): number {
    const { tape } = this
    if ((tape[0] & KIND_MASK) === ARRAY) return tape[COUNT] === 0 ? 0 : this.array(0, 0)
    if (this.isKeyedTable(0)) return this.keyedTable(0, 0)
    // The first line has no line feed before it.
    return this.members(0, 0) - (tape[COUNT] > 0 ? 1 : 0)
  }

  /** Members on lines of their own, for braces and commas. */
  private members (node: number, depth: number): number {
    const { tape, containers, containerCount } = this
    const count = tape[node + COUNT]
    const end = tape[node + 2]
    if (count === 0) return -2
    // A line feed and two blanks for each level, for the comma; `key: value` for `"key":value`.
    let size = 2 * depth * count - 1 - count + this.keys(node)
    while (this.next < containerCount && containers[this.next] < end) size += this.memberValue(containers[this.next++], depth)
    return size
  }

  /** What a container under a key takes beyond the blank that a primitive has before it. */
  private memberValue (node: number, depth: number): number {
    const { tape } = this
    if ((tape[node] & KIND_MASK) === ARRAY) return tape[node + COUNT] === 0 ? 0 : this.array(node, depth) - 2
    return this.isKeyedTable(node) ? this.keyedTable(node, depth) - 2 : this.members(node, depth + 1) - 1
  }

  /** An array that is not empty, with its bracket and colon. */
  private array (node: number, depth: number): number {
    const { tape } = this
    if ((tape[node] & KINDS_MASK & ~PRIMITIVE_KINDS) === 0) return this.inline(node)
    return this.isTable(node) ? this.table(node, depth) : this.list(node, depth)
  }

  private inline (node: number): number {
    const count = this.tape[node + COUNT]
    return countDigits(count) + (count > 0 ? 2 : 1)
  }

  private table (node: number, depth: number): number {
    const { tape } = this
    const rows = tape[node + COUNT]
    const { list, json, cells } = this.fields(tape[node + SHAPE])
    this.skip(tape[node + 2])
    return 2 + countDigits(rows) + list + rows * (2 * depth + cells + 1 - json)
  }

  private keyedTable (node: number, depth: number): number {
    const { tape } = this
    const rows = tape[node + COUNT]
    const { list, json, cells } = this.fields(tape[node + 9 + SHAPE])
    this.skip(tape[node + 2])
    return 3 + countDigits(rows) + list + rows * (2 * depth + cells - json) + this.keys(node)
  }

  private list (node: number, depth: number): number {
    const { tape, containers, containerCount } = this
    const count = tape[node + COUNT]
    const end = tape[node + 2]
    let size = 2 + countDigits(count) + count * (2 * depth + 4)
    while (this.next < containerCount && containers[this.next] < end) size += this.item(containers[this.next++], depth)
    return size
  }

  private item (node: number, depth: number): number {
    const { tape } = this
    if ((tape[node] & KIND_MASK) === ARRAY) return (tape[node] & KINDS_MASK & ~PRIMITIVE_KINDS) === 0 ? this.inline(node) : this.list(node, depth + 1)
    // The first member stands behind the hyphen; an empty object is nothing but the hyphen.
    return tape[node + COUNT] === 0 ? -3 : this.members(node, depth + 2) - 1 - 2 * (depth + 2)
  }

  private skip (end: number): void {
    while (this.next < this.containerCount && this.containers[this.next] < end) this.next++
  }

  /** By how much the keys of an object are longer than if all stood bare. */
  private keys (node: number): number {
    const { shapes, keys } = this.document
    const shape = this.tape[node + SHAPE]
    let size = 2 * shapes.quotedDottedKeys(shape)
    if (shapes.flags(shape) & SHAPE_ODD_KEYS) {
      for (const { key } of shapes.fields(shape)) size += measureOddEscapes(keys.bytes, keys.starts[key], keys.starts[key + 1])
    }
    return size
  }

  private fields (shape: number): FieldListSize {
    return measureFieldList(this.document, shape, sizeOfKey)
  }

  private isTable (node: number): boolean {
    const flags = this.tape[node]
    if (flags & ROWS_UNORDERED) this.isDeclined = true
    return (flags & ROWS) !== 0
  }

  private isKeyedTable (node: number): boolean {
    const { tape } = this
    return (tape[node] & KINDS_MASK) === OBJECTS && tape[node + COUNT] >= 2 && this.isTable(node)
  }
}

function sizeOfKey ({ keys }: Document, key: number): number {
  const start = keys.starts[key]
  const end = keys.starts[key + 1]
  if (keys.flags[key] & KEY_DOTTED_IDENTIFIER) return end - start
  return end - start + 2 + (keys.flags[key] & KEY_ODD_ESCAPES ? measureOddEscapes(keys.bytes, start, end) : 0)
}
