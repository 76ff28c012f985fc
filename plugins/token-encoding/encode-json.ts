import type { Reason } from '../../lib/decision.js'
import type { FieldValue } from '../../lib/http.js'
import type { CallTable } from '../../lib/mcp/request.js'
import type { SessionTools } from '../../lib/mcp/session-tools.js'
import type { Negotiation } from '../../lib/negotiate.js'
import { encodeBody, keepOriginal } from './encode-body.js'
import type { BodyWish, EncodedResult } from './encode-body.js'
import { encodeMessage } from './mcp/encode-message.js'
import type { MessageResult } from './mcp/encode-message.js'
import type { BodyOptions, RouteOptions } from './options.js'

/** What is done to one JSON body; plain data, so that a thread can have it. */
export interface JsonTask {
  negotiation: Negotiation | null
  /** The request's Accept. */
  accept: FieldValue
  options: BodyOptions
  wish?: BodyWish
  /** The calls that it may answer, where it may be a message for an MCP client. */
  calls?: CallTable
  /** Why it is not re-encoded as a whole. */
  refusal?: Reason | null
}

/** What became of a JSON body: of a message, or of the whole. */
export type JsonResult = EncodedResult | MessageResult

/**
 * Re-encodes one JSON body: the tool results in it where it has some, else the whole. Whatever goes wrong, the
 * original ships.
 */
export function encodeJson (body: Uint8Array, { negotiation, accept, options, wish, calls, refusal = null }: JsonTask, session?: SessionTools): JsonResult {
  const { mcp } = options
  if (calls !== undefined && mcp !== null) {
    const message = encodeMessage(body, { calls, negotiation, options, mcp, session })
    if (message !== null) return message
  }
  return refusal === null ? encodeBody(body, negotiation, accept, options, wish) : keepOriginal(refusal, body.length, 0)
}

/** Whether it was a message of whose texts each was decided. */
export function isMessageResult (result: JsonResult): result is MessageResult {
  return 'decisions' in result
}

const silent = new WeakMap<RouteOptions, BodyOptions>()
const reported = new WeakMap<RouteOptions, BodyOptions>()

/**
 * The options without what is a function.
 *
 * @param reportsTokens whether somebody will see the decisions
 */
export function toBodyOptions (options: RouteOptions, reportsTokens: boolean): BodyOptions {
  const known = reportsTokens ? reported : silent
  let plain = known.get(options)
  if (plain === undefined) {
    const { onDecision, negotiator, mcp, ...rest } = options
    plain = { ...rest, mcp: mcp && { ...mcp, beforeEncode: undefined }, reportsTokens }
    known.set(options, plain)
  }
  return plain
}
