import type { Document } from '../json/document.js'
import type { Output } from '../json/output.js'
import { ARRAY, COUNT, KIND_MASK, OBJECT, nextNode } from '../json/tape.js'
import { toBytes } from '../json/utf8.js'
import type { CodecOptions } from '../codec-interface.js'
import { SPACE, isPlainName } from './scalar.js'
import { ValueWriter, decline } from './values.js'

const COMMA = 0x2c
const NEWLINE = 0x0a
const VALUE = toBytes('value')

/**
 * Writes a document in the rows dialect: an array of flat objects as a block `name(f1,f2)` with a line
 * `[v1,v2]` for each, an object of such arrays as a block for each, its other members as `# key=value`
 * in meta lines. What stands where is the order of the document.
 *
 * @throws CodecDeclinedError where it would not come back exactly and `lossy` is not set
 * @throws RangeError where `objectName` is no name
 */
export function writeRows (out: Output, document: Document, { rows = {} }: CodecOptions): void {
  new Encoder(out, document, rows.escapeValues ?? true, rows.lossy ?? false).root(rows.objectName ?? 'data')
}

class Encoder {
  private readonly values: ValueWriter
  private isFirstLine = true

  constructor (private readonly out: Output, private readonly document: Document, escapes: boolean, private readonly lossy: boolean) {
    this.values = new ValueWriter(out, document, escapes, lossy)
  }

  root (objectName: string): void {
    const kind = this.document.tape[0] & KIND_MASK
    if (kind === OBJECT) {
      this.members()
    } else if (kind === ARRAY) {
      const name = toBytes(objectName)
      if (!isPlainName(name, 0, name.length)) throw new RangeError(`"${objectName}" is no name of a block`)
      this.startLine()
      this.out.copy(name, 0, name.length)
      this.block(0)
    } else {
      decline('not-uniform-object-array')
    }
  }

  private members (): void {
    const { out, document: { tape } } = this
    const end = tape[2]
    let blocks = 0
    let isMeta = false
    let hasMeta = false
    for (let at = 6; at < end; at = nextNode(tape, at + 3)) {
      const kind = tape[at + 3] & KIND_MASK
      if (kind <= ARRAY) {
        if (kind === OBJECT && !this.lossy) decline('not-uniform-object-array')
        isMeta = false
        blocks++
        this.startLine()
        this.name(tape[at + 2])
        this.block(at + 3)
      } else {
        if (!isMeta) {
          this.startLine()
          out.byte(0x23)
        }
        isMeta = hasMeta = true
        out.byte(SPACE)
        this.metaKey(tape[at + 2])
        out.byte(0x3d)
        this.values.scalar(at + 3, true)
      }
    }
    // A single block is read as an array, and no line at all as nothing.
    if (!hasMeta && blocks < (this.lossy ? 1 : 2)) decline('not-uniform-object-array')
  }

  private startLine (): void {
    if (this.isFirstLine) this.isFirstLine = false
    else this.out.byte(NEWLINE)
  }

  private metaKey (key: number): void {
    const { keys } = this.document
    if (keys.bytes.subarray(keys.starts[key], keys.starts[key + 1]).includes(SPACE)) decline('declined-inexact-value')
    this.name(key)
  }

  private name (key: number): void {
    const { out, document: { keys } } = this
    const start = keys.starts[key]
    const end = keys.starts[key + 1]
    if (!isPlainName(keys.bytes, start, end)) decline('declined-inexact-value')
    out.copy(keys.bytes, start, end)
  }

  /** The fields and the rows of an array, or of an object as a single row. */
  private block (node: number): void {
    const { tape } = this.document
    const rows: number[] = []
    let objects = 0
    if ((tape[node] & KIND_MASK) === OBJECT) {
      rows.push(node)
      objects++
    } else {
      for (let at = node + 6; at < tape[node + 2]; at = nextNode(tape, at)) {
        rows.push(at)
        if ((tape[at] & KIND_MASK) === OBJECT) objects++
      }
    }
    if (objects < rows.length) this.plainRows(rows)
    else if (this.lossy) this.raggedRows(rows)
    else this.evenRows(rows)
  }

  /** An array that holds more than objects: one field. */
  private plainRows (rows: number[]): void {
    if (!this.lossy) decline('not-uniform-object-array')
    const { out } = this
    out.ascii('(')
    out.copy(VALUE, 0, VALUE.length)
    out.ascii(')')
    for (const row of rows) this.row([row])
  }

  /** Rows that all have the same keys in the same order. */
  private evenRows (rows: number[]): void {
    const { tape } = this.document
    const fields = rows.length === 0 ? [] : this.keysOf(rows[0])
    this.fields(fields)
    for (const row of rows) {
      if (tape[row + COUNT] !== fields.length) decline('not-uniform-object-array')
      const cells: number[] = []
      for (let at = row + 6; at < tape[row + 2]; at = nextNode(tape, at + 3)) {
        if (tape[at + 2] !== fields[cells.length]) decline('not-uniform-object-array')
        cells.push(at + 3)
      }
      this.row(cells)
    }
  }

  /** Rows of any keys: a field for each key that some row has, "" where a row has it not. */
  private raggedRows (rows: number[]): void {
    const { tape } = this.document
    const columns = new Map<number, number>()
    for (const row of rows) {
      for (const key of this.keysOf(row)) {
        if (!columns.has(key)) columns.set(key, columns.size)
      }
    }
    // The commas alone would be more than the JSON.
    if (columns.size * rows.length > this.document.bytes.length) decline('not-uniform-object-array')
    this.fields([...columns.keys()])
    for (const row of rows) {
      const cells = new Array<number>(columns.size).fill(-1)
      for (let at = row + 6; at < tape[row + 2]; at = nextNode(tape, at + 3)) cells[columns.get(tape[at + 2]) as number] = at + 3
      this.row(cells)
    }
  }

  private keysOf (row: number): number[] {
    const { tape } = this.document
    const keys: number[] = []
    for (let at = row + 6; at < tape[row + 2]; at = nextNode(tape, at + 3)) keys.push(tape[at + 2])
    return keys
  }

  private fields (keys: number[]): void {
    const { out } = this
    out.ascii('(')
    keys.forEach((key, index) => {
      if (index > 0) out.byte(COMMA)
      this.name(key)
    })
    out.ascii(')')
  }

  /** @param cells the nodes of the values; -1 where there is none */
  private row (cells: number[]): void {
    const { out } = this
    this.startLine()
    out.byte(0x5b)
    cells.forEach((node, index) => {
      if (index > 0) out.byte(COMMA)
      if (node >= 0) this.values.cell(node)
    })
    out.byte(0x5d)
  }
}
