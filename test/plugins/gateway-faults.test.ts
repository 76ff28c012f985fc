import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { toGatewayError } from '../../plugins/gateway/failures.js'
import { tokenGateway } from '../../plugins/gateway.js'
import { answerAndReset, answerInPart, drop, reset, stall, startUpstream, writeRaw, writeRawAndClose } from '../helpers/faulty-upstream.js'
import type { Answer, FaultyUpstream } from '../helpers/faulty-upstream.js'
import { exchangeBytes, openSocket, receive, responseTo, send, start } from '../helpers/gateway-client.js'
import type { Received } from '../helpers/gateway-client.js'
import { portOf, setUpGateway } from '../helpers/gateway-setup.js'

const json = { 'content-type': 'application/json' }
const toon = { 'accept-encoding': 'toon' }

function checkProblem (t: Test, { status, headers, body, complete }: Received, expected: number, detail: RegExp, name = ''): void {
  t.equal(status, expected, `${name}: status`)
  t.equal(headers['content-type'], 'application/problem+json', `${name}: media type`)
  t.ok(complete)
  const problem = JSON.parse(body.toString())
  t.strictSame(Object.keys(problem), ['type', 'title', 'status', 'detail'])
  t.match(problem, { type: 'about:blank', status: expected, detail }, `${name}: problem`)
  t.notMatch(problem.detail, /127\.0\.0\.1|ECONN|UND_ERR|HPE|node:/, `${name}: nothing of the inside is shown`)
}

/** After a fault the gateway must still work, and hold no connection but idle ones. */
async function checkStillWorks (t: Test, port: number, name = ''): Promise<void> {
  const { status, body } = await send(port, { path: '/fine' })
  t.equal(status, 200, `${name}: the next request works`)
  t.equal(body.toString(), 'fine')
}

const fine: Answer = (_request, response) => { response.end('fine') }

t.test('an upstream that cannot be reached is a 502', async (t) => {
  const { upstream, port } = await setUpGateway(t, fine)
  t.equal((await send(port)).status, 200)
  await upstream.close()
  checkProblem(t, await send(port), 502, /refused the connection/)
  checkProblem(t, await send(port, { method: 'POST', body: 'hello', headers: toon }), 502, /refused the connection/)
})

t.test('a host name that does not exist is a 502', async (t) => {
  const gateway = Fastify()
  t.teardown(() => gateway.close())
  gateway.register(tokenGateway, { upstream: 'http://upstream.invalid' })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  checkProblem(t, await send(portOf(gateway)), 502, /host name cannot be resolved/)
})

t.test('an upstream that accepts no connection in time is a 504, and a client that goes away meanwhile frees it', async (t) => {
  // The TCP connection is there, the TLS handshake never comes to an end.
  const silent = createTcpServer((socket) => { socket.on('error', () => {}).resume() })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const gateway = Fastify()
  t.teardown(async () => {
    await gateway.close()
    silent.close()
  })
  gateway.register(tokenGateway, { upstream: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`, connectTimeout: 100 })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  checkProblem(t, await send(portOf(gateway)), 504, /did not accept a connection in time/)
  const client = start(portOf(gateway))
  client.end()
  const [socket] = await once(silent, 'connection')
  client.destroy()
  await once(socket, 'close')
})

const invalidAnswers: Record<string, string> = {
  'no HTTP at all': 'hello\r\n\r\n',
  'an HTML page without a head': '<html>hi</html>',
  'a control character in a field': 'HTTP/1.1 200 OK\r\nx-a: a\x01b\r\ncontent-length: 0\r\n\r\n',
  'a CR in a field': 'HTTP/1.1 200 OK\r\nx-a: a\rx-b: b\r\ncontent-length: 0\r\n\r\n',
  'a lone LF between fields': 'HTTP/1.1 200 OK\r\nx-a: a\nx-b: b\r\ncontent-length: 0\r\n\r\n',
  'a NUL in a field': 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n',
  'a folded field': 'HTTP/1.1 200 OK\r\nx-a: a\r\n b\r\ncontent-length: 0\r\n\r\n',
  'a space in a field name': 'HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 0\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
  'both framing fields': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'a status below 100': 'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n',
  'a status above 599': 'HTTP/1.1 600 High\r\ncontent-length: 0\r\n\r\n',
  'an upgrade that nobody asked for': 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  'headers that are too large': `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\nok`
}

t.test('an upstream that sends no valid HTTP is a 502', async (t) => {
  const answers = Object.values(invalidAnswers)
  const { upstream, port } = await setUpGateway(t, (request, response) => {
    if (request.url === '/fine') return fine(request, response)
    return writeRaw(answers[Number(request.url?.slice(1))])(request, response)
  }, { gateway: { headersTimeout: 1000 } })
  for (const [index, name] of Object.keys(invalidAnswers).entries()) {
    checkProblem(t, await send(port, { path: `/${index}`, headers: index % 2 === 0 ? {} : toon }), 502, /not valid HTTP|broke before/, name)
    await upstream.seen[upstream.seen.length - 1].closed
    await checkStillWorks(t, port, name)
  }
})

t.test('an upstream that breaks off before its answer is a 502', async (t) => {
  const { port } = await setUpGateway(t, { '/drop': drop, '/reset': reset, '/half': writeRawAndClose('HTTP/1.1 200 OK\r\nx-a:'), '/fine': fine })
  for (const path of ['/drop', '/reset', '/half']) {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const received = await send(port, { path, method })
      if (method === 'HEAD') t.equal(received.status, 502)
      else checkProblem(t, received, 502, /broke before|not valid HTTP/, `${method} ${path}`)
    }
    await checkStillWorks(t, port, path)
  }
})

t.test('an upstream that does not answer in time is a 504, and its connection is freed', async (t) => {
  const { upstream, port } = await setUpGateway(t, { '/stall': stall, '/half': writeRaw('HTTP/1.1 200 OK\r\nx-a:'), '/fine': fine }, { gateway: { headersTimeout: 100 } })
  for (const path of ['/stall', '/half']) {
    checkProblem(t, await send(port, { path }), 504, /did not answer in time/, path)
    checkProblem(t, await send(port, { path, method: 'POST', body: 'hello' }), 504, /did not answer in time/, path)
    await checkStillWorks(t, port, path)
  }
  await Promise.all(upstream.seen.filter(({ request }) => request.url !== '/fine').map(({ closed }) => closed))
})

const cutAnswers: Record<string, Answer> = {
  '/short': writeRawAndClose('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":1}'),
  '/chunk': writeRawAndClose('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n'),
  '/in-chunk': writeRawAndClose('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n70\r\n{"a":1}'),
  '/bad-chunk': writeRawAndClose('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\nzz\r\n'),
  '/reset': answerAndReset(json, '{"a":1}'),
  '/fine': fine
}

t.test('an upstream cut in mid-body breaks the client\'s response too: it never looks complete', async (t) => {
  const { port } = await setUpGateway(t, cutAnswers)
  for (const path of Object.keys(cutAnswers)) {
    if (path === '/fine') continue
    for (let i = 0; i < 5; i++) {
      const { status, body, complete } = await send(port, { path })
      // Either nothing had gone out yet, then the client is told; or it had, then the response breaks.
      if (status === 502) t.match(body.toString(), /broke before|not valid HTTP/, path)
      else t.notOk(complete, `${path}: ${body.toString()}`)
    }
    await checkStillWorks(t, port, path)
  }
})

t.test('a body that was seen to begin and then breaks is a broken response', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart({ ...json, 'content-length': 100 }, '{"a":1'))
  for (const cut of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const client = start(port)
    client.end()
    const response = await responseTo(client)
    await once(response, 'data')
    const { request } = await upstream.nextRequest()
    request.socket[cut]()
    t.notOk((await receive(response)).complete, cut)
  }
})

t.test('a body that the end of the connection ends is complete where that is closed, and broken where it is reset', async (t) => {
  const { upstream, port } = await setUpGateway(t, (request, response) => {
    if (request.url === '/fine') return fine(request, response)
    writeRaw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"a":1}')(request, response)
  })
  for (const cut of ['end', 'resetAndDestroy'] as const) {
    const client = start(port)
    client.end()
    const response = await responseTo(client)
    const { request, closed } = await upstream.nextRequest()
    await once(response, 'data')
    request.socket[cut]()
    t.equal((await receive(response)).complete, cut === 'end', cut)
    await closed
    const collected = send(port, { headers: toon })
    const second = await upstream.nextRequest()
    await wait(50)
    second.request.socket[cut]()
    if (cut === 'end') t.equal((await collected).body.toString(), '{"a":1}')
    else checkProblem(t, await collected, 502, /broke before/)
    await checkStillWorks(t, port, cut)
    await upstream.nextRequest()
  }
})

t.test('an upstream that closes, or resets, while a reader makes it wait is heard when the reader goes on', async (t) => {
  // More than is held, by less than comes at once: the connection is empty when the reader makes it wait.
  const size = 100_000
  const body = 'x'.repeat(size)
  const head = (fields: string): string => `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n${fields}\r\n`
  const bodies = {
    '/length': `${head(`content-length: ${size}\r\n`)}${body}`,
    '/chunked': `${head('transfer-encoding: chunked\r\n')}${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    '/close': `${head('')}${body}`,
    '/short': `${head(`content-length: ${size + 1}\r\n`)}${body}`,
    '/cut': `${head('transfer-encoding: chunked\r\n')}${(size + 1).toString(16)}\r\n${body}`
  }
  const isWhole: Record<string, boolean> = { '/length': true, '/chunked': true, '/close': true, '/short': false, '/cut': false }
  const { port } = await setUpGateway(t, ({ url = '', socket }) => {
    const [path, how] = url.split('?') as [keyof typeof bodies, string]
    socket.write(bodies[path], () => {
      if (how === 'end') socket.end()
      // What is not read yet goes with the connection.
      else setTimeout(() => { socket.resetAndDestroy() }, 50)
    })
  }, {
    gateway: { tokenEncoding: false },
    prepare: (fastify) => fastify.addHook('onSend', async () => { await wait(150) })
  })
  for (const path of Object.keys(bodies)) {
    const closed = await send(port, { path: `${path}?end` })
    t.same([closed.status, closed.complete], isWhole[path] ? [200, true] : [closed.status, closed.status === 502], `${path}, closed`)
    if (isWhole[path]) t.ok(closed.body.toString() === body, `${path}, closed: every byte`)
    const broken = await send(port, { path: `${path}?reset` })
    t.ok(broken.status === 502 || !broken.complete || (path !== '/close' && broken.body.toString() === body), `${path}, reset: ${broken.status} ${broken.complete} ${broken.body.length}`)
  }
})

t.test('an HTTP/1.0 client, for which the end of the connection ends the body, sees it reset', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart(json, '{"a":1'))
  const socket = await openSocket(port)
  socket.write('GET / HTTP/1.0\r\n\r\n')
  await once(socket, 'data')
  const { request } = await upstream.nextRequest()
  const failed = once(socket, 'error')
  request.socket.destroy()
  t.equal((await failed)[0].code, 'ECONNRESET')
})

t.test('an HTTP/1.0 client sees a silent upstream\'s body reset too, but not what a hook sends instead', async (t) => {
  const idle = await setUpGateway(t, answerInPart(json, '{"a":1'), { gateway: { bodyIdleTimeout: 50, tokenEncoding: false } })
  const socket = await openSocket(idle.port)
  socket.resume().write('GET / HTTP/1.0\r\n\r\n')
  t.equal((await once(socket, 'error'))[0].code, 'ECONNRESET')

  const own = new PassThrough()
  const hooked = await setUpGateway(t, answerInPart(json, '{"a":1'), { prepare: (fastify) => fastify.addHook('onSend', async () => own) })
  const text = exchangeBytes(hooked.port, 'GET / HTTP/1.0\r\n\r\n')
  own.write('ours, ')
  const { request, closed } = await hooked.upstream.nextRequest()
  await wait(50)
  request.socket.destroy()
  await closed
  await wait(30)
  own.end('all of it')
  t.match(await text, /ours, all of it$/)
})

t.test('a body with a transfer coding beside chunked is refused in both directions, since nobody undoes it', async (t) => {
  const packed = gzipSync('{"a":1}')
  const coded = (fields: string, body: Buffer | string): Answer => writeRawAndClose(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${fields}\r\n\r\n`), Buffer.from(body)]))
  const chunked = Buffer.concat([Buffer.from(`${packed.length.toString(16)}\r\n`), packed, Buffer.from('\r\n0\r\n\r\n')])
  const { upstream, port } = await setUpGateway(t, {
    '/gzip-chunked': coded('transfer-encoding: gzip, chunked', chunked),
    '/two-lines': coded('transfer-encoding: GZIP\r\ntransfer-encoding: chunked', chunked),
    '/gzip': coded('transfer-encoding: gzip', packed),
    '/identity': coded('transfer-encoding: identity', '{"a":1}'),
    '/chunked': coded('transfer-encoding: Chunked', '7\r\n{"a":1}\r\n0\r\n\r\n')
  })
  for (const path of ['/gzip-chunked', '/two-lines', '/gzip']) {
    for (const headers of [{}, { 'accept-encoding': 'toon' }]) t.equal((await send(port, { path, headers })).status, 502, path)
  }
  for (const path of ['/identity', '/chunked']) t.equal((await send(port, { path })).body.toString(), '{"a":1}', path)

  const before = upstream.seen.length
  for (const framing of ['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked']) {
    const text = await exchangeBytes(port, `POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${framing}\r\n\r\n${chunked.toString('latin1')}`)
    t.match(text, /^HTTP\/1.1 501 [^]*Of transfer codings only chunked is understood/, framing)
  }
  t.equal(upstream.seen.length, before)
})

t.test('a body longer than its Content-Length ends where that says, and the rest is no response', async (t) => {
  const { port } = await setUpGateway(t, { '/long': writeRaw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil'), '/fine': fine })
  for (let i = 0; i < 5; i++) {
    t.equal((await send(port, { path: '/long' })).body.toString(), 'ok')
    await checkStillWorks(t, port)
  }
})

t.test('where a body is collected and breaks, nothing of it ships', async (t) => {
  const { upstream, port } = await setUpGateway(t, { ...cutAnswers, '/stall': answerInPart({ ...json, etag: '"1"', 'content-encoding': 'identity' }, '{"a":') }, { gateway: { bodyIdleTimeout: 100 } })
  for (const path of Object.keys(cutAnswers)) {
    if (path === '/fine') continue
    checkProblem(t, await send(port, { path, headers: toon }), 502, /broke before|not valid HTTP/, path)
    await checkStillWorks(t, port, path)
  }
  const stalled = await send(port, { path: '/stall', headers: toon })
  checkProblem(t, stalled, 504, /stopped sending/)
  t.notOk(stalled.headers.etag, 'fields of the body that did not come are gone')
  t.notOk(stalled.headers['content-encoding'])
  await upstream.seen[upstream.seen.length - 1].closed
})

t.test('garbage labelled JSON ships as it came, whoever asks', async (t) => {
  const garbage = ['{"a":', 'null null', '\xff\xfe{}', '', 'NaN', '{"a":1}}', '['.repeat(100_000)]
  const { port } = await setUpGateway(t, (request, response) => {
    response.writeHead(200, json)
    response.end(garbage[Number(request.url?.slice(1))], 'latin1')
  })
  for (const [index, text] of garbage.entries()) {
    for (const headers of [{}, toon]) {
      const { status, body, headers: fields } = await send(port, { path: `/${index}`, headers })
      t.equal(status, 200)
      t.equal(body.toString('latin1'), text)
      t.notOk(fields['content-encoding'])
    }
  }
})

t.test('an upstream that is silent in mid-body is a 504 before the first byte, a broken response after it', async (t) => {
  const { upstream, port } = await setUpGateway(t, {
    '/headers': answerInPart(json),
    '/body': answerInPart(json, '{"a":1'),
    '/fine': fine
  }, { gateway: { bodyIdleTimeout: 100 } })
  checkProblem(t, await send(port, { path: '/headers' }), 504, /stopped sending/)
  t.notOk((await send(port, { path: '/body' })).complete)
  await Promise.all(upstream.seen.map(({ closed }) => closed))
  await checkStillWorks(t, port)
})

t.test('a slow drip is no silence', async (t) => {
  const { port } = await setUpGateway(t, async (_request, response) => {
    for (let i = 0; i < 10; i++) {
      response.write('x')
      await wait(50)
    }
    response.end()
  }, { gateway: { bodyIdleTimeout: 400 } })
  const { body, complete } = await send(port)
  t.equal(body.toString(), 'xxxxxxxxxx')
  t.ok(complete)
})

t.test('an event stream may be silent for as long as it likes', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart({ 'content-type': 'text/event-stream' }), { gateway: { bodyIdleTimeout: 50, headersTimeout: 100 } })
  const client = start(port)
  client.end()
  const response = await responseTo(client)
  await wait(300)
  const { response: stream } = await upstream.nextRequest()
  stream.end('data: 1\n\n')
  const { body, complete } = await receive(response)
  t.equal(body.toString(), 'data: 1\n\n')
  t.ok(complete)
})

t.test('an event stream that the upstream cuts is cut for the client', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart({ 'content-type': 'text/event-stream' }))
  const client = start(port)
  client.end()
  const response = await responseTo(client)
  const { request } = await upstream.nextRequest()
  request.socket.destroy()
  t.notOk((await receive(response)).complete)
})

t.test('a limit of 0 is none', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart(json, '{"a":'), { gateway: { bodyIdleTimeout: 0, headersTimeout: 0 } })
  const response = send(port, { method: 'POST', body: 'x' })
  const { response: stream } = await upstream.nextRequest()
  await wait(50)
  stream.end('1}')
  t.equal((await response).body.toString(), '{"a":1}')
})

t.test('a client that stops sending its body is a 408, and the upstream request is aborted', async (t) => {
  const { upstream, port } = await setUpGateway(t, stall, { gateway: { bodyIdleTimeout: 100 } })
  const client = start(port, { method: 'POST', headers: { 'content-length': 100 } })
  client.write('some')
  const received = await receive(await responseTo(client))
  checkProblem(t, received, 408, /request body stopped coming/)
  t.equal(received.headers.connection, 'close')
  await upstream.seen[0].closed
  client.destroy()
})

t.test('a client may take its time once the upstream has begun to answer', async (t) => {
  const { upstream, port } = await setUpGateway(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    request.pipe(response)
  }, { gateway: { bodyIdleTimeout: 100 } })
  const client = start(port, { method: 'POST' })
  client.write('a')
  const response = await responseTo(client)
  t.equal(String((await once(response, 'data'))[0]), 'a')
  await wait(300)
  client.write('b')
  t.equal(String((await once(response, 'data'))[0]), 'b')
  client.end()
  t.ok((await receive(response)).complete)
  t.equal(upstream.seen.length, 1)
})

t.test('an upstream that answers before it has the whole body is heard, and the connection of the client lives on', async (t) => {
  for (const connection of ['close', 'keep-alive']) {
    const { port } = await setUpGateway(t, (request, response) => {
      if (request.method === 'GET') return fine(request, response)
      response.writeHead(413, { connection }).end('too much')
    })
    const socket = await openSocket(port)
    const answers: string[] = []
    socket.on('data', (chunk) => { answers.push(String(chunk)) })
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n')
    socket.write(Buffer.alloc(1_000_000, 1))
    while (!/too much|"detail"/.test(answers.join(''))) await once(socket, 'data')
    // An upstream that closes with bytes unread resets the connection, and TCP may lose its answer.
    t.match(answers.join(''), connection === 'close' ? /^HTTP\/1.1 (?:413|502) / : /^HTTP\/1.1 413 /)
    answers.length = 0
    socket.write(Buffer.alloc(1_000_000, 1))
    socket.write('GET /fine HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    t.match(answers.join(''), /^HTTP\/1.1 200 [^]*fine/, 'the rest of the body was read and dropped')
  }
})

t.test('an upstream that fails while a body is sent is a 502', async (t) => {
  const { upstream, port } = await setUpGateway(t, stall)
  const client = start(port, { method: 'PUT', headers: { 'content-length': 100 } })
  client.write('some')
  const { request } = await upstream.nextRequest()
  request.socket.destroy()
  checkProblem(t, await receive(await responseTo(client)), 502, /broke before/)
  client.destroy()
})

/** Starts a request that the upstream has seen, and gives what is needed to see its end. */
async function begin (port: number, upstream: FaultyUpstream, ...sending: Parameters<typeof start> extends [number, ...infer Rest] ? Rest : never) {
  const client = start(port, ...sending)
  if (sending[0]?.method === 'POST') client.write('some')
  else client.end()
  return { client, seen: await upstream.nextRequest() }
}

t.test('a client that goes away ends the upstream request in every phase', async (t) => {
  const { upstream, gateway, port } = await setUpGateway(t, {
    '/silent': stall,
    '/headers': answerInPart(json),
    '/body': answerInPart({ ...json, 'content-length': 100 }, '{"a":1'),
    '/events': answerInPart({ 'content-type': 'text/event-stream' }, 'data: 1\n\n'),
    '/idle-events': answerInPart({ 'content-type': 'text/event-stream' }),
    '/fine': fine
  })
  const until = async (client: ReturnType<typeof start>, data: boolean): Promise<void> => {
    const response: IncomingMessage = await responseTo(client)
    response.on('error', () => {})
    if (data) await once(response, 'data')
  }

  const uploading = await begin(port, upstream, { path: '/silent', method: 'POST', headers: { 'content-length': 100 } })
  await once(uploading.seen.request, 'data')
  uploading.client.destroy()
  await uploading.seen.closed
  t.pass('while the body is sent')

  const uploaded = await begin(port, upstream, { path: '/silent', method: 'POST', headers: { 'content-length': 4 } })
  await once(uploaded.seen.request.resume(), 'end')
  uploaded.client.destroy()
  await uploaded.seen.closed
  t.pass('once the body is sent')

  const before = await begin(port, upstream, { path: '/silent' })
  before.client.destroy()
  await before.seen.closed
  t.pass('before the upstream\'s headers')

  for (const headers of [{}, toon]) {
    const collected = await begin(port, upstream, { path: '/headers', headers })
    // Nothing goes out before there is a body, so that there is nothing to wait for at the client.
    await wait(50)
    collected.client.destroy()
    await collected.seen.closed
    t.pass('before the first byte of the body')
  }

  for (const [path, data] of [['/body', true], ['/events', true], ['/idle-events', false]] as const) {
    const { client, seen } = await begin(port, upstream, { path })
    await until(client, data)
    client.destroy()
    await seen.closed
    t.pass(`in mid-body of ${path}`)
  }

  const collecting = await begin(port, upstream, { path: '/body', headers: toon })
  await wait(50)
  collecting.client.destroy()
  await collecting.seen.closed
  t.pass('while the body is collected')

  await checkStillWorks(t, port)
  await gateway.close()
  await upstream.allClosed()
  t.equal(upstream.countConnections(), 0)
})

t.test('a client that waits for a connection and goes away is not forwarded', async (t) => {
  const { upstream, port } = await setUpGateway(t, { '/silent': stall, '/fine': fine }, { gateway: { connections: 1 } })
  const first = await begin(port, upstream, { path: '/silent' })
  const waiting = start(port, { path: '/fine', headers: { 'x-waiting': '1' } })
  waiting.end()
  await once(waiting, 'finish')
  await wait(50)
  waiting.destroy()
  await wait(50)
  first.client.destroy()
  await first.seen.closed
  await checkStillWorks(t, port)
  t.notOk(upstream.seen.some(({ request }) => request.headers['x-waiting'] !== undefined))
})

t.test('a client that goes away while hooks still work is not forwarded', async (t) => {
  const works = new EventEmitter()
  const { upstream, port } = await setUpGateway(t, fine, {
    prepare: (fastify) => fastify.addHook('preHandler', async (request, reply) => {
      if (request.url !== '/slow') return
      works.emit('begun')
      await once(reply.raw, 'close')
      works.emit('done')
    })
  })
  const client = start(port, { path: '/slow' })
  client.end()
  await once(works, 'begun')
  client.destroy()
  await once(works, 'done')
  await checkStillWorks(t, port)
  t.equal(upstream.seen.length, 1)
})

t.test('a hook that sends something else in place of the body ends the upstream request', async (t) => {
  for (const destroys of [true, false]) {
    const { upstream, port } = await setUpGateway(t, answerInPart({ 'content-type': 'text/plain' }, 'theirs'), {
      prepare: (fastify) => fastify.addHook('onSend', async (_request, _reply, payload) => {
        if (destroys) (payload as Readable).destroy()
        return 'ours'
      })
    })
    const { status, body } = await send(port)
    t.equal(status, 200)
    t.equal(body.toString(), 'ours')
    await upstream.seen[0].closed
  }
})

t.test('a hook that fails on a response does not leave the upstream sending', async (t) => {
  const { upstream, port } = await setUpGateway(t, answerInPart(json, '{"a":1'), {
    prepare: (fastify) => fastify.addHook('onSend', async (_request, reply) => { if (reply.statusCode === 200) throw new Error('hook') })
  })
  t.equal((await send(port)).status, 500)
  await upstream.seen[0].closed
})

t.test('a body that breaks while a hook waits is a 502', async (t) => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => { release = resolve })
  const { upstream, port } = await setUpGateway(t, answerInPart(json, '{"a":1'), {
    prepare: (fastify) => fastify.addHook('onSend', async (_request, reply, payload) => {
      if (reply.statusCode === 200) await released
      return payload
    })
  })
  const received = send(port)
  const { request, closed } = await upstream.nextRequest()
  await wait(50)
  request.socket.destroy()
  await closed
  await wait(50)
  release()
  checkProblem(t, await received, 502, /broke before/)
})

t.test('after a hundred faults no connection is left, and every good request in between is right', async (t) => {
  const { upstream, gateway, port } = await setUpGateway(t, {
    ...cutAnswers,
    '/drop': drop,
    '/stall': stall,
    '/half': answerInPart(json, '{"a":1'),
    '/garbage': writeRaw('hello\r\n\r\n')
  }, { gateway: { headersTimeout: 100, bodyIdleTimeout: 100 } })
  const paths = ['/short', '/chunk', '/bad-chunk', '/reset', '/drop', '/stall', '/half', '/garbage']
  const faults = Array.from({ length: 100 }, async (_, i) => {
    const client = start(port, { path: paths[i % paths.length], headers: i % 3 === 0 ? toon : {} })
    client.end()
    if (i % 5 === 0) {
      await wait(i)
      client.destroy()
      return
    }
    const response = await Promise.race([responseTo(client), once(client, 'close')])
    if ('statusCode' in response) await receive(response)
  })
  const good = Array.from({ length: 50 }, () => checkStillWorks(t, port))
  await Promise.all([...faults, ...good])
  const connections = await new Promise((resolve) => gateway.server.getConnections((_error, count) => resolve(count)))
  t.equal(connections, 0, 'no client connection is left')
  await gateway.close()
  await upstream.allClosed()
  t.equal(upstream.countConnections(), 0)
})

t.test('failures of the system and of undici become the right status', async (t) => {
  const cases: [string, number][] = [
    ['UND_ERR_CONNECT_TIMEOUT', 504], ['ETIMEDOUT', 504], ['UND_ERR_HEADERS_TIMEOUT', 504], ['ECONNREFUSED', 502], ['ENOTFOUND', 502], ['EAI_AGAIN', 502],
    ['EHOSTUNREACH', 502], ['ENETUNREACH', 502], ['ERR_TLS_CERT_ALTNAME_INVALID', 502], ['DEPTH_ZERO_SELF_SIGNED_CERT', 502], ['CERT_HAS_EXPIRED', 502],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 502], ['EPROTO', 502], ['UND_ERR_SOCKET', 502], ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 400], ['constructor', 502]
  ]
  for (const [code, status] of cases) {
    const error = toGatewayError(Object.assign(new Error('secret'), { code }))
    t.equal(error.statusCode, status, code)
    t.notMatch(error.message, /secret/)
    t.match(error.cause, { message: 'secret' })
    t.equal(toGatewayError(error), error)
  }
  t.equal(toGatewayError(new Error('secret')).statusCode, 502)
})

t.test('a second upstream is not disturbed by the faults of the first', async (t) => {
  const bad = await startUpstream(reset)
  const good = await startUpstream(fine)
  const gateway = Fastify()
  t.teardown(() => Promise.all([gateway.close(), bad.close(), good.close()]))
  gateway.register(tokenGateway, { upstream: bad.origin, prefix: '/bad' })
  gateway.register(tokenGateway, { upstream: good.origin })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  for (let i = 0; i < 5; i++) {
    const [first] = await Promise.all([send(portOf(gateway), { path: '/bad/x' }), checkStillWorks(t, portOf(gateway))])
    t.equal(first.status, 502)
  }
  t.match(await exchangeBytes(portOf(gateway), 'GET /bad HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'), /^HTTP\/1.1 502 /)
})
