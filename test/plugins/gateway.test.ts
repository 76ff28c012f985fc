import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { decode, minify } from '../../lib/index.js'
import { tokenGateway } from '../../plugins/gateway.js'
import type { TokenGatewayOptions } from '../../plugins/gateway.js'
import tokenEncoding from '../../plugins/token-encoding.js'
import { answerInPart, startUpstream, writeRawAndClose } from '../helpers/faulty-upstream.js'
import type { Answer } from '../helpers/faulty-upstream.js'
import { exchangeBytes, receive, responseTo, send, start } from '../helpers/gateway-client.js'
import type { Received } from '../helpers/gateway-client.js'
import { portOf, setUpGateway } from '../helpers/gateway-setup.js'
import { tlsCertificate } from '../helpers/tls-fixture.js'

/** Answers with what came. */
const echo: Answer = async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url: target, headers, rawHeaders } = request
  const body = Buffer.concat(chunks).toString('latin1')
  response.setHeader('content-type', 'text/x-echo')
  response.end(JSON.stringify({ method, target, headers, rawHeaders, body }))
}

interface Echo {
  method: string
  target: string
  headers: Record<string, string | undefined>
  rawHeaders: string[]
  body: string
}

function readEcho (received: Received): Echo {
  return JSON.parse(received.body.toString())
}

/** Header lines in lower case and sorted, without those that each hop writes itself. */
function endToEnd ({ rawHeaders }: Received): string[] {
  const lines: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase()
    if (!['connection', 'keep-alive', 'transfer-encoding', 'vary', 'date'].includes(name)) lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  return lines.sort()
}

const json = '{"id":12345678901234567890,\r\n "b": [1.0, 1e3, "\\u00e9"], "a":{"2":1,"1":2,"1":3}}\n'

const plainAnswers: Record<string, Answer> = {
  '/json': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'Application/JSON', 'Content-Length': json.length, ETag: 'W/"1"', 'Cache-Control': 'max-age=3' })
    response.end(json)
  },
  '/chunked': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"a":')
    response.end('1}')
  },
  '/gzip': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', vary: 'accept-encoding' })
    response.end(gzipSync(json))
  },
  '/lists': (_request, response) => {
    response.writeHead(401, { 'set-cookie': ['a=1; Path=/', 'b=2, c'], 'www-authenticate': ['Basic realm="x"', 'Bearer'], 'x-many': ['1', '2'], 'x-empty': '' })
    response.end('no')
  },
  '/redirect': (_request, response) => { response.writeHead(302, { location: 'http://elsewhere.invalid/x' }).end() },
  '/error': (_request, response) => { response.writeHead(500, { 'content-type': 'application/problem+json' }).end('{"title": "Oh"}') },
  '/range': (_request, response) => { response.writeHead(206, { 'content-range': 'bytes 0-1/9', 'content-type': 'application/json' }).end('[1') },
  '/untyped': (_request, response) => { response.writeHead(200, { 'content-length': 3 }).end('abc') },
  '/empty': (_request, response) => { response.writeHead(200, { 'content-type': 'application/json', 'content-length': 0 }).end() },
  '/latin1': (_request, response) => { response.writeHead(200, { 'x-name': 'caf\xe9' }).end('ok') },
  '/strange': (_request, response) => { response.writeHead(299, { 'content-type': 'nonsense' }).end('ok') },
  '/not-modified': (_request, response) => { response.writeHead(304, { etag: '"1"', 'content-length': 99 }).end() },
  '/reset-content': (_request, response) => { response.writeHead(205, { 'content-length': 0 }).end() }
}

t.test('without opt-in, status, header fields and body are as the upstream sent them', async (t) => {
  const { upstream, port } = await setUpGateway(t, plainAnswers)
  for (const path of [...Object.keys(plainAnswers), '/missing']) {
    for (const method of ['GET', 'HEAD']) {
      const headers = { accept: 'application/json', 'accept-encoding': 'gzip, br;q=0.5' }
      const direct = await send(upstream.port, { path, method, headers })
      const through = await send(port, { path, method, headers })
      t.equal(through.status, direct.status, `${method} ${path}: status`)
      t.same(endToEnd(through), endToEnd(direct), `${method} ${path}: header fields`)
      t.ok(through.body.equals(direct.body), `${method} ${path}: body`)
      t.ok(through.complete, `${method} ${path}: complete`)
    }
  }
})

t.test('Vary of a hook and Vary of the upstream are both told', async (t) => {
  const { port } = await setUpGateway(t, plainAnswers, {
    prepare: (fastify) => fastify.addHook('onRequest', async (_request, reply) => { reply.header('vary', 'Origin') })
  })
  t.match((await send(port, { path: '/gzip' })).headers.vary, /^Origin, accept-encoding\b/)
  t.match((await send(port, { path: '/json' })).headers.vary, /^Origin\b/)
})

t.test('a 204 keeps its fields but Content-Length, which it must not have', async (t) => {
  const { port } = await setUpGateway(t, writeRawAndClose('HTTP/1.1 204 No Content\r\nx-a: 1\r\ncontent-length: 0\r\n\r\n'))
  const { status, headers } = await send(port)
  t.equal(status, 204)
  t.equal(headers['x-a'], '1')
  t.notOk('content-length' in headers)
})

t.test('a 205 has no content, whatever the upstream sends with it', async (t) => {
  const { port } = await setUpGateway(t, writeRawAndClose('HTTP/1.1 205 Reset Content\r\nx-a: 1\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}'))
  for (const headers of [{}, { 'accept-encoding': 'toon' }]) {
    const received = await send(port, { headers })
    t.same([received.status, received.complete, received.body.length], [205, true, 0])
    t.match(received.headers, { 'x-a': '1', 'content-length': '0' })
  }
})

t.test('of two Content-Type fields the first one counts', async (t) => {
  const { port } = await setUpGateway(t, writeRawAndClose('HTTP/1.1 200 OK\r\ncontent-type: text/a\r\ncontent-type: text/b\r\ncontent-length: 2\r\n\r\nok'))
  t.equal((await send(port)).headers['content-type'], 'text/a')
})

t.test('a header field named __proto__ does no harm', async (t) => {
  const { port } = await setUpGateway(t, writeRawAndClose('HTTP/1.1 200 OK\r\n__proto__: x\r\n__proto__: y\r\nx-a: 1\r\ncontent-length: 2\r\n\r\nok'))
  const { status, rawHeaders } = await send(port)
  t.equal(status, 200)
  t.ok(rawHeaders.includes('x-a'))
  t.notOk(rawHeaders.includes('0'))
})

t.test('every byte of a field value arrives as it was, and no character of it becomes a line end', async (t) => {
  // In UTF-8 these are characters whose low bytes are line ends.
  const split = Buffer.from('a\u010d\u010aX-Evil: 1\u010d\u010a').toString('latin1')
  const names = ['caf\xe9', Buffer.from('\u672c.json').toString('latin1'), split, Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i)).join('')]
  const length = 'content-length: 2\r\n'
  const orders: [before: string, after: string][] = [[length, ''], ['', length]]
  for (const name of names) {
    const lines = ['content-disposition', 'x-name', 'content-location', 'set-cookie'].map((field) => `${field}: attachment; filename="${name}"\r\n`)
    for (const [before, after] of orders) {
      const { port } = await setUpGateway(t, async (request, response) => {
        const head = `HTTP/1.1 200 OK\r\n${before}content-type: ${request.headers['x-type']}\r\nconnection: close\r\n${lines.join('')}${after}\r\n`
        if (request.method === 'HEAD') return response.socket?.end(head, 'latin1')
        response.socket?.write(`${head}o`, 'latin1')
        if (request.url === '/slow') await wait(20)
        response.socket?.end('k')
      })
      for (const [method, path, type = 'text/plain', asks = ''] of [['GET', '/'], ['GET', '/slow'], ['HEAD', '/'], ['GET', '/', 'text/event-stream'], ['GET', '/slow', 'text/event-stream', 'Accept-Encoding: toon\r\n']]) {
        const text = await exchangeBytes(port, `${method} ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Type: ${type}\r\n${asks}\r\n`)
        for (const line of lines) t.ok(text.includes(`\r\n${line}`), `${method} ${path} ${JSON.stringify(line)}`)
        t.notMatch(text, /^X-Evil/m)
      }
    }
  }
})

t.test('a body that the upstream ends by closing arrives whole, and with an end', async (t) => {
  const { port } = await setUpGateway(t, writeRawAndClose('HTTP/1.0 200 OK\r\n\r\nuntil the end'))
  const { body, complete, headers } = await send(port)
  t.equal(body.toString(), 'until the end')
  t.ok(complete)
  t.equal(headers['transfer-encoding'], 'chunked')
})

t.test('5 MB in small chunks arrive byte for byte both ways', async (t) => {
  const { port } = await setUpGateway(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    request.on('data', (chunk: Buffer) => {
      for (let i = 0; i < chunk.length; i += 1000) {
        if (!response.write(chunk.subarray(i, i + 1000))) {
          request.pause()
          response.once('drain', () => request.resume())
        }
      }
    })
    request.on('end', () => response.end())
  })
  const sent = randomBytes(5_000_000)
  const client = start(port, { method: 'POST', headers: { 'content-type': 'application/json' } })
  const response = responseTo(client)
  for (let i = 0; i < sent.length; i += 1000) {
    if (!client.write(sent.subarray(i, i + 1000))) await once(client, 'drain')
  }
  client.end()
  const { body, complete } = await receive(await response)
  t.ok(complete)
  t.equal(createHash('sha256').update(body).digest('hex'), createHash('sha256').update(sent).digest('hex'))
})

t.test('an upstream that sends faster than the client reads has to wait', async (t) => {
  const total = 64 * 1024 * 1024
  let written = 0
  const { upstream, port } = await setUpGateway(t, async (_request, response) => {
    while (written < total) {
      written += 65536
      if (!response.write(Buffer.alloc(65536, 1))) await once(response, 'drain')
    }
    response.end()
  }, { gateway: { bodyIdleTimeout: 300 } })
  const client = start(port)
  client.end()
  const response = await responseTo(client)
  const { response: sending } = await upstream.nextRequest()
  for (let before = -1; before !== written || !sending.writableNeedDrain;) {
    before = written
    await wait(400)
  }
  t.ok(written < total / 2, `${written} bytes were taken from the upstream while the client read none`)
  const { body, complete } = await receive(response)
  t.ok(complete, 'waiting for the client does not count as the upstream being silent')
  t.equal(body.length, total)
})

t.test('a client that sends faster than the upstream reads has to wait', async (t) => {
  const total = 64 * 1024 * 1024
  const { upstream, port } = await setUpGateway(t, () => {}, { gateway: { bodyIdleTimeout: 1000 } })
  const client = start(port, { method: 'PUT', headers: { 'content-length': total } })
  let written = 0
  const writing = (async () => {
    while (written < total) {
      written += 65536
      if (!client.write(Buffer.alloc(65536, 1))) await once(client, 'drain')
    }
    client.end()
  })()
  const { request, response } = await upstream.nextRequest()
  for (let before = -1; before !== written || !client.writableNeedDrain;) {
    before = written
    await wait(1100)
  }
  t.ok(written < total / 2, `${written} bytes were taken from the client while the upstream read none`)
  let received = 0
  request.on('data', (chunk) => { received += chunk.length }).on('end', () => response.end('done'))
  const { status } = await receive(await responseTo(client))
  await writing
  t.equal(status, 200)
  t.equal(received, total)
})

t.test('the target reaches the upstream byte for byte', async (t) => {
  const { port } = await setUpGateway(t, echo)
  const targets = [
    '/', '/a//b/', '//evil.example/a', '/a%2Fb%2fc', '/a/../b/./c', '/../../etc/passwd', '/%2e%2e/x', '/a;b=c/d', '/%41?%42=%zz&c[]=d',
    '/?', '/?a=http://evil.example/..', '/a?b?c', '/:id/*', `/${'long'.repeat(1500)}`, '/a\\..\\b', '/%25%32%46'
  ]
  for (const target of targets) {
    t.equal(readEcho(await send(port, { path: target })).target, target, target.slice(0, 40))
  }
})

t.test('no request target changes the upstream', async (t) => {
  const stranger = await startUpstream(echo)
  t.teardown(() => stranger.close())
  const { upstream, port } = await setUpGateway(t, echo)
  const targets: [string, string][] = [
    [`${stranger.origin}/a?b`, '/a?b'],
    [stranger.origin, '/'],
    [`${stranger.origin}?a=b`, '/?a=b'],
    [`HTTPS://user:secret@127.0.0.1:${stranger.port}/a`, '/a'],
    [`//127.0.0.1:${stranger.port}/a`, `//127.0.0.1:${stranger.port}/a`]
  ]
  for (const [target, expected] of targets) {
    const text = await exchangeBytes(port, `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
    t.match(text, /^HTTP\/1.1 200 /, target)
    const { request } = await upstream.nextRequest()
    t.equal(request.url, expected)
    t.equal(request.headers.host, `127.0.0.1:${upstream.port}`)
    if (target.startsWith('/')) t.equal(request.headers['x-forwarded-host'], 'h')
    else t.equal(request.headers['x-forwarded-host'], `127.0.0.1:${stranger.port}`, 'an absolute target goes before Host')
  }
  t.equal(stranger.seen.length, 0)
})

t.test('a target without a path is refused', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  for (const target of ['OPTIONS *', 'GET ftp://127.0.0.1/x', 'GET /%zz']) {
    t.match(await exchangeBytes(port, `${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`), /^HTTP\/1.1 400 /, target)
  }
  t.equal(upstream.seen.length, 0)
})

t.test('a base path is set before the path, and no dot segments lead out of it', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo, { base: '/base/v1/' })
  for (const path of ['/', '/a', '/a/../b', '/a/b/../../c', '/..a/b', '/a/..', '/...', '//a', '/?/../..', '/a%2fb', '/a/b/..%2f..', '/x;y/../z', '/.;a', '/100%25/a', '/a/b/%252e%252e/c', '/%25', '/a%253f..', '/%25252525/..', '/?/%252e%252e/..']) {
    t.equal(readEcho(await send(port, { path })).target, `/base/v1${path}`, path)
  }
  const count = upstream.seen.length
  for (const path of [
    '/..', '/../admin', '/a/../../admin', '/%2e%2e/admin', '/.%2E/admin', '/..;/admin', '/..;a=b/admin', '/..%2fadmin', '/..%5cadmin', '/..\\admin',
    '/a/..%2f..%2fadmin', '/a%2f..%2f../admin', '/./../admin', '//../admin', '/.;/../admin', '/%2e/../admin', '/..?a',
    '/%252e%252e/admin', '/%252e%252E%252fadmin', '/a/..%252f..%252fadmin', '/.%25252e/admin', '/%25%32%65./admin', '/%252e%252e%255cadmin', '/a%253f/%252e%252e/%252e%252e/admin'
  ]) {
    const { status, headers, body } = await send(port, { path })
    t.equal(status, 400, path)
    t.equal(headers['content-type'], 'application/problem+json')
    t.match(JSON.parse(body.toString()), { type: 'about:blank', title: 'Bad Request', status: 400, detail: /dot segments/ })
  }
  t.equal(upstream.seen.length, count, 'none of them reached the upstream')
})

t.test('the prefix is taken off, however it is written', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo, { gateway: { prefix: '/api/v1' }, base: '/b', server: { routerOptions: { caseSensitive: false } } })
  for (const [path, expected] of [['/api/v1', '/b/'], ['/api/v1/', '/b/'], ['/api/v1?x', '/b/?x'], ['/api/v1/a%2Fb/', '/b/a%2Fb/'], ['/%61pi/V1//a', '/b//a']]) {
    t.equal(readEcho(await send(port, { path })).target, expected, path)
  }
  t.equal((await send(port, { path: '/api/v2' })).status, 404)
  t.equal((await send(port, { path: '/api/v1/../a' })).status, 400, 'and dot segments do not reach before it')
  t.equal(upstream.seen.length, 5)
})

t.test('the prefixes of surrounding scopes are taken off too, and two gateways live side by side', async (t) => {
  const first = await startUpstream(echo)
  const second = await startUpstream(echo)
  const gateway = Fastify()
  t.teardown(() => Promise.all([gateway.close(), first.close(), second.close()]))
  gateway.register(async (scope) => {
    scope.register(tokenGateway, { upstream: first.origin, prefix: '/one' })
    scope.register(tokenGateway, { upstream: new URL(second.origin), prefix: '/two' })
  }, { prefix: '/outer' })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  t.equal(readEcho(await send(portOf(gateway), { path: '/outer/one/a' })).target, '/a')
  t.equal(readEcho(await send(portOf(gateway), { path: '/outer/two/b' })).target, '/b')
  t.equal(first.seen.length, 1)
  t.equal(second.seen.length, 1)
})

t.test('every method is forwarded, with a body where there is one', async (t) => {
  const { port } = await setUpGateway(t, echo, { prepare: (fastify) => fastify.addHttpMethod('PROPFIND', { hasBody: true }) })
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const received = await send(port, { method, path: '/x' })
    t.equal(received.status, 200, method)
    if (method === 'HEAD') continue
    t.match(readEcho(received), { method, target: '/x', body: '' })
    t.notOk(readEcho(received).headers['transfer-encoding'])
  }
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    const { body, headers } = readEcho(await send(port, { method, body: 'hello', headers: { 'content-length': 5 } }))
    t.equal(body, 'hello', method)
    t.equal(headers['content-length'], '5')
    t.notOk(headers['transfer-encoding'], 'never both')
  }
})

t.test('request bodies are forwarded unread: of any type or none, any size, and framed as they came', async (t) => {
  const { port } = await setUpGateway(t, echo, { server: { bodyLimit: 10 } })
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x/y; a="b', 'nonsense', '', undefined]
  const body = '{"a": 12345678901234567890, not json \xff\0'
  for (const type of types) {
    for (const framing of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      const headers = { ...framing, ...(type === undefined ? {} : { 'content-type': type }) }
      const echoed = readEcho(await send(port, { method: 'POST', body: Buffer.from(body, 'latin1'), headers }))
      t.equal(echoed.body, body, `${type} ${JSON.stringify(framing)}`)
      t.equal(echoed.headers['content-type'], type)
      t.not('content-length' in echoed.headers, 'transfer-encoding' in echoed.headers, 'one framing field, not both')
    }
  }
  const empty = readEcho(await send(port, { method: 'POST', headers: { 'content-type': 'nonsense', 'content-length': 0 } }))
  t.match(empty, { body: '', headers: { 'content-type': 'nonsense', 'content-length': '0' } })
})

t.test('a request with both framing fields never gets to the upstream', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  for (const framing of ['Content-Length: 5\r\nTransfer-Encoding: chunked', 'Content-Length: 5\r\nContent-Length: 6', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: x']) {
    const text = await exchangeBytes(port, `POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${framing}\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n`)
    t.match(text, /^HTTP\/1.1 400 /, framing)
  }
  t.equal(upstream.seen.length, 0)
})

t.test('a request that could be read in two ways is refused, and nothing of it gets to the upstream', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n'
  for (const [head, body] of [
    ['Content-Length: 5\r\nContent-Length: 5', `hello${smuggled}`],
    ['Content-Length: +5', `hello${smuggled}`],
    ['Content-Length: 5, 5', `hello${smuggled}`],
    ['Content-Length: 0x5', `hello${smuggled}`],
    ['Content-Length: -1', smuggled],
    ['Transfer-Encoding : chunked', `0\r\n\r\n${smuggled}`],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${smuggled}`],
    ['Transfer-Encoding: \x0bchunked', `0\r\n\r\n${smuggled}`],
    ['Content-Length: 5\r\nConnection: close, Content-Length\r\nTransfer-Encoding: chunked', `0\r\n\r\n${smuggled}`],
    ['Transfer-Encoding: chunked', `5;a\nb\r\nhello\r\n0\r\n\r\n${smuggled}`],
    ['Transfer-Encoding: chunked', `5\nhello\n0\n\n${smuggled}`],
    ['X-A: a\rX-B: b', smuggled],
    ['X-A: a\nTransfer-Encoding: chunked\nContent-Length: 5', `hello${smuggled}`],
    ['X-A: a\r\n b', smuggled],
    ['X A: b', smuggled],
    ['X-A: a\x00b', smuggled],
    ['Host: other', smuggled]
  ]) {
    const text = await exchangeBytes(port, `POST /first HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${head}\r\n\r\n${body}`)
    t.match(text, /^HTTP\/1.1 400 /, JSON.stringify(head))
    t.notMatch(text, 'smuggled', JSON.stringify(head))
  }
  t.notOk(upstream.seen.some(({ request }) => request.url === '/smuggled'))
  t.ok(upstream.seen.every(({ request }) => request.headers.host === `127.0.0.1:${upstream.port}`))
})

t.test('no part of a request can write a field, or a request, of its own towards the upstream', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  for (const path of ['/a%0d%0aX-Evil:%201', '/a%0d%0a%0d%0aGET%20/smuggled%20HTTP/1.1', '/?a=%0aX-Evil:1', '/%00', '/a?b=\xe9']) {
    const text = await exchangeBytes(port, `GET ${path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-Host: h%0d%0aX-Evil: 1\r\nConnection: close\r\n\r\n`)
    t.match(text, /^HTTP\/1.1 (?:200|400|502) /, path)
  }
  for (const { request } of upstream.seen) {
    t.equal(request.headers['x-evil'], undefined)
    t.not(request.url, '/smuggled')
  }
  t.ok(upstream.seen.length >= 3)
})

t.test('Connection cannot take away what the gateway or the framing needs', async (t) => {
  const { port, upstream } = await setUpGateway(t, echo)
  const listed = 'Host, Content-Length, Via, X-Forwarded-For, X-Forwarded-Host, Accept-Encoding, Accept, close'
  const text = await exchangeBytes(port, `POST / HTTP/1.1\r\nHost: h\r\nConnection: ${listed}\r\nAccept-Encoding: toon\r\nContent-Length: 5\r\n\r\nhello`)
  t.match(text, /^HTTP\/1.1 200 /)
  const { request } = await upstream.nextRequest()
  t.match(request.headers, { host: `127.0.0.1:${upstream.port}`, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'h', via: /token-gateway/, 'accept-encoding': 'identity' })
  t.match(text, 'hello', 'the body is framed, be it by chunks')
})

t.test('hop-by-hop fields are dropped both ways, and those that Connection lists', async (t) => {
  const { upstream, port } = await setUpGateway(t, writeRawAndClose([
    'HTTP/1.1 200 OK', 'Connection: close, X-Secret', 'X-Secret: 1', 'Keep-Alive: timeout=99', 'Proxy-Authenticate: Basic', 'Proxy-Connection: close',
    'Trailer: X-End', 'Upgrade: h2c', 'Transfer-Encoding: chunked', 'X-Kept: 1', '', '7', '{"a":1}', '0', 'X-End: 1', '', ''
  ].join('\r\n')))
  const { headers, body } = await send(port, {
    headers: {
      connection: 'X-Hop, keep-alive ,, Upgrade, x-forwarded-for',
      'x-hop': '1',
      'keep-alive': '1',
      te: 'trailers',
      upgrade: 'h2c',
      'http2-settings': 'x',
      'proxy-authorization': 'Basic eA==',
      'proxy-connection': 'keep-alive',
      'x-forwarded-for': '6.6.6.6',
      'x-kept': '1',
      authorization: 'Bearer t'
    }
  })
  const { request } = await upstream.nextRequest()
  t.strictSame(Object.keys(request.headers).sort(), ['authorization', 'connection', 'host', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-kept'])
  t.equal(request.headers['x-forwarded-for'], '127.0.0.1', 'a client cannot take out what the gateway adds')
  t.equal(request.headers.connection, 'keep-alive')
  // Connection and Keep-Alive are the gateway's own towards its client.
  t.strictSame(Object.keys(headers).sort(), ['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-kept'])
  t.not(headers['keep-alive'], 'timeout=99')
  t.equal(body.toString(), '{"a":1}')
})

t.test('Host is the upstream\'s, or the client\'s where preserveHost says so', async (t) => {
  const plain = await setUpGateway(t, echo)
  t.equal(readEcho(await send(plain.port, { headers: { host: 'client.example' } })).headers.host, `127.0.0.1:${plain.upstream.port}`)
  const preserving = await setUpGateway(t, echo, { gateway: { preserveHost: true } })
  t.equal(readEcho(await send(preserving.port, { headers: { host: 'client.example' } })).headers.host, 'client.example')
  await exchangeBytes(preserving.port, 'GET / HTTP/1.0\r\n\r\n')
  t.equal(preserving.upstream.seen[1].request.headers.host, `127.0.0.1:${preserving.upstream.port}`, 'HTTP/1.0 knows none')
  t.notOk('x-forwarded-host' in preserving.upstream.seen[1].request.headers, 'nor is an empty one forwarded')
  await exchangeBytes(preserving.port, 'GET http://other.example/ HTTP/1.1\r\nHost: client.example\r\nConnection: close\r\n\r\n')
  t.equal(preserving.upstream.seen[2].request.headers.host, 'other.example')
})

t.test('X-Forwarded fields tell who asked, and believe a client only where trustProxy does', async (t) => {
  const headers = { host: 'gw.example', 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example' }
  const plain = await setUpGateway(t, echo)
  t.match(readEcho(await send(plain.port, { headers })).headers, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'gw.example' })
  const trusting = await setUpGateway(t, echo, { server: { trustProxy: true } })
  t.match(readEcho(await send(trusting.port, { headers })).headers, { 'x-forwarded-for': '1.2.3.4, 127.0.0.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example' })
  t.match(readEcho(await send(trusting.port, { headers: { host: 'gw.example' } })).headers, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'gw.example' })
  const off = await setUpGateway(t, echo, { gateway: { forwardedHeaders: false } })
  t.match(readEcho(await send(off.port, { headers })).headers, { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example' })
})

t.test('a client on a Unix socket has no address to forward', async (t) => {
  const upstream = await startUpstream(echo)
  const gateway = Fastify({ trustProxy: () => true })
  t.teardown(() => Promise.all([gateway.close(), upstream.close()]))
  gateway.register(tokenGateway, { upstream: upstream.origin })
  // Not t.testdir(): the path of a socket may be no longer than about 100 bytes.
  const directory = await mkdtemp(join(tmpdir(), 'gw-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const path = join(directory, 'socket')
  await gateway.listen({ path })
  for (const [headers, expected] of [[{}, undefined], [{ 'x-forwarded-for': '1.2.3.4' }, '1.2.3.4']] as const) {
    const client = request({ socketPath: path, headers, agent: false }).end()
    t.equal(readEcho(await receive(await responseTo(client))).headers['x-forwarded-for'], expected)
  }
})

t.test('Max-Forwards is counted down, and its end is the end of the way', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  for (const method of ['OPTIONS', 'TRACE']) {
    t.equal(readEcho(await send(port, { method, headers: { 'max-forwards': '10' } })).headers['max-forwards'], '9', method)
    t.equal(readEcho(await send(port, { method, headers: { 'max-forwards': 'x' } })).headers['max-forwards'], 'x', method)
  }
  const huge = readEcho(await send(port, { method: 'OPTIONS', headers: { 'max-forwards': '9'.repeat(30) } })).headers['max-forwards']
  t.match(huge, /^\d+$/)
  t.ok(BigInt(String(huge)) < BigInt('9'.repeat(30)), 'it never grows')
  t.equal(readEcho(await send(port, { headers: { 'max-forwards': '0' } })).headers['max-forwards'], '0', 'it has no meaning on GET')
  const count = upstream.seen.length
  const options = await send(port, { method: 'OPTIONS', headers: { 'max-forwards': '0' } })
  t.equal(options.status, 204)
  t.match(options.headers.allow, /GET.*POST/)
  t.equal((await send(port, { method: 'TRACE', headers: { 'max-forwards': '0' } })).status, 501)
  t.equal(upstream.seen.length, count)
})

t.test('Via names the gateway behind those that came before, or nobody', async (t) => {
  const plain = await setUpGateway(t, echo)
  t.equal(readEcho(await send(plain.port)).headers.via, '1.1 token-gateway')
  t.equal(readEcho(await send(plain.port, { headers: { via: '1.0 a' } })).headers.via, '1.0 a, 1.1 token-gateway')
  const off = await setUpGateway(t, echo, { gateway: { via: false } })
  t.equal(readEcho(await send(off.port, { headers: { via: '1.0 a' } })).headers.via, '1.0 a')
  t.equal(readEcho(await send(off.port)).headers.via, undefined)
})

t.test('Expect: 100-continue is answered by the gateway before the body comes, and not forwarded', async (t) => {
  const { port } = await setUpGateway(t, echo)
  const client = start(port, { method: 'POST', headers: { expect: '100-continue', 'content-length': 2 } })
  const response = responseTo(client)
  client.flushHeaders()
  await once(client, 'continue')
  client.end('hi')
  const { body, headers } = readEcho(await receive(await response))
  t.equal(body, 'hi')
  t.notOk(headers.expect)
})

t.test('our codings and media types stay here; all else of Accept and Accept-Encoding goes on byte for byte', async (t) => {
  const { port } = await setUpGateway(t, echo, { gateway: { tokenEncoding: { encodings: ['toon'] } } })
  const cases: [Record<string, string>, Record<string, string | undefined>][] = [
    [{}, { accept: undefined, 'accept-encoding': undefined }],
    [{ accept: 'a/b ;q=0.3,  */*', 'accept-encoding': 'gzip , br;q=0.2' }, { accept: 'a/b ;q=0.3,  */*', 'accept-encoding': 'gzip , br;q=0.2' }],
    [{ 'accept-encoding': 'toon' }, { 'accept-encoding': 'identity' }],
    [{ 'accept-encoding': 'gzip, TOON;q=0.5, br' }, { 'accept-encoding': 'identity' }],
    [{ 'accept-encoding': 'toon;q=0, gzip' }, { 'accept-encoding': 'gzip' }],
    [{ 'accept-encoding': 'toon;q=0' }, { 'accept-encoding': undefined }],
    [{ 'accept-encoding': 'stc, gzip' }, { 'accept-encoding': 'gzip' }],
    [{ accept: 'text/toon' }, { accept: 'application/json', 'accept-encoding': 'identity' }],
    [{ accept: 'application/json, text/event-stream, text/toon', 'accept-encoding': 'zstd' }, { accept: 'application/json, text/event-stream', 'accept-encoding': 'identity' }],
    [{ accept: 'application/json, text/toon;q=0.9', 'accept-encoding': 'zstd' }, { accept: 'application/json', 'accept-encoding': 'zstd' }]
  ]
  for (const [headers, expected] of cases) {
    const echoed = readEcho(await send(port, { headers })).headers
    for (const [name, value] of Object.entries(expected)) t.equal(echoed[name], value, `${JSON.stringify(headers)}: ${name}`)
  }
})

t.test('where nothing is re-encoded here, nothing asks for identity', async (t) => {
  const { port } = await setUpGateway(t, echo, { gateway: { tokenEncoding: { mode: 'off' } } })
  t.equal(readEcho(await send(port, { headers: { 'accept-encoding': 'toon, gzip' } })).headers['accept-encoding'], 'gzip')
})

t.test('with tokenEncoding: false the plugin is not registered, and one of a surrounding scope still gets plain JSON', async (t) => {
  const { port } = await setUpGateway(t, plainAnswers, { gateway: { tokenEncoding: false } })
  t.equal((await send(port, { path: '/json' })).headers.vary, undefined)
  const other = await setUpGateway(t, echo, { gateway: { tokenEncoding: false } })
  t.equal(readEcho(await send(other.port, { headers: { 'accept-encoding': 'toon, gzip' } })).headers['accept-encoding'], 'identity')
})

t.test('what hooks have changed of the request is what goes to the upstream', async (t) => {
  const { port } = await setUpGateway(t, echo, {
    prepare: (fastify) => {
      fastify.addHook('preHandler', async (request) => { request.headers.authorization = 'Bearer added' })
      fastify.addHook('preParsing', async (request, _reply, payload) => {
        if (request.headers['x-shout'] === undefined) return payload
        return payload.pipe(new Transform({ transform (chunk, _encoding, done) { done(null, `${String(chunk).toUpperCase()}!`) } }))
      })
    }
  })
  t.equal(readEcho(await send(port)).headers.authorization, 'Bearer added')
  const { body, headers } = readEcho(await send(port, { method: 'POST', body: 'hello', headers: { 'x-shout': '1', 'content-length': 5 } }))
  t.equal(body, 'HELLO!')
  t.not(headers['content-length'], '5', 'the length is that of the new body, or not told')
})

const rows = JSON.stringify({ rows: Array.from({ length: 200 }, (_, id) => ({ id, name: `name ${id}`, big: '#' })) }, null, 2).replaceAll('"#"', '12345678901234567890')

t.test('with opt-in the answer is smaller, says what it is, and decodes to the upstream\'s document', async (t) => {
  const { upstream, port } = await setUpGateway(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(rows), 'accept-ranges': 'bytes', etag: '"1"' })
    response.end(rows)
  })
  for (const coding of ['toon', 'stc'] as const) {
    const { status, headers, body, complete } = await send(port, { headers: { 'accept-encoding': coding } })
    t.equal(status, 200)
    t.ok(complete)
    t.match(headers, { 'content-encoding': coding, 'content-length': String(body.length), vary: /accept-encoding.*accept/i, etag: `"1-${coding}"` })
    t.notOk(headers['accept-ranges'])
    t.ok(body.length < minify(rows).length)
    t.equal(decode(body, coding), minify(rows))
  }
  const plain = await send(port)
  t.equal(plain.body.toString(), rows)
  t.match(plain.headers, { etag: '"1"', 'accept-ranges': 'bytes' })
  await send(port, { headers: { 'accept-encoding': 'toon', 'if-none-match': '"1-toon"' } })
  t.equal(upstream.seen.at(-1)?.request.headers['if-none-match'], '"1"', 'the upstream is asked about its own tag')
})

t.test('the plugin of a surrounding scope and that of the gateway do not get in each other\'s way', async (t) => {
  const { port } = await setUpGateway(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' })
    response.end(rows)
  }, { prepare: (fastify) => fastify.register(tokenEncoding) })
  const { headers, body } = await send(port, { headers: { 'accept-encoding': 'toon' } })
  t.match(headers, { 'content-encoding': 'toon', etag: '"1-toon"', vary: 'Accept-Encoding, Accept' })
  t.equal(decode(body, 'toon'), minify(rows))
})

t.test('with opt-in, what is too large to collect streams on as it came', async (t) => {
  const { port } = await setUpGateway(t, async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    for (let i = 0; i < rows.length; i += 100) {
      if (!response.write(rows.slice(i, i + 100))) await once(response, 'drain')
    }
    response.end()
  }, { gateway: { tokenEncoding: { maxBodyBytes: 1000 } } })
  const { headers, body, complete } = await send(port, { headers: { 'accept-encoding': 'toon' } })
  t.ok(complete)
  t.notOk(headers['content-encoding'])
  t.equal(body.toString(), rows)
})

t.test('events go on one by one, and the headers before any of them', async (t) => {
  for (const [contentType, acceptEncoding] of [['text/event-stream', 'gzip'], ['Text/Event-Stream; charset=utf-8', 'gzip'], ['text/event-stream', 'toon']]) {
    const { upstream, port } = await setUpGateway(t, answerInPart({ 'content-type': contentType, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }))
    const client = start(port, { headers: { accept: 'application/json, text/event-stream', 'accept-encoding': acceptEncoding } })
    client.end()
    // The upstream has sent no byte of a body yet.
    const response = await responseTo(client)
    t.match(response.headers, { 'content-type': contentType, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
    const { response: stream } = await upstream.nextRequest()
    for (let i = 0; i < 3; i++) {
      // The next event is only sent once this one has arrived.
      const event = `id: ${i}\ndata: {"i":${i}}\n\n`
      stream.write(event)
      const [chunk] = await once(response, 'data')
      t.equal(String(chunk), event)
    }
    stream.end()
    t.ok((await receive(response)).complete)
  }
})

t.test('chunks of other bodies are not held back either', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart({ 'content-type': 'application/x-ndjson' }, '{"a":1}\n'))
  const client = start(port)
  client.end()
  const response = await responseTo(client)
  t.equal(String((await once(response, 'data'))[0]), '{"a":1}\n')
  const { response: stream } = await upstream.nextRequest()
  stream.write('{"a":2}\n')
  t.equal(String((await once(response, 'data'))[0]), '{"a":2}\n')
  stream.end()
  t.ok((await receive(response)).complete)
})

t.test('early hints are passed on to those who know them', async (t) => {
  const { port } = await setUpGateway(t, {
    '/good': writeRawAndClose('HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    '/odd': writeRawAndClose('HTTP/1.1 103 Early Hints\r\nlink: nonsense\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    '/processing': writeRawAndClose('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
  })
  t.match(await exchangeBytes(port, 'GET /good HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n'), /^HTTP\/1.1 103 .*\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 /)
  for (const [target, version] of [['/good', '1.0'], ['/odd', '1.1'], ['/processing', '1.1']]) {
    t.match(await exchangeBytes(port, `GET ${target} HTTP/${version}\r\nhost: h\r\nconnection: close\r\n\r\n`), /^HTTP\/1.1 200 [^]*ok$/, `${target} ${version}`)
  }
})

t.test('a websocket handshake is refused with 501; other upgrades are ignored', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo)
  const handshake = (protocol: string) => exchangeBytes(port,
    `GET /ws HTTP/1.1\r\nHost: h\r\nConnection: close, Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`)
  t.match(await handshake('WebSocket'), /^HTTP\/1.1 501 Not Implemented\r\n[^]*content-type: application\/problem\+json[^]*"detail":"WebSocket/)
  t.equal(upstream.seen.length, 0)
  t.match(await handshake('h2c'), /^HTTP\/1.1 200 /)
})

t.test('an upstream with a trusted certificate is spoken to over TLS', async (t) => {
  const { port } = await setUpGateway(t, echo, { tls: true, gateway: { tls: { ca: tlsCertificate }, forwardedHeaders: false } })
  t.equal((await send(port)).status, 200)
})

t.test('certificates are verified: a stranger\'s is a 502 that does not show the inside', async (t) => {
  const { upstream, port } = await setUpGateway(t, echo, { tls: true })
  const { status, body } = await send(port)
  t.equal(status, 502)
  t.strictSame(JSON.parse(body.toString()), { type: 'about:blank', title: 'Bad Gateway', status: 502, detail: 'The upstream cannot be reached: no trusted TLS connection could be made.' })
  t.equal(upstream.seen.length, 0)
})

t.test('the name that is verified is the upstream\'s, whatever Host says', async (t) => {
  const { port } = await setUpGateway(t, echo, { tls: true, gateway: { tls: { ca: tlsCertificate }, preserveHost: true } })
  t.equal(readEcho(await send(port, { headers: { host: 'evil.example' } })).headers.host, 'evil.example')
  const wrong = await setUpGateway(t, echo, { tls: true, gateway: { tls: { ca: tlsCertificate, servername: 'other.example' }, preserveHost: true } })
  t.equal((await send(wrong.port, { headers: { host: 'localhost' } })).status, 502)
})

t.test('a wrong option stops the start and is named by its path', async (t) => {
  const upstream = 'http://127.0.0.1:1'
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /^options.upstream is required$/],
    [{ upstream: 'nowhere' }, /^options.upstream must be an absolute URL$/],
    [{ upstream: 'ftp://h/' }, /^options.upstream must be an http or https URL, not ftp:$/],
    [{ upstream: 'http://a:b@h/' }, /^options.upstream must not hold credentials$/],
    [{ upstream: 'http://h/?a' }, /^options.upstream must not hold a query/],
    [{ upstream: 'http://h/#a' }, /^options.upstream must not hold a query/],
    [{ upstream, headerTimeout: 1 }, /^options.headerTimeout is not an option$/],
    [{ upstream, __proto__: { inherited: 1 }, constructor: 1 }, /^options.constructor is not an option$/],
    [{ upstream, headersTimeout: -1 }, /^options.headersTimeout must be an integer/],
    [{ upstream, headersTimeout: 2 ** 31 }, /^options.headersTimeout must be an integer from 0 to 2147483647, in milliseconds$/],
    [{ upstream, bodyIdleTimeout: '1' }, /^options.bodyIdleTimeout must be/],
    [{ upstream, closeTimeout: NaN }, /^options.closeTimeout must be/],
    [{ upstream, connectTimeout: 0 }, /^options.connectTimeout must be/],
    [{ upstream, connections: 0 }, /^options.connections must be/],
    [{ upstream, preserveHost: 'yes' }, /^options.preserveHost must be a boolean$/],
    [{ upstream, forwardedHeaders: 1 }, /^options.forwardedHeaders must be/],
    [{ upstream, via: 'a b' }, /^options.via must be/],
    [{ upstream, via: true }, /^options.via must be/],
    [{ upstream, tls: [] }, /^options.tls must be an object$/],
    [{ upstream, tls: null }, /^options.tls must be an object$/],
    [{ upstream, tokenEncoding: true }, /^options.tokenEncoding must be an object or false$/],
    [{ upstream, tokenEncoding: { mode: 'fast' } }, /^options.tokenEncoding.mode must be one of/],
    [{ upstream, tokenEncoding: { defaultFormat: 'rows' } }, /^options.tokenEncoding.defaultFormat must be one of the encodings/],
    [{ upstream: 'https://127.0.0.1', preserveHost: true }, /^options.tls.servername must be given/],
    [{ upstream: 'https://[::1]', preserveHost: true }, /^options.tls.servername must be given/]
  ]
  for (const [options, message] of cases) {
    const gateway = Fastify()
    const started = async () => await gateway.register(tokenGateway, options as unknown as TokenGatewayOptions)
    await t.rejects(started, { code: 'FST_TOKEN_INVALID_OPTIONS', message }, String(message))
    await gateway.close()
  }
})

t.test('options that are undefined count as not given, and Fastify\'s own are let through', async (t) => {
  const { port } = await setUpGateway(t, echo, { gateway: { via: undefined, connections: 1, logLevel: 'warn' } as Partial<TokenGatewayOptions> })
  t.equal(readEcho(await send(port)).headers.via, '1.1 token-gateway')
})

t.test('nothing of the gateway is seen outside of its scope', async (t) => {
  const { port } = await setUpGateway(t, echo, {
    gateway: { prefix: '/api' },
    prepare: (fastify) => {
      fastify.setErrorHandler((error: Error, _request, reply) => { reply.code(418).send(`own: ${error.message}`) })
      fastify.post('/own', async (request) => ({ parsed: request.body }))
      fastify.addHook('onRequest', async (request) => {
        if (request.headers['x-refuse'] !== undefined) throw new Error('refused')
      })
    }
  })
  const own = await send(port, { method: 'POST', path: '/own', headers: { 'content-type': 'application/json' }, body: '{"a":1}' })
  t.equal(own.body.toString(), '{"parsed":{"a":1}}')
  t.equal(own.headers.vary, undefined)
  const refused = await send(port, { path: '/api/x', headers: { 'x-refuse': '1' } })
  t.equal(refused.status, 418, 'errors that are not of the gateway go to the user\'s handler')
  t.equal(refused.body.toString(), 'own: refused')
})

t.test('clients may speak HTTP/2', async (t) => {
  const upstream = await startUpstream(echo)
  const gateway = Fastify({ http2: true })
  t.teardown(() => Promise.all([gateway.close(), upstream.close()]))
  gateway.register(tokenGateway, { upstream: upstream.origin })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  const session = connectHttp2(`http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`)
  t.teardown(() => session.close())
  for (const [method, sent] of [['GET', undefined], ['POST', 'hello']]) {
    const stream = session.request({ ':method': method, ':path': '/a?b', 'x-a': '1' })
    stream.end(sent)
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => chunks.push(chunk))
    const [headers] = await once(stream, 'response')
    t.equal(headers[':status'], 200)
    await once(stream, 'close')
    const echoed: Echo = JSON.parse(Buffer.concat(chunks).toString())
    t.match(echoed, { method, target: '/a?b', body: sent ?? '', headers: { 'x-a': '1', via: '2.0 token-gateway' } })
    t.notOk(Object.keys(echoed.headers).some((name) => name.startsWith(':')))
  }
})

t.test('no more connections are opened than `connections` says, and they are used again', async (t) => {
  const { upstream, port } = await setUpGateway(t, (_request, response) => { setTimeout(() => response.end('ok'), 5) }, { gateway: { connections: 2 } })
  const received = await Promise.all(Array.from({ length: 10 }, () => send(port)))
  t.ok(received.every(({ status }) => status === 200))
  t.ok(upstream.countConnections() <= 2)
  t.equal(new Set(upstream.seen.map(({ request }) => request.socket)).size, upstream.countConnections())
})

t.test('a request is logged by the logger of its own', async (t) => {
  const lines: Record<string, unknown>[] = []
  const { port, upstream } = await setUpGateway(t, echo, {
    server: { logger: { level: 'warn', stream: { write: (line: string) => { lines.push(JSON.parse(line)) } } } }
  })
  await upstream.close()
  t.equal((await send(port)).status, 502)
  t.match(lines, [{ reqId: 'req-1', msg: 'upstream request failed', err: { code: 'FST_TOKEN_UPSTREAM_CONNECT' } }])
})

function closeLate (gateway: FastifyInstance): { closed: Promise<void>, isClosed: () => boolean } {
  let over = false
  const closed = gateway.close().then(() => { over = true })
  return { closed, isClosed: () => over }
}

t.test('a server that closes lets requests finish, ends their connections, and closes those to the upstream', async (t) => {
  const { upstream, gateway, port } = await setUpGateway(t, answerInPart({ 'content-type': 'text/plain' }, 'first'), { gateway: { closeTimeout: 60_000 } })
  const client = start(port, { headers: { connection: 'keep-alive' } })
  client.end()
  const response = await responseTo(client)
  await once(response, 'data')
  const { closed, isClosed } = closeLate(gateway)
  await wait(20)
  t.notOk(isClosed())
  const { response: stream } = await upstream.nextRequest()
  stream.end('second')
  t.equal(String((await receive(response)).body), 'second')
  await closed
  await upstream.allClosed()
  t.equal(upstream.countConnections(), 0)
})

t.test('a server that closes does not wait for ever: what has begun is broken off, what has not is a 503', async (t) => {
  const { upstream, gateway, port } = await setUpGateway(t, {
    '/begun': answerInPart({ 'content-type': 'text/event-stream' }, 'data: 1\n\n'),
    '/silent': () => {}
  }, { gateway: { closeTimeout: 20 } })
  const begun = start(port, { path: '/begun' })
  begun.end()
  const response = await responseTo(begun)
  await once(response, 'data')
  const silent = send(port, { path: '/silent' })
  await upstream.nextRequest()
  await upstream.nextRequest()
  const received = receive(response)
  await gateway.close()
  t.notOk((await received).complete)
  const { status, body } = await silent
  t.equal(status, 503)
  t.match(JSON.parse(body.toString()), { title: 'Service Unavailable', detail: /shutting down/ })
  await upstream.allClosed()
})
