import type { Reason } from '../decision.js'
import { Memo } from '../memo.js'
import { listContentCodings } from './content-codings.js'
import type { ContentCoding } from './content-codings.js'
import { parseElement, parseFieldList } from './field-list.js'
import type { FieldValue } from './field-list.js'

/** A status code, or all codes of one class. */
export type StatusRange = number | '2xx' | '3xx' | '4xx' | '5xx'

/** One request with the head of its response, before its body is read. */
export interface Exchange {
  /** The request's target as it came, query included. */
  url: string
  /** The response's status code. */
  status: number
  /** Gives a field of the request; names in lowercase. */
  getRequestHeader (name: string): FieldValue
  /** Gives a field of the response; names in lowercase. */
  getHeader (name: string): FieldValue
}

/** The options that bear on eligibility. */
export interface EligibilityRules {
  /** The statuses whose bodies may be re-encoded; default all of 2xx. */
  statuses: readonly StatusRange[]
  /** Whether Cache-Control: no-transform keeps a body as it is. */
  noTransform: 'obey' | 'ignore'
}

/** What may be done with a response, judged by its head. */
export interface Assessment {
  /** True: for another request this response could be re-encoded, so that caches need Vary. */
  varies: boolean
  /** Why the body stays as it is; null where it may be re-encoded. */
  reason: Reason | null
  /** The content codings that are to be undone first, in the order in which they were applied; mostly none. */
  codings: readonly ContentCoding[]
}

const NONE: readonly ContentCoding[] = []

/**
 * Judges by status and fields whether a body may be re-encoded as a whole. HEAD is the caller's to tell:
 * its answer varies like that of GET.
 */
export function assess (exchange: Exchange, rules: EligibilityRules): Assessment {
  const { status } = exchange
  const contentType = fieldText(exchange.getHeader('content-type'))
  // A 304 carries the Vary of the 200 that it stands for, mostly without its Content-Type (RFC 9110 15.4.5).
  if (status === 304) return fixed(contentType === undefined || isJsonType(contentType))
  if (!isContentStatus(status) || !isListed(status, rules.statuses)) return fixed(false)
  if (contentType === undefined || !isJsonType(contentType)) return fixed(false)
  if (isWellKnown(exchange.url) || isForm(fieldText(exchange.getRequestHeader('content-type')))) return fixed(false)
  const obeys = rules.noTransform === 'obey'
  if (obeys && isNoTransform(exchange.getHeader('cache-control'))) return stays(false, 'no-transform')
  if (obeys && isNoTransform(exchange.getRequestHeader('cache-control'))) return stays(true, 'no-transform')
  if (status === 206 || exchange.getHeader('content-range') !== undefined) return fixed(true)
  const codings = listContentCodings(exchange.getHeader('content-encoding'))
  return codings === null ? stays(true, 'encoded-upstream') : { varies: true, reason: null, codings }
}

/** True for the type of an event stream, with whatever parameters. */
export function isEventStreamType (contentType: string): boolean {
  return eventStreamTypes.get(contentType)
}

const eventStreamTypes = new Memo((contentType) => /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType))

/**
 * Judges by status and fields whether the events of a stream may be rewritten. No-transform is for the caller to
 * weigh; a stream that is compressed stays as it is.
 *
 * @returns null where the response is no event stream
 */
export function assessEventStream (exchange: Exchange, rules: EligibilityRules): Assessment | null {
  const contentType = fieldText(exchange.getHeader('content-type'))
  if (contentType === undefined || !isEventStreamType(contentType)) return null
  const { url, status } = exchange
  if (!isContentStatus(status) || status === 206 || !isListed(status, rules.statuses) || isWellKnown(url)) return fixed(false)
  if (rules.noTransform === 'obey' && (isNoTransform(exchange.getHeader('cache-control')) || isNoTransform(exchange.getRequestHeader('cache-control')))) return stays(true, 'no-transform')
  // What has to be unpacked first would not leave at once.
  return listContentCodings(exchange.getHeader('content-encoding'))?.length === 0 ? { varies: true, reason: null, codings: NONE } : stays(true, 'encoded-upstream')
}

/**
 * True for `application/json` and types with the suffix +json, in UTF-8 (RFC 8259 section 8.1). STC has
 * that suffix too, and is encoded already.
 */
export function isJsonType (contentType: string): boolean {
  return jsonTypes.get(contentType)
}

const jsonTypes = new Memo(readIsJsonType)

function readIsJsonType (contentType: string): boolean {
  const { name, parameters } = parseElement(contentType)
  if (name !== 'application/json' && (!/^[^/]+\/[^/]+\+json$/.test(name) || name === 'application/stc+json')) return false
  return /^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')
}

/** True for statuses that carry a whole or partial body: not 1xx, 204, 205. */
function isContentStatus (status: number): boolean {
  return status >= 200 && status !== 204 && status !== 205
}

function isListed (status: number, statuses: readonly StatusRange[]): boolean {
  return statuses.includes(status) || statuses.includes(CLASSES[Math.floor(status / 100) - 2])
}

const CLASSES: readonly StatusRange[] = ['2xx', '3xx', '4xx', '5xx']

/** OAuth and OpenID metadata live there, under a path prefix too; clients read them as JSON, whatever they sent. */
function isWellKnown (url: string): boolean {
  if (!url.includes('well-known') && !url.includes('%')) return false
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return path.replace(/%([2-7][0-9a-f])/gi, toCharacter).includes('/.well-known/')
}

/** A path means the same with any of its characters percent-encoded (RFC 3986 section 2.3). */
function toCharacter (_escape: string, code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16))
}

/** Token endpoints are asked by form, and SDK clients read JSON there, whatever they sent. */
function isForm (contentType: string | undefined): boolean {
  return contentType !== undefined && parseElement(contentType).name === 'application/x-www-form-urlencoded'
}

function isNoTransform (cacheControl: FieldValue): boolean {
  return cacheControl !== undefined && parseFieldList(cacheControl).some(({ name }) => name === 'no-transform')
}

function fieldText (value: FieldValue): string | undefined {
  return value === undefined || typeof value === 'string' ? value : value[0]
}

function fixed (varies: boolean): Assessment {
  return stays(varies, 'not-eligible')
}

function stays (varies: boolean, reason: Reason): Assessment {
  return { varies, reason, codings: NONE }
}
