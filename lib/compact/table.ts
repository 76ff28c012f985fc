import { allocate } from '../json/allocate.js'
import { toBytes } from '../json/utf8.js'
import { writeAscii } from './decimals.js'

/** Rows of primitives that all have the same keys in the same order, which is known of the first row only. */
export interface Table {
  /** Two or more. */
  rows: readonly unknown[]
  /** One or more, without lone surrogates. */
  keys: readonly string[]
}

/** Thrown where a value turns out to be one that only JSON.stringify deals with. */
export const NOT_PLAIN = new Error('not a plain table')

/** The value as a table, as far as its first row tells; else null. */
export function asTable (value: unknown): Table | null {
  if (!Array.isArray(value) || value.length < 2 || hasToJson(value) || !isPlainRow(value[0])) return null
  const keys = Object.keys(value[0])
  return keys.length > 0 && keys.every(key => key.isWellFormed()) ? { rows: value, keys } : null
}

/** Whether JSON.stringify takes the value as its own enumerable members and nothing else. */
export function isPlainRow (row: unknown): row is Record<string, unknown> {
  if (typeof row !== 'object' || row === null) return false
  const prototype: unknown = Object.getPrototypeOf(row)
  return (prototype === Object.prototype || prototype === null) && !hasToJson(row)
}

function hasToJson (value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

/** What a table's keys make of it. */
export interface TableHeaders {
  /** `[2]{id,name}:` */
  toon: Uint8Array
  /** The same but for the quotes of some keys. */
  stc: Uint8Array
  /** Bytes of all keys in JSON, quotes included. */
  keyBytes: number
}

export function headersOf ({ rows, keys }: Table): TableHeaders {
  const spell = (spellings: readonly string[]): string => `[${rows.length}]{${spellings.join()}}:`
  if (keys.every(key => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key))) {
    const text = spell(keys)
    const header = allocate(text.length)
    writeAscii(header, 0, text)
    // For each key a comma stands for one of its quotes.
    return { toon: header, stc: header, keyBytes: text.length - `[${rows.length}]{}:`.length + keys.length + 1 }
  }
  const make = (spellings: readonly string[]): Uint8Array => toBytes(spell(spellings))
  const spellings = keys.map(key => JSON.stringify(key))
  return {
    toon: make(keys.map((key, i) => /^[A-Za-z_][A-Za-z0-9_.]*$/.test(key) ? key : withToonEscapes(spellings[i]))),
    stc: make(keys.map((key, i) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : spellings[i])),
    keyBytes: toBytes(spellings.join('')).length
  }
}

/** Bytes of the table in JSON, and in STC, where all its cells take `cellBytes`. */
export function measureTable ({ rows, keys }: Table, { stc, keyBytes }: TableHeaders, cellBytes: number): { json: number, stc: number } {
  const separators = rows.length * keys.length - 1
  return { json: 2 + separators + rows.length * (2 + keys.length + keyBytes) + cellBytes, stc: stc.length + separators + cellBytes }
}

/** TOON has no \b and no \f. */
function withToonEscapes (json: string): string {
  return json.replace(/\\(.)/g, (escape, letter: string) => letter === 'b' ? '\\u0008' : letter === 'f' ? '\\u000c' : escape)
}
