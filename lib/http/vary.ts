import { Memo } from '../memo.js'
import { fieldLines } from './field-list.js'
import type { FieldValue } from './field-list.js'

/** What our choice depends on, in every response that could have been re-encoded. */
export const VARY_FIELDS = ['Accept-Encoding', 'Accept'] as const

/**
 * Adds the fields that negotiation reads to a Vary field (RFC 9110 section 12.5.5). Names that are there
 * already, in any letter case, are not added again, and `*` says more than we could.
 *
 * @returns the field's new value; what was there comes first, as it was
 */
export function mergeVary (current: FieldValue): string {
  return merged.get(typeof current === 'string' ? current : fieldLines(current).join(', '))
}

const merged = new Memo(mergeLine)

function mergeLine (line: string): string {
  const present = line.split(',').map((name) => name.trim().toLowerCase())
  if (present.includes('*')) return line
  const missing = VARY_FIELDS.filter((name) => !present.includes(name.toLowerCase()))
  if (missing.length === 0) return line
  return line.trim() === '' ? missing.join(', ') : `${line}, ${missing.join(', ')}`
}
