import { formatFlags, parseFlags } from './flags.js'
import type { Command } from './command.js'
import { write } from './io.js'
import { createSampleUpstream } from './sample/upstream.js'
import { createGateway } from './serve.js'
import { LISTEN_FLAGS, resolveAddress } from './server-flags.js'
import { formatOrigin, serveUntilSignal } from './server.js'

function formatWelcome (origin: string): string {
  return `Token gateway before a sample API (${origin}) and its MCP endpoint (${origin}/mcp). Try:

  curl -s ${origin}/orders
  curl -sD- -H 'Accept-Encoding: toon' ${origin}/orders
  curl -sD- -H 'Accept-Encoding: stc' ${origin}/ledger

`
}

/** `token-gateway demo`: the reverse proxy before a sample upstream of its own. */
export const demo: Command = {
  help: `Usage: token-gateway demo [flags]

Runs the reverse proxy before a sample API and MCP endpoint in the same process.

${formatFlags(LISTEN_FLAGS)}`,
  async run (argv, io) {
    const { values } = parseFlags(argv, LISTEN_FLAGS, 0)
    const address = resolveAddress(values, io.env)
    const upstream = createSampleUpstream()
    try {
      await upstream.listen({ port: 0, host: '127.0.0.1' })
      // Warnings only: the lines to try shall stay in sight.
      const gateway = createGateway({ upstream: formatOrigin(upstream), tokenEncoding: { encodings: ['toon', 'stc', 'stc2'], stackCodings: true }, level: 'warn' }, io)
      return await serveUntilSignal(gateway, address, io, origin => write(formatWelcome(origin), io))
    } finally {
      upstream.server.closeAllConnections()
      await upstream.close()
    }
  }
}
