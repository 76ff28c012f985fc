import type { Reason } from '../../lib/decision.js'
import { assess, assessEventStream } from '../../lib/http.js'
import type { Assessment, Exchange } from '../../lib/http.js'
import type { RouteOptions } from './options.js'
import { canUndo } from './undo-codings.js'

/** What may be done with a response, as a whole or in part, judged by its head. */
export interface ResponseAssessment extends Assessment {
  isEventStream: boolean
  /** Why it may not be re-encoded as a whole, where messages of MCP may all the same; else null. */
  refusal: Reason | null
}

/**
 * Judges a response by its head. Servers of MCP say no-transform to keep compressors from buffering, so that
 * messages have an option of their own for it.
 */
export function assessResponse (exchange: Exchange, options: RouteOptions, mayBeMessage: () => boolean): ResponseAssessment {
  const { mcp, statuses } = options
  if (mcp !== null) {
    const events = assessEventStream(exchange, { statuses, noTransform: mcp.noTransform })
    if (events !== null) return combine(events, true, null)
  }
  const whole = assess(exchange, options)
  if (whole.reason !== 'no-transform' || mcp?.noTransform !== 'ignore' || !mayBeMessage()) return combine(whole, false, null)
  return combine(assess(exchange, { statuses, noTransform: 'ignore' }), false, whole.reason)
}

function combine ({ varies, reason, codings }: Assessment, isEventStream: boolean, refusal: Reason | null): ResponseAssessment {
  return { varies, reason: reason ?? (canUndo(codings) ? null : 'encoded-upstream'), codings, isEventStream, refusal }
}
