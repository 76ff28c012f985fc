import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'undici/types/header.js'

/**
 * Passes 103 Early Hints on (RFC 9110 section 15.2, RFC 8297), of which only Link has a meaning. Other
 * interim responses are dropped, and all of them for HTTP/1.0 clients, which know none.
 */
export function forwardEarlyHints (request: FastifyRequest, reply: FastifyReply, statusCode: number, headers: IncomingHttpHeaders): void {
  if (statusCode !== 103 || headers.link === undefined || request.raw.httpVersion === '1.0') return
  try {
    reply.raw.writeEarlyHints({ link: headers.link })
  } catch (error) {
    // Node accepts fewer spellings of Link than the RFC allows, and a hint may be left out.
    request.log.debug({ err: error }, 'early hints not forwarded')
  }
}
