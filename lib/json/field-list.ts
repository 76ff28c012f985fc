import type { Document } from './document.js'

/** What a list of fields costs that rows of one shape share, in bytes. */
export interface FieldListSize {
  /** The list itself: braces, separators, keys as the format spells them, groups and all. */
  list: number
  /** What JSON spends in each row on braces, keys, colons and commas. */
  json: number
  /** Values of a row. */
  cells: number
}

/** Measures the field list of a shape; `sizeOfKey` tells how many bytes a format takes for a key. */
export function measureFieldList (document: Document, shape: number, sizeOfKey: (document: Document, key: number) => number): FieldListSize {
  const size = { list: 0, json: 0, cells: 0 }
  addFields(document, shape, sizeOfKey, size)
  return size
}

function addFields (document: Document, shape: number, sizeOfKey: (document: Document, key: number) => number, size: FieldListSize): void {
  const { keys: { starts }, shapes } = document
  const fields = shapes.fields(shape)
  // Braces and commas.
  size.list += fields.length + 1
  size.json += fields.length + 1
  for (const { key, child } of fields) {
    size.list += sizeOfKey(document, key)
    // Quotes and colon.
    size.json += starts[key + 1] - starts[key] + 3
    if (child > 0) addFields(document, child, sizeOfKey, size)
    else size.cells++
  }
}
