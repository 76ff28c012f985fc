import { isUtf8 } from 'node:buffer'
import type { Reason } from '../../lib/decision.js'
import type { Document } from '../../lib/json/document.js'
import { hasRootMember } from '../../lib/json/navigate.js'
import { isJsonRpc } from '../../lib/mcp/envelope.js'
import { isEventStreamClient, isJsonOnlyClient } from '../../lib/negotiate.js'
import { isSniffable, sniff } from '../../lib/sniff.js'
import type { SniffPolicy } from '../../lib/sniff.js'
import { hasWishes } from './mcp/find-calls.js'
import { toPolicy } from './policy.js'
import type { Task } from './task.js'

/** What is needed to judge a body. */
export type Judged = Pick<Task, 'wish' | 'calls' | 'refusal' | 'options'> & { request: { headers: { accept?: string } } }

/**
 * Makes what judges the first bytes of a body that is arriving for a request. What a tool returns to an MCP client
 * is in strings of its envelope, of which the size of the envelope says nothing.
 *
 * @returns null where the body is read whole in any case
 */
export function createJudge ({ request, wish, calls, refusal, options }: Judged): ((prefix: Uint8Array) => Reason | null) | null {
  const { accept } = request.headers
  const { negotiation, isMarkdown, fields } = wish
  if (negotiation === null || isMarkdown || fields !== undefined || refusal !== null || (calls !== null && hasWishes(calls.table))) return null
  const policy: SniffPolicy = { ...toPolicy(negotiation, options, true), isUtf8 }
  // What is in strings cannot be judged by a part of them.
  if (options.descend || !isSniffable(policy) || isEventStreamClient(accept)) return null
  if (isJsonOnlyClient(accept)) policy.needsWhole = mayBeJsonRpc
  return (prefix) => {
    try {
      return sniff(prefix, policy).reason
    } catch {
      // What fails here fails again with the whole body, where it is reported.
      return null
    }
  }
}

/** "jsonrpc" may stand behind a long "result". */
function mayBeJsonRpc (document: Document): boolean {
  return isJsonRpc(document) || hasRootMember(document, 'result')
}
