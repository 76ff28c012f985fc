import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reason } from '../../lib/decision.js'
import type { ContentCoding } from '../../lib/http.js'
import { toBodyOptions } from './encode-json.js'
import type { JsonTask } from './encode-json.js'
import type { Calls } from './mcp/find-calls.js'
import type { BodyOptions, RouteOptions } from './options.js'
import type { Wish } from './wish.js'

/** One response that is to be re-encoded. */
export interface Task {
  request: FastifyRequest
  reply: FastifyReply
  options: RouteOptions
  wish: Wish
  /** The calls that it may answer; null where it cannot be a message for an MCP client. */
  calls: Calls | null
  /** Why it is not re-encoded as a whole; null where it may be. */
  refusal: Reason | null
  /** The content codings of the body, which are undone first. */
  codings: readonly ContentCoding[]
}

/** The part of a task that is plain data. */
export function toJsonTask ({ request, options, wish, calls, refusal }: Task): JsonTask {
  const { negotiation, isMarkdown, fields } = wish
  return {
    negotiation,
    accept: request.headers.accept,
    options: bodyOptionsOf({ request, options }),
    wish: { isMarkdown, fields },
    calls: calls?.table,
    refusal
  }
}

/** What of the options of a task is plain data. */
export function bodyOptionsOf ({ request, options }: Pick<Task, 'request' | 'options'>): BodyOptions {
  return toBodyOptions(options, isReported(request, options))
}

/** Whether a listener or the log is told of decisions. A logger that does not tell its levels, such as none, is taken not to log them. */
function isReported ({ log }: FastifyRequest, { onDecision }: RouteOptions): boolean {
  const { isLevelEnabled } = log as Partial<{ isLevelEnabled (level: string): boolean }>
  return onDecision !== undefined || isLevelEnabled?.call(log, 'debug') === true
}
