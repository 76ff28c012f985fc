import { isUtf8 } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import type { MessageContext } from '../../../lib/mcp/context.js'
import { rewriteMessage } from '../../../lib/mcp/message.js'
import type { RewrittenMessage } from '../../../lib/mcp/message.js'
import type { ResolvedMcpOptions } from '../../../lib/mcp/options.js'
import { findCall } from '../../../lib/mcp/request.js'
import type { CallTable } from '../../../lib/mcp/request.js'
import type { SessionTools } from '../../../lib/mcp/session-tools.js'
import type { Negotiation } from '../../../lib/negotiate.js'
import { describePassthrough } from '../describe.js'
import type { BodyOptions } from '../options.js'
import { toPolicy } from '../policy.js'

/** What is needed to rewrite one message. All of it but the session is plain data, so that a thread can have it. */
export interface MessageTask {
  calls: CallTable
  /** Null where the client has not asked by any field. */
  negotiation: Negotiation | null
  options: BodyOptions
  mcp: ResolvedMcpOptions
  session?: SessionTools
}

/** What became of a message. */
export interface MessageResult extends Pick<RewrittenMessage, 'decisions' | 'textBytesBefore' | 'textBytesAfter'> {
  /** The bytes that ship; null where the original does. */
  bytes: Uint8Array | null
  /** What went wrong where the reason is `error`. */
  error?: unknown
}

/**
 * Rewrites the tool results in one JSON-RPC message. Whatever goes wrong, the original ships.
 *
 * @returns null where there are none in it
 */
export function encodeMessage (message: Uint8Array, task: MessageTask): MessageResult | null {
  const start = performance.now()
  try {
    const { bytes, decisions, ...sizes } = rewriteMessage(message, toContext(task))
    if (bytes === message && decisions.length === 0) return null
    return { bytes: bytes === message ? null : bytes, decisions, ...sizes }
  } catch (error) {
    const decision = describePassthrough('error', message.length, performance.now() - start)
    return { bytes: null, decisions: [decision], textBytesBefore: 0, textBytesAfter: 0, error }
  }
}

/** The rules by which the texts of a message are chosen. */
export function toContext ({ calls, negotiation, options, mcp, session }: MessageTask): MessageContext {
  return {
    policy: toPolicy(negotiation, options, false),
    options: mcp,
    call: calls.sole === null ? (id) => findCall(calls, id) : findCall(calls, ''),
    session,
    isUtf8
  }
}

/** What a whole message has become, as X-Token-Ratio tells it; null where no text was rewritten. */
export function findRatio ({ textBytesBefore, textBytesAfter }: MessageResult): number | null {
  return textBytesBefore > 0 ? textBytesAfter / textBytesBefore : null
}
