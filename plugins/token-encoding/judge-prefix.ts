import { isUtf8 } from 'node:buffer'
import type { Reason } from '../../lib/decision.js'
import type { FieldValue } from '../../lib/http.js'
import type { Document } from '../../lib/json/document.js'
import { hasRootMember } from '../../lib/json/navigate.js'
import { isJsonRpc } from '../../lib/mcp/envelope.js'
import { isEventStreamClient, isJsonOnlyClient } from '../../lib/negotiate.js'
import type { Negotiation } from '../../lib/negotiate.js'
import { isSniffable, sniff } from '../../lib/sniff.js'
import type { SniffPolicy } from '../../lib/sniff.js'
import { toPolicy } from './encode-body.js'
import type { BodyOptions } from './encode-body.js'

/**
 * Makes what judges the first bytes of a body that is arriving for a request.
 *
 * @param accept the request's Accept: what a tool returns to an MCP client is in strings of its envelope, of
 * which the size of the envelope says nothing
 * @returns null where the body is read whole in any case
 */
export function createJudge (
  negotiation: Negotiation, accept: FieldValue, options: BodyOptions
): ((prefix: Uint8Array) => Reason | null) | null {
  const policy: SniffPolicy = { ...toPolicy(negotiation, options), isUtf8 }
  if (!isSniffable(policy) || isEventStreamClient(accept)) return null
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
