import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { decode, encode, minify } from '../../lib/index.js'
import { run } from '../../lib/cli/run.js'
import { createSampleUpstream } from '../../lib/cli/sample/upstream.js'
import { listResources } from '../../lib/cli/sample/rest.js'
import { formatOrigin, serveUntilSignal } from '../../lib/cli/server.js'
import { createIo, runCli } from '../helpers/cli-io.js'
import type { TestIo } from '../helpers/cli-io.js'

const MAIN = fileURLToPath(new URL('../../dist/lib/cli/main.js', import.meta.url))

interface Answer { status: number, headers: IncomingHttpHeaders, text: string }

async function request (url: string, headers: OutgoingHttpHeaders = {}, body?: string): Promise<Answer> {
  const outgoing = http.request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response') as [http.IncomingMessage]
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  return { status: Number(response.statusCode), headers: response.headers, text }
}

/** A server of node's own whose answers the test writes. */
async function startUpstream (t: Test, listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Running { origin: string, io: TestIo, done: Promise<number> }

/** Starts a server command and waits for the URL on standard output. */
async function start (t: Test, argv: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const io = createIo('', env)
  const done = run(argv, io)
  t.teardown(async () => { io.signals.emit('SIGTERM'); await done })
  const failed = done.then(code => { throw new Error(`exit code ${code}: ${io.stderr.text}`) })
  const [origin] = await Promise.race([io.stdout.waitFor(/http:\/\/[\d.]+:\d+/), failed])
  failed.catch(() => {})
  return { origin, io, done }
}

const ROWS = JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ id: i, name: `n${i}` })))

function sendRows (_request: http.IncomingMessage, response: http.ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  response.end(ROWS)
}

t.test('--upstream: JSON comes back in the coding that was asked for; SIGTERM ends it with 0', async t => {
  const { origin, io, done } = await start(t, ['--upstream', await startUpstream(t, sendRows), '--port', '0'])
  const plain = await request(`${origin}/x`)
  t.equal(plain.text, ROWS)
  t.equal(plain.headers['content-encoding'], undefined)
  for (const name of ['toon', 'stc'] as const) {
    const { status, headers, text } = await request(`${origin}/x`, { 'accept-encoding': name })
    t.equal(status, 200)
    t.equal(headers['content-encoding'], name)
    t.equal(decode(text, name), ROWS)
  }
  io.signals.emit('SIGTERM')
  t.equal(await done, 0)
  t.equal(io.stderr.text, '')
  t.equal(io.signals.listenerCount('SIGTERM') + io.signals.listenerCount('SIGINT'), 0)
  for (const line of io.stdout.text.trim().split('\n')) t.type(JSON.parse(line).msg, 'string')
  await t.rejects(request(origin))
})

t.test('the flags reach the plugin', async t => {
  const upstream = await startUpstream(t, sendRows)
  const both = { 'accept-encoding': 'toon, stc' }
  const off = await start(t, ['--upstream', upstream, '--port', '0', '--mode', 'off'])
  t.equal((await request(off.origin, both)).text, ROWS)
  const stc = await start(t, ['--upstream', upstream, '--port', '0', '--encodings', 'stc,stc', '--mode', 'always'])
  t.equal((await request(stc.origin, both)).headers['content-encoding'], 'stc')
  const picky = await start(t, ['--upstream', upstream, '--port', '0', '--min-savings', '99.5'])
  t.equal((await request(picky.origin, both)).headers['content-encoding'], undefined)
  const stacked = await start(t, ['--upstream', upstream, '--port', '0', '--stack-codings'])
  t.equal((await request(stacked.origin, { 'accept-encoding': 'toon, gzip' })).headers['content-encoding'], 'toon, gzip')
})

t.test('--compress: encoded text asked for by Accept and JSON are compressed, a coded body and an event stream are not', async t => {
  // Large enough for a compressor to care.
  const rows = JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ id: i, name: `n${i}` })))
  const upstream = await startUpstream(t, (request, response) => {
    const isEvents = request.url === '/events'
    response.setHeader('content-type', isEvents ? 'text/event-stream' : 'application/json')
    if (isEvents) response.write('data: 1\n\n')
    else response.end(rows)
  })
  const { origin } = await start(t, ['--upstream', upstream, '--port', '0', '--compress', '--mode', 'always'])
  const get = async (path: string, headers: Record<string, string>) => {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => http.get(`${origin}${path}`, { headers, agent: false }, resolve).on('error', reject))
    const chunks: Buffer[] = []
    for await (const chunk of response) {
      chunks.push(chunk)
      // An event stream has no end.
      if (path === '/events') break
    }
    return { headers: response.headers, body: Buffer.concat(chunks) }
  }
  const text = await get('/', { accept: 'text/toon', 'accept-encoding': 'gzip' })
  t.match(text.headers, { 'content-type': 'text/toon; charset=utf-8', 'content-encoding': 'gzip' })
  t.equal(decode(gunzipSync(text.body), 'toon'), rows)
  const json = await get('/', { 'accept-encoding': 'br;q=0, gzip' })
  t.equal(json.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(json.body).toString(), rows)
  const coded = await get('/', { 'accept-encoding': 'toon, gzip' })
  t.equal(coded.headers['content-encoding'], 'toon', 'clients cannot undo both')
  t.equal(decode(coded.body, 'toon'), rows)
  const events = await get('/events', { 'accept-encoding': 'gzip', accept: 'text/event-stream' })
  t.equal(events.headers['content-encoding'], undefined)
  t.equal(events.body.toString(), 'data: 1\n\n')
})

t.test('requests in flight end before the process does, and kept connections do not hold it', async t => {
  const held: http.ServerResponse[] = []
  const upstream = await startUpstream(t, (_request, response) => held.push(response))
  const { origin, io, done } = await start(t, ['--upstream', upstream, '--port', '0'])
  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const outgoing = http.get(origin, { agent })
  while (held.length === 0) await new Promise(setImmediate)
  // Twice at once, as under npm: that is one wish to stop.
  io.signals.emit('SIGINT')
  io.signals.emit('SIGINT')
  await io.stdout.waitFor(/SIGINT/)
  held[0].end('late')
  const [response] = await once(outgoing, 'response') as [http.IncomingMessage]
  t.equal((await response.setEncoding('utf8').toArray()).join(''), 'late')
  t.equal(await done, 0)
})

t.test('a second signal cuts requests off', async t => {
  for (const [signal, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
    const held: http.ServerResponse[] = []
    const upstream = await startUpstream(t, (_request, response) => held.push(response))
    const { origin, io, done } = await start(t, ['--upstream', upstream, '--port', '0'])
    const answer = t.rejects(request(origin))
    while (held.length === 0) await new Promise(setImmediate)
    io.signals.emit('SIGTERM')
    const again = setInterval(() => io.signals.emit(signal), 20)
    t.equal(await done, code)
    clearInterval(again)
    await answer
  }
})

t.test('a port in use and an address of another machine: exit code 1 and one clear line', async t => {
  const taken = await startUpstream(t, sendRows)
  const { port } = new URL(taken)
  t.same(await runCli(['demo', '--port', port]), {
    code: 1, stdout: '', stderr: `token-gateway: port ${port} of 127.0.0.1 is in use; choose another with --port\n`
  })
  const other = await runCli(['--upstream', taken, '--port', '0', '--host', '192.0.2.1'])
  t.equal(other.code, 1)
  t.match(other.stderr, /^token-gateway: cannot listen on 192\.0\.2\.1:0: [^\n]+ \(EADDRNOTAVAIL\)\n$/)
})

t.test('a server that does not boot is told of with its own message', async t => {
  const app = fastify()
  app.register(async () => { throw new Error('option/x is wrong') })
  await t.rejects(serveUntilSignal(app, { port: 0, host: '127.0.0.1' }, createIo(), async () => {}), { message: 'option/x is wrong' })
})

t.test('the URL that is shown is one that works here', t => {
  const at = (address: string, family: string): string =>
    formatOrigin({ server: { address: () => ({ address, family, port: 81 }) } } as unknown as FastifyInstance)
  t.equal(at('127.0.0.1', 'IPv4'), 'http://127.0.0.1:81')
  t.equal(at('0.0.0.0', 'IPv4'), 'http://127.0.0.1:81')
  t.equal(at('::', 'IPv6'), 'http://127.0.0.1:81')
  t.equal(at('::1', 'IPv6'), 'http://[::1]:81')
  t.end()
})

t.test('demo: prints three curl lines, and each does what it says', async t => {
  const { io, origin, done } = await start(t, ['demo', '--port', '0'], { PORT: '1' })
  const lines = io.stdout.text.split('\n').filter(line => line.trim().startsWith('curl '))
  t.equal(lines.length, 3)
  const codings: (string | undefined)[] = []
  for (const line of lines) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/\w+/.exec(line)?.[0] ?? ''
    const asked = /Accept-Encoding: (\w+)/.exec(line)?.[1]
    t.ok(url.startsWith(`${origin}/`))
    const { status, headers } = await request(url, asked === undefined ? {} : { 'accept-encoding': asked })
    t.equal(status, 200)
    t.equal(headers['content-encoding'], asked)
    codings.push(asked)
  }
  t.same(codings, [undefined, 'toon', 'stc'])
  io.signals.emit('SIGINT')
  t.equal(await done, 0)
})

t.test('demo: PORT of the environment counts, an empty one does not', async t => {
  const { origin, io, done } = await start(t, ['demo'], { PORT: '0' })
  t.equal((await request(origin)).status, 200)
  io.signals.emit('SIGTERM')
  t.equal(await done, 0)
  // The default port may be taken on this machine: either way it is the one that is tried.
  const onDefault = createIo('', { PORT: '' })
  const finished = run(['demo'], onDefault)
  await Promise.race([onDefault.stdout.waitFor(/127\.0\.0\.1:8080/), onDefault.stderr.waitFor(/port 8080/)])
  onDefault.signals.emit('SIGTERM')
  await finished
})

t.test('demo: the encoded body decodes to the JSON that a plain request gets', async t => {
  const { origin } = await start(t, ['demo', '--port', '0'])
  const encoded = new Set<string>()
  for (const { path, text: original } of [...listResources(), { path: '/', text: '' }]) {
    const plain = await request(origin + path)
    t.equal(plain.status, 200)
    if (original !== '') t.equal(plain.text, original, `${path} as the upstream sends it`)
    t.equal(plain.headers['content-type'], 'application/json; charset=utf-8')
    t.match(plain.headers.vary, /accept-encoding/i)
    for (const name of ['toon', 'stc'] as const) {
      const { status, headers, text } = await request(origin + path, { 'accept-encoding': name })
      t.equal(status, 200)
      t.match(headers.vary, /accept-encoding.*accept/i)
      if (headers['content-encoding'] === undefined) {
        t.equal(text, minify(plain.text), `${path} ${name}: nothing was smaller than minified JSON`)
        continue
      }
      encoded.add(path + name)
      t.equal(headers['content-encoding'], name)
      t.equal(headers['content-type'], name === 'toon' ? 'text/toon; charset=utf-8' : 'application/stc+json')
      t.match(headers[`x-${name}-ratio`], /^0\.\d\d$/)
      t.equal(headers[`x-${name}-version`], name === 'toon' ? '4.0' : '1')
      t.equal(Number(headers['content-length']), Buffer.byteLength(text))
      if (name === 'stc') t.equal(decode(text, 'stc'), minify(plain.text), path)
      // TOON has one spelling for a number: two documents with the same text are equal.
      else t.equal(encode(decode(text, 'toon'), 'toon'), encode(plain.text, 'toon'), path)
    }
  }
  for (const path of ['/orders', '/customers', '/ledger']) t.ok(encoded.has(`${path}toon`), path)
  for (const path of ['/orders', '/ledger']) t.ok(encoded.has(`${path}stc`), path)
})

t.test('the sample data is the same on every run', async t => {
  t.same(listResources(), listResources())
  const ledger = listResources().find(({ path }) => path === '/ledger')?.text ?? ''
  for (const lexeme of ['"id":725653563933458433,', ':1e400}', ':-0}', ':1.0}', ':12345678901234567890}']) t.ok(ledger.includes(lexeme), lexeme)
  t.notSame(JSON.stringify(JSON.parse(ledger)), ledger)
  const settings = listResources().find(({ path }) => path === '/settings')?.text ?? ''
  t.ok(settings.startsWith('{\n  "'))
})

/** Sends a message, or text as it is, to the sample endpoint. */
async function post (app: FastifyInstance, body: unknown, headers: Record<string, string> = {}): Promise<{ status: number, body: any }> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const { statusCode, body: text } = await app.inject({
    method: 'POST', url: '/mcp', payload, headers: { 'content-type': 'application/json', ...headers }
  })
  return { status: statusCode, body: text === '' ? null : JSON.parse(text) }
}

t.test('sample MCP: the protocol version is echoed where it is known', async t => {
  const app = createSampleUpstream()
  t.teardown(() => app.close())
  for (const [asked, given] of [
    ['2025-03-26', '2025-03-26'], ['2025-06-18', '2025-06-18'], ['2025-11-25', '2025-11-25'], ['2024-11-05', '2025-11-25']
  ]) {
    const { status, body } = await post(app, { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: asked } })
    t.equal(status, 200)
    t.equal(body.id, 0)
    t.equal(body.result.protocolVersion, given)
    t.ok(body.result.capabilities.tools)
  }
  t.equal((await post(app, { jsonrpc: '2.0', id: 1, method: 'initialize' })).body.error.code, -32602)
  const old = await post(app, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' })
  t.equal(old.status, 400)
  t.equal((await post(app, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '2025-11-25' })).status, 200)
})

t.test('sample MCP: both tools answer with text, failures of a tool with isError', async t => {
  const app = createSampleUpstream()
  t.teardown(() => app.close())
  const { body: list } = await post(app, { jsonrpc: '2.0', id: 'a', method: 'tools/list' })
  t.same(list.result.tools.map((tool: { name: string }) => tool.name), ['list_orders', 'find_customer'])
  t.type(list.result.tools[0].inputSchema, 'object')

  const call = async (params: unknown): Promise<any> => (await post(app, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).body
  const orders = JSON.parse((await call({ name: 'list_orders' })).result.content[0].text)
  t.same([orders.total, orders.orders.length], [100, 20])
  const paid = JSON.parse((await call({ name: 'list_orders', arguments: { limit: 3, status: 'paid' } })).result.content[0].text)
  t.same(paid.orders.map((order: { status: string }) => order.status), ['paid', 'paid', 'paid'])
  const customer = await call({ name: 'find_customer', arguments: { id: 'C-007' } })
  t.equal(customer.result.isError, false)
  t.equal(JSON.parse(customer.result.content[0].text).customer.id, 'C-007')
  const missing = await call({ name: 'find_customer', arguments: { id: 'C-999' } })
  t.equal(missing.result.isError, true)
  t.equal(missing.result.content[0].text, 'There is no customer C-999.')

  for (const params of [
    undefined, { name: 'rm' }, { name: 'list_orders', arguments: { limit: 0 } }, { name: 'list_orders', arguments: { limit: '5' } },
    { name: 'list_orders', arguments: { status: 'lost' } }, { name: 'list_orders', arguments: { colour: 1 } },
    { name: 'list_orders', arguments: [] }, { name: 'list_orders', arguments: null }, { name: 'find_customer' },
    { name: 'find_customer', arguments: { id: 7 } }, { name: 'find_customer', arguments: { id: 'C-001', more: 1 } }
  ]) t.equal((await call(params)).error?.code, -32602, JSON.stringify(params))
})

t.test('sample MCP: what wants no answer gets 202, bad input a JSON-RPC error', async t => {
  const app = createSampleUpstream()
  t.teardown(() => app.close())
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 5, result: {} },
    { jsonrpc: '2.0', id: 5, error: { code: -1, message: 'no' } },
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }]
  ]) t.same(await post(app, message), { status: 202, body: null })

  const bad: [unknown, number, number][] = [
    ['{', 400, -32700],
    ['', 400, -32700],
    ['1', 400, -32600],
    ['null', 400, -32600],
    [[], 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1 }, 400, -32600],
    [{ jsonrpc: '2.0', id: {}, method: 7 }, 400, -32600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 200, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32601]
  ]
  for (const [message, status, code] of bad) {
    const answer = await post(app, message)
    t.same([answer.status, answer.body.error.code], [status, code], JSON.stringify(message))
  }
})

t.test('sample MCP: batches belong to 2025-03-26', async t => {
  const app = createSampleUpstream()
  t.teardown(() => app.close())
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/x' }, { jsonrpc: '2.0', id: 'b', method: 'ping' }]
  const { status, body } = await post(app, batch)
  t.equal(status, 200)
  t.same(body, [{ jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', id: 'b', result: {} }])
  t.equal((await post(app, batch, { 'mcp-protocol-version': '2025-06-18' })).status, 400)
})

t.test('sample MCP: other methods, types and origins', async t => {
  const app = createSampleUpstream()
  t.teardown(() => app.close())
  for (const method of ['GET', 'DELETE'] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/mcp', headers: { accept: 'text/event-stream' } })
    t.same([statusCode, headers.allow], [405, 'POST'])
  }
  t.equal((await post(app, 'x', { 'content-type': 'text/plain' })).status, 415)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:1']) t.equal((await post(app, ping, { origin })).status, 200, origin)
  for (const origin of ['http://evil.example', 'null', 'http://localhost.evil.example']) t.equal((await post(app, ping, { origin })).status, 403, origin)
})

t.test('demo: an MCP client of today works through the gateway', async t => {
  const { origin } = await start(t, ['demo', '--port', '0'])
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'accept-encoding': 'toon' }
  const send = async (message: object): Promise<Answer> => request(`${origin}/mcp`, headers, JSON.stringify({ jsonrpc: '2.0', ...message }))
  t.equal(JSON.parse((await send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } })).text).id, 1)
  const initialized = await send({ method: 'notifications/initialized' })
  t.same([initialized.status, initialized.text], [202, ''])
  const { status, headers: received, text } = await send({ id: 2, method: 'tools/call', params: { name: 'list_orders', arguments: { limit: 2 } } })
  t.equal(status, 200)
  t.equal(received['content-encoding'], undefined)
  t.match(received['content-type'], /^application\/json/)
  t.equal(JSON.parse(text).result.content[0].type, 'text')
  t.equal((await request(`${origin}/mcp`)).status, 405)
})

t.test('compiled: the demo answers, a signal ends it with 0, a port in use with 1', async t => {
  const child = spawn(process.execPath, [MAIN, 'demo'], { env: { ...process.env, PORT: '0' } })
  t.teardown(() => child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.on('data', chunk => { stdout += chunk })
  while (!stdout.includes('/ledger')) await once(child.stdout, 'data')
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? ''
  t.equal((await request(`${origin}/orders`, { 'accept-encoding': 'toon' })).headers['content-encoding'], 'toon')

  const second = spawn(process.execPath, [MAIN, 'demo', '--port', new URL(origin).port])
  let stderr = ''
  second.stderr.on('data', chunk => { stderr += chunk })
  t.same(await once(second, 'close'), [1, null])
  t.match(stderr, /^token-gateway: port \d+ of 127\.0\.0\.1 is in use; [^\n]+\n$/)

  child.kill('SIGTERM')
  t.same(await once(child, 'close'), [0, null])
})
