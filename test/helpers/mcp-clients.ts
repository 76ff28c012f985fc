import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CreateMessageResult } from '@modelcontextprotocol/sdk/types.js'
import type { Test } from 'tap'
import { decodeBlock, entriesOf } from './mcp-messages.js'

/** One response as a client of the SDK got it. */
export interface Captured {
  /** Method and body of the request. */
  request: string
  status: number
  /** Without those that differ from time to time, or on every hop, and Vary. */
  headers: Record<string, string>
  body: Promise<string>
}

/** A client of either SDK, as far as the tests need it. */
export interface AnyClient {
  listTools: () => Promise<{ tools: object[] }>
  callTool: (params: { name: string, arguments?: Record<string, unknown> }, onprogress?: (progress: object) => void) => Promise<any>
  endSession: () => Promise<void>
  /** Of the SDK 1 alone. */
  sdk1: Client
}

const FLEETING = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'vary']
const SAMPLED: CreateMessageResult = { role: 'assistant', model: 'none', content: { type: 'text', text: 'x'.repeat(20) } }

/** A fetch that keeps what came. */
export function createCapture (): { fetch: typeof fetch, captured: Captured[] } {
  const captured: Captured[] = []
  return {
    captured,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      const headers = Object.fromEntries([...response.headers].filter(([name]) => !FLEETING.includes(name)))
      captured.push({ request: `${init?.method ?? 'GET'} ${String(init?.body ?? '')}`, status: response.status, headers, body: readAll(response.clone()) })
      return response
    }
  }
}

/** What could be read before a stream ended, or was cut off. */
async function readAll (response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const read = await reader?.read()
      if (read === undefined || read.done) return text
      text += decoder.decode(read.value, { stream: true })
    }
  } catch {
    return text
  }
}

/** Connects a client of the SDK 1, which answers sampling requests. */
export async function connectSdk1 (t: Test, origin: string, headers: Record<string, string> = {}, fetchWith?: typeof fetch): Promise<AnyClient> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { sampling: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, async () => SAMPLED)
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers }, fetch: fetchWith })
  t.teardown(() => client.close())
  await client.connect(transport)
  return {
    listTools: async () => await client.listTools(),
    callTool: async (params, onprogress) => await client.callTool(params, undefined, { onprogress }),
    endSession: async () => {
      await transport.terminateSession()
      await client.close()
    },
    sdk1: client
  }
}

/** Connects a client of the SDK 2, which speaks the newest revision that the server does. */
export async function connectSdk2 (t: Test, origin: string, headers: Record<string, string> = {}, fetchWith?: typeof fetch): Promise<AnyClient> {
  const client = new Client2({ name: 'test', version: '2' }, { capabilities: { sampling: {} }, versionNegotiation: { mode: 'auto' } })
  client.setRequestHandler('sampling/createMessage', async () => SAMPLED)
  const transport = new Transport2(new URL('/mcp', origin), { requestInit: { headers }, fetch: fetchWith })
  t.teardown(() => client.close())
  await client.connect(transport)
  return {
    listTools: async () => await client.listTools(),
    callTool: async (params, onprogress) => await client.callTool(params, { onprogress }),
    endSession: async () => {
      await transport.terminateSession()
      await client.close()
    },
    get sdk1 (): Client { throw new Error('this is the SDK 2') }
  }
}

/** The codec of each text block of a result that has one, by index. */
export function codecsOf (result: any): Record<number, string> {
  return Object.fromEntries(entriesOf(result).map(({ index, codec }) => [index, codec]))
}

/** A result as it was before texts were rewritten; texts that are JSON are minified, since white space is not kept. */
export function restore (result: any): unknown {
  if (!Array.isArray(result?.content)) return result
  const entries = entriesOf(result)
  const content = result.content.map((block: any, index: number) => {
    return block.type === 'text' ? { ...block, text: minifyText(decodeBlock(block.text, entries.find((entry) => entry.index === index))) } : block
  })
  const { 'fastify-token-gateway/encoding': _, ...meta } = result._meta ?? {}
  const { _meta, ...rest } = result
  return Object.keys(meta).length > 0 ? { ...rest, content, _meta: meta } : { ...rest, content }
}

/** White space outside of strings is taken out; what is no JSON stays. Numbers keep their digits. */
function minifyText (text: string): string {
  return /^\s*[{[]/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : text
}
