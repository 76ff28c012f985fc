import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import type { Decision } from '../../lib/decision.js'
import { decode, fromMarkdown } from '../../lib/index.js'
import { tokenEncoding, tokenGateway } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import type { Answer } from '../helpers/faulty-upstream.js'
import { send } from '../helpers/gateway-client.js'
import { setUpGateway } from '../helpers/gateway-setup.js'
import { EVENTS, MCP, callBody, event, parseEvents, readText, sendBody } from '../helpers/mcp-http.js'
import { PRETTY_ROWS, ROWS, answer, block, textAnswer } from '../helpers/mcp-messages.js'

const RESULT = textAnswer(PRETTY_ROWS)
const ASK: TokenEncodingOptions = { formatParameter: 'format', fieldsParameter: 'fields' }

async function setUp (t: Test, answers: Answer | Record<string, Answer>, options: TokenEncodingOptions = ASK) {
  const decisions: Decision[] = []
  const tokenEncoding = { minBytes: 0, measure: 'bytes' as const, onDecision: (decision: Decision) => { decisions.push(decision) }, ...options }
  return { ...await setUpGateway(t, answers, { gateway: { tokenEncoding } }), decisions }
}

const meta = (format?: unknown, fields?: unknown) => callBody('list_rows', 1, { _meta: { 'fastify-token-gateway/format': format, 'fastify-token-gateway/fields': fields } })

t.test('a query parameter asks for a format, without Content-Encoding, and the upstream does not see it', async (t) => {
  const { port, upstream, decisions } = await setUp(t, sendBody(ROWS, { 'content-type': 'application/json', etag: '"v1"' }))
  const get = async (path: string, headers = {}) => await send(port, { path, headers })
  for (const [path, seen] of [['/?format=toon', '/'], ['/a?x=%20&format=TOON&y', '/a?x=%20&y'], ['/?%66ormat=toon&fields=', '/?fields='], ['/?format=toon&format=stc', '/'], ['/?x=&format=toon', '/?x=']]) {
    const { headers, body } = await get(path)
    t.equal(upstream.seen.at(-1)?.request.url, seen)
    t.equal(decode(body, 'toon'), ROWS)
    t.match(headers, { 'content-type': 'text/toon; charset=utf-8', 'x-toon-version': '4.0', etag: '"v1-toon"' })
    t.equal(headers['content-encoding'], undefined)
    t.match(decisions.pop(), { codec: 'toon' })
  }
  // What we do not know, or do not offer, is not ours.
  for (const path of ['/?format=xml', '/?format=rows', '/?format', '/?format=%', '/?form%at=toon', '/?', '/?xformat=toon', '/?format=']) {
    t.equal((await get(path)).body.toString(), ROWS)
    t.equal(upstream.seen.at(-1)?.request.url, path)
  }
})

t.test('a query goes before the header fields, which go before the default', async (t) => {
  const { port, upstream } = await setUp(t, (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(ROWS), { ...ASK, defaultFormat: 'toon' })
  const typeOf = async (path: string, headers = {}) => (await send(port, { path, headers })).headers['content-type']
  t.equal(await typeOf('/?format=stc', { 'accept-encoding': 'toon' }), 'application/stc+json')
  t.equal(upstream.seen.at(-1)?.request.headers['accept-encoding'], 'identity')
  t.equal(await typeOf('/?format=json', { 'accept-encoding': 'toon' }), 'application/json')
  t.equal(await typeOf('/', { 'accept-encoding': 'stc' }), 'application/stc+json')
  t.equal(await typeOf('/', { 'accept-encoding': 'gzip' }), 'text/toon; charset=utf-8')
  t.equal(upstream.seen.at(-1)?.request.headers['accept-encoding'], 'identity')
  t.equal(await typeOf('/', { 'accept-encoding': 'toon;q=0' }), 'application/json', 'a refusal is no silence')
  t.equal(await typeOf('/', { accept: 'text/toon;q=0, */*' }), 'application/json')
})

t.test('a default is for one upstream; OAuth documents stay JSON whatever is asked', async (t) => {
  const token = '{"access_token":"x","rows":[{"a":1},{"a":2}]}'
  const { upstream, gateway } = await setUpGateway(t, { '/rows': sendBody(ROWS), '/token': sendBody(token) }, {
    gateway: { prefix: '/a', tokenEncoding: { ...ASK, defaultFormat: 'stc' } },
    prepare: (app) => app.addHook('onRequest', async () => {})
  })
  t.equal((await gateway.inject('/a/rows')).headers['content-type'], 'application/stc+json')
  for (const path of ['/a/token', '/a/token?format=toon', '/a/token?format=markdown', '/a/token?fields=rows.a']) t.equal((await gateway.inject(path)).body, token, path)
  const other = Fastify()
  t.teardown(() => other.close())
  await other.register(tokenGateway, { upstream: upstream.origin, prefix: '/b' })
  await other.register(tokenGateway, { upstream: upstream.origin, prefix: '/c', tokenEncoding: { defaultFormat: 'toon' } })
  t.equal((await other.inject('/b/rows')).headers['content-type'], 'application/json')
  t.equal((await other.inject('/c/rows')).headers['content-type'], 'text/toon; charset=utf-8')
})

t.test('markdown is the JSON in a fenced block', async (t) => {
  const json = '{"a":"``` is a fence"}'
  const { port, decisions } = await setUp(t, sendBody(json, { 'content-type': 'application/json', etag: '"v1"', 'content-md5': 'x' }))
  const { headers, body } = await send(port, { path: '/?format=markdown' })
  t.equal(body.toString(), `\`\`\`\`json\n${json}\n\`\`\`\`\n`)
  t.equal(fromMarkdown(body.toString()), json)
  t.match(headers, { 'content-type': 'text/markdown; charset=utf-8', 'content-length': String(body.length), etag: '"v1-markdown"' })
  t.equal(headers['content-md5'], undefined)
  t.match(decisions, [{ outcome: 'encoded', codec: 'json', bytesBefore: json.length, bytesAfter: body.length }])
})

t.test('fields are projected from whole bodies, before they are encoded; the answer says so', async (t) => {
  const { port, upstream, decisions } = await setUp(t, sendBody(PRETTY_ROWS))
  const projected = JSON.stringify(JSON.parse(ROWS).map(({ id, city }: { id: number, city: string }) => ({ id, city })))
  for (const [query, read, type] of [
    ['fields=id,city', (body: string) => body, 'application/json'], ['format=toon&fields=id,city', (body: string) => decode(body, 'toon'), 'text/toon; charset=utf-8'],
    ['fields=id,city&format=markdown', (body: string) => fromMarkdown(body), 'text/markdown; charset=utf-8']
  ] as const) {
    const { headers, body } = await send(port, { path: `/?${query}` })
    t.equal(read(body.toString()), projected, query)
    t.match(headers, { 'content-type': type, 'x-token-fields': 'id,city', 'content-length': String(body.length) })
    t.equal(upstream.seen.at(-1)?.request.url, '/')
    t.match(decisions.pop(), { outcome: 'encoded', lossless: false, fields: ['id', 'city'], bytesBefore: PRETTY_ROWS.length, bytesAfter: body.length })
  }
  const { headers } = await send(port, { path: '/?fields=%C3%A9%2Cid' })
  t.equal(headers['x-token-fields'], '%C3%A9,id')
})

t.test('in messages of MCP a query asks for the texts', async (t) => {
  const { port, upstream } = await setUp(t, { '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS) })
  for (const path of ['/json', '/events']) {
    const ask = async (query: string) => {
      const { body } = await send(port, { method: 'POST', path: path + query, headers: MCP, body: callBody('list_rows') })
      t.equal(upstream.seen.at(-1)?.request.url, path)
      return readText(path === '/json' ? body.toString() : parseEvents(body.toString())[0].data)
    }
    t.same(await ask('?format=stc'), { json: ROWS, codec: 'stc' })
    t.match(await ask('?format=markdown'), { codec: 'markdown' })
    t.same(JSON.parse((await ask('?fields=id')).json), JSON.parse(ROWS).map(({ id }: { id: number }) => ({ id })))
    const excluded = await send(port, { method: 'POST', path: `${path}?format=toon`, headers: MCP, body: callBody('read_file') })
    t.equal(excluded.body.toString(), path === '/json' ? RESULT : event(RESULT))
  }
})

t.test('_meta of a request asks for its result, where that is switched on', async (t) => {
  for (const [requestMeta, expected] of [[true, 'stc'], [false, null]] as const) {
    const { port, upstream } = await setUp(t, { '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS) }, { requestMeta })
    for (const path of ['/json', '/events']) {
      for (const accept of [MCP.accept, '*/*']) {
        const { body } = await send(port, { method: 'POST', path, headers: { ...MCP, accept, 'accept-encoding': 'gzip' }, body: meta('stc') })
        const text = path === '/json' ? body.toString() : parseEvents(body.toString())[0].data
        t.equal(readText(text).codec, expected)
        t.equal(upstream.seen.at(-1)?.request.headers['accept-encoding'], requestMeta ? 'identity' : 'gzip')
      }
    }
  }
})

t.test('_meta goes before the header fields, a query before both; Mcp-Name is no reason not to read it', async (t) => {
  const { port } = await setUp(t, sendBody(RESULT), { ...ASK, requestMeta: true, defaultFormat: 'markdown' })
  const ask = async (body: string, headers = {}, path = '/') => readText((await send(port, { method: 'POST', path, headers: { ...MCP, ...headers }, body })).body.toString()).codec
  t.equal(await ask(meta('stc'), { 'accept-encoding': 'toon', 'mcp-method': 'tools/call', 'mcp-name': 'list_rows' }), 'stc')
  t.equal(await ask(meta('stc'), {}, '/?format=toon'), 'toon')
  t.equal(await ask(meta('rows'), { 'accept-encoding': 'toon' }), 'toon', 'what is not offered is not heard')
  t.equal(await ask(meta()), 'markdown')
  const { body } = await send(port, { method: 'POST', headers: MCP, body: meta('toon', ['id']) })
  t.equal(readText(body.toString()).codec, 'toon')
  t.same(JSON.parse(readText(body.toString()).json).length, 8)
  t.notMatch(body.toString(), 'Oslo')
})

t.test('_meta asks for nothing else: other bodies, and results of requests without it, stay as they came', async (t) => {
  const { port, decisions } = await setUp(t, {
    '/rows': sendBody(PRETTY_ROWS), '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS), '/gzip': sendBody(gzipSync(RESULT), { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  }, { requestMeta: true })
  const post = async (path: string, body: string) => (await send(port, { method: 'POST', path, headers: MCP, body })).body
  t.equal((await post('/rows', meta('stc'))).toString(), PRETTY_ROWS)
  t.equal((await post('/json', callBody('list_rows'))).toString(), RESULT)
  t.equal((await post('/events', callBody('list_rows'))).toString(), event(RESULT))
  t.equal(gzipSync(RESULT).compare(await post('/gzip', callBody('list_rows'))), 0)
  t.same(decisions.map(({ reason }) => reason), ['not-eligible'])
})

t.test('a request that is no JSON has no _meta, and its answer may be compressed', async (t) => {
  const { port, upstream } = await setUp(t, sendBody(RESULT), { requestMeta: true })
  await send(port, { method: 'POST', headers: { ...MCP, 'content-type': 'text/plain', 'accept-encoding': 'gzip' }, body: meta('stc') })
  t.equal(upstream.seen.at(-1)?.request.headers['accept-encoding'], 'gzip')
})

t.test('each call of a batch has what it asks for', async (t) => {
  const batch = `[${answer(`{"content":[${block(ROWS)}]}`, '1')},${answer(`{"content":[${block(ROWS)}]}`, '2')}]`
  const { port } = await setUp(t, sendBody(batch), { requestMeta: true })
  const { body } = await send(port, { method: 'POST', headers: MCP, body: `[${callBody('list_rows', 2)},${meta('stc')}]` })
  t.same(JSON.parse(body.toString()).map((message: object) => readText(JSON.stringify(message)).codec), ['stc', null])
})

t.test('on a route of one\'s own the handler does not see the parameter either', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { defaultFormat: 'json' })
  app.get('/', { config: { tokenEncoding: ASK } }, async ({ query, url }) => ({ query, url, rows: JSON.parse(ROWS) }))
  app.get('/plain', async ({ query }) => query)
  const { body, headers } = await app.inject('/?a=1&format=stc&fields=query,url')
  t.equal(headers['x-token-fields'], 'query,url')
  t.equal(decode(body, 'stc'), '{"query":{"a":"1"},"url":"/?a=1"}')
  t.equal((await app.inject('/plain?format=toon')).body, '{"format":"toon"}')
})

t.test('wrong options stop the start, with their path in the message', async (t) => {
  const wrong: [object, string][] = [
    [{ mcp: true }, 'options.mcp must be false or an object'],
    [{ mcp: { tools: { include: ['a', 7] } } }, 'options.mcp.tools.include.1 must be string'],
    [{ mcp: { tools: { options: { x: { codec: 'toast' } } } } }, 'options.mcp.tools.options.x.codec must be one of'],
    [{ mcp: { tools: { options: { x: { codec: 'toon' }, 'list_*': { codec: 'stc2' } } } } }, 'options.mcp.tools.options.list_*.codec must be one of the encodings, not "stc2"'],
    [{ mcp: { marker: 1 } }, 'options.mcp.marker must be a boolean or a line of text'],
    [{ mcp: { marker: 'a\nb' } }, 'options.mcp.marker must be a boolean or a line of text'],
    [{ mcp: { tools: { options: { 'a/b~c': 1 } } } }, 'options.mcp.tools.options.a/b~c must be object'],
    [{ mcp: { markers: true } }, 'options.mcp.markers is not an option'],
    [{ mcp: { beforeEncode: 'x' } }, 'options.mcp.beforeEncode must be a function'],
    [{ mcp: { noTransform: 'keep' } }, 'options.mcp.noTransform must be one of "obey", "ignore"'],
    [{ mcp: { maxTextBytes: 0 } }, 'options.mcp.maxTextBytes must be >= 1'],
    [{ maxEventBytes: '1' }, 'options.maxEventBytes must be integer'],
    [{ formatParameter: true }, 'options.formatParameter must be false or a name'],
    [{ fieldsParameter: 'a b' }, 'options.fieldsParameter must be a name of letters, digits'],
    [{ requestMeta: 'yes' }, 'options.requestMeta must be boolean'],
    [{ defaultFormat: 'xml' }, 'options.defaultFormat must be one of "toon", "stc"'],
    [{ defaultFormat: 'rows' }, 'options.defaultFormat must be one of the encodings, "json" or "markdown", not "rows"']
  ]
  for (const [options, message] of wrong) {
    const app = Fastify()
    await t.rejects(async () => { await app.register(tokenEncoding, options) }, { code: 'FST_TOKEN_INVALID_OPTIONS', message: new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) }, message)
  }
})
