import { countDigits } from '../json/count-digits.js'
import type { Coding, Form } from './layout.js'
import type { Table } from './table.js'

/** What the cells of a table take. */
export interface CellSizes {
  /** Bytes of all cells in JSON, which are the same in STC. */
  jsonBytes: number
  /** By how much they are shorter in TOON, where strings stand bare. */
  savedInToon: number
}

/** Bytes of a table in JSON and in each coding. */
export interface TableSizes {
  json: number
  toon: number
  stc: number
}

export function measureTable (table: Table, { jsonBytes, savedInToon }: CellSizes): TableSizes {
  const { count, layout } = table
  const { cells, jsonRow, stcRow, toonFieldBytes, stcFieldBytes } = layout
  // Brackets and the commas between rows.
  const list = count + 1
  // And the colon of the header.
  const bracket = 3 + countDigits(count)
  const columnar = bracket + stcFieldBytes + count * cells - 1
  return {
    json: list + count * jsonRow + jsonBytes,
    // A line feed and two blanks before each row.
    toon: bracket + toonFieldBytes + count * (cells + 2) + jsonBytes - savedInToon,
    stc: (formOf('stc', table) === 'columnar' ? columnar : list + count * stcRow) + jsonBytes
  }
}

/** How a coding writes a table (for STC: lib/stc/forms.ts). */
export function formOf (coding: Coding, { count, layout }: Table): Form {
  if (coding === 'toon') return 'toon'
  return layout.isFlat && count >= 2 ? 'columnar' : 'objects'
}
