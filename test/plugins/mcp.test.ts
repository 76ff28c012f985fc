import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import type { Decision } from '../../lib/decision.js'
import { EventStreamRewriter } from '../../lib/mcp/events.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { BeforeEncode, TokenEncodingOptions } from '../../plugins/index.js'
import { openSource } from '../../plugins/token-encoding/body-source.js'
import { EventBody } from '../../plugins/token-encoding/mcp/event-body.js'
import type { Answer } from '../helpers/faulty-upstream.js'
import { startUpstream } from '../helpers/faulty-upstream.js'
import { receive, responseTo, send, start } from '../helpers/gateway-client.js'
import { portOf, setUpGateway } from '../helpers/gateway-setup.js'
import { EVENTS, MCP, MCP_TOON, callBody, event, parseEvents, readText, readUntil, sendBody } from '../helpers/mcp-http.js'
import { PRETTY_ROWS, ROWS, answer, block, resultOf, textAnswer } from '../helpers/mcp-messages.js'

/* Recorded responses of real servers, which are not part of this project: skipped where they are not beside it. */
const RECORDINGS = process.env.TOKEN_GATEWAY_RECORDINGS ?? join(import.meta.dirname, '../../../shared/mcp-recordings')
const isMissing = !existsSync(RECORDINGS)

const RESULT = textAnswer(PRETTY_ROWS)
const CALL = callBody('list_rows')
const JSON_TYPE = { 'content-type': 'application/json' }

interface Setup { port: number, decisions: Decision[], upstream: Awaited<ReturnType<typeof startUpstream>>, gateway: FastifyInstance }

async function setUp (t: Test, answers: Answer | Record<string, Answer>, options: TokenEncodingOptions = {}): Promise<Setup> {
  const decisions: Decision[] = []
  const tokenEncoding = { minBytes: 0, measure: 'bytes' as const, onDecision: (decision: Decision) => { decisions.push(decision) }, ...options }
  return { ...await setUpGateway(t, answers, { gateway: { tokenEncoding } }), decisions }
}

const post = (port: number, headers: Record<string, string> = MCP_TOON, body: string | Buffer = CALL, path = '/') => send(port, { method: 'POST', path, headers, body })

/** A stream that the test writes to; the request that opened it is read. */
function openStream (headers: Record<string, string> = EVENTS): { answer: Answer, stream: Promise<ServerResponse> } {
  let open!: (response: ServerResponse) => void
  const stream = new Promise<ServerResponse>((resolve) => { open = resolve })
  return {
    answer: (request, response) => {
      request.resume()
      response.writeHead(200, headers).flushHeaders()
      open(response)
    },
    stream
  }
}

t.test('a JSON answer to an MCP client: the text is smaller, the message and its fields are what they were', async (t) => {
  const before = { ...JSON_TYPE, 'mcp-session-id': 's', etag: '"v1"', 'content-digest': 'x' }
  const { port, decisions } = await setUp(t, sendBody(RESULT, before))
  const { status, headers, body } = await post(port)
  t.equal(status, 200)
  t.same(readText(body.toString()), { json: ROWS, codec: 'toon' })
  const { bytesBefore, bytesAfter } = decisions[0]
  t.match(decisions, [{ outcome: 'encoded', codec: 'toon', tool: 'list_rows', index: 0, reason: null }])
  t.match(headers, { 'content-type': 'application/json', 'mcp-session-id': 's', 'x-token-ratio': (bytesAfter / bytesBefore).toFixed(2), 'content-length': String(body.length), vary: 'Accept-Encoding, Accept' })
  for (const name of ['content-encoding', 'etag', 'content-digest', 'x-toon-ratio']) t.equal(headers[name], undefined, name)
})

t.test('an event stream to an MCP client: the same, event by event, whatever it says of transforming', async (t) => {
  const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0}}', 'a')
  const text = `: hi\nid: 0\ndata: \n\n${progress}${event(RESULT, 'b')}`
  const { port, decisions } = await setUp(t, sendBody(text, { ...EVENTS, 'content-length': String(text.length), 'x-accel-buffering': 'no', etag: '"v1"' }))
  const { headers, body, complete } = await post(port)
  t.ok(complete)
  const start = `: hi\nid: 0\ndata: \n\n${progress}event: message\nid: b\ndata: {`
  t.equal(body.toString().slice(0, start.length), start)
  t.same(readText(parseEvents(body.toString()).at(-1)!.data), { json: ROWS, codec: 'toon' })
  t.match(headers, { ...EVENTS, 'x-accel-buffering': 'no', vary: 'Accept-Encoding, Accept' })
  for (const name of ['content-encoding', 'content-length', 'etag', 'x-token-ratio']) t.equal(headers[name], undefined, name)
  t.match(decisions, [{ outcome: 'encoded', tool: 'list_rows' }])
})

t.test('a client that asks for nothing gets what the upstream sent, with Vary', async (t) => {
  const text = event(RESULT)
  for (const [body, type] of [[RESULT, JSON_TYPE], [text, { ...EVENTS, 'content-length': String(text.length) }]] as const) {
    const { port, upstream, decisions } = await setUp(t, sendBody(body, { ...type, etag: '"v1"' }))
    const [ours, plain] = [await post(port, MCP), await post(upstream.port, MCP)]
    t.equal(ours.body.toString(), body)
    t.same({ ...ours.headers, date: '', connection: '', 'keep-alive': '' }, { ...plain.headers, date: '', connection: '', 'keep-alive': '', vary: 'Accept-Encoding, Accept' })
    t.same(decisions, [])
  }
})

t.test('asked by Accept, or with a JSON-only Accept, an MCP client gets text blocks too; curl gets the whole body', async (t) => {
  const { port } = await setUp(t, sendBody(RESULT))
  for (const headers of [{ accept: 'application/json, text/event-stream, text/toon' }, { accept: 'application/json', 'accept-encoding': 'toon' }] as Record<string, string>[]) {
    const { body, headers: { 'content-type': type } } = await post(port, { ...MCP, ...headers })
    t.same([readText(body.toString()).codec, type], ['toon', 'application/json'])
  }
  t.equal((await post(port, { ...MCP_TOON, accept: '*/*' })).headers['content-type'], 'text/toon; charset=utf-8')
})

t.test('ids and numbers survive as they were written', async (t) => {
  const text = '[{"id":12345678901234567890,"n":1.0},{"id":12345678901234567891,"n":2.0}]'
  const message = answer(`{"content":[${block(JSON.stringify(JSON.parse('[]')) && text)}],"x":12345678901234567890}`, '12345678901234567890')
  const { port, upstream } = await setUp(t, sendBody(message))
  const request = callBody('list_rows', '12345678901234567890').replace('{}', '{"id":12345678901234567890}')
  const sent: Buffer[] = []
  upstream.server.prependListener('request', (incoming) => incoming.on('data', (chunk: Buffer) => sent.push(chunk)))
  const { body } = await post(port, { ...MCP, 'accept-encoding': 'stc' }, request)
  t.equal(Buffer.concat(sent).toString(), request)
  t.match(body.toString(), /^\{"jsonrpc":"2.0","id":12345678901234567890,.*12345678901234567890,1\.0.*"x":12345678901234567890/)
  t.same(readText(body.toString()), { json: text, codec: 'stc' })
})

t.test('the tool is known by Mcp-Name or by the request body; file-reading tools are left alone, and unknown ones', async (t) => {
  const { port, decisions } = await setUp(t, sendBody(RESULT))
  const cases: [Record<string, string>, string | Buffer, string | null, string | null][] = [
    [{}, callBody('read_text_file'), 'excluded-tool', 'read_text_file'],
    [{ 'mcp-method': 'tools/call', 'mcp-name': 'list_rows' }, 'not read', null, 'list_rows'],
    [{ 'mcp-method': 'tools/call', 'mcp-name': '=?base64?cmVhZF9maWxl?=' }, 'not read', 'excluded-tool', 'read_file'],
    [{ 'content-type': 'text/plain' }, CALL, 'unknown-tool', null],
    [{}, '{', 'unknown-tool', null],
    [{}, callBody('list_rows', 1, { arguments: { text: 'x'.repeat(1024 * 1024) } }), 'unknown-tool', null],
    [{}, callBody('list_rows', 1, { arguments: { text: 'x'.repeat(1024 * 1024 - 200) } }), null, 'list_rows']
  ]
  for (const [headers, body, reason, tool] of cases) {
    await post(port, { ...MCP_TOON, ...headers }, body)
    t.match(decisions.pop(), { reason, tool, outcome: reason === null ? 'encoded' : 'passthrough' }, String(body).slice(0, 80))
  }
})

t.test('the results of a batch are told apart by their ids', async (t) => {
  const batch = `[${answer(`{"content":[${block(ROWS)}]}`, '1')},${answer(`{"content":[${block(ROWS)}]}`, '"2"')},${answer(`{"content":[${block(ROWS)}]}`, '3')}]`
  for (const [body, type] of [[batch, JSON_TYPE], [batch.slice(1, -1).split(/(?<=\}),(?=\{"jsonrpc)/).map((message) => event(message)).join(''), EVENTS]] as const) {
    const { port, decisions } = await setUp(t, sendBody(body, type))
    await post(port, MCP_TOON, `[${callBody('list_rows', 1)},${callBody('read_file', '"2"')}]`)
    t.same(decisions.map(({ tool, reason }) => [tool, reason]), [['list_rows', null], ['read_file', 'excluded-tool'], [null, 'unknown-tool']])
  }
})

t.test('a resumed stream knows the tools of its session, and no other', async (t) => {
  const { port, decisions } = await setUp(t, (request, response) => {
    request.resume()
    if (request.method === 'DELETE') response.writeHead(200).end()
    else response.writeHead(200, EVENTS).end(request.method === 'GET' ? event(RESULT) : 'id: 1\ndata: \n\n')
  })
  const resume = async (session: Record<string, string>) => {
    await send(port, { headers: { ...MCP_TOON, ...session, 'last-event-id': '1' } })
    return decisions.pop()
  }
  await post(port, { ...MCP_TOON, 'mcp-session-id': 's1' })
  t.match(await resume({ 'mcp-session-id': 's1' }), { tool: 'list_rows', outcome: 'encoded' })
  for (const session of [{ 'mcp-session-id': 's2' }, {}] as Record<string, string>[]) t.match(await resume(session), { tool: null, reason: 'unknown-tool' })
  await send(port, { method: 'DELETE', headers: { 'mcp-session-id': 's1' } })
  t.match(await resume({ 'mcp-session-id': 's1' }), { tool: null, reason: 'unknown-tool' }, 'a session that has ended is forgotten')
})

t.test('the result of a task is that of the tool whose call became the task', async (t) => {
  const task = answer('{"task":{"taskId":"t1","status":"working"}}')
  const { port, decisions } = await setUp(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const isEvents = params.ttl === 'events'
      const body = params.ttl === 'none' ? '{' : method === 'tools/call' ? task : method === 'tasks/get' ? answer(`{"status":"completed","result":{"content":[${block(ROWS)}]}}`) : RESULT
      response.writeHead(200, isEvents ? EVENTS : JSON_TYPE).end(isEvents ? event(body) : body)
    })
  })
  const session = { ...MCP_TOON, 'mcp-session-id': 's' }
  const ask = (method: string, taskId: string) => JSON.stringify({ jsonrpc: '2.0', id: 2, method, params: { taskId } })
  await post(port, session, ask('tasks/result', 't1'))
  t.match(decisions.pop(), { tool: null, reason: 'unknown-tool' })
  for (const ttl of ['none', 'events', 1]) {
    const { body } = await post(port, session, callBody('list_rows', 1, { task: {}, ttl }))
    if (ttl === 'none') {
      t.equal(body.toString(), '{', 'an answer that is no JSON names no task')
      continue
    }
    for (const method of ['tasks/result', 'tasks/get']) {
      await post(port, session, ask(method, 't1'))
      t.match(decisions.pop(), { tool: 'list_rows', outcome: 'encoded' }, `${method} ${ttl}`)
    }
    await post(port, session, ask('tasks/result', 't2'))
    t.match(decisions.pop(), { tool: null, reason: 'unknown-tool' })
  }
})

t.test('all that is no tool result passes byte for byte', async (t) => {
  const cut = textAnswer(`${ROWS} and more`)
  const messages = [
    answer(`{"tools":[{"name":"a","description":${JSON.stringify(ROWS)}}]}`), answer(`{"content":[${block(PRETTY_ROWS)}],"isError":true}`), answer(`{"contents":[${block(PRETTY_ROWS)}]}`),
    `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x","data":{"content":[${block(PRETTY_ROWS)}]}}}`, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"content":[${block(PRETTY_ROWS)}]}}`,
    cut, `${RESULT} x`, answer('{"a":1,"a":2}')
  ]
  for (const message of messages) {
    const { port } = await setUp(t, { '/json': sendBody(message), '/events': sendBody(event(message), EVENTS) })
    t.equal((await post(port, MCP_TOON, CALL, '/json')).body.toString(), message)
    t.equal((await post(port, MCP_TOON, CALL, '/events')).body.toString(), event(message))
  }
})

t.test('no-transform is obeyed where mcp.noTransform says so; whole bodies obey it anyway', async (t) => {
  const field = { 'cache-control': 'no-transform' }
  for (const noTransform of ['ignore', 'obey'] as const) {
    const { port, decisions } = await setUp(t, {
      '/json': sendBody(RESULT, { ...JSON_TYPE, ...field }), '/events': sendBody(event(RESULT), EVENTS), '/other': sendBody(PRETTY_ROWS, { ...JSON_TYPE, ...field })
    }, { mcp: { noTransform } })
    for (const path of ['/json', '/events']) {
      const { headers } = await post(port, MCP_TOON, CALL, path)
      t.match(decisions.pop(), noTransform === 'ignore' ? { outcome: 'encoded' } : { reason: 'no-transform' }, path)
      if (noTransform === 'ignore') t.equal(headers.vary, 'Accept-Encoding, Accept')
    }
    const other = await post(port, MCP_TOON, CALL, '/other')
    t.equal(other.body.toString(), PRETTY_ROWS)
    t.match(decisions.pop(), { reason: 'no-transform' })
  }
})

t.test('a compressed event stream passes through, and so do partial ones, other statuses and HEAD', async (t) => {
  const packed = gzipSync(event(RESULT))
  const { port, decisions } = await setUp(t, (request, response) => {
    request.resume()
    if (request.url === '/gzip') response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }).end(packed)
    else response.writeHead(Number(request.url?.slice(1)), EVENTS).end(event(RESULT))
  })
  const { body, headers } = await post(port, MCP_TOON, CALL, '/gzip')
  t.equal(packed.compare(body), 0)
  t.equal(headers['content-encoding'], 'gzip')
  t.match(decisions.pop(), { reason: 'encoded-upstream' })
  for (const path of ['/206', '/404', '/500']) {
    t.equal((await post(port, MCP_TOON, CALL, path)).body.toString(), event(RESULT))
    t.match(decisions.pop(), { reason: 'not-eligible' })
  }
  t.match((await send(port, { method: 'HEAD', path: '/200', headers: MCP_TOON })).headers, EVENTS)
})

t.test('events reach the client one by one, the head of an idle stream before any of them', async (t) => {
  const { answer, stream } = openStream()
  const { port } = await setUp(t, answer)
  const client = start(port, { method: 'POST', headers: MCP_TOON })
  client.end(CALL)
  const response = await responseTo(client)
  t.match(response.headers, EVENTS)
  const upstream = await stream
  upstream.write(': ping\n')
  t.equal(await readUntil(response, '\n'), ': ping\n')
  for (let i = 0; i < 20; i++) {
    // The next is sent only when this one has arrived.
    upstream.write(event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":${i}}}`))
    await readUntil(response, `{"progress":${i}}}\n\n`)
  }
  // In the middle of an event what cannot be rewritten is there already.
  upstream.write(`event: message\nid: 7\ndata: ${RESULT}\n`)
  t.equal(await readUntil(response, 'id: 7\n'), 'event: message\nid: 7\n')
  upstream.write('\n')
  t.same(readText(parseEvents(await readUntil(response, '\n\n'))[0].data), { json: ROWS, codec: 'toon' })
  upstream.end()
  t.match(await receive(response), { complete: true })
})

t.test('an event is given on in the turn of the event loop in which its last byte came', async (t) => {
  for (const makeSource of [(input: PassThrough) => openSource(input), (input: PassThrough) => openSource(Readable.toWeb(input))]) {
    const input = new PassThrough()
    const body = new EventBody(makeSource(input)!, new EventStreamRewriter((data) => data.length > 10 ? Buffer.from('{}') : null, { maxEventBytes: 1000 }))
    let read = ''
    body.on('data', (chunk) => { read += chunk })
    for (let i = 0; i < 20; i++) {
      read = ''
      for (const piece of [': comment\n', 'data: {"number', `of it":${1000 + i}}\n`, '\n', 'data: {}\n\n']) {
        input.write(piece)
        await nextTurn()
      }
      t.equal(read, ': comment\ndata: {}\n\ndata: {}\n\n')
    }
    input.end('data: {"cut')
    await once(body, 'end')
    t.match(read, /data: \{"cut$/)
  }
})

t.test('a client that goes away ends the upstream request, in the middle of an event too', async (t) => {
  const { answer, stream } = openStream()
  const { port, upstream } = await setUp(t, answer)
  const client = start(port, { method: 'POST', headers: MCP_TOON })
  client.end(CALL)
  const response = await responseTo(client)
  ;(await stream).write('id: 1\ndata: {"jsonrpc"')
  await readUntil(response, 'id: 1\n')
  client.destroy()
  await (await upstream.nextRequest()).closed
  t.pass('its connection is closed')
})

t.test('an upstream that breaks off breaks the stream off: what was held is not made up for', async (t) => {
  const { answer, stream } = openStream()
  const { port } = await setUp(t, answer)
  const client = start(port, { method: 'POST', headers: MCP_TOON })
  client.end(CALL)
  const response = await responseTo(client)
  ;(await stream).write('id: 1\ndata: {"jsonrpc"')
  await readUntil(response, 'id: 1\n')
  ;(await stream).socket!.resetAndDestroy()
  t.match(await receive(response), { complete: false })
})

t.test('an upstream waits for a client that does not read', async (t) => {
  const { answer, stream } = openStream()
  const { port } = await setUp(t, answer)
  const client = start(port, { method: 'POST', headers: MCP_TOON })
  client.end(CALL)
  const response = await responseTo(client)
  const upstream = await stream
  const chunk = event(`{"jsonrpc":"2.0","method":"x","params":"${'x'.repeat(64 * 1024)}"}`)
  let sent = 0
  // Past what sockets and streams hold, only a wait for the client is left.
  while (upstream.write(chunk) || await Promise.race([new Promise((resolve) => upstream.once('drain', () => resolve(true))), new Promise((resolve) => setTimeout(resolve, 500, false))])) {
    sent++
    if (sent * chunk.length > 64 * 1024 * 1024) break
  }
  t.ok(sent * chunk.length < 64 * 1024 * 1024, `${sent * chunk.length} bytes were taken`)
  upstream.end()
  const { body, complete } = await receive(response)
  t.ok(complete)
  t.equal(body.length % chunk.length, 0)
  t.equal(body.length / chunk.length, sent + 1)
})

// A thread takes long to start where it compiles TypeScript, so that one server does for all of this.
t.test('large messages go to a thread; those behind them wait; a failure there leaves them as they came', async (t) => {
  const rows = JSON.stringify(Array.from({ length: 3000 }, (_, id) => ({ id, name: `item ${id}`, city: 'Oslo' })))
  const large = textAnswer(rows)
  const plain = answer(`{"content":[${block('x'.repeat(5000))}]}`)
  const list = answer(`{"tools":[{"name":"${'x'.repeat(5000)}"}]}`)
  const double = answer(`{"content":[${block(rows)}],"structuredContent":${rows}}`)
  const messages = [large, RESULT, list, plain, large, RESULT]
  const options = { objectName: 'x' }
  const { port, decisions } = await setUp(t, {
    '/json': sendBody(large), '/other': sendBody(rows), '/events': sendBody(messages.map((message) => event(message)).join(''), EVENTS), '/event': sendBody(event(large), EVENTS), '/double': sendBody(double)
  }, { workers: { minBytes: 4096 }, rows: options, mcp: { structuredContent: 'drop', beforeEncode: async (text) => text === rows ? rows.replaceAll('Oslo', 'Rome') : undefined } })
  const rome = rows.replaceAll('Oslo', 'Rome')

  const { body } = await post(port, MCP_TOON, CALL, '/events')
  const texts = parseEvents(body.toString()).map(({ data }) => data)
  t.same(texts.map((data, i) => i === 2 ? data : readText(data).json), [rome, ROWS, list, 'x'.repeat(5000), rome, ROWS])
  t.same(decisions.map(({ reason }) => String(reason)).sort(), ['not-json', 'null', 'null', 'null', 'null'])
  const { headers, body: json } = await post(port, MCP_TOON, CALL, '/json')
  t.same(readText(json.toString()), { json: rome, codec: 'toon' })
  t.match(headers, { 'x-token-ratio': /^0\.\d\d$/, 'content-length': String(json.length) })
  t.equal((await post(port, MCP_TOON, CALL, '/other')).headers['content-encoding'], 'toon', 'what is no message is encoded whole')

  // What is known of a session stays on this thread.
  const session = { ...MCP_TOON, 'mcp-session-id': 's' }
  t.match((await post(port, session, CALL, '/double')).body.toString(), 'structuredContent')
  decisions.length = 0
  // A function cannot be given to a thread; it stands for whatever may go wrong there.
  Object.assign(options, { countTokens: () => 0 })
  t.equal((await post(port, MCP_TOON, CALL, '/event')).body.toString(), event(large.replaceAll('Oslo', 'Rome')), 'but for what the hook made of it')
  const failed = await post(port, MCP_TOON, CALL, '/json')
  t.equal(failed.body.toString(), large.replaceAll('Oslo', 'Rome'))
  t.equal(failed.headers['x-token-ratio'], undefined)
  t.match(decisions, [{ reason: 'error' }, { reason: 'error' }])
})

t.test('a message of more than maxEventBytes, or maxBodyBytes, passes as it comes', async (t) => {
  const { port, decisions } = await setUp(t, { '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS) }, { maxEventBytes: 100, maxBodyBytes: 100 })
  t.equal((await post(port, MCP_TOON, CALL, '/json')).body.toString(), RESULT)
  t.equal((await post(port, MCP_TOON, CALL, '/events')).body.toString(), event(RESULT))
  t.match(decisions, [{ reason: 'too-large' }, { reason: 'too-large' }])
})

t.test('mode observe decides and reports, and changes nothing', async (t) => {
  const headers = { ...EVENTS, 'content-length': String(event(RESULT).length), etag: '"v1"' }
  const { port, decisions } = await setUp(t, { '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), headers) }, { mode: 'observe', mcp: { beforeEncode: () => false } })
  const json = await post(port, MCP_TOON, CALL, '/json')
  t.equal(json.body.toString(), RESULT)
  t.same([json.headers['x-token-ratio'], json.headers.vary], [undefined, undefined])
  const events = await post(port, MCP_TOON, CALL, '/events')
  t.equal(events.body.toString(), event(RESULT))
  t.match(events.headers, headers)
  t.match(decisions, [{ reason: 'observe-only', codec: 'toon' }, { reason: 'observe-only', codec: 'toon' }])
})

t.test('beforeEncode sees each text first; what it makes of it ships, encoded or not', async (t) => {
  for (const isAsync of [false, true]) {
    const seen: unknown[] = []
    const beforeEncode: BeforeEncode = (text, context) => {
      seen.push([text, context])
      const next = text === PRETTY_ROWS ? text.replaceAll('Oslo', 'Rome') : text === 'secret' ? 'hidden' : text === 'bad' ? false : undefined
      return isAsync ? Promise.resolve(next) : next
    }
    const messages = { '/rows': RESULT, '/secret': textAnswer('secret'), '/bad': textAnswer('bad'), '/same': textAnswer(ROWS) }
    const answers = Object.entries(messages).flatMap(([path, message]) => [[path, sendBody(message)], [`${path}-events`, sendBody(event(message), EVENTS)]])
    const { port, decisions } = await setUp(t, Object.fromEntries(answers), { mcp: { beforeEncode } })
    const ask = async (path: string) => {
      const { body, headers } = await post(port, MCP_TOON, CALL, path)
      const text = path.endsWith('events') ? parseEvents(body.toString())[0].data : body.toString()
      if (!path.endsWith('events')) t.equal(headers['content-length'], String(body.length))
      return text
    }
    for (const kind of ['', '-events']) {
      t.same(readText(await ask(`/rows${kind}`)), { json: ROWS.replaceAll('Oslo', 'Rome'), codec: 'toon' })
      t.same(seen.shift(), [PRETTY_ROWS, { tool: 'list_rows', index: 0 }])
      t.same(readText(await ask(`/secret${kind}`)), { json: 'hidden', codec: null })
      decisions.length = 0
      t.match(resultOf(await ask(`/bad${kind}`)), { isError: true })
      t.match(decisions, [{ reason: 'withheld' }])
      t.same(readText(await ask(`/same${kind}`)), { json: ROWS, codec: 'toon' })
      seen.length = 0
    }
  }
})

t.test('structuredContent is dropped by option, in a session that has seen the tool without its schema', async (t) => {
  const list = answer('{"tools":[{"name":"list_rows","inputSchema":{},"outputSchema":{"type":"object"}}]}')
  const result = answer(`{"content":[${block(ROWS)}],"structuredContent":${ROWS}}`)
  const { port } = await setUp(t, { '/list': sendBody(list), '/json': sendBody(result), '/events': sendBody(event(result), EVENTS) }, { mcp: { structuredContent: 'drop' } })
  const session = { ...MCP_TOON, 'mcp-session-id': 's' }
  const listRequest = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  t.match((await post(port, session, CALL, '/json')).body.toString(), 'structuredContent')
  t.notMatch((await post(port, session, listRequest, '/list')).body.toString(), 'outputSchema')
  for (const path of ['/json', '/events']) {
    t.notMatch((await post(port, session, CALL, path)).body.toString(), 'structuredContent')
    t.match((await post(port, MCP_TOON, CALL, path)).body.toString(), 'structuredContent')
  }
})

t.test('mcp.describe says in tools/list how results are encoded, mcp.marker in each of them', async (t) => {
  const list = answer('{"tools":[{"name":"list_rows","description":"Lists rows."}]}')
  const { port } = await setUp(t, { '/list': sendBody(event(list), EVENTS), '/call': sendBody(RESULT) }, { mcp: { describe: true, marker: 'This is TOON:' } })
  t.match(parseEvents((await post(port, MCP_TOON, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', '/list')).body.toString())[0].data, /Lists rows\..*TOON/)
  const { body } = await post(port, MCP_TOON, CALL, '/call')
  t.match(resultOf(body.toString()).content[0].text, /^This is TOON:\n/)
  t.same(readText(body.toString()), { json: ROWS, codec: 'toon' })
})

t.test('a failure of ours ships the message as it came, and is counted', async (t) => {
  const exclude: string[] = []
  const { port, decisions } = await setUp(t, { '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS) }, { mcp: { tools: { exclude } } })
  // It stands for whatever may go wrong.
  exclude.some = () => { throw new Error('sabotage') }
  for (const [path, body] of [['/json', RESULT], ['/events', event(RESULT)]]) {
    t.equal((await post(port, MCP_TOON, CALL, path)).body.toString(), body)
    t.match(decisions.pop(), { reason: 'error' })
  }
})

t.test('on a route of one\'s own: parsed bodies, payloads of every kind, the route\'s options', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding)
  const bodies: unknown[] = []
  for (const [url, type, make] of [
    ['/object', 'application/json', () => JSON.parse(RESULT)], ['/string', 'application/json', () => RESULT],
    ['/events', 'text/event-stream', () => event(RESULT)], ['/buffer', 'text/event-stream', () => Buffer.from(event(RESULT))],
    ['/response', 'text/event-stream', () => new Response(event(RESULT), { headers: { 'content-type': 'text/event-stream' } })]
  ] as const) {
    app.post(url, async (request, reply) => {
      bodies.push(request.body)
      return reply.type(type).send(make())
    })
  }
  app.post('/off', { config: { tokenEncoding: { mcp: false } } }, async () => RESULT)
  app.post('/only', { config: { tokenEncoding: { mcp: { tools: { include: ['other'] } } } } }, async () => JSON.parse(RESULT))
  app.post('/empty', async (_request, reply) => reply.type('text/event-stream').send(null))
  const inject = (url: string) => app.inject({ method: 'POST', url, headers: MCP_TOON, body: CALL })
  for (const url of ['/object', '/string', '/events', '/buffer', '/response']) {
    const { body, headers } = await inject(url)
    const text = String(headers['content-type']).includes('event') ? parseEvents(body)[0].data : body
    t.same(readText(text), { json: ROWS, codec: 'toon' }, url)
    t.same(bodies.pop(), JSON.parse(CALL), 'the handler has the body')
  }
  t.equal((await inject('/off')).body, RESULT)
  t.equal((await inject('/only')).body, JSON.stringify(JSON.parse(RESULT)))
  t.equal((await inject('/empty')).body, '')
})

t.test('behind @fastify/http-proxy the request streams through and its tool is known', async (t) => {
  const upstream = await startUpstream({ '/json': sendBody(RESULT), '/events': sendBody(event(RESULT), EVENTS) })
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(async () => { await Promise.all([app.close(), upstream.close()]) })
  await app.register(tokenEncoding)
  await app.register(httpProxy, { upstream: upstream.origin })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.same(readText((await post(portOf(app), MCP_TOON, CALL, '/json')).body.toString()), { json: ROWS, codec: 'toon' })
  t.same(readText(parseEvents((await post(portOf(app), MCP_TOON, CALL, '/events')).body.toString())[0].data), { json: ROWS, codec: 'toon' })
  t.equal((await post(portOf(app), MCP_TOON, callBody('read_file'), '/json')).body.toString(), RESULT)
})

t.test('recordings of real servers, replayed whole and byte by byte: nothing but texts of results changes', { skip: isMissing && 'no recordings' }, async (t) => {
  let encoded = 0
  for (const name of readdirSync(RECORDINGS).filter((file) => file.endsWith('.body'))) {
    const body = readFileSync(join(RECORDINGS, name))
    const head = readFileSync(join(RECORDINGS, name.replace(/body$/, 'http')), 'latin1').split('\r\n\r\n', 1)[0]
    const type = /^content-type: *(.*)$/im.exec(head)?.[1]
    if (type === undefined) continue
    const status = Number(head.split(' ', 2)[1])
    const { port, upstream } = await setUp(t, async (request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': type })
      if (request.url === '/whole') return response.end(body)
      for (const byte of body) {
        // Each byte in a packet of its own.
        response.write(Buffer.of(byte))
        if (response.writableLength > 0 || Math.random() < 0.01) await new Promise(setImmediate)
      }
      response.end()
    }, { mcp: { tools: { exclude: [] } } })
    const whole = (await post(port, MCP_TOON, CALL, '/whole')).body.toString()
    const bytewise = (await post(port, MCP_TOON, CALL, '/bytes')).body.toString()
    t.equal(bytewise, whole, name)
    const isEvents = type.startsWith('text/event-stream')
    const [before, after] = [body.toString(), whole].map((text) => isEvents ? parseEvents(text) : [{ data: text }])
    t.same(after.map((event) => ({ ...event, data: restoreTexts(event.data) })), before.map((event) => ({ ...event, data: restoreTexts(event.data) })), name)
    if (whole !== body.toString()) encoded++
    await upstream.close()
  }
  t.ok(encoded > 10, `${encoded} recordings have become smaller`)
})

/** A message with every text that came in a coding as minified JSON again, as are those that are JSON; and without what `_meta` says of it. */
function restoreTexts (data: string): unknown {
  if (!/^[{[]/.test(data)) return data
  const parsed = JSON.parse(data)
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
    const { result } = message
    if (!Array.isArray(result?.content)) continue
    const one = JSON.stringify({ result })
    for (const [i, piece] of result.content.entries()) {
      if (piece.type === 'text') piece.text = restoreText(one, i)
    }
    delete result._meta?.['fastify-token-gateway/encoding']
    if (result._meta !== undefined && Object.keys(result._meta).length === 0) delete result._meta
  }
  return parsed
}

function restoreText (message: string, index: number): string {
  const { content, _meta } = resultOf(message)
  const text = content[index].text
  const entries = (_meta?.['fastify-token-gateway/encoding'] ?? []) as { index: number }[]
  const entry = entries.find((entry) => entry.index === index)
  const json = entry === undefined ? text : readText(JSON.stringify({ result: { content: [content[index]], _meta: { 'fastify-token-gateway/encoding': [{ ...entry, index: 0 }] } } })).json
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}
