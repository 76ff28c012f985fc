import type { IncomingHttpHeaders } from 'undici/types/header.js'
import { isEventStreamType } from '../../lib/http.js'
import { connectionOptions, isHopByHop } from './hop-by-hop.js'

/**
 * Makes the header fields for the client: those of the upstream as they came, repeated ones as arrays,
 * without the hop-by-hop ones.
 *
 * @param headers as undici gives them, names in lower case
 * @param statusCode with 204 there is no Content-Length (RFC 9110 section 8.6), with 205 it is 0 (section 15.3.6)
 * @param isHttp2 whether the client speaks HTTP/2, where Node throws for some fields that are repeated: all but
 *   Set-Cookie become one line (RFC 9110 section 5.3)
 */
export function toClientHeaders (headers: IncomingHttpHeaders, statusCode: number, isHttp2: boolean): Record<string, string | string[]> {
  const listed = connectionOptions(headers.connection)
  const result: Record<string, string | string[]> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value === undefined || isHopByHop(name) || listed.has(name)) continue
    // A legal field name, but Fastify keeps headers in an object of its own.
    if (name === '__proto__') continue
    if (name === 'content-length' && statusCode === 204) continue
    // Not a list (RFC 9110 section 8.3), and Fastify cannot read several: the first counts, as in Node.
    if (name === 'content-type' && Array.isArray(value)) result[name] = value[0]
    else if (name === 'content-length' && statusCode === 205) result[name] = '0'
    else result[name] = isHttp2 && Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value
  }
  moveLengthBehindDisposition(result)
  return result
}

/**
 * Node takes a Content-Disposition for UTF-8 once it knows the length, and then cuts each of its characters down to one
 * byte, be that a line feed, or throws.
 */
function moveLengthBehindDisposition (fields: Record<string, string | string[]>): void {
  const { 'content-length': length, 'content-disposition': disposition } = fields
  if (length === undefined || disposition === undefined) return
  delete fields['content-length']
  fields['content-length'] = length
}

/** True for a response that is to reach the client event by event. */
export function isEventStream (headers: Record<string, string | string[]>): boolean {
  return isEventStreamType(String(headers['content-type']))
}
