import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { tokenGateway } from '../../plugins/gateway.js'
import type { TokenGatewayOptions } from '../../plugins/gateway.js'
import { startUpstream } from './faulty-upstream.js'
import type { FaultyUpstream } from './faulty-upstream.js'

export interface GatewaySetup {
  upstream: FaultyUpstream
  gateway: FastifyInstance
  /** The gateway's port. */
  port: number
}

export interface GatewaySetupOptions {
  /** Options of the gateway; the upstream's URL is filled in, with `base` behind it. */
  gateway?: Partial<TokenGatewayOptions>
  base?: string
  server?: FastifyHttpOptions<Server>
  tls?: boolean
  /** Called before the gateway is registered. */
  prepare?: (fastify: FastifyInstance) => unknown
}

/** Starts an upstream and a gateway before it; both are closed when the test ends. */
export async function setUpGateway (
  t: Test, answers: Parameters<typeof startUpstream>[0], { gateway: options, base = '', server, tls, prepare }: GatewaySetupOptions = {}
): Promise<GatewaySetup> {
  const upstream = await startUpstream(answers, { tls })
  const gateway = Fastify(server)
  t.teardown(async () => { await Promise.all([gateway.close(), upstream.close()]) })
  await prepare?.(gateway)
  await gateway.register(tokenGateway, { upstream: upstream.origin + base, closeTimeout: 0, ...options })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  return { upstream, gateway, port: portOf(gateway) }
}

/** The port on which an instance listens. */
export function portOf (gateway: FastifyInstance): number {
  return (gateway.server.address() as AddressInfo).port
}
