// An MCP server that knows nothing of encodings, and the gateway before it.
// Run it: node dist/examples/mcp-server.js (PORT: 3000 unless set); then node dist/examples/mcp-client.js
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import fastify from 'fastify'
import { tokenGateway } from 'fastify-token-gateway'

const orders = Array.from({ length: 40 }, (_, i) => ({ id: 5001 + i, customer: `C-${100 + i % 7}`, total: 19.5 + i, paid: i % 3 > 0 }))

const upstream = createServer(async (request, response) => {
  // Without sessions there is a server for each request.
  const server = new McpServer({ name: 'orders', version: '1.0.0' })
  server.registerTool('list_orders', { description: 'All orders' }, async () => ({ content: [{ type: 'text', text: JSON.stringify(orders, null, 2) }] }))
  server.registerTool('read_file', { description: 'A file, as it is' }, async () => ({ content: [{ type: 'text', text: JSON.stringify(orders, null, 2) }] }))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport as Transport)
  await transport.handleRequest(request, response)
})
await new Promise<void>((resolve) => { upstream.listen(0, '127.0.0.1', resolve) })
const behind = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const gateway = fastify({ forceCloseConnections: true })
await gateway.register(tokenGateway, { upstream: behind })
const origin = await gateway.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 3000) })
console.log(`MCP server on ${origin}/mcp, by way of the gateway; itself on ${behind}/mcp`)
console.log(`  node dist/examples/mcp-client.js ${origin}/mcp`)

async function stop (): Promise<void> {
  await gateway.close()
  upstream.closeAllConnections()
  upstream.close()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
