import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CreateMessageResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { McpServer as McpServer2, createMcpHandler } from '@modelcontextprotocol/server'
import type { CallToolResult as CallToolResult2 } from '@modelcontextprotocol/server'
import type { Test } from 'tap'
import { z } from 'zod'
import { DEMO_RESULTS, DEMO_TOOLS } from './demo-results.js'
import { PRETTY_ROWS } from './mcp-messages.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

const require = createRequire(import.meta.url)

/** Serves on a free port of 127.0.0.1 until the test ends. @returns the origin */
export async function serveHttp (t: Test, handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The reference server of MCP in a process of its own, over Streamable HTTP. @returns the origin */
export async function startEverything (t: Test): Promise<string> {
  // It cannot tell which port it has taken, so that one is chosen for it.
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  const child = spawn(process.execPath, [binaryOf('server-everything'), 'streamableHttp'], { env: { ...process.env, PORT: String(port), NODE_OPTIONS: '' } })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk })
  const ended = once(child, 'close')
  while (!output.includes('listening')) await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended.then(() => { throw new Error(output) })])
  return `http://127.0.0.1:${port}`
}

/** A server of the package `@modelcontextprotocol/NAME` that speaks over stdio, one process for each session. @returns the origin */
export async function startBridged (t: Test, name: string, args: string[], { json }: { json: boolean }, env: Record<string, string> = {}): Promise<string> {
  return await serveSessions(t, json, async (transport) => {
    const stdio = new StdioClientTransport({ command: process.execPath, args: [binaryOf(name), ...args], env, stderr: 'ignore' })
    t.teardown(() => stdio.close())
    stdio.onmessage = (message) => { transport.send(message).catch(() => {}) }
    transport.onmessage = (message: JSONRPCMessage) => { stdio.send(message).catch(() => {}) }
    transport.onclose = () => { stdio.close().catch(() => {}) }
    await stdio.start()
    await transport.start()
  })
}

/** A server of the SDK 1 with the demo tools, and with tools that do more than to return something. @returns the origin */
export async function startSdk1 (t: Test, { json }: { json: boolean }): Promise<string> {
  return await serveSessions(t, json, async (transport) => {
    const server = new McpServer({ name: 'demo', version: '1' }, { capabilities: { logging: {} } })
    for (const name of DEMO_TOOLS) {
      const schema = name === 'structured' ? { outputSchema: { rows: z.array(z.any()), total: z.number() } } : {}
      server.registerTool(name, { description: `The tool ${name}`, ...schema }, async () => DEMO_RESULTS[name] as unknown as CallToolResult)
    }
    server.registerTool('progress', { inputSchema: { steps: z.number(), pause: z.number() } }, async ({ steps, pause }, { sendNotification, _meta }) => {
      for (let progress = 1; progress <= steps; progress++) {
        await new Promise((resolve) => setTimeout(resolve, pause))
        await sendNotification({ method: 'notifications/progress', params: { progressToken: _meta?.progressToken ?? 0, progress, total: steps } })
      }
      return { content: [{ type: 'text', text: PRETTY_ROWS }] }
    })
    server.registerTool('ask', {}, async (_extra) => {
      const { sendRequest } = _extra
      const answer = await sendRequest({ method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: PRETTY_ROWS } }], maxTokens: 9 } }, CreateMessageResultSchema)
      return { content: [{ type: 'text', text: JSON.stringify([answer.content, answer.content]) }] }
    })
    await server.connect(transport)
  })
}

/** A server of the SDK 2 with the demo tools, which speaks 2026-07-28 and nothing older. @returns the origin */
export async function startSdk2 (t: Test): Promise<string> {
  const handler = createMcpHandler(() => {
    const server = new McpServer2({ name: 'demo', version: '2' })
    for (const name of DEMO_TOOLS) {
      const schema = name === 'structured' ? { outputSchema: z.object({ rows: z.array(z.any()), total: z.number() }) } : {}
      server.registerTool(name, { description: `The tool ${name}`, ...schema }, async () => DEMO_RESULTS[name] as unknown as CallToolResult2)
    }
    server.registerTool('progress', { inputSchema: z.object({ steps: z.number(), pause: z.number() }) }, async ({ steps, pause }, { mcpReq }) => {
      for (let progress = 1; progress <= steps; progress++) {
        await new Promise((resolve) => setTimeout(resolve, pause))
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: mcpReq._meta?.progressToken ?? 0, progress, total: steps } })
      }
      return { content: [{ type: 'text', text: PRETTY_ROWS }] }
    })
    return server
  }, { legacy: 'reject' })
  t.teardown(() => handler.close())
  return await serveHttp(t, toNodeHandler(handler))
}

/** Serves sessions over Streamable HTTP; their ids, and those of their events, are the same in each server. */
async function serveSessions (t: Test, json: boolean, connect: (transport: Transport) => Promise<void>): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  let count = 0
  return await serveHttp(t, async (request, response) => {
    const id = request.headers['mcp-session-id'] as string | undefined
    const known = id === undefined ? undefined : sessions.get(id)
    if (id !== undefined && known === undefined) return response.writeHead(404).end()
    if (known !== undefined) return await known.handleRequest(request, response)
    const session = `session-${++count}`
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => session, enableJsonResponse: json, eventStore: json ? undefined : createEventStore() })
    sessions.set(session, transport)
    t.teardown(() => transport.close())
    await connect(transport as Transport)
    await transport.handleRequest(request, response)
  })
}

function createEventStore (): EventStore {
  const events: { id: string, streamId: string, message: JSONRPCMessage }[] = []
  return {
    storeEvent: async (streamId, message) => {
      const id = `event-${events.length}`
      events.push({ id, streamId, message })
      return id
    },
    replayEventsAfter: async (lastEventId, { send }) => {
      const last = events.findIndex(({ id }) => id === lastEventId)
      const { streamId } = events[last]
      for (const event of events.slice(last + 1)) if (event.streamId === streamId) await send(event.id, event.message)
      return streamId
    }
  }
}

function binaryOf (name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`)
  return join(dirname(manifest), Object.values<string>(require(manifest).bin)[0])
}
