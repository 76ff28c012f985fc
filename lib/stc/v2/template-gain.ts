import type { Document } from '../../json/document.js'
import type { Column, Part, RowTemplate } from './column.js'
import { DEFAULT } from './layout.js'
import { isSpelledAlike, sourceLength } from './values.js'

/** A template with a cell of its own saves at least so many bytes a row; less is often no token. */
const LEAST_SAVED_BY_OWN = 3
/** What a template takes in the header besides its parts. */
const FRAME = 8

/** Whether a template that saves so many bytes is shorter than that, and better than the default that the column has. */
export function pays (document: Document, words: Int32Array, column: Column, template: RowTemplate, saved: number): boolean {
  if (!isWorth(document, column, template, saved)) return false
  if (column.empty !== DEFAULT) return true
  // The default saves what it stands for in the rows that have it.
  let same = 0
  for (let r = 0; r < column.rows; r++) if (isSpelledAlike(document, column.value, words[column.at + r])) same++
  return same * sourceLength(document.tape, column.value) < saved
}

/** Whether a template that saves so many bytes is shorter than that. */
export function isWorth (document: Document, { present }: Column, { left, right, hasOwn }: RowTemplate, saved: number): boolean {
  return saved > FRAME + headerLength(document, left) + headerLength(document, right) && saved >= present * (hasOwn ? LEAST_SAVED_BY_OWN : 1)
}

function headerLength ({ keys: { starts } }: Document, parts: Part[]): number {
  let length = 0
  for (let p = 0; p < parts.length; p++) {
    const { literal, source } = parts[p]
    if (literal !== null) length += literal.length
    else length += source === null || source.column === null ? 4 : starts[source.column.key + 1] - starts[source.column.key] + 3
  }
  return length
}

/** Bytes of the literals of a template without sources, else -1. */
export function literalLength ({ left, right }: RowTemplate): number {
  let length = 0
  for (let p = 0; p < left.length; p++) {
    const { literal } = left[p]
    if (literal === null) return -1
    length += literal.length
  }
  for (let p = 0; p < right.length; p++) {
    const { literal } = right[p]
    if (literal === null) return -1
    length += literal.length
  }
  return length
}
