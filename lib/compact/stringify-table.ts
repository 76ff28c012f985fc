import type { CodingName } from '../codec.js'
import { Spare } from '../json/allocate.js'
import { toText } from '../json/utf8.js'
import { holdsTable } from './table-reader.js'
import { TableWriter } from './table-writer.js'
import { NOT_PLAIN, asTable, headersOf, measureTable } from './table.js'

const spares = new Spare<Uint8Array>(length => new Uint8Array(length), 1 << 22)
const FIRST_BYTES = 1 << 14

/**
 * The smallest text, in bytes, of rows that all have the same keys and hold nothing but primitives, written
 * straight from the values.
 *
 * @param encodings what may be used beside JSON, in the order that breaks ties
 * @param verify whether the text is decoded and compared with the values
 * @returns JSON.stringify's text where JSON is the smallest; null where the value is something else, or a coding
 * is asked for that is not written here
 */
export function stringifyTable (value: unknown, encodings: readonly CodingName[], verify: boolean): string | null {
  const table = asTable(value)
  if (table === null || !encodings.every(coding => coding === 'toon' || coding === 'stc')) return null
  const writer = new TableWriter(true, spares.take(FIRST_BYTES))
  try {
    const headers = headersOf(table)
    const toonText = writer.write(table, headers.toon)
    const { json, stc } = measureTable(table, headers, writer.cellBytes)
    const sizes = { toon: toonText.length, stc }
    let best: 'toon' | 'stc' | null = null
    for (const coding of encodings as readonly ('toon' | 'stc')[]) {
      if (sizes[coding] < (best === null ? json : sizes[best])) best = coding
    }
    if (best === null) return JSON.stringify(value)
    const text = best === 'toon' ? toonText : new TableWriter(false, writer.bytes).write(table, headers.stc)
    return verify && !holdsTable(text, table, best === 'toon') ? JSON.stringify(value) : toText(text)
  } catch (error) {
    if (error !== NOT_PLAIN) throw error
    return null
  } finally {
    spares.give(writer.bytes)
  }
}
