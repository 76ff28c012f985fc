import { once } from 'node:events'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { decode } from '../../lib/index.js'
import { tokenGateway } from '../../plugins/gateway.js'
import type { TokenGatewayOptions } from '../../plugins/gateway.js'
import { answerAndReset, answerInPart, startUpstream, writeRawAndClose } from '../helpers/faulty-upstream.js'
import type { Answer, FaultyUpstream } from '../helpers/faulty-upstream.js'
import { portOf } from '../helpers/gateway-setup.js'

/* Clients that speak HTTP/2, for whom Node has other rules. */

const json = { 'content-type': 'application/json' }
const rows = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, name: `name ${id}` })))

interface Received {
  headers: IncomingHttpHeaders
  body: string
  /** The code of the error with which the stream was reset; 0: it ended as it should. */
  code: number
}

async function setUp (t: Test, answer: Answer | Record<string, Answer>, options: Partial<TokenGatewayOptions> = {}, prepare?: (fastify: FastifyInstance) => unknown): Promise<{ upstream: FaultyUpstream, gateway: FastifyInstance, session: ClientHttp2Session }> {
  const upstream = await startUpstream(answer)
  const gateway = Fastify({ http2: true }) as unknown as FastifyInstance
  prepare?.(gateway)
  await gateway.register(tokenGateway, { upstream: upstream.origin, closeTimeout: 0, ...options })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  const session = connect(`http://127.0.0.1:${portOf(gateway)}`)
  t.teardown(async () => {
    session.destroy()
    await Promise.all([gateway.close(), upstream.close()])
  })
  return { upstream, gateway, session }
}

function start (session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  const stream = session.request({ ':path': '/', ...headers })
  stream.on('error', () => {})
  return stream
}

async function receive (stream: ClientHttp2Stream): Promise<Received> {
  const chunks: Buffer[] = []
  let headers: IncomingHttpHeaders = {}
  stream.on('response', (fields) => { headers = fields }).on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => stream.once('close', resolve))
  return { headers, body: Buffer.concat(chunks).toString(), code: stream.rstCode ?? 0 }
}

t.test('a response that breaks off never looks complete over HTTP/2 either', async (t) => {
  const events = { 'content-type': 'text/event-stream' }
  const { session } = await setUp(t, {
    '/cut': (_request, response) => { response.writeHead(200, json).write('{"a":1}', () => { setTimeout(() => response.destroy(), 30) }) },
    '/length': answerAndReset({ ...json, 'content-length': 100 }, '{"a":1}'),
    '/events': answerAndReset(events, 'data: {"a":1}\n\n'),
    '/idle': answerInPart(json, '{"a":1}')
  }, { bodyIdleTimeout: 60 })
  for (const path of ['/cut', '/length', '/events', '/idle']) {
    const { headers, body, code } = await receive(start(session, { ':path': path }))
    t.equal(headers[':status'], 200, path)
    t.match(body, '{"a":1}', path)
    t.equal(code, 2, `${path}: INTERNAL_ERROR`)
  }
  const { headers, body, code } = await receive(start(session, { ':path': '/events', 'accept-encoding': 'toon' }))
  t.same([headers[':status'], code], [200, 2])
  t.match(body, /^(?:data: \{"a":1\}\n\n)?$/)
})

t.test('a gateway that stops breaks off what has begun over HTTP/2', async (t) => {
  const { session, gateway } = await setUp(t, answerInPart(json, '{"a":1}'))
  const stream = start(session)
  const received = receive(stream)
  await once(stream, 'data')
  const closed = gateway.close()
  t.equal((await received).code, 2)
  session.close()
  await closed
})

t.test('a hook that sends something else in place of the body is not broken off', async (t) => {
  const own = new PassThrough()
  const { session, upstream } = await setUp(t, answerInPart(json, '{"a":1}'), {}, (fastify) => fastify.addHook('onSend', async () => own))
  const stream = start(session)
  const received = receive(stream)
  own.write('ours, ')
  await once(stream, 'data')
  upstream.seen[0].response.destroy()
  await upstream.seen[0].closed
  await wait(30)
  own.end('all of it')
  const { body, code } = await received
  t.same([body, code], ['ours, all of it', 0])
})

t.test('fields that HTTP/2 has only once, or not at all, are no end of the process', async (t) => {
  const fields = [
    'etag: "a"', 'etag: "b"', 'x-content-type-options: nosniff', 'x-content-type-options: nosniff', 'location: /a', 'location: /b', 'age: 1', 'age: 2',
    'content-language: de', 'content-language: en', 'link: <a>', 'link: <b>', 'vary: x', 'vary: y', 'set-cookie: a=1', 'set-cookie: b=2', 'http2-settings: AAMAAABk',
    'keep-alive: timeout=5', 'proxy-connection: keep-alive', 'te: trailers', 'upgrade: h2c'
  ]
  const { session } = await setUp(t, writeRawAndClose(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${rows.length}\r\n${fields.join('\r\n')}\r\n\r\n${rows}`))
  for (const asks of [{}, { 'accept-encoding': 'toon' }]) {
    const { headers, body, code } = await receive(start(session, asks))
    t.equal(code, 0)
    t.match(headers, {
      ':status': 200,
      'x-content-type-options': 'nosniff, nosniff',
      location: '/a, /b',
      age: '1, 2',
      'content-language': 'de, en',
      link: '<a>, <b>',
      vary: 'x, y, Accept-Encoding, Accept',
      'set-cookie': ['a=1', 'b=2']
    })
    for (const name of ['http2-settings', 'keep-alive', 'proxy-connection', 'te', 'upgrade']) t.equal(headers[name], undefined, name)
    if ('accept-encoding' in asks) t.same([headers.etag, decode(body, 'toon')], [undefined, rows])
    else t.same([headers.etag, body], ['"a", "b"', rows])
  }
})

t.test('content codings in two lines are undone over HTTP/2 as in one', async (t) => {
  const { session } = await setUp(t, (_request, response) => {
    response.setHeader('content-encoding', ['identity', 'x-unknown']).writeHead(200, json).end(rows)
  })
  const { headers, body } = await receive(start(session, { 'accept-encoding': 'toon' }))
  t.equal(headers['content-encoding'], 'identity, x-unknown')
  t.equal(body, rows)
})

t.test('a 205 that comes with content is a 205 without any over HTTP/2', async (t) => {
  const { session } = await setUp(t, writeRawAndClose('HTTP/1.1 205 Reset Content\r\ncontent-length: 7\r\n\r\n{"a":1}'))
  const { headers, body, code } = await receive(start(session))
  t.same([headers[':status'], body, code], [205, '', 0])
})

t.test('of :authority and Host the former counts', async (t) => {
  const { session, upstream } = await setUp(t, (_request, response) => response.end(), { preserveHost: true })
  await receive(start(session, { ':authority': 'authority.example', host: 'host.example' }))
  t.match(upstream.seen[0].request.headers, { host: 'authority.example', 'x-forwarded-host': 'authority.example' })
})
