import type { Document } from '../json/document.js'
import { findMember } from '../json/navigate.js'
import { ARRAY, COUNT, KIND_MASK } from '../json/tape.js'

/**
 * Whether the document is a JSON-RPC message, or a batch of them (MCP 2025-03-26): an object with a
 * member "jsonrpc", or an array that starts with one.
 */
export function isJsonRpc (document: Document): boolean {
  const { tape } = document
  const isBatch = (tape[0] & KIND_MASK) === ARRAY && tape[COUNT] > 0
  return findMember(document, isBatch ? 6 : 0, 'jsonrpc') >= 0
}
