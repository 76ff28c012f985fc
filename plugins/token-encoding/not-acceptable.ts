import type { FastifyReply } from 'fastify'
import { BYTE_BOUND_FIELDS } from '../../lib/http.js'
import { NOT_ACCEPTABLE_CODE } from './errors.js'

/**
 * Turns a reply into a 406 for a client that refuses plain JSON and takes no coding that can hold this body
 * (RFC 9110 section 15.5.7).
 *
 * @returns the error's body, in the form of Fastify's own errors
 */
export function refuseJson (reply: FastifyReply): string {
  for (const name of [...BYTE_BOUND_FIELDS, 'etag', 'content-encoding', 'last-modified', 'cache-control']) reply.removeHeader(name)
  reply.code(406).header('content-type', 'application/json; charset=utf-8')
  return JSON.stringify({
    statusCode: 406,
    code: NOT_ACCEPTABLE_CODE,
    error: 'Not Acceptable',
    message: 'No coding that the client takes can hold this body, and it refuses plain JSON'
  })
}
