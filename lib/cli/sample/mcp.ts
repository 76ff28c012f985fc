import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CODES, PROTOCOL_VERSIONS, answerMessage, createError } from './json-rpc.js'
import type { RpcResponse } from './json-rpc.js'

/** What the transport assumes without an MCP-Protocol-Version header; the only revision with batches. */
const BATCH_VERSION = '2025-03-26'
const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Browsers name the page that asks: pages of other sites must not reach a local server (DNS rebinding). */
function isForeign (origin: string | undefined): boolean {
  if (origin === undefined) return false
  return !URL.canParse(origin) || !LOCAL_NAMES.includes(new URL(origin).hostname)
}

function refuse (reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  return reply.code(status).send(createError(null, code, message))
}

/** The responses to a batch, an array, or to one message; null when there is nothing to answer. */
function answerBody (body: unknown): RpcResponse[] | RpcResponse | null {
  if (!Array.isArray(body)) return answerMessage(body)
  const responses = body.map(answerMessage).filter(response => response !== null)
  return responses.length > 0 ? responses : null
}

async function handlePost (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { 'mcp-protocol-version': version = BATCH_VERSION, origin } = request.headers
  if (isForeign(origin)) return refuse(reply, 403, CODES.invalidRequest, 'Origin is not local')
  if (!PROTOCOL_VERSIONS.includes(String(version))) {
    return refuse(reply, 400, CODES.invalidRequest, `Unsupported MCP-Protocol-Version; known: ${PROTOCOL_VERSIONS.join(', ')}`)
  }
  let body: unknown
  try {
    body = JSON.parse(String(request.body))
  } catch {
    return refuse(reply, 400, CODES.parseError, 'The body is not JSON')
  }
  if (Array.isArray(body) && (version !== BATCH_VERSION || body.length === 0)) {
    return refuse(reply, 400, CODES.invalidRequest, 'Batches are empty or not part of this protocol version')
  }
  const answer = answerBody(body)
  if (answer === null) return reply.code(202).send()
  const isInvalid = !Array.isArray(answer) && answer.error?.code === CODES.invalidRequest
  return reply.code(isInvalid ? 400 : 200).send(answer)
}

/**
 * Fastify plugin: an MCP server at `/mcp` over Streamable HTTP, with JSON responses only and without
 * sessions, for revisions 2025-03-26 to 2025-11-25.
 */
export async function sampleMcp (app: FastifyInstance): Promise<void> {
  // As text: a body that is not JSON is answered with a JSON-RPC error, not with Fastify's.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.post('/mcp', handlePost)
  // No stream of server messages, no session to end: 405 by the transport's rules.
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: async (_request, reply) => {
      reply.header('allow', 'POST')
      return refuse(reply, 405, CODES.invalidRequest, 'Only POST')
    }
  })
}
