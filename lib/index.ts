import { checkAccepted, checkCodecName, checkCodecOptions } from './check-arguments.js'
import { ALL_ACCEPTED, chooseBytes } from './choose.js'
import type { Decision, Policy } from './choose.js'
import { CODECS, CodecDeclinedError } from './codec.js'
import type { CodecName, CodecOptions, FormatName } from './codec.js'
import { chooseDescended, restore } from './descend.js'
import type { Descent } from './descend.js'
import { Document } from './json/document.js'
import { minifyToBytes } from './json/minify.js'
import { fromMarkdown } from './markdown.js'
import { checkBytes, toText } from './json/utf8.js'
import { skipLines } from './skip-lines.js'

export { CODECS, CODING_NAMES, CodecDeclinedError, DEFAULT_CODINGS } from './codec.js'
export type { Codec, CodecName, CodecOptions, CodingName, FormatName } from './codec.js'
export { REASONS } from './choose.js'
export type { Decision, Policy, Reason } from './choose.js'
export { inspect } from './inspect.js'
export type { CandidateReport, Inspection } from './inspect.js'
export { Document } from './json/document.js'
export type { ParseOptions } from './json/document.js'
export { isEqual } from './json/equal.js'
export type { NumberEquality } from './json/equal.js'
export { DecodeError, JsonSyntaxError, TextError } from './json/errors.js'

export { chooseDescended } from './descend.js'
export type { DescendPolicy, DescendedChoice, Descent } from './descend.js'
export { fromMarkdown, toMarkdown } from './markdown.js'
export { project } from './project.js'
export { stringifyCompact } from './compact/stringify-compact.js'
export type { StringifyCompactOptions } from './compact/stringify-compact.js'
export { jsonToRows, rowsToJson } from './rows/convert.js'
export type { RowsOptions } from './rows/options.js'
export { estimateTokenSavings } from './rows/savings.js'
export type { TokenSavings } from './rows/savings.js'
export { STC2_MARKER } from './stc/v2/marker.js'
export type { TabularRule } from './tabular.js'
export { flatten } from './toon-flatten/flatten.js'
export type { FlattenOptions } from './toon-flatten/options.js'
export { unflatten } from './toon-flatten/unflatten.js'
export type { UnflattenOptions } from './toon-flatten/unflatten.js'

export { TOKEN_ENCODINGS, countTokens, estimateTokens } from './tokens.js'
export type { TokenEncoding } from './tokens.js'

/**
 * JSON as the text of a codec; `json` minifies.
 *
 * @throws JsonSyntaxError where the input is no JSON
 * @throws CodecDeclinedError where the codec cannot hold the document exactly
 * @throws TypeError for an argument of another type, a name of no codec, a wrong delimiter or spacing
 */
export function encode (json: string | Uint8Array | Document, codec: CodecName, options: CodecOptions = {}): string {
  checkCodecName(codec, ['json'])
  checkCodecOptions(options)
  if (codec === 'json') return minify(json)
  const encoder = CODECS[codec]
  return withDocument(json, document => {
    const size = encoder.measure(document, options)
    if (typeof size === 'string') throw new CodecDeclinedError(codec, size)
    return toText(encoder.encode(document, options, size))
  })
}

/** What a decoder must be told of a text that is more than the text of one document. */
export interface DecodeOptions extends CodecOptions {
  /** JSON Pointers (RFC 6901) of the strings that are texts of the codec themselves; default none. */
  paths?: readonly string[]
  /** `json`: the text is JSON, and only the strings at `paths` are in the codec. */
  outer?: 'json'
  /** Lines before the text that are not part of it, such as a marker; default 0. */
  preamble?: number
}

/**
 * The text of a codec as minified JSON. STC keeps the lexeme of every number; TOON keeps the one in
 * its text, which is the same number. The members of an entry of `_meta["fastify-token-gateway/encoding"]` are options.
 *
 * @throws DecodeError where it is no text of that codec
 * @throws JsonSyntaxError where a text that must be JSON is none
 * @throws TypeError where a path leads to no string, or a text is no fenced block of Markdown; for an argument of
 * another type, a name of no format
 */
export function decode (text: string | Uint8Array, codec: FormatName, options: DecodeOptions = {}): string {
  const { paths = [], outer = null, preamble = 0 } = options
  checkCodecName(codec, ['json', 'markdown'])
  const body = skipLines(typeof text === 'string' ? text : checkBytes(text), preamble)
  if (codec === 'json') return minify(body)
  if (codec === 'markdown') return minify(fromMarkdown(typeof body === 'string' ? body : toText(body)))
  return toText(restore(body, codec, { coded: paths, outer }, options))
}

/** A text that was chosen, and why. */
export interface Chosen {
  text: string
  codec: CodecName
  decision: Decision
  /** With `descend`: what `decode` must be told of the text; null where nothing was descended into. */
  descent: { paths: string[], outer?: 'json' } | null
}

/** How a text is chosen. */
export interface ChooseOptions extends Partial<Policy> {
  /** Whether JSON documents in strings are looked for and encoded too; default false. */
  descend?: boolean
}

/**
 * The smallest text for a document: the original, minified JSON, or one of the codings, all of them
 * unless `accepted` says otherwise.
 *
 * @throws JsonSyntaxError where the input is no JSON
 * @throws TypeError for an argument of another type, a name of no coding, a wrong delimiter or spacing
 */
export function choose (json: string | Uint8Array | Document, { descend = false, ...options }: ChooseOptions = {}): Chosen {
  return withDocument(json, document => {
    const policy = { ...options, accepted: options.accepted ?? ALL_ACCEPTED }
    checkAccepted(policy.accepted)
    checkCodecOptions(policy)
    const { bytes, codec, decision, descent } = descend ? chooseDescended(document, policy) : { ...chooseBytes(document, policy), descent: null }
    const isUntouchedString = typeof json === 'string' && bytes === document.bytes
    return { text: isUntouchedString ? json : toText(bytes), codec, decision, descent: describeDescent(descent) }
  })
}

function describeDescent (descent: Descent | null): Chosen['descent'] {
  if (descent === null) return null
  const { coded, outer } = descent
  return outer === null ? { paths: coded } : { paths: coded, outer }
}

/**
 * JSON without blanks between its tokens: strings as JSON.stringify writes them, numbers by their lexeme.
 *
 * @throws JsonSyntaxError where the input is no JSON
 */
export function minify (json: string | Uint8Array | Document): string {
  return withDocument(json, document => toText(minifyToBytes(document)))
}

/** Reads a document for one use; one that came as a document stays with whoever made it. */
function withDocument<T> (json: string | Uint8Array | Document, use: (document: Document) => T): T {
  if (json instanceof Document) return use(json)
  const document = Document.parse(json)
  try {
    return use(document)
  } finally {
    document.dispose()
  }
}
