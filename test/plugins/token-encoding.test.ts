import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { PassThrough, Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import { decode as decodeToon } from '@toon-format/toon'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import type { Decision } from '../../lib/decision.js'
import { isLabelSafe } from '../../lib/http.js'
import { CODING_NAMES, decode, minify } from '../../lib/index.js'
import type { Negotiation } from '../../lib/negotiate.js'
import tokenEncodingDefault, { tokenEncoding, tokenGateway } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { createJudge } from '../../plugins/token-encoding/judge-prefix.js'
import type { RouteOptions } from '../../plugins/token-encoding/options.js'

const ROWS = Array.from({ length: 40 }, (_, i) => ({ id: i + 1, name: `item ${i}`, active: i % 2 === 0 }))
const TABLE = JSON.stringify({ total: ROWS.length, rows: ROWS })
/** Neither coding makes anything of prose. */
const PROSE = JSON.stringify(['It was a dark and stormy night: "the rain fell in torrents" - except at intervals'])
const PRETTY_PROSE = JSON.stringify([['a: "b"', ['- c', '# d', ['[1]: x', { e: ['"'] }]]]], null, 4)
/** Rows of pairs, which grow as TOON: 40 KB and a little. */
const LOSER = JSON.stringify(Array.from({ length: 3500 }, (_, i) => [i, [i % 7, 'x']]))
const TOON = { 'accept-encoding': 'toon' }
const JSON_TYPE = 'application/json; charset=utf-8'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

interface Setup {
  options?: TokenEncodingOptions
  config?: unknown
  before?: (app: FastifyInstance) => void
  after?: (app: FastifyInstance) => void
}

/** A server whose `/` (GET, HEAD, POST) is the handler, and the decisions that the plugin reports. */
async function serve (t: Test, handler: Handler, { options, config, before, after }: Setup = {}) {
  const decisions: Decision[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  before?.(app)
  await app.register(tokenEncoding, { onDecision: (decision) => { decisions.push(decision) }, ...options })
  after?.(app)
  const route = { handler, config: config === undefined ? {} : { tokenEncoding: config } } as { handler: never, config: object }
  app.route({ method: ['GET', 'POST'], url: '/', ...route })
  app.route({ method: 'GET', url: '/.well-known/x', ...route })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  return { app, decisions, get: (headers: Record<string, string> = {}) => app.inject({ url: '/', headers }) }
}

function sendJson (body: unknown, headers: Record<string, string> = {}, status = 200): Handler {
  return (_request, reply) => reply.code(status).headers({ 'content-type': JSON_TYPE, ...headers }).send(typeof body === 'function' ? body() : body)
}

interface Answer { status: number, headers: http.IncomingHttpHeaders, rawHeaders: string[], body: Buffer, complete: boolean }

/** One request over a real connection; `complete` is false where the response was broken off. */
async function fetchRaw (app: FastifyInstance, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const request = http.request({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port, method, headers, agent: false })
  request.end()
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch {}
  return {
    status: response.statusCode!,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: Buffer.concat(chunks),
    complete: response.complete
  }
}

/** Connects, sends a GET and gives the socket away; whoever takes it destroys it. */
async function connect (app: FastifyInstance, headers: Record<string, string>): Promise<http.ClientRequest> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const request = http.request({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port, headers, agent: false })
  request.on('error', () => {})
  request.end()
  return request
}

function chunked (text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

function bytesStream (text: string, size = 100): Readable {
  return Readable.from(chunked(text, size), { objectMode: false })
}

t.test('the package exports both plugins', async (t) => {
  t.equal(tokenEncodingDefault, tokenEncoding)
  t.type(tokenGateway, 'function')
})

t.test('Accept-Encoding: toon gets the whole body as TOON, labelled, smaller and lossless', async (t) => {
  const { app, decisions } = await serve(t, sendJson(TABLE))
  const { status, headers, body } = await fetchRaw(app, TOON)
  t.equal(status, 200)
  t.match(headers, {
    'content-type': 'text/toon; charset=utf-8',
    'content-encoding': 'toon',
    'content-length': String(body.length),
    'x-toon-ratio': (body.length / TABLE.length).toFixed(2),
    'x-toon-version': '4.0',
    vary: 'Accept-Encoding, Accept'
  })
  t.ok(body.length < TABLE.length)
  t.same(decodeToon(body.toString()), JSON.parse(TABLE))
  t.match(decisions, [{ outcome: 'encoded', codec: 'toon', version: '4.0', reason: null, lossless: true, bytesBefore: TABLE.length, bytesAfter: body.length }])
})

t.test('Accept-Encoding: stc gets the whole body as STC', async (t) => {
  const { app } = await serve(t, sendJson(TABLE))
  const { headers, body } = await fetchRaw(app, { 'accept-encoding': 'gzip, stc' })
  t.match(headers, { 'content-type': 'application/stc+json', 'content-encoding': 'stc', 'content-length': String(body.length), 'x-stc-version': '1' })
  t.equal(headers['x-stc-ratio'], (body.length / TABLE.length).toFixed(2))
  t.equal(decode(body, 'stc'), TABLE)
})

t.test('Accept: a media type of ours gets the whole body without Content-Encoding', async (t) => {
  const { get } = await serve(t, sendJson(TABLE))
  const toon = await get({ accept: 'text/toon, application/json;q=0.5' })
  t.match(toon.headers, { 'content-type': 'text/toon; charset=utf-8', 'x-toon-version': '4.0' })
  t.equal(toon.headers['content-encoding'], undefined)
  t.same(decodeToon(toon.body), JSON.parse(TABLE))
  const stc = await get({ accept: 'application/stc+json' })
  t.equal(stc.headers['content-type'], 'application/stc+json')
  t.equal(stc.headers['content-encoding'], undefined)
  t.equal(decode(stc.body, 'stc'), TABLE)
})

t.test('without an opt-in nothing changes but Vary', async (t) => {
  const handler = sendJson(TABLE, { etag: '"v1"', 'content-md5': 'x', 'accept-ranges': 'bytes', vary: 'Origin' })
  const { app, decisions } = await serve(t, handler)
  const { app: bare } = await serve(t, handler, { options: { mode: 'off' } })
  for (const headers of [{}, { 'accept-encoding': 'gzip, *', accept: '*/*' }, { 'accept-encoding': 'toon;q=0' }] as Record<string, string>[]) {
    const [ours, plain] = [await fetchRaw(app, headers), await fetchRaw(bare, headers)]
    t.same(ours.body, plain.body)
    const vary = ours.rawHeaders.indexOf('vary')
    t.equal(ours.rawHeaders[vary + 1], 'Origin, Accept-Encoding, Accept')
    t.same({ ...ours.headers, vary: 'Origin', date: '' }, { ...plain.headers, date: '' })
  }
  t.same(decisions, [])
})

t.test('every kind of payload is re-encoded, with a Content-Length that fits', async (t) => {
  const kinds: Record<string, () => unknown> = {
    object: () => JSON.parse(TABLE),
    string: () => TABLE,
    Buffer: () => Buffer.from(TABLE),
    Uint8Array: () => new TextEncoder().encode(TABLE),
    'node stream': () => bytesStream(TABLE),
    'node stream of single bytes': () => bytesStream(TABLE, 1),
    'node stream of strings': () => Readable.from(TABLE.match(/.{1,50}/gs)!),
    'node stream with an encoding': () => bytesStream(TABLE).setEncoding('utf8'),
    'web stream': () => new ReadableStream({ start (c) { for (const chunk of chunked(TABLE, 64)) c.enqueue(new Uint8Array(chunk)); c.close() } }),
    'web stream of strings': () => new ReadableStream({ start (c) { c.enqueue(TABLE.slice(0, 99)); c.enqueue(TABLE.slice(99)); c.close() } }),
    Response: () => new Response(TABLE, { headers: { 'content-type': JSON_TYPE } })
  }
  for (const [name, make] of Object.entries(kinds)) {
    // A length that is announced for a stream is stale once the body is another.
    const stale = name.includes('stream') ? { 'content-length': String(TABLE.length) } : {}
    const { app } = await serve(t, sendJson(make, stale as Record<string, string>))
    const { headers, body, complete } = await fetchRaw(app, TOON)
    t.equal(headers['content-encoding'], 'toon', name)
    t.equal(headers['content-length'], String(body.length), name)
    t.ok(complete, name)
    t.same(decodeToon(body.toString()), JSON.parse(TABLE), name)
  }
})

t.test('a stream that is not re-encoded ships its bytes, with their length', async (t) => {
  const { app } = await serve(t, sendJson(() => bytesStream(PROSE, 7), { 'transfer-encoding': 'chunked' }))
  const { headers, body } = await fetchRaw(app, TOON)
  t.equal(body.toString(), PROSE)
  t.equal(headers['content-length'], String(body.length))
  t.equal(headers['transfer-encoding'], undefined)
})

t.test('multi-byte characters survive any chunk edges', async (t) => {
  const text = JSON.stringify(ROWS.map(({ id }) => ({ id, name: `nä日本🎉 ${id}` })))
  for (const make of [() => bytesStream(text, 1), () => bytesStream(text, 3).setEncoding('utf8')]) {
    const { app } = await serve(t, sendJson(make))
    t.same(decodeToon((await fetchRaw(app, TOON)).body.toString()), JSON.parse(text))
  }
})

t.test('minified JSON ships as plain JSON when it is all that is smaller', async (t) => {
  const { app, decisions } = await serve(t, sendJson(PRETTY_PROSE, { etag: '"v1"', digest: 'x', 'accept-ranges': 'bytes' }))
  const { headers, body } = await fetchRaw(app, TOON)
  t.equal(body.toString(), minify(PRETTY_PROSE))
  t.match(headers, { 'content-type': JSON_TYPE, 'content-length': String(body.length), etag: '"v1-json"', vary: 'Accept-Encoding, Accept' })
  for (const name of ['content-encoding', 'x-toon-ratio', 'x-toon-version', 'digest', 'accept-ranges']) t.equal(headers[name], undefined, name)
  t.match(decisions, [{ outcome: 'encoded', codec: 'json', reason: 'not-smaller' }])
})

t.test('the original ships when nothing is smaller', async (t) => {
  const { get, decisions } = await serve(t, sendJson(PROSE, { etag: '"v1"', digest: 'x' }), { options: { minBytes: 0 } })
  const { headers, body } = await get(TOON)
  t.equal(body, PROSE)
  t.match(headers, { 'content-type': JSON_TYPE, etag: '"v1"', digest: 'x', vary: 'Accept-Encoding, Accept' })
  t.match(decisions, [{ outcome: 'passthrough', codec: 'json', reason: 'not-smaller' }])
})

t.test('bodies below 256 bytes stay as they came', async (t) => {
  const small = JSON.stringify(ROWS.slice(0, 2), null, 1)
  t.ok(small.length < 256)
  const { get, decisions } = await serve(t, sendJson(small))
  t.equal((await get(TOON)).body, small)
  t.match(decisions, [{ outcome: 'passthrough', codec: 'json', reason: 'below-floor' }])
})

t.test('numbers, duplicate keys and key order of the original are kept', async (t) => {
  const text = JSON.stringify(ROWS).replaceAll('"id":', '"id":90071992547409930').replaceAll('"active":true', '"active":1.50e400')
  const { get } = await serve(t, sendJson(text))
  t.equal(decode((await get({ 'accept-encoding': 'stc' })).body, 'stc'), text)
  const duplicates = JSON.stringify(ROWS).replaceAll('"name"', '"id"')
  const { get: getDuplicates } = await serve(t, sendJson(duplicates))
  const { headers, body } = await getDuplicates(TOON)
  t.equal(headers['content-encoding'], undefined)
  t.equal(body, duplicates)
})

t.test('fields that hold for the bytes of the original are dropped from another body', async (t) => {
  const bound = { 'content-digest': 'a', 'repr-digest': 'b', digest: 'c', 'content-md5': 'd', 'accept-ranges': 'bytes' }
  const { get } = await serve(t, sendJson(TABLE, { ...bound, etag: 'W/"v1"', 'last-modified': 'x' }))
  const { headers } = await get(TOON)
  for (const name of Object.keys(bound)) t.equal(headers[name], undefined, name)
  t.match(headers, { etag: 'W/"v1-toon"', 'last-modified': 'x' })
})

t.test('the answer to HEAD varies, has no body and no length, tag or type of another body', async (t) => {
  let handled = 0
  const { app, decisions } = await serve(t, (_request, reply) => {
    handled++
    return reply.headers({ 'content-type': JSON_TYPE, 'content-length': TABLE.length, etag: '"v1"' }).send(TABLE)
  })
  const { headers, body, status } = await fetchRaw(app, TOON, 'HEAD')
  t.match({ status, ...headers }, { status: 200, vary: 'Accept-Encoding, Accept' })
  for (const name of ['content-length', 'etag', 'content-encoding', 'content-type']) t.equal(headers[name], undefined, name)
  t.equal(body.length, 0)
  t.match((await fetchRaw(app, {}, 'HEAD')).headers, { 'content-type': JSON_TYPE, 'content-length': String(TABLE.length), etag: '"v1"', vary: 'Accept-Encoding, Accept' })
  t.equal(handled, 2)
  t.same(decisions, [], 'nothing is parsed')
})

t.test('the answer to HEAD does not name the content coding of another body', async (t) => {
  const { app } = await serve(t, sendJson(() => gzipSync(TABLE), { 'content-encoding': 'gzip' }))
  t.equal((await fetchRaw(app, TOON)).headers['content-encoding'], 'toon')
  t.equal((await fetchRaw(app, TOON, 'HEAD')).headers['content-encoding'], undefined)
  t.equal((await fetchRaw(app, {}, 'HEAD')).headers['content-encoding'], 'gzip')
})

t.test('a HEAD whose handler sends a stream keeps to that', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  app.head('/', sendJson(() => bytesStream(''), { 'content-length': '1000' }) as never)
  const { headers } = await fetchRaw(app, TOON, 'HEAD')
  t.equal(headers['content-length'], undefined)
  t.equal(headers.vary, 'Accept-Encoding, Accept')
})

t.test('204, 206, ranges and encoded bodies pass through', async (t) => {
  for (const [status, headers, reason] of [
    [206, {}, 'not-eligible'],
    [200, { 'content-range': 'bytes 0-9/10' }, 'not-eligible'],
    [200, { 'content-encoding': 'unknown' }, 'encoded-upstream'],
    [200, { 'content-encoding': 'br' }, 'undecodable'],
    [404, {}, 'not-eligible'],
    [200, { 'content-type': 'text/plain' }, 'not-eligible']
  ] as [number, Record<string, string>, string][]) {
    const { get, decisions } = await serve(t, sendJson(TABLE, { etag: '"v1"', ...headers }, status))
    const { body, headers: received, statusCode } = await get(TOON)
    t.equal(statusCode, status)
    t.equal(body, TABLE)
    t.match(received, { etag: '"v1"', ...headers })
    t.match(decisions, [{ outcome: 'passthrough', reason, bytesBefore: TABLE.length, bytesAfter: TABLE.length }], reason)
  }
  const { get } = await serve(t, (_request, reply) => reply.code(204).send())
  const { headers, statusCode, body } = await get(TOON)
  t.match({ statusCode, body }, { statusCode: 204, body: '' })
  t.equal(headers.vary, undefined)
})

t.test('empty and missing bodies pass through', async (t) => {
  for (const [payload, text] of [['', ''], [undefined, ''], [null, 'null']]) {
    const { app } = await serve(t, sendJson(() => payload))
    const { status, body } = await fetchRaw(app, TOON)
    t.match({ status, body: body.toString() }, { status: 200, body: text }, String(payload))
  }
})

t.test('event streams pass through unvaried where MCP is switched off', async (t) => {
  const events = 'data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[{\\"a\\": 1}]"}]}}\n\n'
  const { app, decisions } = await serve(t, sendJson(() => bytesStream(events, 5), { 'content-type': 'text/event-stream' }), { options: { mcp: false } })
  const { body, headers } = await fetchRaw(app, { ...TOON, accept: 'application/json, text/event-stream' })
  t.equal(body.toString(), events)
  t.equal(headers.vary, undefined)
  t.match(decisions, [{ reason: 'not-eligible' }])
})

t.test('what is labelled JSON and is none passes through', async (t) => {
  for (const text of ['<html>', '{"cut":', '{"a":1} x', '{"a":NaN}']) {
    const { get, decisions } = await serve(t, sendJson(text))
    t.equal((await get(TOON)).body, text)
    t.match(decisions, [{ outcome: 'passthrough', reason: 'not-json' }])
  }
  const bytes = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff])
  const { app } = await serve(t, sendJson(bytes))
  t.same((await fetchRaw(app, TOON)).body, bytes)
})

t.test('a body that starts with a BOM is read', async (t) => {
  const { get } = await serve(t, sendJson(`\ufeff${TABLE}`))
  t.same(decodeToon((await get(TOON)).body), JSON.parse(TABLE))
})

t.test('no coding takes a body that nests deeper than maxDepth', async (t) => {
  const { get, decisions } = await serve(t, sendJson(TABLE), { options: { maxDepth: 2 } })
  t.equal((await get(TOON)).body, TABLE)
  t.match(decisions, [{ reason: 'declined-depth' }])
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const { get: getDeep } = await serve(t, sendJson(deep))
  t.equal((await getDeep(TOON)).body, deep)
})

t.test('JSON-RPC passes through to an MCP client, whole to others', async (t) => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { rows: ROWS } })
  const { get, decisions } = await serve(t, sendJson(message))
  t.equal((await get({ ...TOON, accept: 'application/json, text/event-stream' })).body, message)
  t.equal((await get({ ...TOON, accept: 'application/json' })).body, message)
  t.match(decisions, [{ reason: 'json-rpc' }, { reason: 'json-rpc' }])
  t.equal((await get({ ...TOON, accept: '*/*' })).headers['content-encoding'], 'toon')
  t.equal((await get(TOON)).headers['content-encoding'], 'toon')
})

t.test('OAuth passes through: its documents, /.well-known/ and answers to forms', async (t) => {
  for (const member of ['access_token', 'client_id', 'error']) {
    const text = JSON.stringify({ rows: ROWS, [member]: 'x' })
    const { get, decisions } = await serve(t, sendJson(text))
    t.equal((await get(TOON)).body, text, member)
    t.match(decisions, [{ reason: 'oauth' }])
  }
  const { app } = await serve(t, sendJson(TABLE))
  const wellKnown = await app.inject({ url: '/.well-known/x', headers: TOON })
  t.equal(wellKnown.body, TABLE)
  t.equal(wellKnown.headers.vary, undefined)
  const form = await app.inject({ url: '/', method: 'POST', payload: 'a=b', headers: { ...TOON, 'content-type': 'application/x-www-form-urlencoded' } })
  t.equal(form.body, TABLE)
})

t.test('no-transform of request and response is obeyed, unless by option it is not', async (t) => {
  const { get, decisions } = await serve(t, sendJson(TABLE))
  t.equal((await get({ ...TOON, 'cache-control': 'no-transform' })).body, TABLE)
  t.match(decisions, [{ reason: 'no-transform' }])
  const { get: getFixed } = await serve(t, sendJson(TABLE, { 'cache-control': 'no-transform' }))
  t.equal((await getFixed(TOON)).body, TABLE)
  const { get: getAnyway } = await serve(t, sendJson(TABLE, { 'cache-control': 'no-transform' }), { options: { noTransform: 'ignore' } })
  t.equal((await getAnyway(TOON)).headers['content-encoding'], 'toon')
})

t.test('identity;q=0 gets a coding even if it is larger', async (t) => {
  const { get } = await serve(t, sendJson(PRETTY_PROSE.replaceAll(/\s/g, '')))
  const { headers, body } = await get({ 'accept-encoding': 'toon, identity;q=0' })
  t.equal(headers['content-encoding'], 'toon')
  t.same(decodeToon(body), JSON.parse(PRETTY_PROSE.replaceAll(/\s/g, '')))
})

t.test('identity;q=0 with no coding that takes the body gets JSON, or 406 by option', async (t) => {
  const text = '{"a":1,"a":2}'
  const { get } = await serve(t, sendJson(text))
  const json = await get({ 'accept-encoding': 'toon, identity;q=0' })
  t.equal(json.body, text)
  t.equal(json.headers['content-encoding'], undefined)
  const { get: getStrict, app } = await serve(t, sendJson(text, { etag: '"v1"', 'cache-control': 'max-age=60' }), { options: { notAcceptable: '406' } })
  const refused = await getStrict({ 'accept-encoding': 'toon, identity;q=0' })
  t.equal(refused.statusCode, 406)
  t.match(refused.json(), { statusCode: 406, error: 'Not Acceptable', code: 'FST_TOKEN_NOT_ACCEPTABLE' })
  t.match(refused.headers, { 'content-type': JSON_TYPE, 'content-length': String(refused.body.length), vary: 'Accept-Encoding, Accept' })
  t.equal(refused.headers.etag, undefined)
  t.equal(refused.headers['cache-control'], undefined)
  t.equal((await getStrict(TOON)).statusCode, 200, 'who takes JSON gets it')
  t.equal((await app.inject({ url: '/', headers: { accept: 'text/toon, */*;q=0' } })).statusCode, 406)
})

t.test('mode always ships the first coding even if it is larger', async (t) => {
  const { get } = await serve(t, sendJson(PROSE), { options: { mode: 'always', encodings: ['stc', 'toon'] } })
  const { headers, body } = await get({ 'accept-encoding': 'toon, stc' })
  t.equal(headers['content-encoding'], 'stc')
  t.equal(decode(body, 'stc'), PROSE)
})

t.test('mode observe decides and reports, and changes nothing', async (t) => {
  for (const text of [TABLE, PRETTY_PROSE]) {
    const { app, decisions } = await serve(t, sendJson(() => bytesStream(text), { etag: '"v1"' }), { options: { mode: 'observe' } })
    const { headers, body } = await fetchRaw(app, { ...TOON, 'if-none-match': '"v0-toon"' })
    t.equal(body.toString(), text)
    t.match(headers, { 'content-type': JSON_TYPE, etag: '"v1"' })
    t.equal(headers.vary, undefined)
    t.equal(decisions.length, 1)
    t.match((await fetchRaw(app, TOON, 'HEAD')).headers, { etag: '"v1"' })
  }
})

t.test('mode off does nothing', async (t) => {
  const { get, decisions } = await serve(t, sendJson(TABLE), { options: { mode: 'off' } })
  const { headers, body } = await get(TOON)
  t.equal(body, TABLE)
  t.equal(headers.vary, undefined)
  t.same(decisions, [])
})

t.test('bodies below minBytes pass through', async (t) => {
  const { get, decisions } = await serve(t, sendJson(TABLE), { options: { minBytes: TABLE.length + 1 } })
  t.equal((await get(TOON)).body, TABLE)
  t.match(decisions, [{ reason: 'below-floor' }])
})

t.test('a body up to maxBodyBytes is re-encoded, a larger one passes through whatever it came as', async (t) => {
  const payloads: (() => unknown)[] = [
    () => TABLE, () => Buffer.from(TABLE), () => bytesStream(TABLE, 100), () => bytesStream(TABLE, 1), () => bytesStream(TABLE, 1e6),
    () => bytesStream(TABLE).setEncoding('utf8'), () => Readable.from(chunked(TABLE, 10)), () => new Response(TABLE).body
  ]
  for (const [i, payload] of payloads.entries()) {
    const fields = { etag: '"v1"', digest: 'x' }
    const { app } = await serve(t, sendJson(payload, fields), { options: { maxBodyBytes: TABLE.length } })
    t.equal((await fetchRaw(app, TOON)).headers['content-encoding'], 'toon', `kind ${i}`)
    const { app: small, decisions } = await serve(t, sendJson(payload, fields), { options: { maxBodyBytes: TABLE.length - 1 } })
    const { headers, body, complete } = await fetchRaw(small, TOON)
    t.equal(body.toString(), TABLE, `kind ${i}`)
    t.ok(complete)
    t.match(headers, { 'content-type': JSON_TYPE, ...fields, vary: 'Accept-Encoding, Accept' })
    t.match(decisions, [{ outcome: 'passthrough', reason: 'too-large' }])
  }
})

t.test('a stream whose announced length is past maxBodyBytes is not read at all', async (t) => {
  const payload = bytesStream(TABLE)
  let same = false
  const { app, decisions } = await serve(t, sendJson(() => payload, { 'content-length': String(TABLE.length) }), {
    options: { maxBodyBytes: 100 },
    after: (app) => { app.addHook('onSend', async (_request, _reply, body) => { same = body === payload }) }
  })
  const { body, headers } = await fetchRaw(app, TOON)
  t.equal(body.toString(), TABLE)
  t.equal(headers['content-length'], String(TABLE.length))
  t.ok(same)
  t.match(decisions, [{ reason: 'too-large', bytesBefore: TABLE.length }])
})

t.test('an announced length is not relied on', async (t) => {
  for (const length of ['1', '5000', 'nonsense', '-1']) {
    const { app } = await serve(t, sendJson(() => bytesStream(TABLE), { 'content-length': length }))
    const { body, complete } = await fetchRaw(app, TOON)
    t.same(decodeToon(body.toString()), JSON.parse(TABLE), length)
    t.ok(complete)
  }
})

t.test('past maxBodyBytes a stream is read no faster than the client reads', async (t) => {
  let read = 0
  const payload = new Readable({
    read (size) {
      read += size
      this.push(read > 64e6 ? null : Buffer.alloc(size, 0x20))
    }
  })
  const { app } = await serve(t, sendJson(() => payload), { options: { maxBodyBytes: 1000 } })
  const request = await connect(app, TOON)
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  for (let last = -1; last !== read;) {
    last = read
    for (let i = 0; i < 100; i++) await nextTurn()
  }
  t.ok(read < 32e6, 'most of it waits for the client')
  let received = 0
  for await (const chunk of response) received += chunk.length
  t.ok(received > 60e6)
})

/** Streams that give some bytes, then fail. */
function failing (text: string, error: unknown): (() => unknown)[] {
  return [
    () => Readable.from((function * () { yield Buffer.from(text); throw error })(), { objectMode: false }),
    () => {
      const stream = new PassThrough()
      stream.write(text)
      setImmediate(() => stream.destroy(error instanceof Error ? error : undefined))
      return stream
    },
    () => {
      let sent = false
      return new ReadableStream({
        pull (controller) {
          if (sent) controller.error(error)
          else controller.enqueue(Buffer.from(text))
          sent = true
        }
      })
    }
  ]
}

t.test("a stream that fails before it is whole is answered as Fastify answers a stream's failure", async (t) => {
  for (const error of [new Error('upstream broke'), undefined, 'text']) {
    for (const payload of failing(TABLE.slice(0, 500), error)) {
      const { app } = await serve(t, sendJson(payload, { etag: '"v1"' }))
      const { status, headers, body } = await fetchRaw(app, TOON)
      t.equal(status, 500, String(error))
      t.match(headers, { 'content-type': JSON_TYPE, 'content-length': String(body.length) })
      t.equal(headers['content-encoding'], undefined)
      t.match(JSON.parse(body.toString()), { statusCode: 500 })
    }
  }
})

t.test('a stream that fails past maxBodyBytes breaks the response off', async (t) => {
  for (const payload of failing(TABLE.slice(0, 500), new Error('upstream broke'))) {
    const { app } = await serve(t, sendJson(payload), { options: { maxBodyBytes: 100 } })
    const { status, complete } = await fetchRaw(app, TOON)
    // Fastify answers 500 where nothing has been sent yet.
    t.ok(status === 500 || !complete)
  }
})

t.test('a complete document does not make up for a stream that fails behind it', async (t) => {
  for (const payload of failing(TABLE, new Error('upstream broke'))) {
    const { app } = await serve(t, sendJson(payload))
    t.equal((await fetchRaw(app, TOON)).status, 500)
  }
})

t.test('chunks that are neither bytes nor strings are a failure of the stream', async (t) => {
  const { app } = await serve(t, sendJson(() => Readable.from([{ a: 1 }])))
  const { status, body } = await fetchRaw(app, TOON)
  t.equal(status, 500)
  t.match(JSON.parse(body.toString()).message, /chunk/)
})

t.test('a client that goes away while its body is collected takes the stream with it', async (t) => {
  for (const maxBodyBytes of [1e6, 100]) {
    const stream = new PassThrough()
    const cancelled: { resolve?: (value: unknown) => void } = {}
    const isCancelled = new Promise((resolve) => { cancelled.resolve = resolve })
    const webStream = new ReadableStream({
      start (controller) { controller.enqueue(Buffer.from(TABLE.slice(0, 500))) },
      cancel (reason) { cancelled.resolve!(reason) }
    })
    const payloads = [stream, webStream]
    stream.write(TABLE.slice(0, 500))
    let reached = (): void => {}
    const { app } = await serve(t, sendJson(() => { setImmediate(() => reached()); return payloads.shift() }), { options: { maxBodyBytes } })
    for (const isGone of [once(stream, 'close'), isCancelled]) {
      const isReached = new Promise<void>((resolve) => { reached = resolve })
      const request = await connect(app, TOON)
      await isReached
      // Past the cap the head is out, and what was read with it.
      if (maxBodyBytes === 100) await once(request, 'response')
      await nextTurn()
      request.destroy()
      await isGone
    }
    t.equal(payloads.length, 0, `cap ${maxBodyBytes}`)
  }
})

t.test('a client that is gone before its body is collected takes the stream with it', async (t) => {
  const stream = new PassThrough()
  const isGone = once(stream, 'close')
  const { app } = await serve(t, async (request, reply) => {
    client.destroy()
    await once(request.raw.socket, 'close')
    reply.header('content-type', JSON_TYPE)
    return stream
  })
  const client = await connect(app, TOON)
  await isGone
  t.ok(stream.destroyed)
})

t.test('an error after an idle stream has been destroyed does not reach the process', async (t) => {
  const stream = new Readable({ read () {}, destroy (_error, callback) { callback(new Error('late')) } })
  let arrived = (): void => {}
  const isHere = new Promise<void>((resolve) => { arrived = resolve })
  const isClosed = new Promise((resolve) => { stream.on('close', resolve) })
  const { app } = await serve(t, sendJson(() => { setImmediate(arrived); return stream }))
  const client = await connect(app, TOON)
  await isHere
  await nextTurn()
  client.destroy()
  await isClosed
  t.ok(stream.destroyed)
})

t.test("a Response's status and fields are kept", async (t) => {
  const make = () => {
    const response = new Response(TABLE, { status: 201, headers: { 'content-type': JSON_TYPE, etag: '"v1"', vary: 'Origin', digest: 'x' } })
    response.headers.append('set-cookie', 'a=1')
    response.headers.append('set-cookie', 'b=2')
    return response
  }
  const { app } = await serve(t, (_request, reply) => reply.send(make()))
  const { status, headers, body } = await fetchRaw(app, TOON)
  t.equal(status, 201)
  t.match(headers, { 'content-encoding': 'toon', etag: '"v1-toon"', vary: 'Origin, Accept-Encoding, Accept' })
  t.same(headers['set-cookie'], ['a=1', 'b=2'])
  t.equal(headers.digest, undefined)
  t.same(decodeToon(body.toString()), JSON.parse(TABLE))
  const plain = await fetchRaw(app)
  t.match(plain.headers, { vary: 'Origin, Accept-Encoding, Accept', etag: '"v1"', digest: 'x' })
  t.same(plain.headers['set-cookie'], ['a=1', 'b=2'])
  t.equal(plain.body.toString(), TABLE)
})

t.test('a Response that is not eligible, has no body or was read is left to Fastify', async (t) => {
  const text = await serve(t, (_request, reply) => reply.send(new Response('hello', { headers: { 'content-type': 'text/plain' } })))
  const answer = await fetchRaw(text.app, TOON)
  t.equal(answer.body.toString(), 'hello')
  t.equal(answer.headers.vary, undefined)
  const empty = await serve(t, (_request, reply) => reply.send(new Response(null, { headers: { 'content-type': JSON_TYPE } })))
  t.equal((await fetchRaw(empty.app, TOON)).body.length, 0)
})

t.test('a web stream that is locked is left to Fastify, and so is a stream that cannot be iterated', async (t) => {
  const { app } = await serve(t, sendJson(() => {
    const stream = new Response(TABLE).body!
    stream.getReader()
    return stream
  }), { after: (app) => app.addHook('onSend', async (_request, _reply, payload) => payload instanceof ReadableStream && payload.locked ? '"locked"' : undefined) })
  t.equal((await fetchRaw(app, TOON)).body.toString(), '"locked"')
  const { app: legacy } = await serve(t, sendJson(() => {
    const stream = bytesStream(TABLE)
    Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined })
    return stream
  }))
  t.equal((await fetchRaw(legacy, TOON)).body.toString(), TABLE)
})

t.test("when a later hook fails, the error's body goes out without our fields", async (t) => {
  const { app } = await serve(t, sendJson(TABLE, { etag: '"v1"', digest: 'x', 'x-toon-ratio': 'own' }), {
    after: (app) => app.addHook('onSend', async (_request, reply, payload) => {
      if (reply.statusCode === 200) throw new Error('later')
      return payload
    })
  })
  const { status, headers, body } = await fetchRaw(app, TOON)
  t.equal(status, 500)
  t.match(JSON.parse(body.toString()), { message: 'later' })
  t.match(headers, { 'content-type': JSON_TYPE, 'content-length': String(body.length), etag: '"v1"', digest: 'x', 'x-toon-ratio': 'own' })
  for (const name of ['content-encoding', 'x-toon-version']) t.equal(headers[name], undefined, name)
})

t.test('an error handler that answers with JSON of its own is judged anew', async (t) => {
  const { app } = await serve(t, () => { throw new Error('first') }, {
    after: (app) => app.setErrorHandler((_error, _request, reply) => reply.code(200).send({ rows: ROWS }))
  })
  const { headers, body } = await fetchRaw(app, TOON)
  t.equal(headers['content-encoding'], 'toon')
  t.same(decodeToon(body.toString()), { rows: ROWS })
})

t.test('fields that a later party has changed are not taken back', async (t) => {
  const { get } = await serve(t, sendJson(TABLE, { etag: '"v1"' }), {
    after: (app) => {
      app.addHook('onSend', async (_request, reply) => { if (reply.statusCode === 200) throw new Error('later') })
      app.setErrorHandler((_error, _request, reply) => reply.code(503).header('etag', '"own"').type('text/plain').send('sorry'))
    }
  })
  const { headers, body, statusCode } = await get(TOON)
  t.match({ statusCode, body }, { statusCode: 503, body: 'sorry' })
  t.match(headers, { etag: '"own"', 'content-type': 'text/plain' })
  t.equal(headers['content-encoding'], undefined)
})

t.test('any failure of ours ships the original, and is counted', async (t) => {
  // No client can send this; it stands for whatever may go wrong while a request or a body is judged.
  const sabotage = (app: FastifyInstance) => { app.addHook('onRequest', async (request) => { request.raw.headers.accept = 42 as never }) }
  for (const hooks of [{ before: sabotage }, { after: sabotage }]) {
    const { get, decisions } = await serve(t, sendJson(TABLE, { etag: '"v1"' }), hooks)
    const { headers, body } = await get(TOON)
    t.equal(body, TABLE)
    t.match(headers, { etag: '"v1"', 'content-type': JSON_TYPE })
    t.match(decisions, [{ outcome: 'passthrough', reason: 'error' }])
  }
})

t.test('a failure of ours outside of the codecs ships the original too', async (t) => {
  for (const payload of [() => TABLE, () => bytesStream(TABLE)]) {
    const { app, decisions } = await serve(t, sendJson(payload), {
      after: (app) => app.addHook('onRequest', async (_request, reply) => {
        const { getHeader } = reply
        reply.getHeader = (name) => {
          if (name === 'etag') throw new Error('sabotage')
          return getHeader.call(reply, name)
        }
      })
    })
    const { headers, body } = await fetchRaw(app, TOON)
    t.equal(body.toString(), TABLE)
    t.equal(headers['content-encoding'], undefined)
    t.match(decisions.at(-1), { reason: 'error' })
  }
})

t.test('an onDecision that fails is logged and has no further effect', async (t) => {
  for (const onDecision of [() => { throw new Error('listener') }, async () => { throw new Error('listener') }]) {
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'debug', stream: { write: (line: string) => { lines.push(line) } } } })
    t.teardown(() => app.close())
    await app.register(tokenEncoding, { onDecision })
    app.get('/', async () => ROWS)
    t.equal((await app.inject({ url: '/', headers: TOON })).headers['content-encoding'], 'toon')
    await nextTurn()
    t.ok(lines.some((line) => line.includes('onDecision failed')))
    t.ok(lines.some((line) => line.includes('"tokenEncoding":{"outcome":"encoded","codec":"toon"')), 'the decision is in the log')
  }
})

t.test('a log that tells decisions tells their tokens, without a listener too', async (t) => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'debug', stream: { write: (line: string) => { lines.push(line) } } } })
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  // Pretty-printed, it is compared with something that is not what came, and has no estimate to begin with.
  app.get('/', async (_request, reply) => reply.type('application/json').send(JSON.stringify(ROWS, null, 2)))
  t.equal((await app.inject({ url: '/', headers: TOON })).headers['content-encoding'], 'toon')
  t.match(lines.find((line) => line.includes('"tokenEncoding"')), /"tokensBefore":\d+,"tokensAfter":\d+/)
})

/** A body of which the rest comes only when the client has begun to receive it. */
function heldBack (text: string, firstBytes: number) {
  let release!: () => void
  const released = new Promise<void>((resolve) => { release = resolve })
  const bytes = Buffer.from(text)
  async function * chunks () {
    yield bytes.subarray(0, firstBytes)
    await released
    yield bytes.subarray(firstBytes)
  }
  return { stream: Readable.from(chunks(), { objectMode: false }), release }
}

t.test('a body that is predicted to lose streams on at once: the client has its first bytes before the last have been sent', async (t) => {
  for (const [text, reason] of [[LOSER, 'not-smaller'], [`<html>${LOSER}`, 'not-json']]) {
    const { stream, release } = heldBack(text, 33_000)
    const { app, decisions } = await serve(t, sendJson(stream, { etag: '"v1"', 'content-length': String(text.length) }))
    const request = await connect(app, TOON)
    const [response] = await once(request, 'response') as [http.IncomingMessage]
    const chunks: Buffer[] = []
    const ended = once(response, 'end')
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (Buffer.concat(chunks).length === 33_000) release()
    })
    await ended
    t.equal(Buffer.concat(chunks).toString(), text)
    t.match(response.headers, { etag: '"v1"', 'content-type': JSON_TYPE, 'content-length': String(text.length), vary: 'Accept-Encoding, Accept' })
    t.equal(response.headers['content-encoding'], undefined)
    t.match(decisions, [{ outcome: 'passthrough', codec: 'json', reason, bytesBefore: text.length, bytesAfter: text.length }])
  }
})

t.test('a body is judged by exactly its first 32,768 bytes, however it is chunked', async (t) => {
  const at = (position: number): string => `${LOSER.slice(0, position)}\n\t!${LOSER.slice(position)}`
  for (const [text, reason] of [[LOSER, 'not-smaller'], [at(32_768), 'not-smaller'], [at(32_000), 'not-json']] as const) {
    for (const size of [1, 32_767, 32_768, 32_769, text.length]) {
      const { app, decisions } = await serve(t, sendJson(() => bytesStream(text, size)))
      const { body, headers } = await fetchRaw(app, TOON)
      t.equal(body.toString(), text, `${reason} in chunks of ${size}`)
      t.equal(headers['content-length'], undefined, 'it streams')
      t.match(decisions, [{ outcome: 'passthrough', reason }], `${reason} in chunks of ${size}`)
    }
  }
})

t.test('a body of no more than 32,768 bytes is not judged by its beginning', async (t) => {
  for (const length of [32_767, 32_768, 32_769]) {
    const text = LOSER.slice(0, length)
    for (const size of [1000, length]) {
      const { app } = await serve(t, sendJson(() => bytesStream(text, size)))
      const { headers, body } = await fetchRaw(app, TOON)
      t.equal(body.toString(), text)
      t.equal(headers['content-length'], length > 32_768 ? undefined : String(length), `${length} bytes, chunks of ${size}`)
    }
  }
})

t.test('a wrong prediction changes no byte', async (t) => {
  const losing = `{"a":${LOSER},"b":${JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x' })))}}`
  const { app, decisions } = await serve(t, sendJson(() => bytesStream(losing, 8192)))
  t.equal((await fetchRaw(app, TOON)).body.toString(), losing)
  t.match(decisions, [{ outcome: 'passthrough', reason: 'not-smaller' }])
  const winning = JSON.stringify([...Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x' })), [[LOSER]]])
  const { app: second, decisions: secondDecisions } = await serve(t, sendJson(() => bytesStream(winning, 8192)))
  t.equal((await fetchRaw(second, TOON)).body.toString(), winning)
  t.match(secondDecisions, [{ outcome: 'passthrough', reason: 'not-smaller', bytesBefore: winning.length }])
})

t.test('where a losing body is wanted all the same, it is read whole', async (t) => {
  const rpc = JSON.stringify({ result: JSON.parse(LOSER), jsonrpc: '2.0', id: 1 })
  for (const [name, headers, options, text, expected] of [
    ['identity refused', { 'accept-encoding': 'toon, identity;q=0' }, {}, LOSER, { outcome: 'encoded', codec: 'toon' }],
    ['mode always', TOON, { mode: 'always' }, LOSER, { outcome: 'encoded', codec: 'toon' }],
    ['mode observe', TOON, { mode: 'observe' }, LOSER, { outcome: 'passthrough', reason: 'not-smaller', bytesBefore: LOSER.length }],
    ['an MCP client', { ...TOON, accept: 'application/json, text/event-stream' }, {}, LOSER, { reason: 'not-smaller', bytesBefore: LOSER.length }],
    ['JSON-RPC to a JSON-only client', { ...TOON, accept: 'application/json' }, {}, rpc, { reason: 'json-rpc', bytesBefore: rpc.length }],
    ['other JSON to a JSON-only client', { ...TOON, accept: 'application/json' }, {}, LOSER, { reason: 'not-smaller', bytesBefore: 0 }]
  ] as [string, Record<string, string>, TokenEncodingOptions, string, Partial<Decision>][]) {
    const { app, decisions } = await serve(t, sendJson(() => bytesStream(text, 5000)), { options })
    const { body, headers: received } = await fetchRaw(app, headers)
    if (received['content-encoding'] === 'toon') t.same(decodeToon(body.toString()), JSON.parse(text), name)
    else t.equal(body.toString(), text, name)
    t.match(decisions, [expected], name)
  }
})

t.test('a failure of ours while a body is judged leaves it to be read whole', async (t) => {
  const negotiation: Negotiation = { by: 'accept', accepted: [{ codec: 'unknown' as never, q: 1 }], identityRefused: false }
  const wish = { negotiation, isMarkdown: false, format: undefined, fields: undefined }
  const judge = createJudge({ request: { headers: {} }, wish, calls: null, refusal: null, options: { mode: 'adaptive' } as RouteOptions })
  t.equal(judge?.(Buffer.from(LOSER.slice(0, 32_768))), null)
})

t.test('trailers and re-encoding go together', async (t) => {
  const { app } = await serve(t, (_request, reply) => {
    reply.trailer('x-sum', (_reply, _payload, done) => done(null, 'sum'))
    return reply.type(JSON_TYPE).send(TABLE)
  })
  const { headers, body, complete } = await fetchRaw(app, TOON)
  t.equal(headers['content-length'], undefined)
  t.same(decodeToon(body.toString()), JSON.parse(TABLE))
  t.ok(complete)
})

t.test('our tags in If-None-Match reach the handler as its own, and the 304 carries the one that was sent', async (t) => {
  const seen: unknown[] = []
  const handler: Handler = (request, reply) => {
    const tag = request.headers['if-none-match']
    seen.push(tag, request.raw.rawHeaders[request.raw.rawHeaders.findIndex((name) => name.toLowerCase() === 'if-none-match') + 1])
    reply.header('etag', '"v1"')
    return tag === '"v1"' ? reply.code(304).type(JSON_TYPE).send() : reply.type(JSON_TYPE).send(TABLE)
  }
  const { app, get } = await serve(t, handler)
  const first = await get(TOON)
  t.equal(first.headers.etag, '"v1-toon"')
  seen.length = 0
  const second = await fetchRaw(app, { ...TOON, 'if-none-match': '"v1-toon"' })
  t.same(seen, ['"v1"', '"v1"'])
  t.equal(second.status, 304)
  t.match(second.headers, { etag: '"v1-toon"', vary: 'Accept-Encoding, Accept' })
  t.equal(second.headers['content-type'], undefined, 'what is stored is no JSON')
  t.equal((await get({ ...TOON, 'if-none-match': '"v1-json"' })).statusCode, 304)
  t.equal((await get({ 'accept-encoding': 'stc', 'if-none-match': '"v1-toon"' })).statusCode, 200, 'not for who does not take that coding')
  t.equal((await get({ 'if-none-match': '"v1-toon"' })).statusCode, 200, 'not for who takes none')
  t.equal((await get({ 'accept-encoding': 'toon, identity;q=0', 'if-none-match': '"v1-json"' })).statusCode, 200, 'not for who refuses JSON')
  const unchanged = await get({ ...TOON, 'if-none-match': '"v1"' })
  t.match({ status: unchanged.statusCode, etag: unchanged.headers.etag }, { status: 304, etag: '"v1"' })
  const post = await app.inject({ url: '/', method: 'POST', headers: { ...TOON, 'if-none-match': '"v1-toon"' } })
  t.equal(post.statusCode, 200, 'only for GET and HEAD')
})

t.test('a part of the origin\'s body never goes to a client that may have a part of ours', async (t) => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  let raw: string[] = []
  // As servers of files do it: a date that matches gets the part, a tag that does not gets all.
  const { app } = await serve(t, ({ headers, raw: { rawHeaders } }, reply) => {
    raw = rawHeaders.map((text) => text.toLowerCase())
    reply.headers({ 'content-type': JSON_TYPE, 'last-modified': date, etag: '"v1"' })
    const isPart = headers.range === 'bytes=20-' && (headers['if-range'] === undefined || headers['if-range'] === date || headers['if-range'] === '"v1"')
    return isPart ? reply.code(206).header('content-range', `bytes 20-${TABLE.length - 1}/${TABLE.length}`).send(TABLE.slice(20)) : reply.send(TABLE)
  })
  for (const ifRange of [date, '"v1-toon"']) {
    const { status, headers, body } = await fetchRaw(app, { ...TOON, Range: 'bytes=20-', 'If-Range': ifRange })
    t.same([status, headers['content-encoding'], decode(body, 'toon')], [200, 'toon', TABLE], ifRange)
    t.equal(raw.includes('range'), raw.includes('if-range'), 'raw fields too')
  }
  // What the client has of the origin's own bytes can be gone on with, and so can a client that asks for nothing.
  t.equal((await fetchRaw(app, { ...TOON, Range: 'bytes=20-', 'If-Range': '"v1"' })).status, 206)
  t.equal((await fetchRaw(app, { ...TOON, Range: 'bytes=20-' })).status, 206)
  t.equal((await fetchRaw(app, { Range: 'bytes=20-', 'If-Range': date })).status, 206)
})

t.test('our tags in If-Match reach the handler beside its own, If-Range stays as it came', async (t) => {
  let seen: unknown[] = []
  const { app } = await serve(t, ({ headers, raw }, reply) => {
    seen = [headers['if-match'], raw.rawHeaders[raw.rawHeaders.findIndex((name) => name.toLowerCase() === 'if-match') + 1], headers['if-range']]
    return reply.type(JSON_TYPE).send(TABLE)
  })
  const send = async (ifMatch: string): Promise<unknown> => {
    await fetchRaw(app, { 'If-Match': ifMatch, 'if-range': '"v1-toon"' }, 'POST')
    t.equal(seen[0], seen[1], 'raw fields too')
    t.equal(seen[2], '"v1-toon"')
    return seen[0]
  }
  t.equal(await send('"v1-toon"'), '"v1-toon", "v1"')
  t.equal(await send('"a", "b-json" , "c-stc"'), '"a", "b-json", "b" , "c-stc", "c"')
  t.equal(await send('W/"v1-toon"'), 'W/"v1-toon"', 'a weak tag matches nothing')
  t.equal(await send('*'), '*')
  t.equal(await send('"v1"'), '"v1"')
})

t.test('beside @fastify/compress: TOON by Accept is compressed, TOON by Accept-Encoding is not', async (t) => {
  const { app } = await serve(t, sendJson(TABLE), { before: (app) => app.register(compress, { threshold: 0 }) })
  const stacked = await fetchRaw(app, { accept: 'text/toon', 'accept-encoding': 'gzip' })
  t.match(stacked.headers, { 'content-type': 'text/toon; charset=utf-8', 'content-encoding': 'gzip' })
  t.same(decodeToon(gunzipSync(stacked.body).toString()), JSON.parse(TABLE))
  const single = await fetchRaw(app, { 'accept-encoding': 'gzip, toon' })
  t.equal(single.headers['content-encoding'], 'toon')
  t.same(decodeToon(single.body.toString()), JSON.parse(TABLE))
})

t.test('beside @fastify/compress: text that its sniffer takes for zlib is not sent without a label', async (t) => {
  const { isDeflate } = createRequire(import.meta.url)('../../node_modules/@fastify/compress/lib/utils.js') as { isDeflate: (bytes: Buffer) => boolean }
  const differing: number[] = []
  for (let pair = 0; pair < 65536; pair++) {
    const bytes = Buffer.from([pair >> 8, pair & 0xff, 0x20])
    if (isDeflate(bytes) === isLabelSafe(bytes)) differing.push(pair)
  }
  t.same(differing, [])
  const text = JSON.stringify({ hCount: ROWS.length, rows: ROWS })
  const { app, decisions } = await serve(t, sendJson(text), { before: (app) => app.register(compress, { threshold: 0 }) })
  const { headers, body } = await fetchRaw(app, { accept: 'text/toon', 'accept-encoding': 'gzip' })
  t.match(headers, { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' })
  t.equal(gunzipSync(body).toString(), text)
  t.match(decisions, [{ reason: 'declined-gzip-sniff' }])
  t.same(decodeToon((await fetchRaw(app, { 'accept-encoding': 'gzip, toon' })).body.toString()), JSON.parse(text), 'with a label it is safe')
})

t.test("a route's config.tokenEncoding goes before the plugin's options", async (t) => {
  const off = await serve(t, sendJson(TABLE), { config: false })
  const { body, headers } = await off.get(TOON)
  t.equal(body, TABLE)
  t.equal(headers.vary, undefined)
  const route: Decision[] = []
  const own = await serve(t, sendJson(TABLE), { config: { encodings: ['stc'], onDecision: (decision: Decision) => { route.push(decision) } } })
  t.equal((await own.get(TOON)).headers['content-encoding'], undefined)
  t.equal((await own.get({ 'accept-encoding': 'stc' })).headers['content-encoding'], 'stc')
  t.match([own.decisions.length, route.length], [0, 1])
  const on = await serve(t, sendJson(TABLE), { options: { mode: 'off' }, config: { mode: 'adaptive' } })
  t.equal((await on.get(TOON)).headers['content-encoding'], 'toon')
})

t.test('routes that were there before the plugin are re-encoded, by their own config too', async (t) => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => { lines.push(line) } } } })
  t.teardown(() => app.close())
  app.get('/', async () => ROWS)
  app.get('/off', { config: { tokenEncoding: false } }, async () => ROWS)
  app.get('/stc', { config: { tokenEncoding: { encodings: ['stc'] } } }, async () => ROWS)
  app.get('/wrong', { config: { tokenEncoding: { minSavings: 'much' as never } } }, async () => ROWS)
  await app.register(tokenEncoding)
  const coding = async (url: string) => (await app.inject({ url, headers: { 'accept-encoding': 'toon, stc;q=0.5' } })).headers['content-encoding']
  t.equal(await coding('/'), 'toon')
  t.equal(await coding('/off'), undefined)
  t.equal(await coding('/stc'), 'stc')
  t.equal(await coding('/wrong'), undefined)
  t.equal(await coding('/wrong'), undefined)
  t.equal(lines.filter((line) => line.includes('config.tokenEncoding.minSavings must be number')).length, 1, 'a wrong config is logged once')
})

t.test('the answer of a not-found handler may be re-encoded', async (t) => {
  const { app } = await serve(t, sendJson(TABLE), { options: { statuses: ['4xx'] }, after: (app) => app.setNotFoundHandler((_request, reply) => reply.code(404).send(ROWS)) })
  t.equal((await app.inject({ url: '/nowhere', headers: TOON })).headers['content-encoding'], 'toon')
})

t.test('codings that are no default are offered where they are named, each under its own name', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { encodings: ['toon', 'toon-flatten', 'rows'], rows: { objectName: 'items' } })
  app.get('/flat', async () => ROWS)
  app.get('/nested', async () => ({ rows: ROWS.map(({ id, name }) => ({ id, label: { name } })) }))
  app.get('/default', { config: { tokenEncoding: { encodings: ['toon'] } } }, async () => ROWS)
  const ask = (url: string, coding: string) => app.inject({ url, headers: { 'accept-encoding': coding } })
  const rows = await ask('/flat', 'rows')
  t.match(rows.headers, { 'content-encoding': 'rows', 'content-type': 'text/plain; charset=utf-8', 'x-rows-version': '1' })
  t.match(rows.body, /^items\(id,name,active\)\n\[1,item 0,true\]/)
  const flat = await ask('/nested', 'toon-flatten')
  t.match(flat.headers, { 'content-encoding': 'toon-flatten', 'content-type': 'text/toon; charset=utf-8', 'x-toon-version': '4.0' })
  t.match(flat.body, '{id,label.name}:')
  t.equal((await ask('/default', 'rows')).headers['content-encoding'], undefined)
})

t.test('lists that must not be changed are options as well, such as the names of all codings', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const options = { encodings: CODING_NAMES, statuses: ['2xx'], mcp: { tools: { include: ['list_*'], exclude: [] } } } as const
  await app.register(tokenEncoding, Object.freeze(options))
  app.get('/', { config: { tokenEncoding: { statuses: options.statuses } } }, async () => ROWS)
  for (const coding of CODING_NAMES) t.equal((await app.inject({ url: '/', headers: { 'accept-encoding': coding } })).headers['content-encoding'], coding)
})

t.test('measure, tokenizer and tabularOnly reach the chooser, on the plugin and on a route', async (t) => {
  const decisions: Decision[] = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { measure: 'tokens', tokenizer: 'cl100k_base', onDecision: (decision) => { decisions.push(decision) } })
  app.get('/tokens', async () => ROWS)
  app.get('/bytes', { config: { tokenEncoding: { measure: 'bytes', tabularOnly: { minRows: 41 } } } }, async () => ROWS)
  await app.inject({ url: '/tokens', headers: { 'accept-encoding': 'toon' } })
  await app.inject({ url: '/bytes', headers: { 'accept-encoding': 'toon' } })
  t.match(decisions, [
    { codec: 'toon', tokensBefore: Number, tokensAfter: Number },
    { codec: 'json', reason: 'not-uniform-object-array', tokensBefore: null, tokensAfter: null }
  ])
})

t.test('wrong options stop the start, with their path in the message', async (t) => {
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ minSavings: '5' }, 'options.minSavings must be number'],
    [{ minSavings: 101 }, 'options.minSavings must be <= 100'],
    [{ minBytes: 1.5 }, 'options.minBytes must be integer'],
    [{ maxBodyBytes: 0 }, 'options.maxBodyBytes must be >= 1'],
    [{ encodings: [] }, 'options.encodings must NOT have fewer than 1 items'],
    [{ encodings: ['toon', 'gzip'] }, 'options.encodings.1 must be one of "toon", "stc"'],
    [{ encodings: ['toon', 'toon'] }, 'options.encodings must NOT have duplicate items'],
    [{ mode: 'on' }, 'options.mode must be one of "off", "observe", "adaptive", "always"'],
    [{ statuses: [200, 99] }, /^options\.statuses\.1 must be a code from 200 to 599, or one of "2xx", "3xx", "4xx", "5xx"$/],
    [{ statuses: ['200'] }, /^options\.statuses\.0 must be a code from 200 to 599, or one of "2xx", "3xx", "4xx", "5xx"$/],
    [{ mode: 1 }, /^options\.mode must be one of "off", "observe", "adaptive", "always"$/],
    [{ verify: 'yes' }, 'options.verify must be boolean'],
    [{ measure: 'words' }, 'options.measure must be one of "tokens", "bytes"'],
    [{ tokenizer: 'gpt2' }, 'options.tokenizer must be one of "o200k_base", "cl100k_base"'],
    [{ tabularOnly: { presence: 2 } }, 'options.tabularOnly.presence must be <= 1'],
    [{ flatten: { dots: 'drop' } }, 'options.flatten.dots must be one of "decline", "underscore"'],
    [{ rows: { objectName: 'a,b' } }, 'options.rows.objectName must be a name without any of ,|[]\\()='],
    [{ rows: { objectName: ' a' } }, 'options.rows.objectName must be a name without'],
    [{ rows: { objectName: 1 } }, 'options.rows.objectName must be a name without'],
    [{ minSaving: 5 }, 'options.minSaving is not an option'],
    [{ onDecision: 'log' }, 'options.onDecision must be a function'],
    [{ workers: true }, 'options.workers must be false or an object'],
    [{ workers: { minBytes: -1 } }, 'options.workers.minBytes must be >= 0'],
    [{ workers: { maxThreads: 0 } }, 'options.workers.maxThreads must be >= 1'],
    [{ workers: { threads: 1 } }, 'options.workers.threads is not an option'],
    [{ maxDepth: 0, delimiter: ';' }, 'options.maxDepth must be >= 1; options.delimiter must be one of ",", "\\t", "|"']
  ]
  for (const [options, message] of wrong) {
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(async () => { await app.register(tokenEncoding, options).ready() }, { code: 'FST_TOKEN_INVALID_OPTIONS', message: typeof message === 'string' ? new RegExp(message.replace(/[[\]().*|\\]/g, '\\$&')) : message }, String(message))
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await t.resolves(async () => { await app.register(tokenEncoding, { prefix: '/api', mode: undefined, logLevel: 'warn' } as TokenEncodingOptions).ready() })
})

t.test("a wrong config.tokenEncoding stops the route's registration", async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  for (const [config, message] of [
    [true, 'config.tokenEncoding must be false or an object'],
    [null, 'config.tokenEncoding must be false or an object'],
    ['off', 'config.tokenEncoding must be false or an object'],
    [[], 'config.tokenEncoding must be false or an object'],
    [{ mode: 1 }, 'config.tokenEncoding.mode must be one of "off"'],
    [{ defaultFormat: 'rows' }, 'config.tokenEncoding.defaultFormat must be one of the encodings, "json" or "markdown", not "rows"'],
    [{ mcp: { tools: { options: { x: { codec: 'rows' } } } } }, 'config.tokenEncoding.mcp.tools.options.x.codec must be one of the encodings, not "rows"'],
    [{ defaultFormat: 'toon', encodings: ['stc'] }, 'config.tokenEncoding.defaultFormat must be one of the encodings, "json" or "markdown", not "toon"'],
    [{ workers: { maxThreads: 1 } }, 'config.tokenEncoding.workers.maxThreads is not an option']
  ] as const) {
    t.throws(() => app.get('/', { config: { tokenEncoding: config as never } }, async () => ROWS), { code: 'FST_TOKEN_INVALID_OPTIONS', message: new RegExp(message) })
  }
})

t.test("a route's codings must hold the plugin's default format, unless nothing is done there", async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { defaultFormat: 'toon' })
  t.throws(() => app.get('/', { config: { tokenEncoding: { encodings: ['stc'] } } }, async () => ROWS), {
    code: 'FST_TOKEN_INVALID_OPTIONS', message: /^config\.tokenEncoding\.defaultFormat must be one of the encodings, "json" or "markdown", not "toon"$/
  })
  for (const [i, config] of ([{ encodings: ['stc'], defaultFormat: 'stc' }, { encodings: ['stc'], defaultFormat: 'json' }, { encodings: ['stc'], mode: 'off' }, { mode: 'off', mcp: { tools: { options: { x: { codec: 'rows' } } } } }, { mcp: false }, false] as const).entries()) {
    t.doesNotThrow(() => app.get(`/${i}`, { config: { tokenEncoding: config as never } }, async () => ROWS))
  }
  t.match((await app.inject('/0')).headers, { 'content-type': 'application/stc+json' })
})

t.test('registered twice, it encodes once', async (t) => {
  const { app } = await serve(t, sendJson(TABLE, { etag: '"v1"' }), { before: (app) => { app.register(tokenEncoding) } })
  const { headers, body } = await fetchRaw(app, TOON)
  t.match(headers, { 'content-encoding': 'toon', etag: '"v1-toon"', vary: 'Accept-Encoding, Accept' })
  t.same(decodeToon(body.toString()), JSON.parse(TABLE))
})
