import type { FastifyRequest } from 'fastify'
import type { FormatName } from '../../lib/codec-names.js'
import { isJsonType } from '../../lib/http.js'
import { stripOurCodings, stripOurMediaTypes } from '../../lib/negotiate.js'
import type { Negotiation } from '../../lib/negotiate.js'
import type { RouteOptions } from './options.js'
import { takeQuery } from './take-query.js'

/** What is asked for, by a request or for it. */
export interface Wish {
  /** The codings that may be used; null where none are. */
  negotiation: Negotiation | null
  /** Whether a whole body is to be JSON in a block of Markdown. */
  isMarkdown: boolean
  /** The format that the query names; it goes before `_meta`. */
  format: FormatName | undefined
  /** The fields that the query names. */
  fields: readonly string[] | undefined
}

const NOTHING: Wish = { negotiation: null, isMarkdown: false, format: undefined, fields: undefined }

/** Requests whose answers may be re-encoded, though no header says so. */
const marked = new WeakSet<FastifyRequest>()

/**
 * Reads what a request asks for, the stronger way first: by its query, from which that is taken out, by its
 * header fields, by the operator's default. What is asked by `_meta` stands in its body and comes later.
 */
export function readWish (request: FastifyRequest, options: RouteOptions): Wish {
  const { format, fields } = takeQuery(request, options)
  const { defaultFormat, negotiator } = options
  const byHeader = negotiator.negotiate(request.headers)
  const chosen = format ?? (defaultFormat !== undefined && byHeader === null && !namesOurs(request) ? defaultFormat : undefined)
  const isNothing = byHeader === null && chosen === undefined && fields === undefined
  const wish = isNothing ? NOTHING : { negotiation: chosen === undefined ? byHeader : toNegotiation(chosen), isMarkdown: chosen === 'markdown', format, fields }
  if (isWish(wish) || mayHaveMeta(request, options)) marked.add(request)
  return wish
}

/** Whether anything is to be done for a request, `_meta` aside. */
export function isWish ({ negotiation, isMarkdown, fields }: Wish): boolean {
  return negotiation !== null || isMarkdown || fields !== undefined
}

/** Whether a request's body may ask for something. */
export function mayHaveMeta ({ method, headers }: FastifyRequest, { mcp, requestMeta }: RouteOptions): boolean {
  return requestMeta && mcp !== null && method === 'POST' && isJsonType(headers['content-type'] ?? '')
}

/** Whether the answer to a request may be re-encoded, as far as some registration of the plugin has seen. */
export function isMarked (request: FastifyRequest): boolean {
  return marked.has(request)
}

function toNegotiation (format: FormatName): Negotiation | null {
  if (format === 'json' || format === 'markdown') return null
  // As with Accept, there is no Content-Encoding.
  return { by: 'accept', accepted: [{ codec: format, q: 1 }], identityRefused: false }
}

/** Whether the client names one of our codings or media types, be it to refuse them. */
function namesOurs ({ headers }: FastifyRequest): boolean {
  const { accept, 'accept-encoding': acceptEncoding } = headers
  return stripOurCodings(acceptEncoding) !== joinLines(acceptEncoding) || stripOurMediaTypes(accept) !== joinLines(accept)
}

function joinLines (value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
