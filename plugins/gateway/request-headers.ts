import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Memo } from '../../lib/memo.js'
import { stripOurCodings, stripOurMediaTypes } from '../../lib/negotiate.js'
import type { Negotiator } from '../../lib/negotiate.js'
import { isMarked } from '../token-encoding/wish.js'
import { connectionOptions, isHopByHop } from './hop-by-hop.js'
import { appendForwarded, isForwardedField } from './forwarded-headers.js'

/** How request headers are made for the upstream. */
export interface RequestHeaderRules {
  /** Of the codings that this gateway may apply; without any no request is negotiable. */
  negotiator: Negotiator
  /** Whether the client's Host goes to the upstream in place of the upstream's own. */
  preserveHost: boolean
  /** Whether X-Forwarded-For, -Proto and -Host are set. */
  forwardedHeaders: boolean
  /** The gateway's name in Via; false for no Via. */
  via: string | false
}

/** What only the forwarding itself knows of a request. */
export interface RequestFraming {
  /** Host that an absolute-form target names; null without one. It goes before Host (RFC 9112 section 3.2.2). */
  authority: string | null
  /** Whether the Content-Length that came holds for what is forwarded. */
  keepLength: boolean
}

/**
 * Makes the header fields for the upstream: those of the request as hooks have left them, without the
 * hop-by-hop ones, Host, Expect (Node has answered it), our content codings and our media types. A request
 * whose answer may be re-encoded asks for it without a content coding.
 *
 * @returns names and values in turn, as undici takes them
 */
export function toUpstreamHeaders (request: FastifyRequest, rules: RequestHeaderRules, framing: RequestFraming): string[] {
  const { headers } = request
  const listed = connectionOptions(headers.connection)
  const result: string[] = []
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value === undefined || isHopByHop(name) || listed.has(name) || isWritten(name, rules)) continue
    if (name === 'content-length' && !framing.keepLength) continue
    result.push(name, String(value))
  }
  appendNegotiation(result, headers, isMarked(request) || rules.negotiator.negotiate(headers) !== null)
  // Of HTTP/2 Host does not count where there is an :authority (RFC 9113 section 8.3.1).
  const host = framing.authority ?? String(headers[':authority'] ?? headers.host ?? '')
  if (rules.preserveHost && host !== '') result.push('host', host)
  if (rules.forwardedHeaders) appendForwarded(result, request, host)
  if (rules.via !== false) result.push('via', appendVia(headers.via, `${request.raw.httpVersion} ${rules.via}`))
  return result
}

/** Fields that are made here or by undici, or meant for us alone; those of HTTP/2 start with a colon. */
function isWritten (name: string, { forwardedHeaders, via }: RequestHeaderRules): boolean {
  switch (name) {
    case 'accept':
    case 'accept-encoding':
    case 'expect':
    case 'host':
      return true
    case 'via':
      return via !== false
    default:
      return name.startsWith(':') || (forwardedHeaders && isForwardedField(name))
  }
}

/** Without our tokens the two fields stay byte for byte, and absent where they were absent. */
function appendNegotiation (result: string[], headers: IncomingHttpHeaders, mayBeEncoded: boolean): void {
  const { accept, 'accept-encoding': acceptEncoding } = headers
  if (accept !== undefined) result.push('accept', withoutOurMediaTypes.get(accept))
  const forwarded = mayBeEncoded ? 'identity' : acceptEncoding === undefined ? null : withoutOurCodings.get(String(acceptEncoding))
  if (forwarded !== null) result.push('accept-encoding', forwarded)
}

const withoutOurMediaTypes = new Memo((accept) => stripOurMediaTypes(accept) as string)
const withoutOurCodings = new Memo((acceptEncoding) => stripOurCodings(acceptEncoding) ?? null)

/** RFC 9110 section 7.6.3: a gateway names itself to the upstream. */
function appendVia (via: string | string[] | undefined, hop: string): string {
  return via === undefined ? hop : `${String(via)}, ${hop}`
}
