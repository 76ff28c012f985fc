import type { ServerHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Pool } from 'undici'
import type { CodingName } from '../lib/codec.js'
import { Negotiator } from '../lib/negotiate.js'
import { resolveOptions } from '../lib/options.js'
import { createConnector } from './gateway/connector.js'
import { ClientGoneError, ClosingError, GatewayError, HeaderCountError, HostError, TransferCodingError, UpgradeError } from './gateway/errors.js'
import { Exchange } from './gateway/exchange.js'
import { hasSeveralHosts, mayLackFields } from './gateway/header-count.js'
import { answerLastHop } from './gateway/max-forwards.js'
import { resolveGatewayOptions } from './gateway/options.js'
import type { GatewaySettings, TokenGatewayOptions } from './gateway/options.js'
import { sendProblem } from './gateway/problem.js'
import { RequestBody } from './gateway/request-body.js'
import { toUpstreamHeaders } from './gateway/request-headers.js'
import type { RequestHeaderRules } from './gateway/request-headers.js'
import { isCodedInTransfer } from './gateway/transfer-codings.js'
import { passBodiesThrough, restoreContentType } from './gateway/unparsed-bodies.js'
import { countSegments, parseTarget, toUpstreamPath } from './gateway/upstream-path.js'
import tokenEncoding from './token-encoding.js'

export type { TokenGatewayOptions } from './gateway/options.js'

/**
 * Fastify plugin: a reverse proxy to one upstream whose answers `tokenEncoding` may re-encode. It takes
 * every method and every path below its `prefix`, in a scope of its own: nothing of it is seen outside.
 *
 * Failures of the upstream reach the client as problem documents (RFC 9457): 502 where it cannot be
 * reached, breaks off or sends no valid HTTP, 504 where it is silent; a response that has begun is broken off.
 *
 * @throws FST_TOKEN_INVALID_OPTIONS at boot, with the path of the wrong option
 */
export const tokenGateway = fp(registerGateway, { name: 'token-gateway', fastify: '5.x', encapsulate: true })

async function registerGateway (scope: FastifyInstance, options: TokenGatewayOptions): Promise<void> {
  const settings = resolveGatewayOptions(options)
  if (settings.tokenEncoding !== false) await scope.register(tokenEncoding, settings.tokenEncoding)
  const pool = createPool(settings)
  const exchanges = new Set<Exchange>()
  const forward = createForward(scope, settings, pool, exchanges)

  passBodiesThrough(scope)
  scope.setErrorHandler(tellProblem)
  scope.route({ method: scope.supportedMethods, url: '/', handler: forward, exposeHeadRoute: false })
  scope.route({ method: scope.supportedMethods, url: '/*', handler: forward, exposeHeadRoute: false })
  closeInTime(scope, settings.closeTimeout, exchanges, pool)
}

function createPool (settings: GatewaySettings): Pool {
  return new Pool(settings.origin, {
    connections: settings.connections,
    connect: createConnector({ ...settings.tls, timeout: settings.connectTimeout }),
    headersTimeout: settings.headersTimeout,
    // Whether a body may be silent depends on its type, so that undici cannot know.
    bodyTimeout: 0
  })
}

function createForward (scope: FastifyInstance, settings: GatewaySettings, pool: Pool, exchanges: Set<Exchange>) {
  const prefixSegments = countSegments(scope.prefix)
  const { origin, base, servername, bodyIdleTimeout } = settings
  const rules: RequestHeaderRules = { ...settings, negotiator: new Negotiator(usableEncodings(settings)) }

  return function forward (request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    // Hooks may have taken longer than the client waited; its close has been and will not come again.
    if (reply.raw.destroyed) return
    if (mayLackFields(raw, scope.server)) throw new HeaderCountError()
    if (hasSeveralHosts(raw)) throw new HostError()
    restoreContentType(request)
    if (answerLastHop(request, reply, scope.supportedMethods)) return
    if (request.headers.upgrade !== undefined && /^\s*websocket\b/i.test(request.headers.upgrade)) throw new UpgradeError()
    if (isCodedInTransfer(request.headers)) throw new TransferCodingError()
    const { authority, path: target } = parseTarget(request.url)
    const path = toUpstreamPath(target, prefixSegments, base)
    // A preParsing hook may have put another stream in place of the one that came.
    const source = request.body instanceof Readable ? request.body : raw
    const headers = toUpstreamHeaders(request, rules, { authority, keepLength: source === raw })
    const body = hasBody(request) ? new RequestBody(source, bodyIdleTimeout) : null
    const exchange = new Exchange(request, reply, body, bodyIdleTimeout)
    exchanges.add(exchange)
    // Whatever closed the client's side, the upstream must not be left sending to nobody. The request's
    // own signal will not do: on a request with a body it fires as soon as the body has been read.
    reply.raw.once('close', () => {
      exchanges.delete(exchange)
      exchange.stop(ClientGoneError)
    })
    pool.dispatch({ origin, path, method: request.method, headers, body, servername } as Parameters<Pool['dispatch']>[0], exchange)
  }
}

function usableEncodings ({ tokenEncoding }: GatewaySettings): readonly CodingName[] {
  const { mode, encodings } = resolveOptions(tokenEncoding === false ? {} : tokenEncoding)
  return mode === 'off' ? [] : encodings
}

/** HTTP/1.1 says so in one of the two framing fields (RFC 9112 section 6.3), HTTP/2 in its frames. */
function hasBody ({ headers, raw }: FastifyRequest): boolean {
  const { stream } = raw as { stream?: ServerHttp2Stream }
  if (stream !== undefined) return !stream.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Failures of ours become problem documents; all others go to the handler that the user has set. */
function tellProblem (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  if (!(error instanceof GatewayError)) throw error
  // They describe the body that is not coming.
  for (const name of Object.keys(reply.getHeaders())) {
    if (name.startsWith('content-') || name === 'etag' || name === 'last-modified') reply.removeHeader(name)
  }
  sendProblem(reply, error)
}

/** Requests that run when the server closes get some time; whoever is late is broken off. */
function closeInTime (scope: FastifyInstance, limit: number, exchanges: Set<Exchange>, pool: Pool): void {
  let timer: NodeJS.Timeout | undefined
  scope.addHook('preClose', (done) => {
    timer = setTimeout(() => {
      for (const exchange of exchanges) exchange.stop(ClosingError)
    }, limit)
    done()
  })
  scope.addHook('onClose', async () => {
    clearTimeout(timer)
    await pool.destroy()
  })
}
