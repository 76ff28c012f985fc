import type { FastifyReply, FastifyRequest } from 'fastify'
import { LastHopError } from './errors.js'

/**
 * Heeds Max-Forwards, which OPTIONS and TRACE requests may carry (RFC 9110 section 7.6.2): a request that
 * may go no further is answered here, else one hop is counted down.
 *
 * @returns true where it was answered
 * @throws LastHopError for TRACE, which the gateway does not answer itself
 */
export function answerLastHop (request: FastifyRequest, reply: FastifyReply, methods: string[]): boolean {
  const { method, headers } = request
  const limit = headers['max-forwards']
  if (limit === undefined || (method !== 'OPTIONS' && method !== 'TRACE') || !/^\d+$/.test(String(limit))) return false
  if (Number(limit) > 0) {
    headers['max-forwards'] = String(Math.min(Number(limit), Number.MAX_SAFE_INTEGER) - 1)
    return false
  }
  if (method === 'TRACE') throw new LastHopError()
  reply.code(204).header('allow', methods.join(', ')).send()
  return true
}
