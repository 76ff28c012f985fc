import { Memo } from '../memo.js'
import { fieldLines } from './field-list.js'
import type { FieldValue } from './field-list.js'

/** What our choice depends on, in every response that could have been re-encoded. */
export const VARY_FIELDS = ['Accept-Encoding', 'Accept'] as const

/**
 * Adds the fields that negotiation reads to a Vary field (RFC 9110 section 12.5.5). Names that are there
 * already, in any letter case, are not added again, and `*` says more than we could.
 *
 * @param isLowerCase whether the two names are written in lower case, wherever they stand: for those behind us who
 *   look for them in that spelling alone, and add them again where they do not find it
 * @returns the field's new value; what was there comes first, as it was
 */
export function mergeVary (current: FieldValue, isLowerCase = false): string {
  const line = typeof current === 'string' ? current : fieldLines(current).join(', ')
  return (isLowerCase ? mergedInLowerCase : merged).get(line)
}

const OUR_NAME = /(?<![^\s,])accept(?:-encoding)?(?![^\s,])/gi

const merged = new Memo(mergeLine)
const mergedInLowerCase = new Memo((line) => mergeLine(line).replace(OUR_NAME, (name) => name.toLowerCase()))

function mergeLine (line: string): string {
  const present = line.split(',').map((name) => name.trim().toLowerCase())
  if (present.includes('*')) return line
  const missing = VARY_FIELDS.filter((name) => !present.includes(name.toLowerCase()))
  if (missing.length === 0) return line
  return line.trim() === '' ? missing.join(', ') : `${line}, ${missing.join(', ')}`
}
