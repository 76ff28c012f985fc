import type { CodingName } from '../codec.js'
import { toText } from '../json/utf8.js'
import { formOf, measureTable } from './measure-table.js'
import type { TableSizes } from './measure-table.js'
import { holdsTable } from './table-reader.js'
import { TableWriter } from './table-writer.js'
import type { Coding } from './layout.js'
import { NOT_PLAIN, asTable } from './table.js'
import type { Table } from './table.js'

/** A writer whose room grew beyond this many bytes is not used for the next table. */
const MAX_SPARE_BYTES = 1 << 22
/** The writer that nobody uses: a getter among the values may come here again. */
let spare: TableWriter | null = null

/**
 * The smallest text, in bytes, of rows that all have the same members, of primitives or of objects that all have
 * the same, written straight from the values.
 *
 * @param encodings what may be used beside JSON, in the order that breaks ties
 * @param verify whether the text is decoded and compared with the values
 * @returns JSON.stringify's text where JSON is the smallest; null where the value is something else, or a coding
 * is asked for that is not written here
 */
export function stringifyTable (value: unknown, encodings: readonly CodingName[], verify: boolean): string | null {
  const table = encodings.every(isWrittenHere) ? asTable(value) : null
  if (table === null) return null
  const writer = spare ?? new TableWriter()
  spare = null
  try {
    return writeSmallest(writer, table, encodings as readonly Coding[], verify) ?? JSON.stringify(value)
  } catch (error) {
    if (error !== NOT_PLAIN) throw error
    return null
  } finally {
    if (writer.bytes.length <= MAX_SPARE_BYTES) spare = writer
  }
}

function isWrittenHere (coding: CodingName): coding is Coding {
  return coding === 'toon' || coding === 'stc'
}

/** The text; null where JSON is the smallest, or it is not what it should be. */
function writeSmallest (writer: TableWriter, table: Table, encodings: readonly Coding[], verify: boolean): string | null {
  const { layout } = table
  // The sizes are known once it is written in any form; mostly it is the one of the last table that looked the same.
  const first = formOf(encodings.length === 0 || encodings.includes(layout.lastCoding) ? layout.lastCoding : encodings[0], table)
  let length = writer.write(table, first)
  const best = smallestOf(measureTable(table, writer), encodings)
  if (best === null) return null
  layout.lastCoding = best
  const form = formOf(best, table)
  if (form !== first) length = writer.write(table, form)
  const { bytes, view } = writer
  const text = toText(bytes.subarray(0, length))
  return verify && !holdsTable({ bytes, view, length, text }, table, form) ? null : text
}

/** Ties go to JSON, then to what is named first. */
function smallestOf (sizes: TableSizes, encodings: readonly Coding[]): Coding | null {
  let best: Coding | null = null
  for (const coding of encodings) {
    if (sizes[coding] < (best === null ? sizes.json : sizes[best])) best = coding
  }
  return best
}
