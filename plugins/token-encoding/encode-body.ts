import { isUtf8 } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import { chooseBytes } from '../../lib/choose.js'
import type { Choice, Policy } from '../../lib/choose.js'
import type { Decision, Reason } from '../../lib/decision.js'
import { checkDocument, isLabelSafe } from '../../lib/http.js'
import type { FieldValue } from '../../lib/http.js'
import { Document } from '../../lib/json/document.js'
import { JsonSyntaxError } from '../../lib/json/errors.js'
import type { Negotiation } from '../../lib/negotiate.js'
import type { RouteOptions } from './route-options.js'

/** The options that bear on a single body: all but those that are functions, so that a thread can have them. */
export type BodyOptions = Omit<RouteOptions, 'onDecision'>

/** What became of a body. */
export interface EncodedResult extends Pick<Choice, 'codec' | 'decision'> {
  /** The bytes that ship; null where the original does. */
  bytes: Uint8Array | null
  /** Whether a client that refuses plain JSON can be told so: no coding took a body that was open to all. */
  allDeclined: boolean
  /** What went wrong where the reason is `error`. */
  error?: unknown
}

/**
 * Re-encodes one JSON body for a request that asked for it. Whatever goes wrong, the original ships.
 *
 * @param accept the request's Accept
 */
export function encodeBody (
  body: Uint8Array, negotiation: Negotiation, accept: FieldValue, options: BodyOptions
): EncodedResult {
  const start = performance.now()
  let document: Document | undefined
  try {
    document = Document.parse(body, { isUtf8 })
    const obstacle = checkDocument(document, accept)
    if (obstacle !== null) return keepOriginal(obstacle, body.length, performance.now() - start)
    const { bytes, codec, decision } = chooseBytes(document, toPolicy(negotiation, options))
    const isOriginal = bytes === document.bytes || options.mode === 'observe'
    return { bytes: isOriginal ? null : bytes, codec, decision, allDeclined: codec === 'json' && negotiation.identityRefused }
  } catch (error) {
    const ms = performance.now() - start
    return error instanceof JsonSyntaxError ? keepOriginal('not-json', body.length, ms) : { ...keepOriginal('error', body.length, ms), error }
  } finally {
    document?.dispose()
  }
}

/** The decision about a body that ships as it came, without a look at its content. */
export function describePassthrough (reason: Reason, bytes: number, ms = 0): Decision {
  return {
    outcome: 'passthrough',
    codec: 'json',
    version: null,
    reason,
    lossless: true,
    bytesBefore: bytes,
    bytesAfter: bytes,
    tokensBefore: null,
    tokensAfter: null,
    ms,
    tool: null,
    index: null,
    paths: []
  }
}

/** What becomes of a body that ships as it came. */
export function keepOriginal (reason: Reason, bytes: number, ms: number): EncodedResult {
  return { bytes: null, codec: 'json', decision: describePassthrough(reason, bytes, ms), allDeclined: false }
}

/** The rules by which a body's text is chosen for a request. */
export function toPolicy ({ by, accepted, identityRefused }: Negotiation, options: BodyOptions): Policy {
  return {
    ...options,
    accepted,
    identityRefused,
    // With a Content-Encoding a compressor leaves the body alone.
    isLabelSafe: by === 'accept' ? isLabelSafe : undefined
  }
}
