import { toBytes } from '../json/utf8.js'
import { fitsGroup, groupOf } from './group.js'
import type { Group } from './group.js'

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
  /** `{id,customer{name}}:` */
  toonFields: Uint8Array
  /** The same but for the quotes of some keys; of use only where the rows are flat. */
  stcFields: Uint8Array
  /** Each key as a member of STC begins with it, such as `id:`, in the order of a row. */
  stcMembers: readonly Uint8Array[]
  /** Bytes of a row in JSON, without its cells. */
  jsonRow: number
  /** The same in STC, as an object. */
  stcRow: number
  /** In which coding the last table of this layout was the smallest. */
  lastCoding: Coding
}

/** Layouts that are kept for rows that look the same, and how many fields they may have. */
const KEPT = 8
const MAX_KEPT_FIELDS = 128
const kept: Layout[] = []

/** The layout of rows like this one; null where it holds other than primitives and objects that are not empty. */
export function layoutOf (row: unknown): Layout | null {
  for (let i = 0; i < kept.length; i++) {
    const layout = kept[i]
    if (!fitsGroup(row, layout.root)) continue
    kept[i] = kept[0]
    kept[0] = layout
    return layout
  }
  const root = groupOf(row)
  if (root === null) return null
  const layout = makeLayout(root)
  if (layout.stcMembers.length <= MAX_KEPT_FIELDS && kept.unshift(layout) > KEPT) kept.pop()
  return layout
}

function makeLayout (root: Group): Layout {
  const sum = { cells: 0, json: 0, stc: 0, members: [] as Uint8Array[] }
  addGroup(root, sum)
  return {
    root,
    cells: sum.cells,
    isFlat: root.groups.every(group => group === null),
    toonFields: toBytes(`${spellFields(root, spellToonKey)}:`),
    stcFields: toBytes(`${spellFields(root, spellStcKey)}:`),
    stcMembers: sum.members,
    jsonRow: sum.json,
    stcRow: sum.stc,
    lastCoding: 'toon'
  }
}

function addGroup ({ keys, groups }: Group, sum: { cells: number, json: number, stc: number, members: Uint8Array[] }): void {
  // Braces and commas.
  sum.json += keys.length + 1
  sum.stc += keys.length + 1
  for (let column = 0; column < keys.length; column++) {
    const member = toBytes(`${spellStcKey(keys[column])}:`)
    sum.members.push(member)
    sum.stc += member.length
    sum.json += toBytes(JSON.stringify(keys[column])).length + 1
    const group = groups[column]
    if (group === null) sum.cells++
    else addGroup(group, sum)
  }
}

/** TOON 4.0 section 9.3. */
function spellFields ({ keys, groups }: Group, spellKey: (key: string) => string): string {
  return `{${keys.map((key, column) => {
    const group = groups[column]
    return group === null ? spellKey(key) : spellKey(key) + spellFields(group, spellKey)
  }).join()}}`
}

function spellStcKey (key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : JSON.stringify(key)
}

/** TOON has no \b and no \f. */
function spellToonKey (key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_.]*$/.test(key)) return key
  return JSON.stringify(key).replace(/\\(.)/g, (escape, letter: string) => letter === 'b' ? '\\u0008' : letter === 'f' ? '\\u000c' : escape)
}
