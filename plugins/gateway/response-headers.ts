import type { IncomingHttpHeaders } from 'undici/types/header.js'
import { isEventStreamType } from '../../lib/http.js'
import { connectionOptions, isHopByHop } from './hop-by-hop.js'

/**
 * Makes the header fields for the client: those of the upstream as they came, repeated ones as arrays,
 * without the hop-by-hop ones.
 *
 * @param headers as undici gives them, names in lower case
 * @param statusCode with 204 there is no Content-Length (RFC 9110 section 8.6)
 */
export function toClientHeaders (headers: IncomingHttpHeaders, statusCode: number): Record<string, string | string[]> {
  const listed = connectionOptions(headers.connection)
  const result: Record<string, string | string[]> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value === undefined || isHopByHop(name) || listed.has(name)) continue
    // A legal field name, but Fastify keeps headers in an object of its own.
    if (name === '__proto__') continue
    if (name === 'content-length' && statusCode === 204) continue
    // Not a list (RFC 9110 section 8.3), and Fastify cannot read several: the first counts, as in Node.
    result[name] = name === 'content-type' && Array.isArray(value) ? value[0] : value
  }
  return result
}

/** True for a response that is to reach the client event by event. */
export function isEventStream (headers: Record<string, string | string[]>): boolean {
  return isEventStreamType(String(headers['content-type']))
}
