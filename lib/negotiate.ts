import { CODECS, CODING_NAMES } from './codec.js'
import type { CodingName } from './codec.js'
import { fieldLines, parseElement, parseFieldList, splitOutsideQuotes } from './http/field-list.js'
import type { Element, FieldValue } from './http/field-list.js'
import { Memo } from './memo.js'

/** A coding that the client takes, with the weight it gave it (above 0, at most 1). */
export interface AcceptedCoding {
  codec: CodingName
  q: number
}

/** What a client takes of our codings. */
export interface Negotiation {
  /** The field that named them; only `accept-encoding` makes a Content-Encoding. */
  by: 'accept-encoding' | 'accept'
  /** Never empty, in the order of the option `encodings`. */
  accepted: AcceptedCoding[]
  /** True: the client refuses the plain JSON. */
  identityRefused: boolean
}

/** The two request fields that negotiation reads, as Node's `request.headers` has them. */
export interface NegotiationHeaders {
  'accept-encoding'?: FieldValue
  accept?: FieldValue
}

/**
 * Finds out which of our codings a request takes. Accept-Encoding goes before Accept; only a coding or
 * media type named in full opts in, wildcards never do; q=0 refuses; a coding to which the plain JSON
 * is preferred by an explicit higher weight is left out (RFC 9110 sections 12.4.2, 12.5.1, 12.5.3).
 *
 * @param encodings the codings that may be used, in the order that breaks ties
 * @returns null where nothing was asked for, and where the plain JSON is preferred to all that was
 */
export function negotiate (headers: NegotiationHeaders, encodings: readonly CodingName[]): Negotiation | null {
  const byCoding = askCodings(headers['accept-encoding'], encodings)
  const answer = byCoding === 'silent' ? askMediaTypes(headers.accept, encodings) : byCoding
  return typeof answer === 'string' ? null : answer
}

/** True where `negotiate` finds a coding: the answer to this request may be re-encoded. */
export function isNegotiable (headers: NegotiationHeaders, encodings: readonly CodingName[]): boolean {
  return negotiate(headers, encodings) !== null
}

/** `negotiate` for many requests, most of which have the same fields. What it gives is shared and must not be changed. */
export class Negotiator {
  readonly #codings: Memo<Answer>
  readonly #mediaTypes: Memo<Answer>

  /** @param encodings the codings that may be used, in the order that breaks ties */
  constructor (encodings: readonly CodingName[]) {
    this.#codings = new Memo((line) => askCodings(line, encodings))
    this.#mediaTypes = new Memo((line) => askMediaTypes(line, encodings))
  }

  negotiate ({ accept, 'accept-encoding': acceptEncoding }: NegotiationHeaders): Negotiation | null {
    const byCoding = ask(this.#codings, acceptEncoding)
    const answer = byCoding === 'silent' ? ask(this.#mediaTypes, accept) : byCoding
    return typeof answer === 'string' ? null : answer
  }
}

/** True where Accept names `text/event-stream` (q above 0), as every MCP client does. */
export function isEventStreamClient (accept: FieldValue): boolean {
  return parseFieldList(accept).some(({ name, q }) => name === 'text/event-stream' && q > 0)
}

/** True where Accept names `application/json` and offers no wildcard beside it, as curl and browsers do. */
export function isJsonOnlyClient (accept: FieldValue): boolean {
  const offered = parseFieldList(accept).filter(({ q }) => q > 0)
  return offered.some(({ name }) => name === 'application/json') && !offered.some(({ name }) => name.endsWith('*'))
}

/**
 * Takes our codings out of Accept-Encoding, for the upstream; all else stays byte for byte, in order.
 *
 * @returns undefined where the field was absent or held nothing else
 */
export function stripOurCodings (acceptEncoding: FieldValue): string | undefined {
  return stripElements(acceptEncoding, ({ name }) => isCodingName(name))
}

/**
 * Takes our media types out of Accept, for the upstream; all else stays byte for byte, in order. A field
 * that offered nothing else becomes `application/json`, since that is what we make our types of; refusals
 * (q=0) are no offer, and a refusal of JSON is ours to keep, not the upstream's.
 *
 * @returns undefined only where the field was absent
 */
export function stripOurMediaTypes (accept: FieldValue): string | undefined {
  if (accept === undefined) return undefined
  const rest = stripElements(accept, (element) => CODING_NAMES.some((codec) => isMediaTypeOf(element, codec)))
  if (rest === fieldLines(accept).join(', ')) return rest
  return parseFieldList(rest).some(({ q }) => q > 0) ? rest : 'application/json'
}

/** What one field says: nothing of our codings, or that the plain JSON is preferred to them. */
type Answer = Negotiation | 'silent' | 'refused'

function ask (memo: Memo<Answer>, value: FieldValue): Answer {
  if (value === undefined) return 'silent'
  return memo.get(typeof value === 'string' ? value : value.join(', '))
}

function askCodings (value: FieldValue, encodings: readonly CodingName[]): Answer {
  return settle('accept-encoding', weighCodings(value, encodings))
}

function askMediaTypes (value: FieldValue, encodings: readonly CodingName[]): Answer {
  return settle('accept', weighMediaTypes(value, encodings))
}

interface Weights {
  /** Codings named with a weight above 0. */
  named: AcceptedCoding[]
  /** The plain JSON's own weight; null where it is not named. */
  plain: number | null
  /** The weight of the nearest wildcard that covers the plain JSON; null where there is none. */
  wildcard: number | null
}

function weighCodings (value: FieldValue, encodings: readonly CodingName[]): Weights {
  const elements = parseFieldList(value)
  return {
    named: weighEach(encodings, (codec) => highest(elements, ({ name }) => name === codec)),
    plain: highest(elements, ({ name }) => name === 'identity'),
    wildcard: highest(elements, ({ name }) => name === '*')
  }
}

function weighMediaTypes (value: FieldValue, encodings: readonly CodingName[]): Weights {
  const elements = parseFieldList(value)
  return {
    named: weighEach(encodings, (codec) => highest(elements, (element) => isMediaTypeOf(element, codec))),
    plain: highest(elements, ({ name }) => name === 'application/json'),
    wildcard: highest(elements, ({ name }) => name === 'application/*') ?? highest(elements, ({ name }) => name === '*/*')
  }
}

function settle (by: Negotiation['by'], { named, plain, wildcard }: Weights): Answer {
  if (named.length === 0) return 'silent'
  const accepted = plain === null ? named : named.filter(({ q }) => q >= plain)
  if (accepted.length === 0) return 'refused'
  return { by, accepted, identityRefused: plain === 0 || (plain === null && wildcard === 0) }
}

function weighEach (encodings: readonly CodingName[], weigh: (codec: CodingName) => number | null): AcceptedCoding[] {
  const named: AcceptedCoding[] = []
  for (const codec of encodings) {
    const q = weigh(codec)
    if (q !== null && q > 0) named.push({ codec, q })
  }
  return named
}

/** The highest weight among the elements that match; null where none does. */
function highest (elements: (Element & { q: number })[], matches: (element: Element) => boolean): number | null {
  let best: number | null = null
  for (const element of elements) {
    if (matches(element) && (best === null || element.q > best)) best = element.q
  }
  return best
}

/**
 * A `version` other than the codec's is another format, a charset other than UTF-8 one that we do not
 * send; further parameters do not narrow the choice.
 */
function isMediaTypeOf ({ name, parameters }: Element, codec: CodingName): boolean {
  const { mediaType, version, isNamedWithVersion = false } = CODECS[codec]
  return name === mediaType &&
    (parameters.get('version') ?? (isNamedWithVersion ? null : version)) === version &&
    /^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')
}

function isCodingName (name: string): name is CodingName {
  return (CODING_NAMES as readonly string[]).includes(name)
}

function stripElements (value: FieldValue, isOurs: (element: Element) => boolean): string | undefined {
  if (value === undefined) return undefined
  const line = fieldLines(value).join(', ')
  const pieces = splitOutsideQuotes(line, ',')
  const kept = pieces.filter((piece) => !isOurs(parseElement(piece)))
  if (kept.length === pieces.length) return line
  return kept.some((piece) => piece.trim() !== '') ? kept.join(',').trim() : undefined
}
