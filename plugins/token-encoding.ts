import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { BodyWorkers } from './token-encoding/body-workers.js'
import { ResponseEncoder } from './token-encoding/encode-response.js'
import type { TokenEncodingOptions } from './token-encoding/options.js'
import { checkPluginOptions, resolveMaxThreads, RouteOptionsCache } from './token-encoding/route-options.js'
import { WarmUp } from './token-encoding/warm-up.js'

export type { DecisionListener, TokenEncodingOptions, WorkerOptions } from './token-encoding/options.js'

async function register (fastify: FastifyInstance, options: TokenEncodingOptions): Promise<void> {
  const checked = checkPluginOptions({ ...options })
  const workers = new BodyWorkers(resolveMaxThreads(checked))
  const routes = new RouteOptionsCache(checked)
  const encoder = new ResponseEncoder(routes, workers)
  const warmUp = new WarmUp()

  fastify.addHook('onListen', async () => {
    if (checked.warmUp !== false && routes.default !== null) warmUp.start(routes.default)
  })

  fastify.addHook('onClose', async () => {
    warmUp.stop()
    await workers.close()
  })

  // Routes that were there before are checked when they are first used.
  fastify.addHook('onRoute', (route) => { routes.check(route.config?.tokenEncoding) })

  fastify.addHook('onRequest', (request, _reply, done) => {
    encoder.mapRequest(request)
    done()
  })

  fastify.addHook('onSend', (request, reply, payload, done) => {
    const next = encoder.encode(request, reply, payload)
    if (next instanceof Promise) next.then((body) => done(null, body), (error) => done(error))
    else done(null, next)
  })
}

/**
 * Fastify plugin: re-encodes JSON responses as TOON or STC for those clients that ask for it by
 * Accept-Encoding or Accept, losslessly, and leaves all else alone. Register it before the plugins that
 * work on finished bodies, such as @fastify/etag.
 *
 * @throws FST_TOKEN_INVALID_OPTIONS at boot, for wrong options here or in a route's `config.tokenEncoding`
 */
export const tokenEncoding = fp(register, { fastify: '5.x', name: 'token-encoding' })

export default tokenEncoding
