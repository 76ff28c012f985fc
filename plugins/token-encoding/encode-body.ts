import { isUtf8 } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import { chooseBytes } from '../../lib/choose.js'
import type { Choice } from '../../lib/choose.js'
import type { Reason } from '../../lib/decision.js'
import { chooseDescended } from '../../lib/descend.js'
import { checkDocument } from '../../lib/http.js'
import type { FieldValue } from '../../lib/http.js'
import { Document } from '../../lib/json/document.js'
import { JsonSyntaxError } from '../../lib/json/errors.js'
import { toMarkdown } from '../../lib/markdown.js'
import type { Negotiation } from '../../lib/negotiate.js'
import { project } from '../../lib/project.js'
import { describePassthrough } from './describe.js'
import type { BodyOptions } from './options.js'
import { toPolicy } from './policy.js'

/** What is asked for a whole body beside a coding. */
export interface BodyWish {
  isMarkdown?: boolean
  /** The dotted paths that are wanted of each row. */
  fields?: readonly string[]
}

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
 * @param negotiation null where no coding is asked for
 * @param accept the request's Accept
 */
export function encodeBody (
  body: Uint8Array, negotiation: Negotiation | null, accept: FieldValue, options: BodyOptions, wish: BodyWish = {}
): EncodedResult {
  const start = performance.now()
  let document: Document | undefined
  try {
    document = Document.parse(body, { isUtf8 })
    const obstacle = checkDocument(document, accept)
    if (obstacle !== null) return keepOriginal(obstacle, body.length, performance.now() - start)
    return chooseBody(document, negotiation, options, wish)
  } catch (error) {
    const ms = performance.now() - start
    return error instanceof JsonSyntaxError ? keepOriginal('not-json', body.length, ms) : { ...keepOriginal('error', body.length, ms), error }
  } finally {
    document?.dispose()
  }
}

function chooseBody (document: Document, negotiation: Negotiation | null, options: BodyOptions, { isMarkdown, fields }: BodyWish): EncodedResult {
  const projected = fields === undefined ? null : project(document, fields)
  const source = projected === null ? document : Document.parse(projected, { isUtf8 })
  try {
    const policy = toPolicy(negotiation, options, true)
    // A body is labelled with one coding, so all of it is in that one.
    const { bytes, codec, decision } = options.descend ? chooseDescended(source, { ...policy, mixed: false }) : chooseBytes(source, policy)
    decision.bytesBefore = document.bytes.length
    if (source !== document) Object.assign(decision, { fields, lossless: false })
    const text = isMarkdown === true ? toMarkdown(bytes) : bytes
    const isOriginal = text === document.bytes || options.mode === 'observe'
    if (!isOriginal) Object.assign(decision, { outcome: 'encoded', bytesAfter: text.length })
    return { bytes: isOriginal ? null : text, codec, decision, allDeclined: codec === 'json' && negotiation?.identityRefused === true }
  } finally {
    if (source !== document) source.dispose()
  }
}

/** What becomes of a body that ships as it came. */
export function keepOriginal (reason: Reason, bytes: number, ms: number): EncodedResult {
  return { bytes: null, codec: 'json', decision: describePassthrough(reason, bytes, ms), allDeclined: false }
}
