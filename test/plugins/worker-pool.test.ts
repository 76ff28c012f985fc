import { spawn } from 'node:child_process'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { decode as decodeToon } from '@toon-format/toon'
import Fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { transferableSymbol, valueSymbol } from 'piscina'
import t from 'tap'
import type { Test } from 'tap'
import type { Decision } from '../../lib/decision.js'
import { decode, minify } from '../../lib/index.js'
import { resolveOptions } from '../../lib/options.js'
import { tokenEncoding, tokenGateway } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { BodyBuffer, joinBlocks } from '../../plugins/token-encoding/body-buffer.js'
import { BodyWorkers } from '../../plugins/token-encoding/body-workers.js'
import encodeInWorker from '../../plugins/token-encoding/encode-worker.js'
import type { BodyResult, BodyTask } from '../../plugins/token-encoding/encode-worker.js'
import type { BodyOptions } from '../../plugins/token-encoding/options.js'
import { giveBack, isShared, shareBlocks, takeSharedBlock } from '../../plugins/token-encoding/shared-blocks.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const TOON = { 'accept-encoding': 'toon' }
const ROWS = JSON.stringify(Array.from({ length: 8000 }, (_, i) => ({ id: i + 1, name: `item ä日 ${i}`, active: i % 2 === 0 })))
/** Nothing wins, and nothing tells so before the end: a row, a long one, is alone. */
const PROSE = JSON.stringify([`It was a dark and stormy night: "the rain" fell. ${'lorem ipsum '.repeat(40_000)}`])

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** A server with a plugin of its own. To start a thread takes long where a loader compiles its modules, so most tests share one. */
async function serve (t: Test, handler: Handler, options: TokenEncodingOptions = {}, config?: TokenEncodingOptions) {
  const decisions: Decision[] = []
  const lines: string[] = []
  const app = Fastify({ forceCloseConnections: true, logger: { level: 'warn', stream: { write: (line: string) => { lines.push(line) } } } })
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { onDecision: (decision) => { decisions.push(decision) }, ...options })
  app.get('/', { config: config === undefined ? {} : { tokenEncoding: config } }, handler as never)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, decisions, lines, port: (app.server.address() as AddressInfo).port }
}

const shared = { handler: (() => {}) as Handler, server: null as Promise<Awaited<ReturnType<typeof serve>>> | null, threads: [] as Worker[] }

/** The server that is shared, with another handler. */
async function reuse (handler: Handler) {
  shared.handler = handler
  if (shared.server === null) {
    shared.threads = watchThreads(t)
    shared.server = serve(t, (request, reply) => shared.handler(request, reply), { workers: { maxThreads: 2 } })
  }
  const server = await shared.server
  server.decisions.length = 0
  return server
}

function sendJson (body: () => unknown, headers: Record<string, string> = {}): Handler {
  return (_request, reply) => reply.headers({ 'content-type': JSON_TYPE, ...headers }).send(body())
}

function bytesStream (text: string, size = 65_536): Readable {
  const bytes = Buffer.from(text)
  return Readable.from(Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)), { objectMode: false })
}

async function fetchRaw (port: number, headers: Record<string, string> = {}) {
  const request = http.get({ host: '127.0.0.1', port, headers, agent: false })
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks), trailers: response.trailers }
}

/** Every thread that is started from here on, until the test ends. */
function watchThreads (t: Test, onThread: (thread: Worker) => void = () => {}): Worker[] {
  const threads: Worker[] = []
  const listen = (message: unknown): void => {
    const { worker } = message as { worker: Worker }
    threads.push(worker)
    onThread(worker)
  }
  diagnostics.subscribe('worker_threads', listen)
  t.teardown(() => diagnostics.unsubscribe('worker_threads', listen))
  return threads
}

t.test('a large body is encoded in a thread, with the same result, whatever it came as', async (t) => {
  const plain = await serve(t, sendJson(() => ROWS, { etag: '"v1"' }), { workers: false })
  const expected = await fetchRaw(plain.port, TOON)
  for (const [name, body] of Object.entries({
    string: () => ROWS,
    Buffer: () => Buffer.from(ROWS),
    stream: () => bytesStream(ROWS),
    'stream of small chunks': () => bytesStream(ROWS, 999),
    'stream of one chunk': () => bytesStream(ROWS, 10_000_000),
    'stream of strings': () => Readable.from([ROWS.slice(0, 50_000), ROWS.slice(50_000)])
  })) {
    const { port, decisions } = await reuse(sendJson(body, { etag: '"v1"' }))
    const { body: received, headers } = await fetchRaw(port, TOON)
    t.equal(received.compare(expected.body), 0, name)
    t.same({ ...headers, date: '' }, { ...expected.headers, date: '' }, name)
    t.match(decisions, [{ outcome: 'encoded', codec: 'toon', bytesBefore: Buffer.byteLength(ROWS), bytesAfter: expected.body.length }], name)
  }
  t.equal(shared.threads.length, 1, 'one thread for all of them')
  t.same(decodeToon(expected.body.toString()), JSON.parse(ROWS))
})

t.test('a body that was read in a thread and stays as it is ships its bytes', async (t) => {
  for (const [text, reason] of [[PROSE, 'not-smaller'], [`${PROSE}]`, 'not-json'], [PROSE.replace('["', '{"access_token":"').replace('"]', '"}').replace(/]$/, '}'), 'oauth']]) {
    for (const body of [() => text, () => bytesStream(text)]) {
      const { port, decisions } = await reuse(sendJson(body, { etag: '"v1"' }))
      const { body: received, headers } = await fetchRaw(port, TOON)
      t.equal(received.toString(), text, reason)
      t.match(headers, { etag: '"v1"', 'content-length': String(text.length), 'content-type': JSON_TYPE })
      t.match(decisions, [{ outcome: 'passthrough', reason, bytesBefore: text.length }])
    }
  }
})

t.test('minified JSON and small texts come back from a thread whole', async (t) => {
  const pretty = JSON.stringify(JSON.parse(PROSE), null, 100)
  const blanks = `{"a":1${' '.repeat(300_000)}}`
  for (let i = 0; i < 3; i++) {
    const { port } = await reuse(sendJson(() => bytesStream(i === 0 ? pretty : blanks)))
    t.equal((await fetchRaw(port, { 'accept-encoding': 'stc' })).body.toString(), i === 0 ? minify(pretty) : '{a:1}')
  }
})

t.test('bodies at the same time do not mix', async (t) => {
  const bodies = Array.from({ length: 8 }, (_, i) => ROWS.replaceAll('item', `item${i}`))
  let next = 0
  const { port } = await reuse(sendJson(() => bytesStream(bodies[next++ % 8], 10_000 + next)))
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(bodies.map(() => fetchRaw(port, { 'accept-encoding': 'stc' })))
    t.same(new Set(answers.map(({ body }) => decode(body, 'stc'))), new Set(bodies))
  }
})

t.test('behind the gateway a large body is encoded in a thread', async (t) => {
  const upstream = http.createServer((_request, response) => { response.writeHead(200, { 'content-type': 'application/json' }).end(ROWS) }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  t.teardown(() => upstream.close())
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(tokenGateway, { upstream: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const threads = watchThreads(t)
  const { headers, body } = await fetchRaw((app.server.address() as AddressInfo).port, TOON)
  t.match(headers, { 'content-encoding': 'toon', 'content-length': String(body.length) })
  t.same(decodeToon(body.toString()), JSON.parse(ROWS))
  t.equal(threads.length, 1)
})

t.test('workers.minBytes says from which size on, false says never, and a route goes before the plugin', async (t) => {
  // That one is started is all that is asked.
  const threads = watchThreads(t, (thread) => { thread.terminate() })
  for (const [options, config, started] of [
    [{ workers: false }, undefined, 0],
    [{ workers: { minBytes: 10_000_000 } }, undefined, 0],
    [{}, { workers: false }, 0],
    [{}, { workers: { minBytes: 10_000_000 } }, 0],
    [{ workers: { maxThreads: 2 } }, {}, 1],
    [{ workers: false }, { workers: { minBytes: 1 } }, 1],
    [{ workers: { minBytes: 0 } }, { workers: {} }, 1]
  ] as [TokenEncodingOptions, TokenEncodingOptions | undefined, number][]) {
    threads.length = 0
    const { port } = await serve(t, sendJson(() => ROWS), options, config)
    t.equal((await fetchRaw(port, TOON)).headers['content-encoding'], started > 0 ? undefined : 'toon')
    t.equal(threads.length, started, JSON.stringify({ options, config }))
  }
  threads.length = 0
  const { port } = await serve(t, sendJson(() => ''), { workers: { minBytes: 0 } })
  t.equal((await fetchRaw(port, TOON)).body.length, 0)
  t.equal(threads.length, 0, 'no thread for an empty body')
})

t.test('an encoded body has no length where it has trailers', async (t) => {
  const { port } = await reuse((_request, reply) => {
    reply.trailer('x-sum', (_reply, _payload, done) => done(null, 'sum'))
    return reply.type(JSON_TYPE).send(bytesStream(ROWS))
  })
  const { headers, body, trailers } = await fetchRaw(port, { 'accept-encoding': 'stc' })
  t.equal(headers['content-length'], undefined)
  t.equal(trailers['x-sum'], 'sum')
  t.equal(decode(body, 'stc'), ROWS)
})

t.test('when a thread dies, the original ships, the failure is logged and told, and the next body gets a new thread', async (t) => {
  const deaths: ((thread: Worker) => void)[] = [
    // Before it takes the body.
    (thread) => { thread.terminate() },
    // Once it is ready, so that the body is with it.
    (thread) => { thread.once('message', () => { thread.terminate() }) }
  ]
  const threads = watchThreads(t, (thread) => { deaths.shift()?.(thread) })
  let count = 0
  const { port, decisions, lines } = await serve(t, sendJson(() => count++ === 0 ? ROWS : bytesStream(ROWS), { etag: '"v1"' }), { workers: { maxThreads: 1 } })
  for (let i = 0; i < 2; i++) {
    const { body, headers } = await fetchRaw(port, TOON)
    t.equal(body.toString(), ROWS)
    t.match(headers, { etag: '"v1"', 'content-type': JSON_TYPE, 'content-length': String(Buffer.byteLength(ROWS)) })
    t.match(decisions[i], { outcome: 'passthrough', reason: 'error', bytesBefore: Buffer.byteLength(ROWS) })
    t.equal(lines.filter((line) => line.includes('FST_TOKEN_WORKER')).length, i + 1, 'logged')
  }
  t.equal((await fetchRaw(port, TOON)).headers['content-encoding'], 'toon', 'the next one')
  t.equal(threads.length, 3)
})

t.test('after three failures in a row bodies are encoded on the main thread', async (t) => {
  const threads = watchThreads(t, (thread) => { thread.terminate() })
  const { port, decisions } = await serve(t, sendJson(() => bytesStream(ROWS)))
  for (let i = 0; i < 3; i++) t.equal((await fetchRaw(port, TOON)).body.toString(), ROWS)
  const { headers, body } = await fetchRaw(port, TOON)
  t.equal(headers['content-encoding'], 'toon')
  t.same(decodeToon(body.toString()), JSON.parse(ROWS))
  t.equal(threads.length, 3)
  t.same(decisions.map(({ reason }) => reason), ['error', 'error', 'error', null])
})

const OPTIONS = resolveOptions() as BodyOptions

function makeTask (text: string, changes: Partial<BodyTask> = {}): BodyTask {
  const blocks = shareBlocks([Buffer.from(text)])
  const negotiation: BodyTask['negotiation'] = { by: 'accept-encoding', accepted: [{ codec: 'toon', q: 1 }], identityRefused: false }
  return { blocks, size: Buffer.byteLength(text), negotiation, accept: undefined, options: OPTIONS, ...changes }
}

t.test('a thread that cannot be started, or not be given a body, is a failure too', async (t) => {
  const folder = t.testdir()
  const broken = join(folder, 'broken.mjs')
  writeFileSync(broken, 'throw new Error("broken")')
  const workers = new BodyWorkers(1, broken)
  t.teardown(() => workers.close())
  const failures = await Promise.allSettled([workers.encode(makeTask(ROWS)), workers.encode(makeTask(ROWS))])
  for (const failure of failures) t.match(failure, { status: 'rejected', reason: { code: 'FST_TOKEN_WORKER' } })
  t.equal(workers.isUsable, true)
  await t.rejects(workers.encode(makeTask(ROWS, { accept: (() => {}) as never })), { code: 'FST_TOKEN_WORKER' })
  t.equal(workers.isUsable, false)
})

t.test('a success makes up for failures; close waits for the bodies that threads have, and ends the threads', async (t) => {
  const threads = watchThreads(t)
  const workers = new BodyWorkers(1)
  for (let i = 0; i < 6; i++) {
    const task = makeTask(ROWS, i % 3 === 2 ? {} : { accept: (() => {}) as never })
    if (i % 3 === 2) t.match(await workers.encode(task), { codec: 'toon' })
    else await t.rejects(workers.encode(task))
    t.equal(workers.isUsable, true)
  }
  const results = [workers.encode(makeTask(ROWS)), workers.encode(makeTask(ROWS))]
  await nextTurn()
  await workers.close()
  for (const result of await Promise.all(results)) t.match(result, { codec: 'toon' })
  t.equal(workers.isUsable, false)
  t.equal(threads.length, 1)
  t.equal(threads[0].threadId, -1, 'ended')
  await t.resolves(new BodyWorkers(1).close(), 'one that was never used')
})

t.test('a client that goes away while a thread works leaves nothing behind', async (t) => {
  let arrived!: (response: http.ServerResponse) => void
  const reached = new Promise<http.ServerResponse>((resolve) => { arrived = resolve })
  const { app, port, decisions, lines } = await serve(t, (request, reply) => {
    arrived(reply.raw)
    return sendJson(() => bytesStream(ROWS))(request, reply)
  })
  // The thread is being started for a body that has been read.
  const started = new Promise<void>((resolve) => { watchThreads(t, () => { resolve() }) })
  const request = http.get({ host: '127.0.0.1', port, headers: TOON, agent: false })
  request.on('error', () => {})
  const response = await reached
  await started
  const closed = once(response, 'close')
  request.destroy()
  await closed
  await app.close()
  t.same(decisions, [])
  t.same(lines, [])
})

t.test('a failure of ours behind the thread ships the original', async (t) => {
  for (const body of [() => ROWS, () => bytesStream(ROWS)]) {
    const { port, decisions } = await reuse((request, reply) => {
      const { getHeader } = reply
      reply.getHeader = (name) => {
        if (name === 'etag') throw new Error('sabotage')
        return getHeader.call(reply, name)
      }
      return sendJson(body)(request, reply)
    })
    const { body: received, headers } = await fetchRaw(port, TOON)
    t.equal(received.toString(), ROWS)
    t.equal(headers['content-encoding'], undefined)
    t.match(decisions.at(-1), { reason: 'error' })
  }
})

t.test('the work of a thread: what it gives back is its own', async (t) => {
  const run = (task: BodyTask) => {
    const answer = encodeInWorker(task) as Record<symbol, unknown>
    return { result: answer[valueSymbol] as BodyResult, moved: answer[transferableSymbol] as ArrayBuffer[] }
  }
  const { result, moved } = run(makeTask(ROWS))
  t.same(decodeToon(Buffer.from(result.bytes!).toString()), JSON.parse(ROWS))
  t.equal(result.original, null)
  t.same(moved, [result.bytes!.buffer])
  const small = run(makeTask(`{"a":1${' '.repeat(1000)}}`))
  t.equal(Buffer.from(small.result.bytes!).toString(), 'a: 1')
  t.equal(small.result.bytes!.length, small.moved[0].byteLength, 'no memory that others use')
  const kept = run(makeTask(PROSE))
  t.equal(Buffer.from(kept.result.original!).toString(), PROSE)
  t.equal(kept.result.bytes, null)
  t.equal(kept.result.original!.length, kept.moved[0].byteLength)
  const failed = run(makeTask('{}', { accept: 42 as never }))
  t.match(failed.result, { decision: { reason: 'error' }, error: { message: /./ } })
  t.equal(Buffer.from(failed.result.original!).toString(), '{}')
})

t.test('a body is the same in its blocks, whatever the chunks were, and blocks are used again', async (t) => {
  const bytes = Buffer.from(ROWS)
  for (const expected of [0, 100, 70_000, bytes.length]) {
    for (const sizes of [[1], [7, 65_536], [100_000, 3], [65_536], [bytes.length], [300_000, 1]]) {
      const buffer = new BodyBuffer(expected)
      let turn = 0
      for (let at = 0; at < bytes.length;) {
        const size = sizes[turn++ % sizes.length]
        buffer.append(bytes.subarray(at, at + size))
        at += size
        if (at <= 200) t.equal(bytes.subarray(0, Math.min(10, at)).compare(buffer.head(10)), 0)
      }
      const blocks = buffer.blocks()
      t.equal(buffer.size, bytes.length)
      t.equal(bytes.subarray(0, 40_000).compare(buffer.head(40_000)), 0)
      t.equal(bytes.compare(joinBlocks(blocks)), 0, `${expected}, ${sizes}`)
      const shared = shareBlocks(blocks)
      t.ok(shared.every(isShared))
      t.equal(bytes.compare(Buffer.concat(shared)), 0)
      giveBack(shared)
    }
  }
  const block = takeSharedBlock()
  giveBack([block, block, Buffer.alloc(10)])
  const [first, second] = [takeSharedBlock(), takeSharedBlock()]
  t.equal(first.buffer, block.buffer)
  t.not(second.buffer, block.buffer, 'given back twice, it is given out once')
})

/** Runs a module in a process of its own, with the loaders of this one. */
async function runProcess (code: string): Promise<{ exitCode: number, output: string }> {
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => { chunks.push(chunk) })
  const [exitCode] = await once(child, 'close') as [number]
  return { exitCode, output: Buffer.concat(chunks).toString() }
}

t.test('threads do not keep the process running, be the plugin closed or not', async (t) => {
  const plugin = new URL(`../../plugins/index${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url).href
  await Promise.all(['', 'await app.close()'].map(async (close) => {
    const { exitCode, output } = await runProcess(`
      import Fastify from 'fastify'
      import { tokenEncoding } from ${JSON.stringify(plugin)}
      const app = Fastify()
      await app.register(tokenEncoding)
      app.get('/', async () => Array.from({ length: 20000 }, (_, id) => ({ id, name: 'x' })))
      const { headers } = await app.inject({ url: '/', headers: { 'accept-encoding': 'toon' } })
      console.log(headers['content-encoding'])
      ${close}
    `)
    t.match({ exitCode, output }, { exitCode: 0, output: 'toon\n' }, close)
  }))
})
