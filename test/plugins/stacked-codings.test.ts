import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import * as zlib from 'node:zlib'
import compress from '@fastify/compress'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { listStackable, STACKED_CODINGS } from '../../lib/http.js'
import { decode } from '../../lib/index.js'
import type { CodingName, Decision } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { compressText, OFFERED_STACKED } from '../../plugins/token-encoding/stack-coding.js'
import { startUpstream } from '../helpers/faulty-upstream.js'
import { send } from '../helpers/gateway-client.js'
import type { Received } from '../helpers/gateway-client.js'
import { portOf, setUpGateway } from '../helpers/gateway-setup.js'
import { isHonest } from '../helpers/honest-answer.js'

const ROWS = Array.from({ length: 80 }, (_, i) => ({ id: i + 1, name: `item ${i}`, active: i % 2 === 0 }))
const TABLE = JSON.stringify(ROWS)
const JSON_TYPE = 'application/json; charset=utf-8'
const BOTH = { 'accept-encoding': 'toon, gzip' }
const UNZIP: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync, br: brotliDecompressSync, zstd: (zlib as { zstdDecompressSync?: (bytes: Buffer) => Buffer }).zstdDecompressSync ?? ((bytes) => bytes)
}

interface Setup { options?: TokenEncodingOptions, before?: (app: FastifyInstance) => unknown, after?: (app: FastifyInstance) => unknown, body?: (request: FastifyRequest, reply: FastifyReply) => unknown }

/** A server with the option on, and the decisions that it reports. */
async function serve (t: Test, { options, before, after, body = (_request, reply) => reply.type(JSON_TYPE).header('etag', '"v1"').send(TABLE) }: Setup = {}) {
  const decisions: Decision[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await before?.(app)
  await app.register(tokenEncoding, { stackCodings: true, onDecision: (decision) => { decisions.push(decision) }, ...options })
  await after?.(app)
  app.route({ method: ['GET', 'PUT'], url: '/', handler: body as never })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const port = portOf(app)
  return { port, decisions, get: (headers: Record<string, string>, method = 'GET') => send(port, { headers, method }) }
}

/** Undoes what Content-Encoding lists, the last applied first. */
function undo ({ headers, body }: Received): string {
  let bytes = body
  for (const coding of String(headers['content-encoding']).split(', ').reverse()) {
    if (coding in UNZIP) bytes = UNZIP[coding](bytes)
    else return decode(bytes, coding as CodingName)
  }
  return bytes.toString()
}

t.test('a coding is stacked only where it is named, the heaviest first; wildcards, q=0 and a heavier identity say no', async (t) => {
  for (const [field, expected] of [
    [undefined, []],
    ['', []],
    ['toon', []],
    ['toon, gzip', ['gzip']],
    ['toon, X-GZIP;q=0.5', ['gzip']],
    ['gzip;q=0.5, x-gzip, br;q=0.9', ['gzip', 'br']],
    ['toon, gzip, br, zstd', ['zstd', 'br', 'gzip']],
    ['toon, gzip, br;q=0.5', ['gzip', 'br']],
    ['toon, *', []],
    ['toon, gzip;q=0', []],
    ['toon, gzip;q=0.001', ['gzip']],
    ['toon, gzip;q=nonsense', []],
    ['toon, gzip;q=0.5, identity;q=0.8', []],
    ['toon, gzip;q=0.8, identity;q=0.8', ['gzip']],
    ['toon, gzip, identity;q=0', ['gzip']],
    ['toon, deflate, compress', []],
    [['toon', 'gzip'], ['gzip']]
  ] as const) {
    t.same(listStackable(field, STACKED_CODINGS), expected, JSON.stringify(field))
  }
  t.same(listStackable('gzip, br', ['gzip']), ['gzip'], 'none that is not on offer')
})

t.test('each coding gives back the text, or nothing where it makes that no smaller', async (t) => {
  t.ok(OFFERED_STACKED.includes('gzip') && OFFERED_STACKED.includes('br'))
  t.equal(OFFERED_STACKED.includes('zstd'), 'zstdCompress' in zlib, 'zstd where Node has it')
  for (const coding of OFFERED_STACKED) {
    const packed = await compressText(Buffer.from(TABLE), coding)
    t.equal(UNZIP[coding](packed!).toString(), TABLE, coding)
    t.equal(await compressText(Buffer.from('a: 1'), coding), null, coding)
  }
})

t.test('who names both gets the text in both, labelled in the order in which they were applied', async (t) => {
  const { get, decisions } = await serve(t)
  for (const [acceptEncoding, expected] of [
    ['toon, gzip', 'toon, gzip'],
    ['gzip;q=0.2, stc', 'stc, gzip'],
    ['br, TOON', 'toon, br'],
    ['toon, gzip, br;q=0.5', 'toon, gzip'],
    ['toon, x-gzip', 'toon, gzip'],
    ['toon, gzip, identity;q=0', 'toon, gzip']
  ]) {
    const answer = await get({ 'accept-encoding': acceptEncoding })
    t.match(answer.headers, { 'content-encoding': expected, 'content-length': String(answer.body.length), vary: 'Accept-Encoding, Accept', etag: `"v1-${expected.replace(', ', '-')}"` }, acceptEncoding)
    t.equal(undo(answer), TABLE, acceptEncoding)
    t.ok(isHonest(t, answer, TABLE, acceptEncoding))
    const single = await get({ 'accept-encoding': expected.split(',')[0] })
    t.ok(answer.body.length < single.body.length, `${acceptEncoding}: smaller than without`)
    const ratio = expected.startsWith('toon') ? 'x-toon-ratio' : 'x-stc-ratio'
    t.equal(answer.headers[ratio], single.headers[ratio], 'the ratio is that of the text')
    t.match(decisions.splice(0), [{ outcome: 'encoded' }, { outcome: 'encoded', bytesAfter: single.body.length }])
  }
})

t.test('who does not name both gets what they get without the option', async (t) => {
  const { get } = await serve(t)
  const { get: getWithout } = await serve(t, { options: { stackCodings: false } })
  for (const headers of [
    {}, { 'accept-encoding': 'toon' }, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'toon, *' }, { 'accept-encoding': 'toon, gzip;q=0' },
    { 'accept-encoding': 'toon, gzip;q=0.3, identity;q=0.5' }, { 'accept-encoding': 'toon;q=0, gzip' }, { 'accept-encoding': 'toon, deflate' },
    { accept: 'text/toon', 'accept-encoding': 'gzip' }
  ] as Record<string, string>[]) {
    const [ours, plain] = [await get(headers), await getWithout(headers)]
    t.same({ ...ours.headers, date: '' }, { ...plain.headers, date: '' }, JSON.stringify(headers))
    t.same(ours.body, plain.body)
  }
  t.equal((await getWithout(BOTH)).headers['content-encoding'], 'toon', 'off by default: most clients cannot undo both')
})

t.test('every kind of payload, on this thread and another, packed by the upstream or not', async (t) => {
  const zipped = zlib.gzipSync(TABLE)
  const bodies: Record<string, (reply: FastifyReply) => unknown> = {
    string: () => TABLE,
    buffer: () => Buffer.from(TABLE),
    stream: () => Readable.from([TABLE.slice(0, 99), TABLE.slice(99)]),
    response: () => new Response(TABLE, { headers: { 'content-type': JSON_TYPE } }),
    packed: (reply) => { reply.header('content-encoding', 'gzip'); return zipped },
    'packed stream': (reply) => { reply.header('content-encoding', 'gzip'); return Readable.from([zipped]) }
  }
  for (const workers of [false, { minBytes: 100 }] as const) {
    for (const [name, make] of Object.entries(bodies)) {
      const { get } = await serve(t, { options: { workers }, body: (_request, reply) => reply.type(JSON_TYPE).send(make(reply)) })
      const answer = await get(BOTH)
      t.equal(answer.headers['content-encoding'], 'toon, gzip', name)
      t.equal(answer.headers['content-length'], String(answer.body.length), name)
      t.equal(undo(answer), TABLE, name)
    }
  }
})

t.test('a large text is written piece by piece all the same', async (t) => {
  const random = Array.from({ length: 40_000 }, (_, i) => ({ id: i, code: Math.imul(i + 1, 0x9e3779b1) >>> 0 }))
  const json = JSON.stringify(random)
  const { get } = await serve(t, { body: (_request, reply) => reply.type(JSON_TYPE).send(Readable.from(json.match(/.{1,60000}/gs)!)) })
  const answer = await get(BOTH)
  t.ok(answer.body.length > 256 * 1024, String(answer.body.length))
  t.equal(answer.headers['content-length'], String(answer.body.length))
  t.ok(answer.complete)
  t.equal(undo(answer), json)
})

t.test('what a coding makes no smaller is not stacked, and has the tag of the text alone', async (t) => {
  const { get } = await serve(t, { options: { minBytes: 0, measure: 'bytes' }, body: (_request, reply) => reply.type(JSON_TYPE).header('etag', 'W/"v1"').send('[{"id":1},{"id":2}]') })
  const answer = await get({ 'accept-encoding': 'stc, gzip, br' })
  t.match(answer.headers, { 'content-encoding': 'stc', etag: 'W/"v1-stc"', 'content-length': String(answer.body.length) })
  t.equal(decode(answer.body, 'stc'), '[{"id":1},{"id":2}]')
})

t.test('what is not re-encoded is not compressed here: JSON that stays, minified JSON, other types, events, messages of MCP', async (t) => {
  const prose = JSON.stringify(['It was: "dark", '.repeat(40)])
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: TABLE }] } })
  for (const [name, type, text, expected, headers] of [
    ['stays', JSON_TYPE, prose, prose],
    ['minified', JSON_TYPE, JSON.stringify(JSON.parse(prose), null, 8), prose],
    ['text', 'text/plain', TABLE, TABLE],
    ['ndjson', 'application/x-ndjson', `${TABLE}\n${TABLE}\n`, `${TABLE}\n${TABLE}\n`],
    ['events', 'text/event-stream', `data: ${TABLE}\n\n`, `data: ${TABLE}\n\n`],
    ['message', JSON_TYPE, message, null, { accept: 'application/json, text/event-stream' }],
    ['events with a message', 'text/event-stream', `data: ${message}\n\n`, null, { accept: 'application/json, text/event-stream' }]
  ] as [string, string, string, string | null, Record<string, string>?][]) {
    const { get } = await serve(t, { options: { mcp: { tools: { exclude: [] } } }, body: (_request, reply) => reply.type(type).send(text) })
    const answer = await get({ ...BOTH, ...headers })
    t.equal(answer.headers['content-encoding'], undefined, name)
    if (expected === null) t.match(answer.body.toString(), '"codec":"toon"', `${name}: its text is re-encoded`)
    else t.equal(answer.body.toString(), expected, name)
  }
})

t.test('HEAD says nothing that GET does not', async (t) => {
  const { get } = await serve(t)
  const { status, headers, body } = await get(BOTH, 'HEAD')
  t.equal(status, 200)
  t.equal(body.length, 0)
  for (const name of ['content-length', 'etag', 'content-encoding']) t.equal(headers[name], undefined, name)
  t.equal(headers.vary, 'Accept-Encoding, Accept')
})

t.test('each representation has a tag of its own; it comes back as the origin\'s, and a 304 carries it', async (t) => {
  const seen: unknown[] = []
  const { get } = await serve(t, {
    body: (request, reply) => {
      seen.push(request.headers['if-none-match'] ?? request.headers['if-match'])
      reply.header('etag', '"v1"').type(JSON_TYPE)
      return String(request.headers['if-none-match']).includes('"v1"') ? reply.code(304).send() : reply.send(TABLE)
    }
  })
  const tags = await Promise.all(['toon', 'toon, gzip', 'toon, br', 'stc, gzip', 'gzip'].map(async (field) => (await get({ 'accept-encoding': field })).headers.etag))
  t.same(tags, ['"v1-toon"', '"v1-toon-gzip"', '"v1-toon-br"', '"v1-stc-gzip"', '"v1"'])
  const again = await get({ ...BOTH, 'if-none-match': '"v1-toon-gzip"' })
  t.match(again, { status: 304, headers: { etag: '"v1-toon-gzip"', vary: 'Accept-Encoding, Accept' } })
  t.equal(again.headers['content-type'], undefined)
  for (const [acceptEncoding, tag, status] of [
    ['toon, gzip', '"v1-toon"', 304],
    ['toon, gzip', '"v0", W/"v1-toon-gzip"', 304],
    ['toon, gzip', '"v1-toon-br"', 200],
    ['toon, gzip', '"v1-stc-gzip"', 200],
    ['toon', '"v1-toon-gzip"', 200],
    ['gzip', '"v1-toon-gzip"', 200],
    ['toon, gzip;q=0', '"v1-toon-gzip"', 200],
    ['toon, gzip', '"v1-gzip"', 200]
  ] as const) t.equal((await get({ 'accept-encoding': acceptEncoding, 'if-none-match': tag })).status, status, `${acceptEncoding}: ${tag}`)
  seen.length = 0
  await get({ 'if-match': '"v1-stc-gzip", "v2-toon"' }, 'PUT')
  t.same(seen, ['"v1-stc-gzip", "v1", "v2-toon", "v2"'], 'a change goes through, whatever the client has of it')
})

t.test('a failure of ours on the way ships the original, without a trace of the coding', async (t) => {
  for (const make of [() => TABLE, () => Readable.from([TABLE])]) {
    const { get, decisions } = await serve(t, {
      body: (_request, reply) => reply.type(JSON_TYPE).header('etag', '"v1"').send(make()),
      after: (app) => app.addHook('onRequest', async (_request, reply) => {
        const { header } = reply
        // It stands for whatever may go wrong once the text is compressed.
        reply.header = (name: string, value?: unknown) => {
          if (name === 'x-toon-version') throw new Error('sabotage')
          return header.call(reply, name, value)
        }
      })
    })
    const { headers, body } = await get(BOTH)
    t.equal(body.toString(), TABLE)
    t.match(headers, { etag: '"v1"', 'content-type': JSON_TYPE })
    t.equal(headers['content-encoding'], undefined)
    t.match(decisions.at(-1), { outcome: 'passthrough', reason: 'error' })
  }
})

t.test('beside @fastify/compress, in both orders, nothing is compressed twice, and what is not ours is compressed by it', async (t) => {
  for (const order of ['before', 'after'] as const) {
    const { get } = await serve(t, { [order]: (app: FastifyInstance) => app.register(compress, { threshold: 0 }) })
    const both = await get(BOTH)
    t.equal(both.headers['content-encoding'], 'toon, gzip', order)
    t.ok(isHonest(t, both, TABLE, order))
    const byType = await get({ accept: 'text/toon', 'accept-encoding': 'gzip' })
    t.equal(byType.headers['content-encoding'], 'gzip', order)
    t.ok(isHonest(t, byType, TABLE, order))
    const plain = await get({ 'accept-encoding': 'gzip' })
    t.equal(plain.headers['content-encoding'], 'gzip', order)
    t.equal(gunzipSync(plain.body).toString(), TABLE, order)
    const ours = await get({ 'accept-encoding': 'toon' })
    t.equal(ours.headers['content-encoding'], 'toon', order)
  }
})

t.test('in the gateway it is an option of tokenEncoding, and on a route it goes before the plugin\'s', async (t) => {
  const { port, upstream } = await setUpGateway(t, (_request, response) => { response.writeHead(200, { 'content-type': 'application/json', etag: '"v1"' }).end(TABLE) }, { gateway: { tokenEncoding: { stackCodings: true } } })
  const answer = await send(port, { headers: BOTH })
  t.match(answer.headers, { 'content-encoding': 'toon, gzip', etag: '"v1-toon-gzip"', 'content-length': String(answer.body.length) })
  t.equal(undo(answer), TABLE)
  t.equal(upstream.seen[0].request.headers['accept-encoding'], 'identity')
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  app.get('/', { config: { tokenEncoding: { stackCodings: true } } }, async () => ROWS)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.equal((await send(portOf(app), { headers: BOTH })).headers['content-encoding'], 'toon, gzip')
  await t.rejects(async () => { await Fastify().register(tokenEncoding, { stackCodings: 'gzip' as never }) }, { message: 'options.stackCodings must be boolean' })
})

t.test('fetch leaves a list of codings alone of which it does not know one: its bytes can be undone one by one', async (t) => {
  const { port } = await serve(t)
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: BOTH })
  t.equal(response.headers.get('content-encoding'), 'toon, gzip')
  t.equal(decode(gunzipSync(Buffer.from(await response.arrayBuffer())), 'toon'), TABLE)
})

t.test('a client that goes away while a text is compressed does no harm to the next', async (t) => {
  const upstream = await startUpstream((_request, response) => { response.writeHead(200, { 'content-type': 'application/json' }).end(TABLE) })
  t.teardown(() => upstream.close())
  const { port } = await serve(t)
  for (let i = 0; i < 20; i++) {
    const gone = fetch(`http://127.0.0.1:${port}/`, { headers: BOTH, signal: AbortSignal.timeout(i % 4) })
    await gone.then(async (response) => { await response.arrayBuffer() }).catch((error) => { t.equal(error.name, 'TimeoutError') })
  }
  t.equal(undo(await send(port, { headers: BOTH })), TABLE)
})
