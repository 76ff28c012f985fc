import type { Document } from '../../json/document.js'
import type { Column } from './column.js'
import { isNamed } from './is-named.js'
import { ALWAYS, COPY, PLAIN } from './layout.js'
import { isSpelledAlike } from './values.js'

/** Up to so many columns are compared one by one. */
const FEW_LEAVES = 16

/** Makes columns that hold in every row what another one holds copies of that. */
export function findCopies (document: Document, words: Int32Array, leaves: Column[]): void {
  if (leaves.length > FEW_LEAVES) {
    findAmongMany(document, words, leaves)
    return
  }
  for (let c = 1; c < leaves.length; c++) {
    const { signature } = leaves[c]
    for (let o = 0; o < c; o++) if (leaves[o].signature === signature && makeCopy(document, words, leaves[o], leaves[c])) break
  }
}

function findAmongMany (document: Document, words: Int32Array, leaves: Column[]): void {
  const bySignature = new Map<number, Column>()
  for (let c = 0; c < leaves.length; c++) {
    const column = leaves[c]
    const original = bySignature.get(column.signature)
    if (original === undefined) bySignature.set(column.signature, column)
    else makeCopy(document, words, original, column)
  }
}

/** Makes a column a copy of another one where it is. */
function makeCopy (document: Document, words: Int32Array, original: Column, column: Column): boolean {
  if (column.kind !== PLAIN || column.template !== null || column.isShared || column.isSource) return false
  if (original.kind !== PLAIN || original.template !== null || !isNamed(document, original) || !isCopy(document, words, original, column)) return false
  column.kind = COPY
  column.empty = ALWAYS
  column.original = original
  original.isSource = true
  return true
}

function isCopy (document: Document, words: Int32Array, a: Column, b: Column): boolean {
  if (a.present !== b.present) return false
  for (let r = 0; r < a.rows; r++) {
    const x = words[a.at + r]
    const y = words[b.at + r]
    if (x === 0 || y === 0 ? x !== y : !isSpelledAlike(document, x, y)) return false
  }
  return true
}
