import type { Reason } from '../decision.js'
import type { Document } from '../json/document.js'
import { hasRootMember } from '../json/navigate.js'
import { isJsonRpc } from '../mcp/envelope.js'
import { isEventStreamClient, isJsonOnlyClient } from '../negotiate.js'
import type { FieldValue } from './field-list.js'

// Token responses, client registrations and OAuth errors (RFC 6749 sections 5.1 and 5.2, RFC 7591 section
// 3.2.1): SDK clients send our fields there as everywhere, and read JSON.
const OAUTH_MEMBERS = ['access_token', 'client_id', 'error'] as const

/**
 * Judges by its content whether a JSON body must stay as it is: JSON-RPC messages for an MCP client, which
 * cannot read anything else, and OAuth documents.
 *
 * @param accept the request's Accept: it tells MCP clients from others
 * @returns null where it may be re-encoded
 */
export function checkDocument (document: Document, accept: FieldValue): Reason | null {
  if ((isEventStreamClient(accept) || isJsonOnlyClient(accept)) && isJsonRpc(document)) return 'json-rpc'
  return OAUTH_MEMBERS.some((name) => hasRootMember(document, name)) ? 'oauth' : null
}
