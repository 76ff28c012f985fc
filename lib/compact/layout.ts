import { toBytes } from '../json/utf8.js'
import { fitsGroup, groupOf, isPlainRow } from './group.js'
import type { Group } from './group.js'
import { isIdentifier, spellMembers, spellStcFields, spellToonFields } from './spell-keys.js'

/** Codings that a table is written in. */
export type Coding = 'toon' | 'stc'

/** How a table is written: as a table of TOON, as a columnar list of STC, or as STC's list of objects. */
export type Form = 'toon' | 'columnar' | 'objects'

/** What the keys of rows make of their texts. */
export interface Layout {
  root: Group
  /** Values of a row that are no objects. */
  cells: number
  /** Whether STC has a columnar list for two rows or more: for nothing but primitives. */
  isFlat: boolean
  /** `{id,customer{name}}` */
  toonFields: string
  /** The same but for the quotes of some keys; of use only where the rows are flat. */
  stcFields: string
  /** Bytes of these. */
  toonFieldBytes: number
  stcFieldBytes: number
  /** Bytes of a row in JSON, without its cells. */
  jsonRow: number
  /** The same in STC, as an object. */
  stcRow: number
  /** Each key as a member of STC begins with it, in the order of a row, once somebody needs them. */
  stcMembers: readonly string[] | null
  /** In which coding the last table of this layout was the smallest. */
  lastCoding: Coding
}

/** Layouts that are kept for rows that look the same, how many keys they may have, and how many bytes of these. */
const KEPT = 8
const MAX_KEPT_KEYS = 128
const MAX_KEPT_BYTES = 4096
const kept: Layout[] = []

/** The layout of so many rows like this one; null where it holds other than primitives and objects that are not empty. */
export function layoutOf (row: unknown, count: number): Layout | null {
  if (!isPlainRow(row)) return null
  const keys = Object.keys(row)
  // For one row a layout pays only if there will be others like it.
  const maxKeys = count === 1 ? MAX_KEPT_KEYS : Infinity
  if (keys.length > maxKeys) return null
  for (let i = 0; i < kept.length; i++) {
    const layout = kept[i]
    const known = layout.root.keys
    if (known.length !== keys.length || known[0] !== keys[0] || !fitsGroup(row, layout.root)) continue
    kept[i] = kept[0]
    kept[0] = layout
    return layout
  }
  const root = groupOf(row, maxKeys)
  return root === null ? null : makeLayout(root)
}

/** Each key as a member of STC begins with it, in the order of a row. */
export function membersOf (layout: Layout): readonly string[] {
  layout.stcMembers ??= spellMembers(layout.root)
  return layout.stcMembers
}

function makeLayout (root: Group): Layout {
  const sum: KeySum = { keys: 0, cells: 0, jsonBytes: 0, identifiers: 0 }
  addKeys(root, sum)
  const { keys, cells, jsonBytes, identifiers } = sum
  const toonFields = spellToonFields(root)
  const stcFields = identifiers === keys ? toonFields : spellStcFields(root)
  const layout: Layout = {
    root,
    cells,
    isFlat: cells === keys,
    toonFields,
    stcFields,
    toonFieldBytes: identifiers === keys ? toonFields.length : toBytes(toonFields).length,
    stcFieldBytes: identifiers === keys ? stcFields.length : toBytes(stcFields).length,
    jsonRow: jsonBytes,
    // Two quotes around each identifier.
    stcRow: jsonBytes - 2 * identifiers,
    stcMembers: null,
    lastCoding: 'toon'
  }
  if (keys <= MAX_KEPT_KEYS && layout.toonFieldBytes <= MAX_KEPT_BYTES && kept.unshift(layout) > KEPT) kept.pop()
  return layout
}

/** What the keys of a row come to, also those of the objects in it. */
interface KeySum {
  keys: number
  /** Keys of primitives. */
  cells: number
  /** Braces, keys, colons and commas in JSON. */
  jsonBytes: number
  /** Keys that stand bare in STC, and in TOON. */
  identifiers: number
}

function addKeys ({ keys, groups }: Group, sum: KeySum): void {
  sum.keys += keys.length
  sum.jsonBytes += keys.length + 1
  for (let column = 0; column < keys.length; column++) {
    const key = keys[column]
    if (isIdentifier(key)) {
      sum.identifiers++
      sum.jsonBytes += key.length + 3
    } else {
      sum.jsonBytes += toBytes(JSON.stringify(key)).length + 1
    }
    const group = groups[column]
    if (group === null) sum.cells++
    else addKeys(group, sum)
  }
}
