import { fieldLines } from './field-list.js'
import type { FieldValue } from './field-list.js'

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/g
const WHOLE_ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"$/

/**
 * Gives another representation another tag (RFC 9110 section 8.8.3): `"v1"` becomes `"v1-toon"`.
 *
 * @param suffix the coding's name, or `json` for minified JSON
 * @returns null for a tag outside the grammar: it is better dropped than kept for other bytes
 */
export function suffixETag (etag: string, suffix: string): string | null {
  return WHOLE_ENTITY_TAG.test(etag) ? `${etag.slice(0, -1)}-${suffix}"` : null
}

/**
 * Maps the tags that we gave out back to the origin's own, so that it can answer 304 (RFC 9110 section
 * 13.1.2). Only tags of representations that this request takes are mapped; all else stays.
 *
 * @param suffixes the names of those representations
 */
export function mapIfNoneMatch (value: string, suffixes: readonly string[]): string {
  return value.replace(ENTITY_TAG, (tag) => stripSuffix(tag, suffixes))
}

/**
 * Adds the origin's own tag behind each tag that we gave out, so that a change goes through where the client has
 * whatever representation of what is there now (RFC 9110 section 13.1.1). Weak tags match nothing in this field and stay.
 *
 * @param suffixes the names of the representations that this gateway makes
 */
export function mapIfMatch (value: string, suffixes: readonly string[]): string {
  return value.replace(ENTITY_TAG, (tag) => {
    const own = stripSuffix(tag, suffixes)
    return own === tag || tag.startsWith('W/') ? tag : `${tag}, ${own}`
  })
}

/**
 * The client's own tag for a 304: the one in its If-None-Match that maps to the origin's.
 *
 * @param ifNoneMatch the field as the client sent it
 * @returns the origin's tag where the client sent that one itself, or none that maps to it
 */
export function restoreETag (etag: string, ifNoneMatch: FieldValue, suffixes: readonly string[]): string {
  const sent = fieldLines(ifNoneMatch).flatMap((line) => line.match(ENTITY_TAG) ?? [])
  // The comparison is weak: a cache or a compressor may have added W/ on the way.
  const isSame = (tag: string): boolean => opaque(tag) === opaque(etag)
  return sent.find(isSame) ?? sent.find((tag) => isSame(stripSuffix(tag, suffixes))) ?? etag
}

function stripSuffix (tag: string, suffixes: readonly string[]): string {
  const suffix = suffixes.find((name) => tag.endsWith(`-${name}"`))
  return suffix === undefined ? tag : `${tag.slice(0, -suffix.length - 2)}"`
}

function opaque (tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
