import { STATUS_CODES } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { GatewayError } from './errors.js'

/**
 * Answers with a problem document (RFC 9457). The type is `about:blank`, so that the title is the
 * status's own phrase (section 4.2.1) and the detail says what failed.
 *
 * Must not be called once headers have gone out.
 */
export function sendProblem (reply: FastifyReply, error: GatewayError): void {
  const { statusCode: status, message: detail } = error
  // Nobody waits for the rest of that request any more (RFC 9110 section 15.5.9).
  if (status === 408) reply.header('connection', 'close')
  const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail })
  // Bytes, since Fastify adds a charset to the media type of a JSON string, and this one defines none.
  reply.code(status).header('content-type', 'application/problem+json').send(Buffer.from(body))
}
