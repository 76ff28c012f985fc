import type { Document } from '../../json/document.js'
import type { Column } from './column.js'
import { signColumn } from './find-default.js'
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
    const { kind, kinds, present, template } = leaves[c]
    if (kind !== PLAIN || template !== null) continue
    for (let o = 0; o < c; o++) if (leaves[o].present === present && leaves[o].kinds === kinds && makeCopy(document, words, leaves[o], leaves[c])) break
  }
}

function findAmongMany (document: Document, words: Int32Array, leaves: Column[]): void {
  const bySignature = new Map<number, Column>()
  for (let c = 0; c < leaves.length; c++) {
    const column = leaves[c]
    const signature = signColumn(document, words, column)
    const original = bySignature.get(signature)
    if (original === undefined) bySignature.set(signature, column)
    else makeCopy(document, words, original, column)
  }
}

/** Makes a column a copy of another one where it is. */
function makeCopy (document: Document, words: Int32Array, original: Column, column: Column): boolean {
  if (column.kind !== PLAIN || column.template !== null || column.isShared || column.isSource) return false
  if (original.kind !== PLAIN || original.template !== null || !isCopy(document, words, original, column) || !isNamed(document, original)) return false
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
