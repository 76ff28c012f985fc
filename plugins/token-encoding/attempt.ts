import type { FastifyReply, FastifyRequest } from 'fastify'
import { describePassthrough } from './describe.js'
import type { FieldJournal } from './field-journal.js'
import type { RouteOptions } from './options.js'
import { report } from './report.js'

/** Does something for a response; where that fails, the reply is as it was and something else is done. */
export function attempt<T> (
  request: FastifyRequest, reply: FastifyReply, options: RouteOptions, journal: FieldJournal, action: () => T, fallback: () => T
): T {
  try {
    return action()
  } catch (error) {
    return recover(request, reply, options, journal, error, fallback)
  }
}

/** What is done where something for a response has failed. */
export function recover<T> (
  request: FastifyRequest, reply: FastifyReply, options: RouteOptions, journal: FieldJournal, error: unknown, fallback: () => T
): T {
  journal.undo(reply)
  request.log.warn({ err: error }, 'a response could not be re-encoded')
  report(request, options, describePassthrough('error', 0))
  return fallback()
}
