import type { FormatName } from '../codec-names.js'
import { replaceBytes } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { toBytes } from '../json/utf8.js'
import type { FoundResult } from './find-results.js'
import { ENCODING_KEY } from './members.js'

/** What `_meta["fastify-token-gateway/encoding"]` says of one block. */
export interface EncodingEntry {
  /** Index in `content[]`, or in `contents[]` of resources/read. */
  index: number
  codec: FormatName
  /** The version of the codec's format; null for JSON. */
  version: string | null
  /** Size in bytes of the text that came, as UTF-8. */
  bytesBefore: number
  /** Size in bytes of the text that is there now. */
  bytesAfter: number
  /** Lines before the encoded text that are not part of it: a marker, a note of rows left out. */
  preamble?: number
  /** JSON Pointers of the strings whose documents are texts of the codec. */
  paths?: string[]
  /** JSON Pointers of the strings whose documents are minified JSON, and were not before. */
  minified?: string[]
  /** The text is JSON, and only the strings at `paths` are in the codec. */
  outer?: 'json'
  /** The paths that the rows were cut down to. */
  fields?: readonly string[]
  /** How many rows are there of how many. */
  cut?: { shown: number, total: number }
}

/** Puts the entries where the client finds them: into the result's `_meta`, as the last member of it. */
export function insertEntries (entries: readonly EncodingEntry[], { at, isNew, isEmpty }: Exclude<FoundResult['meta'], string>): Edit {
  const member = `"${ENCODING_KEY}":${JSON.stringify(entries)}`
  const text = isNew ? `,"_meta":{${member}}` : isEmpty ? member : `,${member}`
  return replaceBytes(at, at, toBytes(text))
}
