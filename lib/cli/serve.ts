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

/**
 * Builds the gateway before an upstream, not yet listening. It logs to standard output.
 * @param level least level that is logged
 */
export function createGateway (upstream: string, tokenEncoding: EncodingOptions, io: Io, level: string): FastifyInstance {
  const app = fastify({ logger: { level, stream: io.stdout } })
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
    const { upstream, encodings, mode, 'min-savings': minSavings, measure } = values
    if (upstream === undefined) throw new CliError(`--upstream: expected ${GATEWAY_FLAGS.upstream.expected}, got nothing`)
    const address = resolveAddress(values, io.env)
    // What is undefined keeps the plugin's default.
    const gateway = createGateway(upstream, { encodings, mode, minSavings, measure }, io, 'info')
    return serveUntilSignal(gateway, address, io, async () => {})
  }
}
