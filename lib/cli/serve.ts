import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { tokenGateway } from '../../plugins/gateway.js'
import type { EncodingOptions } from '../options.js'
import { CliError } from './errors.js'
import { formatFlags, parseFlags } from './flags.js'
import type { Command } from './command.js'
import type { Io } from './io.js'
import { GATEWAY_FLAGS, resolveAddress } from './server-flags.js'
import { serveUntilSignal } from './server.js'

/** Answers of tools can take long; container engines give a process about this time to stop. */
const CLOSE_TIMEOUT_MS = 10_000

export interface GatewaySettings {
  upstream: string
  tokenEncoding: EncodingOptions
  /** Least level that is logged. */
  level: string
  /** Whether answers are compressed behind the encoder, for clients that accept it. */
  compress?: boolean
}

/** Builds the gateway before an upstream, not yet listening. It logs to standard output. */
export function createGateway ({ upstream, tokenEncoding, level, compress = false }: GatewaySettings, io: Io): FastifyInstance {
  const app = fastify({ logger: { level, stream: io.stdout } })
  // Its types of content leave out event streams, which would wait in a compressor.
  if (compress) app.register(import('@fastify/compress'))
  app.register(tokenGateway, { upstream, tokenEncoding, closeTimeout: CLOSE_TIMEOUT_MS })
  return app
}

/** `token-gateway --upstream URL`: the reverse proxy. It has no name of its own. */
export const serve: Command = {
  help: `Usage: token-gateway --upstream URL [flags]

Runs a reverse proxy that re-encodes JSON responses for clients that ask for it with Accept-Encoding.

${formatFlags(GATEWAY_FLAGS)}`,
  async run (argv, io) {
    const { values } = parseFlags(argv, GATEWAY_FLAGS, 0)
    const { upstream, encodings, mode, 'min-savings': minSavings, measure, compress, 'stack-codings': stackCodings } = values
    if (upstream === undefined) throw new CliError(`--upstream: expected ${GATEWAY_FLAGS.upstream.expected}, got nothing`)
    const address = resolveAddress(values, io.env)
    // What is undefined keeps the plugin's default.
    const gateway = createGateway({ upstream, tokenEncoding: { encodings, mode, minSavings, measure, stackCodings }, level: 'info', compress }, io)
    return serveUntilSignal(gateway, address, io, async () => {})
  }
}
