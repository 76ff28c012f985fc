import { toText } from '../../json/utf8.js'
import type { Span } from './span.js'

/** A plain column: the cell holds any value. */
export const PLAIN = 0
/** A value that every row has; no cell. */
export const CONSTANT = 1
/** A string that is filled in from the row's plain cells; no cell. */
export const TEMPLATE = 2
/** A string that is filled in from the row's plain cells and a cell of its own. */
export const OWN = 3
/** An object whose cells stand in place. */
export const GROUP = 4
/** An array of objects; the cell holds their rows in brackets. */
export const ROWS = 5
/** The value of another cell of the row; no cell. */
export const COPY = 6
/** An object of objects; the cell holds their rows in braces, each behind its key. */
export const KEYED = 7

/** Every row has the field in the form that the header says. */
export const ALWAYS = 0
/** An empty cell: the row has no such key. */
export const ABSENT = 1
/** An empty cell: the default, which the header holds. */
export const DEFAULT = 2
/** An empty cell: the template, which the header holds. */
export const FILLED = 3
/** An empty cell: the value of another cell of the row. */
export const COPIED = 4

/** The part of a template that is the row's own cell; parts that are slots are 0 or more. */
export const OWN_PART = -1
/** The part of a template that is the key of the row, in keyed tables. */
export const KEY_PART = -2

/** A string with gaps: literals[0] parts[0] literals[1] parts[1] ... literals[n]. */
export interface Template {
  /** Shortest JSON spellings, one more than there are parts. */
  literals: Span[]
  /** Slots of the row, OWN_PART or KEY_PART. */
  parts: number[]
  /** Whether OWN_PART is among them. */
  hasOwn: boolean
}

/** One field of a header. */
export class Field {
  kind = PLAIN
  /** What an empty cell stands for; where it is not ALWAYS, the cell of a form may also hold a value of another kind. */
  empty = ALWAYS
  /** The key at whoever takes the rows; -1 until it is needed. */
  handle = -1
  /** Where the constant or default stands in the text. */
  start = 0
  end = 0
  template: Template | null = null
  /** The fields of a group or of the rows of a column table. */
  layout: Layout | null = null
  /** Where in the row's slots the cell is noted, -1 where no template or copy refers to it. */
  slot = -1
  /** The slot of the cell that this one is a copy of, -1 where it is none. */
  copy = -1
  /** The slot that tells whether the row has the key already, for a key with more than one place; else -1. */
  once = -1
  /** For the verifier: a node whose value is known to be the constant or default, and whether the key was compared; 0 else. */
  proved = 0

  /**
   * @param at where the field stands in the text
   * @param keyBytes the key's shortest spelling is their span from `keyStart` to `keyEnd`
   */
  constructor (readonly at: number, readonly keyBytes: Uint8Array, readonly keyStart: number, readonly keyEnd: number) {}
}

/** Up to so many fields a list is searched one by one. */
const FEW = 24

/** The fields of a header, a group or a column table. */
export class Layout {
  readonly fields: Field[] = []
  /** Of rows with keys: what they have in common; null where nothing. */
  keyTemplate: Template | null = null
  /** How many cells of a row are noted; 0 for a group, whose slots are those of its row. */
  slots = 0
  /** How many of them tell whether the row has a key of several places; these come first. */
  onces = 0
  /** Whether a template or copy stands before a cell that it refers to. */
  looksAhead = false
  private names: Map<string, Field> | null = null
  /** A bit for each key, which keys share: without it a key is not there. */
  private bits = 0

  /** The first field with this key, in shortest spelling. */
  find (bytes: Uint8Array, start: number, end: number): Field | undefined {
    if ((this.bits & bitOf(bytes, start, end)) === 0) return undefined
    if (this.names !== null) return this.names.get(toText(bytes.subarray(start, end)))
    const { fields } = this
    for (let f = 0; f < fields.length; f++) if (isSame(fields[f], bytes, start, end)) return fields[f]
    return undefined
  }

  add (field: Field): void {
    const { fields } = this
    fields.push(field)
    this.bits |= bitOf(field.keyBytes, field.keyStart, field.keyEnd)
    if (fields.length < FEW) return
    if (this.names === null) {
      this.names = new Map()
      for (const field of fields) this.name(this.names, field)
    } else {
      this.name(this.names, field)
    }
  }

  private name (names: Map<string, Field>, field: Field): void {
    const name = toText(field.keyBytes.subarray(field.keyStart, field.keyEnd))
    if (!names.has(name)) names.set(name, field)
  }
}

function bitOf (bytes: Uint8Array, start: number, end: number): number {
  return start === end ? 1 : 1 << (bytes[start] + 5 * bytes[end - 1] + 11 * (end - start))
}

function isSame ({ keyBytes, keyStart, keyEnd }: Field, bytes: Uint8Array, start: number, end: number): boolean {
  if (keyEnd - keyStart !== end - start) return false
  for (let i = start, k = keyStart; i < end; i++, k++) if (keyBytes[k] !== bytes[i]) return false
  return true
}
