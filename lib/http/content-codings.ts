import { parseFieldList } from './field-list.js'
import type { FieldValue } from './field-list.js'

/** A content coding that can be undone (RFC 9110 section 8.4.1, RFC 7932, RFC 8878). */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd'

const NAMES: ReadonlyMap<string, ContentCoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd']
])

/** More codings than that on one body are no honest server's. */
const MAX_CODINGS = 3

/**
 * The content codings of a body in the order in which they were applied, without identity.
 *
 * @returns empty where there is none; null where one of them is unknown, or where there are more than three
 */
export function listContentCodings (contentEncoding: FieldValue): ContentCoding[] | null {
  const codings: ContentCoding[] = []
  if (contentEncoding === undefined) return codings
  for (const { name } of parseFieldList(contentEncoding)) {
    if (name === 'identity') continue
    const coding = NAMES.get(name)
    if (coding === undefined || codings.length === MAX_CODINGS) return null
    codings.push(coding)
  }
  return codings
}
