import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Readable } from 'node:stream'
import caching from '@fastify/caching'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import httpProxy from '@fastify/http-proxy'
import rateLimit from '@fastify/rate-limit'
import replyFrom from '@fastify/reply-from'
import staticFiles from '@fastify/static'
import swagger from '@fastify/swagger'
import underPressure from '@fastify/under-pressure'
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { WebSocket } from 'undici'
import { decode } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { exchangeBytes, receive, responseTo, send, start } from '../helpers/gateway-client.js'
import type { Received, Sending } from '../helpers/gateway-client.js'
import { portOf } from '../helpers/gateway-setup.js'
import { isHonest, listNames, readAsLabelled } from '../helpers/honest-answer.js'

/*
 * Plugins that stand beside ours. Whatever they do to a response: who asks for a coding of ours gets a body
 * that is what its fields say, and who does not gets the bytes that they get without us.
 */

const ROWS = Array.from({ length: 60 }, (_, i) => ({ id: i + 1, name: `item ${i}`, active: i % 2 === 0 }))
const TABLE = JSON.stringify({ total: ROWS.length, rows: ROWS })
const JSON_TYPE = 'application/json; charset=utf-8'
const TOON = { 'accept-encoding': 'toon' }
/** What clients send that ask for a coding of ours, in all of its ways. */
const ASKING: Record<string, string>[] = [
  TOON,
  { 'accept-encoding': 'stc' },
  { 'accept-encoding': 'gzip, deflate, br, toon' },
  { accept: 'text/toon' },
  { accept: 'text/toon', 'accept-encoding': 'gzip' },
  { accept: 'application/stc+json;q=0.9, application/json;q=0.1', 'accept-encoding': 'br' },
  { accept: 'application/json, text/event-stream', 'accept-encoding': 'toon' }
]
const PLAIN: Record<string, string>[] = [{}, { 'accept-encoding': 'gzip, deflate, br', accept: '*/*' }, { 'accept-encoding': 'toon;q=0', accept: 'application/json' }]

/** Fields that differ from one response to the next. */
const VOLATILE = ['date', 'x-ratelimit-reset', 'x-ratelimit-remaining', 'content-security-policy']

type Setup = (app: FastifyInstance) => unknown
type Order = 'before us' | 'behind us' | 'without us'
const ORDERS: Order[] = ['before us', 'behind us']

interface ServeOptions { server?: FastifyServerOptions, options?: TokenEncodingOptions }

/** A server with a neighbour and our plugin, in this order, and routes. */
async function serve (t: Test, order: Order, neighbour: Setup, routes: Setup, { server, options }: ServeOptions = {}): Promise<number> {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  if (order !== 'behind us') await neighbour(app)
  if (order !== 'without us') await app.register(tokenEncoding, options ?? {})
  if (order === 'behind us') await neighbour(app)
  await routes(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return portOf(app)
}

const PAYLOADS: Record<string, () => unknown> = {
  object: () => JSON.parse(TABLE),
  string: () => TABLE,
  buffer: () => Buffer.from(TABLE),
  stream: () => Readable.from([Buffer.from(TABLE.slice(0, 700)), Buffer.from(TABLE.slice(700))], { objectMode: false }),
  response: () => new Response(TABLE, { headers: { 'content-type': JSON_TYPE, etag: '"r1"', 'content-length': String(Buffer.byteLength(TABLE)) } })
}

/** A route for each kind of payload. */
function addRoutes (app: FastifyInstance): void {
  for (const [name, make] of Object.entries(PAYLOADS)) {
    app.get(`/${name}`, (_request: FastifyRequest, reply: FastifyReply) => {
      const payload = make()
      if (!(payload instanceof Response)) reply.type(JSON_TYPE)
      return reply.send(payload)
    })
  }
}

/** Fields that are the same with us and without, but for Vary, of which nothing may be lost. */
function withoutVolatile ({ headers }: Received): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'vary' && !VOLATILE.includes(name)))
}

/** Asserts that who does not ask for a coding of ours gets what they get without us. */
async function assertUnchanged (t: Test, withUs: number, withoutUs: number, sending: Sending, name: string): Promise<void> {
  const [ours, bare] = [await send(withUs, sending), await send(withoutUs, sending)]
  const lost = listNames(bare.headers.vary).filter((field) => !listNames(ours.headers.vary).includes(field))
  t.strictSame(
    { status: ours.status, body: ours.body.toString('latin1'), fields: withoutVolatile(ours), lostOfVary: lost },
    { status: bare.status, body: bare.body.toString('latin1'), fields: withoutVolatile(bare), lostOfVary: [] },
    name
  )
}

const NEIGHBOURS: Record<string, Setup> = {
  compress: (app) => app.register(compress, { threshold: 0 }),
  'compress of streams': (app) => app.register(compress, { threshold: 0, inflateIfDeflated: true, encodings: ['br', 'gzip'] }),
  etag: (app) => app.register(etag),
  'weak etag': (app) => app.register(etag, { weak: true }),
  caching: (app) => app.register(caching, { privacy: caching.privacy.PUBLIC, expiresIn: 60 }),
  cors: (app) => app.register(cors, { origin: 'https://example.com', exposedHeaders: ['X-TOON-Ratio'] }),
  'cors of many': (app) => app.register(cors, { origin: [/example/], credentials: true }),
  helmet: (app) => app.register(helmet),
  'rate-limit': (app) => app.register(rateLimit, { max: 1000 }),
  'under-pressure': (app) => app.register(underPressure, { maxEventLoopDelay: 0, exposeStatusRoute: true }),
  'compress and etag': async (app) => { await app.register(compress, { threshold: 0 }); await app.register(etag) },
  'etag, cors and compress': async (app) => { await app.register(etag); await app.register(cors); await app.register(compress, { threshold: 0 }) },
  // Registered twice, and in another order, as in an application of many parts.
  'a tap on every payload': (app) => app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('x-seen', typeof payload === 'string' ? 'text' : Buffer.isBuffer(payload) ? 'bytes' : 'other')
    return payload
  })
}

for (const [name, neighbour] of Object.entries(NEIGHBOURS)) {
  t.test(`beside ${name}, in both orders, a body is what its fields say, and nothing changes for who asks for nothing`, async (t) => {
    const bare = await serve(t, 'without us', neighbour, addRoutes)
    for (const order of ORDERS) {
      const port = await serve(t, order, neighbour, addRoutes)
      let encoded = 0
      for (const kind of Object.keys(PAYLOADS)) {
        const label = `${order}, ${kind}`
        for (const headers of ASKING) {
          const answer = await send(port, { path: `/${kind}`, headers: { origin: 'https://example.com', ...headers } })
          if (isHonest(t, answer, TABLE, `${label}, ${JSON.stringify(headers)}`)) encoded++
        }
        for (const headers of PLAIN) {
          const sending = { path: `/${kind}`, headers: { origin: 'https://example.com', ...headers } }
          // The tap sees what is there; its field is not one of the response's own.
          if (name.includes('tap')) isHonest(t, await send(port, sending), TABLE, label)
          else await assertUnchanged(t, port, bare, sending, `${label}, ${JSON.stringify(headers)}`)
        }
      }
      t.equal(encoded, ASKING.length * Object.keys(PAYLOADS).length, `${order}: every one was re-encoded`)
    }
  })
}

t.test('beside etag, in both orders, each representation has a tag of its own, and each tag gets a 304 that carries it', async (t) => {
  for (const weak of [false, true]) {
    for (const order of ORDERS) {
      const port = await serve(t, order, (app) => app.register(etag, { weak }), (app) => app.get('/', async () => ROWS))
      const tags = new Map<string, string>()
      for (const headers of [{}, TOON, { 'accept-encoding': 'stc' }] as Record<string, string>[]) {
        const first = await send(port, { headers })
        const tag = String(first.headers.etag)
        t.match(tag, weak ? /^W\/"[^"]+"$/ : /^"[^"]+"$/, order)
        t.notOk(tags.has(tag), `${order}: ${tag} is of one representation`)
        tags.set(tag, first.body.toString('latin1'))
        const second = await send(port, { headers: { ...headers, 'if-none-match': tag } })
        t.equal(second.status, 304, `${order}, ${JSON.stringify(headers)}`)
        t.equal(second.headers.etag, tag, `${order}: the 304 carries the tag that was sent`)
        t.equal(second.body.length, 0)
        // etag behind us turns into a 304 what has the fields of its coding already, and they are those of that tag.
        t.ok([undefined, first.headers['content-encoding']].includes(second.headers['content-encoding']), `${order}: ${second.headers['content-encoding']}`)
        t.same(listNames(second.headers.vary), first.headers.vary === undefined ? [] : ['accept-encoding', 'accept'], order)
      }
      const [plainTag, toonTag] = tags.keys()
      t.equal((await send(port, { headers: { 'if-none-match': toonTag } })).status, 200, `${order}: JSON is not what that tag is of`)
      const other = await send(port, { headers: { ...TOON, 'if-none-match': '"other"' } })
      t.equal(other.status, 200)
      t.ok(isHonest(t, other, JSON.stringify(ROWS), order))
      // The origin's own tag: the client has that JSON, and takes it.
      const own = await send(port, { headers: { ...TOON, 'if-none-match': plainTag } })
      t.ok(own.status === 200 || own.headers.etag === plainTag, `${order}: ${own.status}`)
    }
  }
})

t.test('beside etag, in both orders, a tag of the route itself gets a 304 for each representation, and for no other', async (t) => {
  for (const order of ORDERS) {
    let isPlain = false
    const port = await serve(t, order, (app) => app.register(etag), (app) => {
      app.get('/', (_request, reply) => { reply.header('etag', '"v1"').type(JSON_TYPE).send(TABLE) })
      app.get('/plain', (_request, reply) => {
        reply.header('etag', '"v1"').type(JSON_TYPE).header('cache-control', isPlain ? 'no-transform' : 'public').send(TABLE)
      })
    })
    const ask = (path: string, coding: string, tag: string) => send(port, { path, headers: { 'accept-encoding': coding, 'if-none-match': tag } })
    for (const [coding, tag] of [['identity', '"v1"'], ['toon', '"v1-toon"'], ['stc', '"v1-stc"']]) {
      t.equal((await send(port, { headers: { 'accept-encoding': coding } })).headers.etag, tag, order)
      const unchanged = await ask('/', coding, tag)
      t.match(unchanged, { status: 304, headers: { etag: tag }, body: { length: 0 } }, `${order}: ${tag}`)
      t.equal((await ask('/', coding, '"v2-toon"')).status, 200, order)
    }
    t.equal((await ask('/plain', 'toon', '"v1-toon"')).status, 304, order)
    isPlain = true
    const plain = await ask('/plain', 'toon', '"v1-toon"')
    // What is stored under this tag is TOON, so that a 304 must not speak of JSON.
    t.ok(plain.status === 200 ? plain.headers.etag === '"v1"' : plain.headers.etag === '"v1-toon"' && plain.headers['content-type'] === undefined, `${order}: ${plain.status}`)
  }
})

t.test('beside caching, in both orders, a 304 is never an answer to a tag of another representation', async (t) => {
  for (const order of ORDERS) {
    const port = await serve(t, order, (app) => app.register(caching, { privacy: 'public' }), (app) => {
      app.get('/', (_request, reply) => { reply.etag('"v1"').type(JSON_TYPE).send(TABLE) })
      app.get('/unquoted', (_request, reply) => { reply.etag('v1').type(JSON_TYPE).send(TABLE) })
    })
    const encoded = await send(port, { headers: TOON })
    t.equal(encoded.headers.etag, '"v1-toon"', order)
    t.equal(encoded.headers['cache-control'], 'public', order)
    const plain = await send(port)
    t.equal(plain.headers.etag, '"v1"', order)
    t.equal((await send(port, { headers: { 'if-none-match': '"v1"' } })).status, 304, order)
    for (const headers of [TOON, { 'accept-encoding': 'stc' }]) {
      const again = await send(port, { headers: { ...headers, 'if-none-match': '"v2-toon"' } })
      t.equal(again.status, 200, order)
      t.ok(isHonest(t, again, TABLE, order))
    }
    const unquoted = await send(port, { path: '/unquoted', headers: TOON })
    t.ok(isHonest(t, unquoted, TABLE, order))
    t.equal(unquoted.headers.etag, undefined, `${order}: what is no entity tag is not kept for other bytes`)
    t.equal((await send(port, { path: '/unquoted' })).headers.etag, 'v1', order)
  }
})

t.test('beside compress, in both orders, Vary is one list without a name twice, whatever was in it', async (t) => {
  const fields: (string | string[])[] = ['Origin', 'Accept-Encoding', 'ACCEPT', ['Accept-Language', 'accept-ENCODING'], 'accept-encoding, Accept', 'Accept,X-Accept-Encoding']
  for (const order of ORDERS) {
    const port = await serve(t, order, NEIGHBOURS.compress, (app) => {
      app.get('/:index', (request, reply) => {
        reply.header('vary', fields[Number((request.params as { index: string }).index)]).type(JSON_TYPE).send(TABLE)
      })
    })
    for (const [index, field] of fields.entries()) {
      for (const headers of [...ASKING, ...PLAIN]) {
        const label = `${order}: ${JSON.stringify([field, headers])}`
        const { headers: { vary }, rawHeaders } = await send(port, { path: `/${index}`, headers })
        const expected = new Set([...listNames([field].flat().join()), 'accept-encoding', 'accept'])
        t.same(listNames(vary).toSorted(), [...expected].toSorted(), label)
        t.equal(rawHeaders.filter((name) => name.toLowerCase() === 'vary').length, 1, label)
      }
    }
  }
})

t.test('beside cors a preflight is answered as without us', async (t) => {
  const register: Setup = (app) => app.register(cors, { origin: true, exposedHeaders: ['X-TOON-Ratio', 'X-TOON-Version'] })
  const bare = await serve(t, 'without us', register, addRoutes)
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'GET', 'access-control-request-headers': 'accept-encoding', ...TOON }
  for (const order of ORDERS) {
    const port = await serve(t, order, register, addRoutes)
    await assertUnchanged(t, port, bare, { method: 'OPTIONS', path: '/object', headers: preflight }, order)
    const answer = await send(port, { path: '/object', headers: { origin: 'https://example.com', ...TOON } })
    t.equal(answer.headers['access-control-expose-headers'], 'X-TOON-Ratio, X-TOON-Version')
    t.ok(listNames(answer.headers.vary).includes('origin'))
  }
})

t.test('beside rate-limit and under-pressure a refusal is answered as without us, whoever asks', async (t) => {
  const registers: Record<string, Setup> = {
    'rate-limit': (app) => app.register(rateLimit, { max: 1, timeWindow: 60_000 }),
    'under-pressure': (app) => app.register(underPressure, { healthCheckInterval: 60_000, healthCheck: async () => false })
  }
  for (const [name, register] of Object.entries(registers)) {
    const bare = await serve(t, 'without us', register, addRoutes)
    for (const order of ORDERS) {
      const port = await serve(t, order, register, addRoutes)
      // The limit of one is used up.
      await Promise.all([send(port, { path: '/object' }), send(bare, { path: '/object' })])
      const [ours, theirs] = [await send(port, { path: '/object', headers: TOON }), await send(bare, { path: '/object', headers: TOON })]
      t.equal(ours.status, name === 'rate-limit' ? 429 : 503)
      t.equal(ours.status, theirs.status)
      t.same(ours.body, theirs.body)
      t.equal(ours.headers['content-encoding'], undefined)
      t.equal(ours.headers['retry-after'] === undefined, theirs.headers['retry-after'] === undefined)
    }
  }
})

t.test('errors and 404s of Fastify are the same for who asks for a coding', async (t) => {
  const routes: Setup = (app) => {
    app.get('/thrown', async () => { throw Object.assign(new Error('no'), { statusCode: 418 }) })
    app.get('/sent', (_request, reply) => { reply.code(500).send(new Error('x'.repeat(400))) })
    app.get('/invalid', { schema: { querystring: { type: 'object', required: ['a'] } } }, async () => ROWS)
    app.get('/unserialisable', async () => ({ n: 1n }))
    app.register(async (scope) => {
      scope.setErrorHandler((error, _request, reply) => { reply.code(400).type('application/problem+json').send(JSON.stringify({ detail: String(error), rows: ROWS })) })
      scope.get('/scoped', async () => { throw new Error('no') })
    })
  }
  for (const [name, neighbour] of Object.entries({ nothing: () => {}, ...NEIGHBOURS })) {
    if (name.includes('tap') || name.includes('rate-limit')) continue
    const bare = await serve(t, 'without us', neighbour, routes)
    for (const order of ORDERS) {
      const port = await serve(t, order, neighbour, routes)
      for (const path of ['/thrown', '/sent', '/invalid', '/unserialisable', '/scoped', '/nowhere']) {
        for (const headers of [...PLAIN, TOON]) await assertUnchanged(t, port, bare, { path, headers }, `${name} ${order}: ${path} ${JSON.stringify(headers)}`)
      }
    }
  }
})

t.test('a HEAD says what its GET says or less, with and without exposeHeadRoutes', async (t) => {
  for (const [name, neighbour] of Object.entries({ nothing: () => {}, ...NEIGHBOURS })) {
    for (const order of ORDERS) {
      for (const exposeHeadRoutes of [true, false]) {
        const port = await serve(t, order, neighbour, (app) => {
          addRoutes(app)
          app.head('/own', (_request, reply) => { reply.type(JSON_TYPE).header('content-length', TABLE.length).send() })
          app.get('/own', (_request, reply) => { reply.type(JSON_TYPE).send(TABLE) })
        }, { server: { exposeHeadRoutes } })
        for (const path of exposeHeadRoutes ? ['/object', '/buffer', '/stream', '/own'] : ['/own']) {
          for (const headers of [{}, TOON, { 'accept-encoding': 'gzip, toon' }] as Record<string, string>[]) {
            const label = `${name} ${order}: ${path} ${JSON.stringify(headers)}`
            const [head, get] = [await send(port, { method: 'HEAD', path, headers }), await send(port, { path, headers })]
            t.equal(head.status, 200, label)
            t.equal(head.body.length, 0, label)
            for (const field of ['content-length', 'etag', 'content-encoding', 'content-type', 'vary', 'accept-ranges']) {
              if (head.headers[field] === undefined) continue
              t.equal(head.headers[field], get.headers[field], `${label}: ${field}`)
            }
          }
        }
        if (!exposeHeadRoutes) t.equal((await send(port, { method: 'HEAD', path: '/object', headers: TOON })).status, 404)
      }
    }
  }
})

t.test('beside static, files of JSON are re-encoded, in both orders; ranges, conditions and other files are not touched', async (t) => {
  const root = t.testdir({ 'table.json': TABLE, 'table.json.gz': 'no JSON at all', 'page.html': '<p>text</p>', 'data.bin': Buffer.from([0, 255, 1]).toString('latin1') })
  const register: Setup = (app) => app.register(staticFiles, { root, prefix: '/files/' })
  const bare = await serve(t, 'without us', register, () => {})
  for (const order of ORDERS) {
    const port = await serve(t, order, register, () => {})
    const path = '/files/table.json'
    for (const headers of ASKING) t.ok(isHonest(t, await send(port, { path, headers }), TABLE, `${order} ${JSON.stringify(headers)}`))
    for (const headers of PLAIN) await assertUnchanged(t, port, bare, { path, headers }, order)
    for (const other of ['/files/page.html', '/files/data.bin', '/files/none.json', '/files/..%2fsecret']) {
      for (const headers of [...PLAIN, TOON]) await assertUnchanged(t, port, bare, { path: other, headers }, `${order} ${other}`)
    }
    const range = { path, headers: { ...TOON, range: 'bytes=0-9' } }
    const part = await send(port, range)
    t.equal(part.status, 206, order)
    t.equal(part.body.toString(), TABLE.slice(0, 10), order)
    await assertUnchanged(t, port, bare, range, order)
    const encoded = await send(port, { path, headers: TOON })
    const tag = String(encoded.headers.etag)
    t.match(tag, /-toon"$/, order)
    const unchanged = await send(port, { path, headers: { ...TOON, 'if-none-match': tag } })
    t.equal(unchanged.status, 304, order)
    t.equal(unchanged.headers.etag, tag, order)
    const since = await send(port, { path, headers: { ...TOON, 'if-modified-since': String(encoded.headers['last-modified']) } })
    t.equal(since.status, 304, order)
    const head = await send(port, { path, method: 'HEAD', headers: TOON })
    t.equal(head.status, 200, order)
    t.ok(head.headers['content-length'] === undefined || head.headers['content-length'] === encoded.headers['content-length'], order)
  }
})

t.test('beside swagger, the document is re-encoded for who asks, and its routes are as without us', async (t) => {
  const register: Setup = (app) => app.register(swagger, { openapi: { info: { title: 'x', version: '1' } } })
  const routes: Setup = (app) => {
    app.get('/rows', { schema: { response: { 200: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } } } } } }, async () => ROWS)
    app.get('/openapi.json', async () => app.swagger())
    app.get('/openapi.yaml', async (_request, reply) => reply.type('text/yaml').send(app.swagger({ yaml: true })))
  }
  const bare = await serve(t, 'without us', register, routes)
  const rows = JSON.stringify(ROWS.map(({ id, name }) => ({ id, name })))
  for (const order of ORDERS) {
    const port = await serve(t, order, register, routes)
    const document = (await send(bare, { path: '/openapi.json' })).body.toString()
    for (const headers of ASKING) {
      isHonest(t, await send(port, { path: '/openapi.json', headers }), document, order)
      t.ok(isHonest(t, await send(port, { path: '/rows', headers }), rows, order), 'a schema leaves members out before we see them')
    }
    for (const path of ['/openapi.json', '/openapi.yaml', '/rows']) {
      for (const headers of PLAIN) await assertUnchanged(t, port, bare, { path, headers }, `${order} ${path}`)
    }
    await assertUnchanged(t, port, bare, { path: '/openapi.yaml', headers: TOON }, order)
  }
})

/** An upstream for the two proxies. */
async function startOrigin (t: Test, options: TokenEncodingOptions | null): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  if (options !== null) await app.register(tokenEncoding, options)
  app.get('/rows', (_request, reply) => { reply.type(JSON_TYPE).header('etag', '"v1"').send(TABLE) })
  app.get('/chunked', (_request, reply) => { reply.type(JSON_TYPE).send(PAYLOADS.stream()) })
  app.get('/text', (_request, reply) => { reply.type('text/plain').send('plain text') })
  app.get('/gone', (_request, reply) => { reply.code(404).send({ error: 'gone' }) })
  app.get('/empty', (_request, reply) => { reply.code(204).send() })
  app.post('/echo', (request, reply) => { reply.type(JSON_TYPE).send(JSON.stringify({ got: request.body, rows: ROWS })) })
  return await app.listen({ host: '127.0.0.1', port: 0 })
}

t.test('behind http-proxy and reply-from, in both orders, before an upstream that encodes itself and one that does not', async (t) => {
  for (const upstreamOptions of [null, {}, { mode: 'always' as const }]) {
    const upstream = await startOrigin(t, upstreamOptions)
    const proxies: Record<string, [Setup, Setup]> = {
      'http-proxy': [(app) => app.register(httpProxy, { upstream }), () => {}],
      'reply-from': [(app) => app.register(replyFrom, { base: upstream }), (app) => { app.all('/*', (request, reply) => { reply.from(request.url) }) }]
    }
    for (const [name, [register, routes]] of Object.entries(proxies)) {
      const bare = await serve(t, 'without us', register, routes)
      for (const order of ORDERS) {
        const port = await serve(t, order, register, routes)
        const label = `${name} ${order}${upstreamOptions === null ? '' : ', upstream encodes'}`
        for (const path of ['/rows', '/chunked']) {
          for (const headers of ASKING) {
            const isEncoded = isHonest(t, await send(port, { path, headers }), TABLE, `${label} ${path} ${JSON.stringify(headers)}`)
            t.ok(isEncoded || 'accept' in headers, `${label}: re-encoded`)
          }
          for (const headers of PLAIN) await assertUnchanged(t, port, bare, { path, headers }, `${label} ${path}`)
        }
        for (const path of ['/text', '/gone', '/empty']) {
          for (const headers of [...PLAIN, TOON]) await assertUnchanged(t, port, bare, { path, headers }, `${label} ${path}`)
        }
        const first = await send(port, { path: '/rows', headers: TOON })
        t.equal(first.headers.etag, '"v1-toon"', `${label}: suffixed once`)
        const body = JSON.stringify({ a: [1, 2], b: 'x' })
        const posted = await send(port, { method: 'POST', path: '/echo', headers: { ...TOON, 'content-type': 'application/json', 'content-length': body.length }, body })
        isHonest(t, posted, JSON.stringify({ got: JSON.parse(body), rows: ROWS }), `${label} POST`)
      }
    }
  }
})

t.test('beside websocket, in both orders, a socket opens and frames pass, whatever its handshake asks for', async (t) => {
  for (const order of ORDERS) {
    const port = await serve(t, order, (app) => app.register(websocket), (app) => {
      app.get('/ws', { websocket: true }, (socket) => { socket.on('message', (message: Buffer) => { socket.send(message.toString()) }) })
      app.get('/rows', async () => ROWS)
    })
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: TOON })
    await once(socket, 'open')
    socket.send(TABLE)
    const [{ data }] = await once(socket, 'message') as [{ data: string }]
    t.equal(data, TABLE, order)
    const closed = once(socket, 'close')
    socket.close()
    await closed
    t.ok(isHonest(t, await send(port, { path: '/rows', headers: TOON }), JSON.stringify(ROWS), order))
  }
})

t.test('what a handler writes past Fastify stays as it is: hijack, raw responses, raw event streams', async (t) => {
  const events = `data: ${TABLE}\n\n: comment\n\n`
  const port = await serve(t, 'behind us', () => {}, (app) => {
    app.get('/hijack', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': TABLE.length }).end(TABLE)
    })
    app.get('/sse', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const part of events.match(/.{1,400}/gs)!) reply.raw.write(part)
      reply.raw.end()
    })
    app.get('/socket', (request, reply) => {
      reply.hijack()
      request.raw.socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${'[]'}`)
    })
    app.get('/stream', (_request, reply) => { reply.type('text/event-stream').send(Readable.from(events.match(/.{1,400}/gs)!)) })
  })
  for (const [path, text] of [['/hijack', TABLE], ['/sse', events], ['/socket', '[]'], ['/stream', events]]) {
    const { body, headers, complete } = await send(port, { path, headers: TOON })
    t.equal(body.toString(), text, path)
    t.ok(complete, path)
    t.equal(headers['content-encoding'], undefined, path)
    // An event stream that Fastify sends could carry tool results of MCP.
    t.equal(headers.vary, path === '/stream' ? 'Accept-Encoding, Accept' : undefined, path)
  }
})

t.test('beside a plugin that writes events past Fastify, in both orders, events pass as they are written, and other routes are re-encoded', async (t) => {
  for (const order of ORDERS) {
    // As plugins for server-sent events do: a method of the reply that takes an iterable.
    const register: Setup = (app) => app.decorateReply('sse', function (this: FastifyReply, events: AsyncIterable<string>) {
      this.hijack()
      const headers = this.getHeaders() as Record<string, string>
      this.raw.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      Readable.from(events).pipe(this.raw)
      return this
    })
    let next = (): void => {}
    const port = await serve(t, order, register, (app) => {
      app.get('/events', (_request, reply) => {
        (reply as unknown as { sse: (events: AsyncIterable<string>) => void }).sse((async function * () {
          yield `data: ${TABLE}\n\n`
          await new Promise<void>((resolve) => { next = resolve })
          yield ': end\n\n'
        })())
      })
      addRoutes(app)
    })
    const client = start(port, { path: '/events', headers: TOON })
    client.end()
    const response = await responseTo(client)
    const [first] = await once(response, 'data') as [Buffer]
    t.equal(first.toString(), `data: ${TABLE}\n\n`, `${order}: at once`)
    t.equal(response.headers['content-encoding'], undefined, order)
    const rest = receive(response)
    next()
    t.equal((await rest).body.toString(), ': end\n\n', order)
    for (const headers of ASKING) t.ok(isHonest(t, await send(port, { path: '/object', headers }), TABLE, order))
  }
})

t.test('a raw upgrade is answered by whoever takes it', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  app.server.on('upgrade', (_request, socket) => { socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n{"raw": 1}') })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await exchangeBytes(portOf(app), 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\nAccept-Encoding: toon\r\n\r\n')
  t.match(answer, /^HTTP\/1.1 101 .*\{"raw": 1\}$/s)
})

t.test('over HTTP/2 without TLS a body is what its fields say', async (t) => {
  for (const [name, neighbour] of Object.entries({ nothing: () => {}, compress: NEIGHBOURS.compress, etag: NEIGHBOURS.etag })) {
    for (const order of ORDERS) {
      const app = Fastify({ http2: true, forceCloseConnections: true } as never) as unknown as FastifyInstance
      t.teardown(() => app.close())
      if (order === 'before us') await neighbour(app)
      await app.register(tokenEncoding)
      if (order === 'behind us') await neighbour(app)
      addRoutes(app)
      await app.listen({ host: '127.0.0.1', port: 0 })
      const client = connectHttp2(`http://127.0.0.1:${portOf(app)}`)
      t.teardown(() => { client.destroy() })
      const ask = async (path: string, headers: Record<string, string>): Promise<Received> => {
        const stream = client.request({ ':path': path, ...headers })
        const [received] = await once(stream, 'response') as [Record<string, string>]
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const { ':status': status, ...fields } = received
        return { status: Number(status), headers: fields, rawHeaders: Object.entries(fields).flat(), body: Buffer.concat(chunks), complete: true }
      }
      for (const kind of Object.keys(PAYLOADS)) {
        for (const headers of ASKING) {
          const answer = await ask(`/${kind}`, headers)
          const label = `${name} ${order}: ${kind} ${JSON.stringify(headers)}`
          t.ok(isHonest(t, answer, TABLE, label), label)
          for (const field of ['connection', 'transfer-encoding', 'keep-alive']) t.equal(answer.headers[field], undefined, label)
        }
        t.equal((await ask(`/${kind}`, {})).body.toString(), TABLE, kind)
      }
    }
  }
})

t.test('in a scope of its own the plugin works there and below, and nowhere else', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(etag)
  app.get('/outside', async () => ROWS)
  await app.register(async (scope) => {
    await scope.register(tokenEncoding)
    scope.get('/inside', async () => ROWS)
    await scope.register(async (inner) => {
      await inner.register(compress, { threshold: 0 })
      inner.get('/below', async () => ROWS)
    })
  })
  await app.register(async (sibling) => { sibling.get('/sibling', async () => ROWS) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const port = portOf(app)
  for (const path of ['/inside', '/below']) t.ok(isHonest(t, await send(port, { path, headers: TOON }), JSON.stringify(ROWS), path))
  for (const path of ['/outside', '/sibling', '/nowhere']) {
    const { headers, body } = await send(port, { path, headers: TOON })
    t.equal(headers['content-encoding'], undefined, path)
    t.equal(headers.vary, undefined, path)
    if (path !== '/nowhere') t.equal(body.toString(), JSON.stringify(ROWS), path)
  }
})

t.test('two scopes with options of their own do not mix', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  for (const coding of ['toon', 'stc'] as const) {
    await app.register(async (scope) => {
      await scope.register(tokenEncoding, { encodings: [coding] })
      scope.get('/rows', async () => ROWS)
    }, { prefix: `/${coding}` })
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const coding of ['toon', 'stc']) {
    const answer = await send(portOf(app), { path: `/${coding}/rows`, headers: { 'accept-encoding': 'toon, stc' } })
    t.equal(answer.headers['content-encoding'], coding)
    t.ok(isHonest(t, answer, JSON.stringify(ROWS), coding))
  }
})

t.test('requests on one connection, some that ask and some that do not, get each their own', async (t) => {
  const port = await serve(t, 'behind us', NEIGHBOURS['compress and etag'], addRoutes)
  const asked = [{}, TOON, { 'accept-encoding': 'gzip' }, { accept: 'text/toon', 'accept-encoding': 'gzip' }, {}] as Record<string, string>[]
  const wire = asked.map((headers, i) => `GET /object HTTP/1.1\r\nHost: x\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}${i === asked.length - 1 ? 'Connection: close\r\n' : ''}\r\n`).join('')
  const bytes = Buffer.from(await exchangeBytes(port, wire), 'latin1')
  const answers: Received[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const lines = bytes.toString('latin1', at, end).split('\r\n').slice(1)
    const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    const length = Number(headers['content-length'])
    answers.push({ status: 200, headers, rawHeaders: Object.entries(headers).flat(), body: bytes.subarray(end + 4, end + 4 + length), complete: true })
    at = end + 4 + length
  }
  t.equal(answers.length, asked.length)
  for (const [i, answer] of answers.entries()) {
    t.equal(isHonest(t, answer, TABLE, JSON.stringify(asked[i])), JSON.stringify(asked[i]).includes('toon'))
  }
})

t.test('a client that stops reading a compressed coding of ours does no harm to the next', async (t) => {
  const port = await serve(t, 'behind us', NEIGHBOURS.compress, addRoutes)
  for (let i = 0; i < 5; i++) {
    const client = start(port, { path: '/stream', headers: { accept: 'text/toon', 'accept-encoding': 'gzip' } })
    client.end()
    const response = await responseTo(client)
    client.destroy()
    await receive(response)
  }
  const answer = await send(port, { path: '/stream', headers: { accept: 'text/toon', 'accept-encoding': 'gzip' } })
  t.equal(readAsLabelled(answer), decode(readAsLabelled(answer), 'json'))
  t.ok(isHonest(t, answer, TABLE, 'next'))
})
