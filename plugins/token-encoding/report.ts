import type { FastifyRequest } from 'fastify'
import type { Decision } from '../../lib/decision.js'
import type { RouteOptions } from './options.js'

/** Logs a decision and tells it to the listener, whose failures have no further effect. */
export function report (request: FastifyRequest, { onDecision }: RouteOptions, decision: Decision): void {
  request.log.debug({ tokenEncoding: decision }, 'token encoding decided')
  if (onDecision === undefined) return
  const complain = (error: unknown): void => request.log.error({ err: error }, 'onDecision failed')
  try {
    // An async listener is not asked for, but its failure must not end the process.
    const result: unknown = onDecision(decision, request)
    if (result instanceof Promise) result.catch(complain)
  } catch (error) {
    complain(error)
  }
}
