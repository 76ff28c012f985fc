import { TOOLS } from './tools.js'

/** Revisions of MCP whose Streamable HTTP transport this endpoint speaks, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Error codes of JSON-RPC 2.0, section 5.1. */
export const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602
} as const

type Id = string | number | null
type Members = Record<string, unknown>

/** A JSON-RPC response: `result` or `error`. */
export interface RpcResponse {
  jsonrpc: '2.0'
  id: Id
  result?: unknown
  error?: { code: number, message: string }
}

class RpcError extends Error {
  constructor (readonly code: number, message: string) {
    super(message)
  }
}

function isObject (value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** MCP narrows JSON-RPC: never null. Integers that a double rounds would come back changed, so they are refused. */
function isId (value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** An error response. `id` is null where the request's id could not be read. */
export function createError (id: Id, code: number, message: string): RpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function initialize (params: Members): object {
  const { protocolVersion } = params
  if (typeof protocolVersion !== 'string') throw new RpcError(CODES.invalidParams, 'protocolVersion must be a string')
  return {
    protocolVersion: PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : PROTOCOL_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'token-gateway-sample', version: '1.0.0' }
  }
}

function callTool (params: Members): object {
  const { name, arguments: args = {} } = params
  const tool = TOOLS.find(candidate => candidate.name === name)
  if (tool === undefined) throw new RpcError(CODES.invalidParams, `Unknown tool: ${JSON.stringify(name)}`)
  const result = isObject(args) ? tool.call(args) : null
  if (result === null) throw new RpcError(CODES.invalidParams, `Invalid arguments for ${tool.name}: see its inputSchema`)
  return result
}

function callMethod (method: string, params: Members): unknown {
  switch (method) {
    case 'initialize': return initialize(params)
    case 'ping': return {}
    case 'tools/list': return { tools: TOOLS }
    case 'tools/call': return callTool(params)
    default: throw new RpcError(CODES.methodNotFound, `Method not found: ${method}`)
  }
}

function isResponse (message: Members): boolean {
  return message.method === undefined && isId(message.id) && (message.result !== undefined || isObject(message.error))
}

/**
 * Answers one JSON-RPC message.
 * @returns the response, or null for what wants none: notifications, and responses to us
 */
export function answerMessage (message: unknown): RpcResponse | null {
  if (!isObject(message) || message.jsonrpc !== '2.0') return createError(null, CODES.invalidRequest, 'Not a JSON-RPC 2.0 message')
  if (isResponse(message)) return null
  const { id, method, params = {} } = message
  if (typeof method !== 'string') return createError(isId(id) ? id : null, CODES.invalidRequest, 'method must be a string')
  if (id === undefined) return null
  if (!isId(id)) return createError(null, CODES.invalidRequest, 'id must be a string or an integer below 2^53')
  if (!isObject(params)) return createError(id, CODES.invalidParams, 'params must be an object')
  try {
    return { jsonrpc: '2.0', id, result: callMethod(method, params) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return createError(id, error.code, error.message)
  }
}
