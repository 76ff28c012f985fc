import { CODECS } from '../codec.js'
import type { CodingName } from '../codec.js'
import { suffixETag } from './etag.js'
import type { StackedCoding } from './stacked-codings.js'

/** What to do to a response's fields; names in lowercase, the two lists are disjoint. */
export interface FieldChanges {
  set: Record<string, string>
  drop: string[]
}

/**
 * Fields that hold for the bytes of one representation only: they are wrong for any other (RFC 9530, RFC
 * 9110 sections 8.6 and 14.3). Content-Length is recomputed by whoever sends the body.
 */
export const BYTE_BOUND_FIELDS = [
  'content-length', 'content-digest', 'repr-digest', 'digest', 'content-md5', 'accept-ranges'
] as const

/** What the fields of an encoded body depend on. */
export interface EncodedBody {
  codec: CodingName
  /** The request field that named the coding; Content-Encoding is set only for `accept-encoding`. */
  by: 'accept-encoding' | 'accept'
  /** Size in bytes of the JSON that came. */
  bytesBefore: number
  /** Size in bytes of the text, before a content coding is stacked on it. */
  bytesAfter: number
  /** The origin's ETag. */
  etag: string | undefined
  /** The content coding that was applied to the text, if any. */
  stacked?: StackedCoding
}

/** The field changes for a body that ships in one of our codings; Vary is merged apart. */
export function describeEncoded ({ codec, by, bytesBefore, bytesAfter, etag, stacked }: EncodedBody): FieldChanges {
  const { contentType, ratioHeader, versionHeader, version } = CODECS[codec]
  const changes = describeChanged(etag, stacked === undefined ? codec : nameStacked(codec, stacked))
  changes.set['content-type'] = contentType
  if (by === 'accept-encoding') changes.set['content-encoding'] = stacked === undefined ? codec : `${codec}, ${stacked}`
  changes.set[ratioHeader] = (bytesAfter / bytesBefore).toFixed(2)
  changes.set[versionHeader] = version
  return changes
}

/** The suffix of the entity tag of a text to which a content coding was applied: it is a representation of its own. */
export function nameStacked (codec: CodingName, stacked: StackedCoding): string {
  return `${codec}-${stacked}`
}

/** The field changes for minified JSON: it ships as plain JSON, with nothing of ours but its tag. */
export function describeMinified (etag: string | undefined): FieldChanges {
  return describeChanged(etag, 'json')
}

/** The field changes for JSON in a fenced block of Markdown (RFC 7763). */
export function describeMarkdown (etag: string | undefined): FieldChanges {
  const changes = describeChanged(etag, 'markdown')
  changes.set['content-type'] = 'text/markdown; charset=utf-8'
  return changes
}

/**
 * The field changes for MCP messages whose texts were rewritten. There is no tag: which one it would be depends on
 * what became of each text.
 *
 * @param ratio bytes of the rewritten texts after / before; null where that is not known, or none was
 */
export function describeMessage (ratio: number | null): FieldChanges {
  return { set: ratio === null ? {} : { 'x-token-ratio': ratio.toFixed(2) }, drop: [...BYTE_BOUND_FIELDS, 'etag'] }
}

function describeChanged (etag: string | undefined, suffix: string): FieldChanges {
  const changes: FieldChanges = { set: {}, drop: [...BYTE_BOUND_FIELDS] }
  const tag = etag === undefined ? undefined : suffixETag(etag, suffix)
  if (tag === null) changes.drop.push('etag')
  else if (tag !== undefined) changes.set.etag = tag
  return changes
}
