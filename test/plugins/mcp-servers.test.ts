import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import Fastify from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { tokenGateway } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { DEMO_TOOLS } from '../helpers/demo-results.js'
import { codecsOf, connectSdk1, connectSdk2, createCapture, restore } from '../helpers/mcp-clients.js'
import type { AnyClient } from '../helpers/mcp-clients.js'
import { MCP_TOON, parseEvents } from '../helpers/mcp-http.js'
import { PRETTY_ROWS } from '../helpers/mcp-messages.js'
import { LoginProvider, createProtected } from '../helpers/mcp-oauth.js'
import { serveHttp, startBridged, startEverything, startSdk1, startSdk2 } from '../helpers/mcp-servers.js'

type Results = Record<string, any>
type Scenario = (client: AnyClient) => Promise<Results>
type Connect = typeof connectSdk1

const TOON = { 'accept-encoding': 'toon' }

async function startGateway (t: Test, upstream: string, tokenEncoding: TokenEncodingOptions = {}): Promise<string> {
  const gateway = Fastify({ forceCloseConnections: true })
  t.teardown(() => gateway.close())
  await gateway.register(tokenGateway, { upstream, tokenEncoding: { minBytes: 0, measure: 'bytes', ...tokenEncoding }, closeTimeout: 0 })
  return await gateway.listen({ host: '127.0.0.1', port: 0 })
}

/** What is new for each session, or at each time, in the messages of servers that are not ours. */
function scrub (text: string): string {
  return text.replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'UUID').replace(/\d+:\d\d:\d\d\s[AP]M/g, 'TIME').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/[\da-f]{32}/g, 'HEX')
}

/**
 * Plays a scenario three times: with the server itself, through the gateway, and through the gateway with our
 * header. Without the header nothing may differ, with it only the texts of the tools that are named.
 *
 * @param start gives a server that has done nothing yet
 */
async function compare (t: Test, start: () => Promise<string>, connect: Connect, scenario: Scenario, expected: Record<string, Record<number, string>>): Promise<void> {
  const play = async (headers: Record<string, string>, wrap: (origin: string) => Promise<string> | string) => {
    const { fetch, captured } = createCapture()
    const client = await connect(t, await wrap(await start()), headers, fetch)
    const results = await scenario(client)
    await client.endSession()
    const responses = await Promise.all(captured.map(async (response) => ({ ...response, body: await response.body })))
    // Which of two requests that are made at once comes first is chance.
    const text = responses.map((response) => scrub(JSON.stringify(response))).sort()
    return { results: JSON.parse(scrub(JSON.stringify(results))) as Results, responses: text }
  }
  const gateway = (origin: string) => startGateway(t, origin)
  const [direct, plain, encoded] = await Promise.all([play({}, (origin) => origin), play({}, gateway), play(TOON, gateway)])
  t.same(plain.results, direct.results, 'without the header: results')
  t.same(plain.responses, direct.responses, 'without the header: bodies and header fields')
  const { results } = encoded
  t.same(Object.keys(results), Object.keys(direct.results))
  for (const [name, result] of Object.entries(results)) {
    t.same(restore(result), restore(direct.results[name]), `with the header: ${name}`)
    t.same(codecsOf(result), expected[name] ?? {}, `with the header: what is encoded of ${name}`)
  }
}

const DEMO_ENCODED = { list_rows: { 0: 'toon' }, structured: { 0: 'toon' }, mixed: { 4: 'toon' }, get_numbers: { 0: 'toon' }, progress: { 0: 'toon' } }

async function playDemo (client: AnyClient): Promise<Results> {
  const results: Results = { tools: await client.listTools() }
  for (const name of DEMO_TOOLS) results[name] = await client.callTool({ name, arguments: {} })
  const seen: object[] = []
  results.progress = await client.callTool({ name: 'progress', arguments: { steps: 3, pause: 5 } }, (progress) => { seen.push(progress) })
  results.seen = seen
  results.unknown = await client.callTool({ name: 'nothing of that name' }).catch((error: Error) => ({ error: error.message }))
  return results
}

t.test('SDK 1 server on event streams, SDK 1 client; sampling in the middle of a stream', async (t) => {
  await compare(t, () => startSdk1(t, { json: false }), connectSdk1, async (client) => {
    return { ...await playDemo(client), ask: await client.callTool({ name: 'ask', arguments: {} }) }
  }, { ...DEMO_ENCODED, ask: { 0: 'toon' } })
})

t.test('SDK 1 server with enableJsonResponse, SDK 1 client', async (t) => {
  await compare(t, () => startSdk1(t, { json: true }), connectSdk1, playDemo, DEMO_ENCODED)
})

t.test('SDK 1 server on event streams, SDK 2 client', async (t) => {
  await compare(t, () => startSdk1(t, { json: false }), connectSdk2, playDemo, DEMO_ENCODED)
})

t.test('SDK 2 server on 2026-07-28, SDK 2 client', async (t) => {
  await compare(t, () => startSdk2(t), connectSdk2, playDemo, DEMO_ENCODED)
})

t.test('server-everything over Streamable HTTP', async (t) => {
  const origin = await startEverything(t)
  await compare(t, async () => origin, connectSdk1, async (client) => {
    const results: Results = { tools: await client.listTools() }
    for (const [name, args] of Object.entries({
      echo: { message: PRETTY_ROWS },
      'get-sum': { a: 1, b: 2 },
      'get-structured-content': { location: 'Chicago' },
      'get-tiny-image': {},
      'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
      'get-resource-links': { count: 3 },
      'get-annotated-message': { messageType: 'error', includeImage: true },
      'trigger-sampling-request': { prompt: 'x', maxTokens: 5 },
      'get-sum-with-words': { a: 'x' }
    })) results[name] = await client.callTool({ name, arguments: args })
    const seen: object[] = []
    results.long = await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 3 } }, (progress) => { seen.push(progress) })
    results.seen = seen
    results.resource = await client.sdk1.readResource({ uri: 'demo://resource/dynamic/text/1' })
    results.prompts = await client.sdk1.listPrompts()
    const task: object[] = []
    for await (const message of client.sdk1.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: { topic: 'x', ambiguous: false } }, undefined, { task: { ttl: 60_000 } })) {
      task.push('task' in message ? { type: message.type, status: message.task.status } : message)
    }
    results.task = task.at(-1)
    return results
  }, { 'get-structured-content': { 0: 'toon' } })
})

t.test('server-filesystem over a bridge, on event streams; files that are read stay as they are', async (t) => {
  const folder = t.testdir({ 'rows.json': PRETTY_ROWS, 'notes.txt': 'just words', sub: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' } })
  await compare(t, () => startBridged(t, 'server-filesystem', [folder], { json: false }), connectSdk1, async (client) => ({
    tools: await client.listTools(),
    tree: await client.callTool({ name: 'directory_tree', arguments: { path: folder } }),
    list: await client.callTool({ name: 'list_directory', arguments: { path: folder } }),
    read: await client.callTool({ name: 'read_text_file', arguments: { path: join(folder, 'rows.json') } }),
    many: await client.callTool({ name: 'read_multiple_files', arguments: { paths: [join(folder, 'rows.json')] } }),
    missing: await client.callTool({ name: 'read_text_file', arguments: { path: join(folder, 'nothing') } })
  }), { tree: { 0: 'toon' } })
})

t.test('server-memory over a bridge, as JSON', async (t) => {
  let count = 0
  const start = () => startBridged(t, 'server-memory', [], { json: true }, { MEMORY_FILE_PATH: join(t.testdir(), `${count++}.jsonl`) })
  await compare(t, start, connectSdk1, async (client) => ({
    create: await client.callTool({ name: 'create_entities', arguments: { entities: Array.from({ length: 6 }, (_, i) => ({ name: `n${i}`, entityType: 'person', observations: ['a', 'b'] })) } }),
    relate: await client.callTool({ name: 'create_relations', arguments: { relations: Array.from({ length: 5 }, (_, i) => ({ from: 'n0', to: `n${i + 1}`, relationType: 'knows' })) } }),
    graph: await client.callTool({ name: 'read_graph', arguments: {} })
  }), { relate: { 0: 'toon' }, graph: { 0: 'toon' } })
})

t.test('a stream that broke is resumed by GET with Last-Event-ID, and its result is encoded there', async (t) => {
  const url = `${await startGateway(t, await startSdk1(t, { json: false }))}/mcp`
  const headers: Record<string, string> = { ...MCP_TOON }
  const post = async (body: object, signal?: AbortSignal) => await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }), signal })
  const hello = await post({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } })
  headers['mcp-session-id'] = hello.headers.get('mcp-session-id')!
  await hello.text()
  await post({ method: 'notifications/initialized' })
  const cut = new AbortController()
  const call = await post({ id: 1, method: 'tools/call', params: { name: 'progress', arguments: { steps: 3, pause: 50 }, _meta: { progressToken: 7 } } }, cut.signal)
  const { text } = await readEvents(call, '"progress":1')
  cut.abort()
  const last = parseEvents(text).at(-1)!.id!
  const resumed = await fetch(url, { headers: { ...headers, 'last-event-id': last } })
  const { text: rest, reader } = await readEvents(resumed, '"result"')
  await reader.cancel()
  const events = parseEvents(rest)
  t.same(events.filter(({ data }) => data.includes('"progress":')).map(({ data }) => JSON.parse(data).params.progress), [2, 3])
  const result = JSON.parse(events.at(-1)!.data)
  t.same([result.id, codecsOf(result.result)], [1, { 0: 'toon' }])
  t.same(restore(result.result), restore({ content: [{ type: 'text', text: PRETTY_ROWS }] }))
})

t.test('an OAuth login goes through the gateway, with our header on every request', async (t) => {
  // The server must know under which address it is reached.
  const upstream = await serveHttp(t, (request, response) => app(request, response))
  const origin = await startGateway(t, upstream)
  const app = createProtected(origin)
  const asked: string[] = []
  const fetchToon: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('accept-encoding', 'toon')
    asked.push(new URL(String(input)).pathname)
    return await fetch(input, { ...init, headers })
  }
  const provider = new LoginProvider()
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' })
    t.teardown(() => client.close())
    await client.connect(provider.open(new URL('/mcp', origin), fetchToon))
    return client
  }
  await t.rejects(connect(), { message: 'Unauthorized' })
  await provider.finish()
  const client = await connect()
  const result = await client.callTool({ name: 'list_rows' })
  t.same(codecsOf(result), { 0: 'toon' })
  t.match(new Set(asked), new Set(['/mcp', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/register', '/token']))
})

/** Reads a response up to a text. */
async function readEvents (response: Response, until: string): Promise<{ text: string, reader: ReadableStreamDefaultReader<Uint8Array> }> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes(until) || !text.endsWith('\n\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the stream ended: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  return { text, reader }
}
