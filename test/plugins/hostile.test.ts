import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { decode } from '../../lib/index.js'
import type { CodingName, Decision } from '../../lib/index.js'
import { writeRawAndClose } from '../helpers/faulty-upstream.js'
import type { Answer } from '../helpers/faulty-upstream.js'
import { exchangeBytes, openSocket, send } from '../helpers/gateway-client.js'
import { setUpGateway } from '../helpers/gateway-setup.js'
import { parseEvents } from '../helpers/mcp-http.js'
import { ROWS, answer, block, decodeBlock, entriesOf, resultOf, textAnswer } from '../helpers/mcp-messages.js'
import { readReference, withComparableNumbers, writeReference } from '../helpers/reference-json.js'

/*
 * What somebody sends on purpose. Whatever comes back is the original, byte for byte and with a counted reason, or
 * decodes to it; and the next request works.
 */

const toon = { 'accept-encoding': 'toon' }
const json = { 'content-type': 'application/json' }
const MCP_TOON = { ...toon, accept: 'application/json, text/event-stream' }

/** Answers each path with the bytes of one row. */
const answerRow = (rows: readonly string[] = []): Answer => (request, response) => {
  const row = rows[Number(request.url!.slice(1) || NaN)]
  if (row === undefined) response.writeHead(200, { ...json, 'content-length': ROWS.length }).end(ROWS)
  else writeRawAndClose(row)(request, response)
}

async function checkNext (t: Test, port: number, name: string): Promise<void> {
  t.equal(decode((await send(port, { path: '/fine', headers: toon })).body, 'toon'), ROWS, `${name}: the next request works`)
}

/* Heads of the upstream. `body`: what a client gets that asks for nothing; `coded`: whether one that asks for TOON gets that. */
const fields = (...lines: string[]): string => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
const TYPE = 'content-type: application/json'
const LENGTH = `content-length: ${ROWS.length}`
const chunk = (size: string): string => `${fields(TYPE, 'transfer-encoding: chunked')}${size}\r\n${ROWS}\r\n`
const HEX = ROWS.length.toString(16)

const HEADS: Record<string, { bytes: string, coded: boolean, status?: number }> = {
  'Content-Type twice in one line': { bytes: fields('content-type: application/json, application/json', LENGTH) + ROWS, coded: false },
  'Content-Type with empty parameters': { bytes: fields('content-type: application/json;; ;', LENGTH) + ROWS, coded: true },
  'Content-Type with two charsets': { bytes: fields('content-type: application/json; charset=utf-8; charset=utf-16', LENGTH) + ROWS, coded: true },
  'Content-Encoding twice: identity': { bytes: fields(TYPE, 'content-encoding: identity', 'content-encoding: identity', LENGTH) + ROWS, coded: true },
  'Content-Encoding that is not true, twice': { bytes: fields(TYPE, 'content-encoding: gzip', 'content-encoding: gzip', LENGTH) + ROWS, coded: false },
  'Content-Encoding of ours': { bytes: fields(TYPE, 'content-encoding: toon', LENGTH) + ROWS, coded: false },
  'Content-Encoding with nothing in it': { bytes: fields(TYPE, 'content-encoding: , ,', LENGTH) + ROWS, coded: true },
  'Content-Length with a plus sign': { bytes: fields(TYPE, `content-length: +${ROWS.length}`) + ROWS, coded: false, status: 502 },
  'Content-Length twice in one line': { bytes: fields(TYPE, `content-length: ${ROWS.length}, ${ROWS.length}`) + ROWS, coded: false, status: 502 },
  'Content-Length below zero': { bytes: fields(TYPE, 'content-length: -1') + ROWS, coded: false, status: 502 },
  'Content-Length that no integer holds': { bytes: fields(TYPE, `content-length: ${'9'.repeat(40)}`) + ROWS, coded: false, status: 502 },
  'a thousand times 100 Continue': { bytes: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000) + fields(TYPE, LENGTH) + ROWS, coded: false, status: 502 },
  'a thousand times 102 Processing': { bytes: 'HTTP/1.1 102 Processing\r\nx-a: b\r\n\r\n'.repeat(1000) + fields(TYPE, LENGTH) + ROWS, coded: true },
  'a thousand early hints': { bytes: 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'.repeat(1000) + fields(TYPE, LENGTH) + ROWS, coded: true },
  trailers: { bytes: `${chunk(HEX)}0\r\ncontent-encoding: gzip\r\ncontent-type: text/html\r\nx-a: b\r\n\r\n`, coded: true },
  'a length among the trailers': { bytes: `${chunk(HEX)}0\r\ncontent-length: 1\r\n\r\n`, coded: false, status: 502 },
  'trailers of 100 KB': { bytes: `${chunk(HEX)}0\r\nx-a: ${'b'.repeat(100_000)}\r\n\r\n`, coded: false, status: 502 },
  'a chunk extension that is empty': { bytes: `${chunk(`${HEX};`)}0;\r\n\r\n`, coded: false, status: 502 },
  'chunk extensions': { bytes: `${chunk(`${HEX};a;b="c;d"`)}0;e=f\r\n\r\n`, coded: true },
  'a chunk extension of 100 KB': { bytes: `${chunk(`${HEX};a=${'b'.repeat(100_000)}`)}0\r\n\r\n`, coded: true },
  'a chunk size with zeros in front': { bytes: `${chunk(`${'0'.repeat(12)}${HEX}`)}0\r\n\r\n`, coded: true },
  'Transfer-Encoding gzip, which nobody undoes': { bytes: `${fields(TYPE, 'transfer-encoding: gzip')}${ROWS}`, coded: false, status: 502 },
  'a reason phrase of any bytes': { bytes: fields(TYPE, LENGTH).replace('OK', '\xff\xfe \t{}') + ROWS, coded: true },
  'no reason phrase': { bytes: fields(TYPE, LENGTH).replace(' OK', '') + ROWS, coded: true },
  'HTTP/1.0 that stays open': { bytes: fields(TYPE, 'connection: keep-alive', LENGTH).replace('1.1', '1.0') + ROWS, coded: true },
  'ETag that is none': { bytes: fields(TYPE, 'etag: "a', 'etag: W/', LENGTH) + ROWS, coded: true },
  'Vary a hundred times': { bytes: fields(TYPE, ...Array.from({ length: 100 }, (_, i) => `vary: x-${i % 7}, , Accept-Encoding`), LENGTH) + ROWS, coded: true },
  'fields of ours that are not true': { bytes: fields(TYPE, 'x-toon-ratio: 0.01', 'x-toon-version: 9', 'x-token-ratio: 7', LENGTH) + ROWS, coded: true }
}

t.test('odd heads of an upstream: what ships is the document, in a coding only where the head leaves no doubt', async (t) => {
  const names = Object.keys(HEADS)
  const { port } = await setUpGateway(t, answerRow(Object.values(HEADS).map(({ bytes }) => bytes)), { gateway: { headersTimeout: 20_000, bodyIdleTimeout: 20_000, tokenEncoding: { measure: 'bytes' } } })
  for (const [index, name] of names.entries()) {
    const { coded, status = 200 } = HEADS[name]
    for (const headers of [{}, toon]) {
      const received = await send(port, { path: `/${index}`, headers })
      const label = `${name}, ${JSON.stringify(headers)}`
      if (status !== 200) {
        // Without a wish what is wrong may show only behind the beginning, which has left then.
        t.ok(received.status === status || (headers !== toon && !received.complete), `${label}: ${received.status}`)
        continue
      }
      const isCoded = headers === toon && coded
      t.same([received.status, received.complete, received.headers['content-encoding'] === 'toon' && received.headers['x-toon-version'] === '4.0'], [200, true, isCoded], label)
      t.equal(isCoded ? decode(received.body, 'toon') : received.body.toString(), ROWS, label)
    }
    await checkNext(t, port, name)
  }
})

/* Bodies that are labelled JSON. `reason`: why they stay as they came; null: they are encoded, and decode to the same. */
const bytes = (...numbers: number[]): Buffer => Buffer.from(numbers)
const utf16 = (text: string): Buffer => Buffer.concat([bytes(0xff, 0xfe), Buffer.from(text, 'utf16le')])
const digits = '1234567890'.repeat(10_000)
const rowsOf = (cell: string): string => `[${Array.from({ length: 12 }, (_, i) => `{"id":${i},"v":${cell}}`).join()}]`
const nest = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const BODIES: Record<string, { body: string | Buffer, reason: Partial<Record<CodingName, string | null>> | string | null }> = {
  'UTF-16 with a BOM': { body: utf16(ROWS), reason: 'not-json' },
  'UTF-16 without one': { body: Buffer.from(ROWS, 'utf16le'), reason: 'not-json' },
  'a UTF-8 BOM': { body: `\ufeff${ROWS}`, reason: null },
  'two BOMs': { body: `\ufeff\ufeff${ROWS}`, reason: 'not-json' },
  'a BOM alone': { body: '\ufeff', reason: 'not-json' },
  'a UTF-8 BOM before UTF-16': { body: Buffer.concat([bytes(0xef, 0xbb, 0xbf), utf16(ROWS)]), reason: 'not-json' },
  'NUL behind the document': { body: `${ROWS}\0`, reason: 'not-json' },
  'NUL before it': { body: `\0${ROWS}`, reason: 'not-json' },
  'NUL in a string': { body: rowsOf('"a\0b"'), reason: 'not-json' },
  'NUL as an escape, in keys too': { body: rowsOf('"a\\u0000b"').replaceAll('"v"', '"v\\u0000"'), reason: null },
  'an overlong NUL': { body: Buffer.concat([Buffer.from('["'), bytes(0xc0, 0x80), Buffer.from('"]')]), reason: 'not-json' },
  'a surrogate in UTF-8': { body: Buffer.concat([Buffer.from('["'), bytes(0xed, 0xa0, 0x80), Buffer.from('"]')]), reason: 'not-json' },
  'numbers of 100,000 digits': { body: rowsOf(digits), reason: null },
  'fractions of 100,000 digits': { body: rowsOf(`-0.${digits}`), reason: null },
  'exponents of 100,000 digits': { body: rowsOf(`1e${digits}`), reason: null },
  'minus zero in every spelling': { body: '[{"a":-0,"b":-0.0,"c":-0e5,"d":-0E-0},{"a":-0,"b":-0.0,"c":-0e5,"d":-0E-0}]', reason: null },
  'numbers past every double': { body: rowsOf('[1E400,-1e400,1e-400,0.1E401,1E+400]'), reason: null },
  'numbers that only look like it': { body: rowsOf('01'), reason: 'not-json' },
  'a plus sign': { body: rowsOf('+1'), reason: 'not-json' },
  '__proto__ twice': { body: rowsOf('{"__proto__":{"x":1},"__proto__":{"y":2}}'), reason: { toon: 'declined-duplicate-keys', stc: null, stc2: null } },
  'constructor twice, once in escapes': { body: rowsOf('{"constructor":1,"\\u0063onstructor":2}'), reason: { toon: 'declined-duplicate-keys', stc: null, stc2: null } },
  'keys of the prototype': { body: rowsOf('{"__proto__":1,"constructor":{"prototype":{"x":1}},"toString":null,"hasOwnProperty":[]}'), reason: null },
  'lone surrogates': { body: rowsOf('"\\ud800"'), reason: { toon: 'declined-lone-surrogate', stc: null, stc2: null } },
  'lone surrogates in keys': { body: rowsOf('{"\\udfff":1}'), reason: { toon: 'declined-lone-surrogate', stc: null, stc2: null } },
  'surrogates the wrong way round': { body: rowsOf('"\\udc00\\ud800"'), reason: { toon: 'declined-lone-surrogate', stc: null, stc2: null } },
  'a key of 1 MB': { body: `[{"${'k'.repeat(1 << 20)}":1,"z":2},{"${'k'.repeat(1 << 20)}":3,"z":4}]`, reason: null },
  'a key of 1 MB of escapes': { body: `{"${'\\u0001'.repeat(180_000)}":1,"b":[1,2,3]}`, reason: null },
  'nesting of 9,999': { body: nest(9999), reason: 'declined-depth' },
  'nesting of 10,000': { body: nest(10_000), reason: 'declined-depth' },
  'nesting of 10,001': { body: nest(10_001), reason: 'not-json' },
  'nesting of 512 objects': { body: `${'{"a":'.repeat(511)}[1]${'}'.repeat(511)}`, reason: null },
  'nesting of 513 objects': { body: `${'{"a":'.repeat(512)}[1]${'}'.repeat(512)}`, reason: 'declined-depth' },
  'blanks alone': { body: ' \t\r\n'.repeat(100), reason: 'not-json' },
  'a form feed between tokens': { body: `[1,\f2,${ROWS}]`, reason: 'not-json' },
  'a no-break space between tokens': { body: `[1,\u00a02,${ROWS}]`, reason: 'not-json' },
  'two documents': { body: `${ROWS}${ROWS}`, reason: 'not-json' },
  'a string that is a TOON header': { body: rowsOf('"[12]{id,v}:\\n  0,1"'), reason: null },
  // eslint-disable-next-line no-template-curly-in-string -- it is none
  'a string that is an STC 2 template': { body: rowsOf('"${id}${@}${}\\u0024{v}"'), reason: null },
  'keys that are syntax': { body: rowsOf('{"":1,"}:":2,"a,b":3,"[2]":4,"x^":5,"y?":6,"z~null":7,"#":8,"-":9,"\\"":10}'), reason: null }
}

const CODINGS: CodingName[] = ['toon', 'stc', 'stc2']

/** JSON as a reader that shares nothing with ours puts it down; TOON keeps the value of numbers alone. */
function canonical (text: string, coding: CodingName): string {
  const read = readReference(text)
  return writeReference(coding === 'toon' ? withComparableNumbers(read) : read)
}

t.test('hostile bodies: each is encoded and decodes to the same, or ships as it came with a reason', async (t) => {
  const decisions: Decision[] = []
  const names = Object.keys(BODIES)
  const { port } = await setUpGateway(t, (request, response) => {
    if (request.url === '/fine') response.writeHead(200, json).end(ROWS)
    else response.writeHead(200, json).end(BODIES[names[Number(request.url!.slice(1))]].body)
  }, { gateway: { tokenEncoding: { encodings: CODINGS, mode: 'always', maxBodyBytes: 32 << 20, workers: false, onDecision: (decision) => { decisions.push(decision) } } } })
  for (const [index, name] of names.entries()) {
    const original = Buffer.from(BODIES[name].body)
    for (const coding of CODINGS) {
      const label = `${name}, ${coding}`
      decisions.length = 0
      const { status, headers, body, complete } = await send(port, { path: `/${index}`, headers: { 'accept-encoding': coding } })
      t.same([status, complete, decisions.length], [200, true, 1], label)
      const [{ reason }] = decisions
      const wanted = BODIES[name].reason
      const expected = typeof wanted === 'object' && wanted !== null ? wanted[coding] : wanted
      t.equal(reason, expected, label)
      if (headers['content-encoding'] === undefined) {
        t.ok(original.equals(body), `${label}: as it came`)
      } else {
        t.equal(headers['content-encoding'], coding, label)
        const text = original.toString().replace(/^\ufeff/, '')
        t.ok(canonical(decode(body, coding), coding) === canonical(text, coding), `${label}: the same document`)
      }
    }
    await checkNext(t, port, name)
  }
})

/* Event streams; TEXTS is how many tool results are rewritten in them. */
const RESULT = textAnswer(ROWS)
const event = (data: string, end = '\n'): string => `data: ${data}${end}${end}`
const tokens = RESULT.split(/(?<=[,{[])(?=")/)

const STREAMS: Record<string, { stream: string | Buffer, texts: number, tooLarge?: number }> = {
  'CR alone ends lines': { stream: `id: 1\r${event(RESULT, '\r')}${event(RESULT, '\r')}`, texts: 2 },
  'every line ends otherwise': { stream: `id: 1\rretry: 5\r\ndata: ${RESULT}\n\r\ndata: ${RESULT}\r\n\r:\n`, texts: 2 },
  'a BOM': { stream: `\ufeff${event(RESULT)}`, texts: 1 },
  'two BOMs, and one in the middle': { stream: `\ufeff\ufeffdata: ${RESULT}\n\n\ufeffdata: ${RESULT}\n\n${event(RESULT)}`, texts: 1 },
  'NUL in an id': { stream: `id: a\0b\n${event(RESULT)}id: \0\n\n`, texts: 1 },
  'NUL in a field name': { stream: `da\0ta: ${RESULT}\n\ndata\0: ${RESULT}\n\n`, texts: 0 },
  'retry that is no number': { stream: `retry: -1\nretry: 1e400\nretry\nretry: ${'9'.repeat(100_000)}\n${event(RESULT)}`, texts: 1 },
  'a flood of comments': { stream: `${':\n: x\r:y\r\n'.repeat(100_000)}${event(RESULT)}`, texts: 1 },
  'a flood of comments within an event': { stream: `data: ${RESULT}\n${':c\n'.repeat(50_000)}\n`, texts: 1 },
  'a flood of empty events': { stream: `${'\n'.repeat(200_000)}${'data\n\n'.repeat(20_000)}${event(RESULT)}`, texts: 1 },
  'an id of 1 MB': { stream: `id: ${'x'.repeat(1 << 20)}\n${event(RESULT)}`, texts: 1 },
  'a data line of 20 MB': { stream: `${event(`{"a":"${'x'.repeat(20 << 20)}"}`)}${event(RESULT)}`, texts: 1, tooLarge: 1 },
  '20 MB of data lines': { stream: `${'data: {\n'.repeat(20 << 17)}\n${event(RESULT)}`, texts: 1, tooLarge: 1 },
  'a message in many data lines': { stream: `${tokens.map((token) => `data: ${token}\n`).join('')}\n`, texts: 1 },
  'data fields that only look like it': { stream: `Data: ${RESULT}\n\n data: ${RESULT}\n\ndata : ${RESULT}\n\ndata\t: ${RESULT}\n\ndata2: ${RESULT}\n\n`, texts: 0 },
  'no blank, two blanks, a tab behind the colon': { stream: `data:${RESULT}\n\ndata:  ${RESULT}\n\ndata:\t${RESULT}\n\n`, texts: 3 },
  'a stream that ends in an event': { stream: `${event(RESULT)}data: ${RESULT}\n`, texts: 1 },
  'a stream that ends in a line': { stream: `${event(RESULT)}data: ${RESULT}`, texts: 1 },
  'data that is no UTF-8': { stream: Buffer.concat([Buffer.from(`data: ${RESULT.slice(0, -1)},"x":"`), bytes(0xff, 0xfe), Buffer.from(`"}\n\n${event(RESULT)}`)]), texts: 1 },
  'data with a BOM of its own': { stream: `data: \ufeff${RESULT}\n\n`, texts: 0 },
  'two messages in one event': { stream: `data: ${RESULT}\ndata: ${RESULT}\n\n`, texts: 0 },
  'an event of another kind': { stream: `event: endpoint\ndata: /messages\n\nevent: \0\n${event(RESULT)}`, texts: 1 }
}

/** Events with the texts of results as they were before they were encoded, and how many of these there are. */
function restoreEvents (stream: Buffer): { events: unknown[], texts: number } {
  let texts = 0
  // The last line end may be half of one.
  const events = parseEvents(`${stream.toString('latin1')}:`).map(({ data: spelled, ...rest }) => {
    const data = spelled.trim()
    if (!data.includes('fastify-token-gateway/encoding')) return { ...rest, data }
    texts++
    const result = resultOf(data)
    const [entry] = entriesOf(result)
    return { ...rest, data: textAnswer(decodeBlock(result.content[0].text, entry)) }
  })
  return { events, texts }
}

t.test('hostile event streams: results are rewritten, every other byte passes, and what is too large is counted', async (t) => {
  const decisions: Decision[] = []
  const names = Object.keys(STREAMS)
  const { port } = await setUpGateway(t, (request, response) => {
    if (request.url === '/fine') response.writeHead(200, json).end(ROWS)
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAMS[names[Number(request.url!.slice(1))]].stream)
  }, { gateway: { tokenEncoding: { measure: 'bytes', mcp: { tools: { exclude: [] } }, onDecision: (decision) => { decisions.push(decision) } } } })
  for (const [index, name] of names.entries()) {
    const { stream, texts, tooLarge = 0 } = STREAMS[name]
    const original = Buffer.from(stream)
    t.ok((await send(port, { path: `/${index}` })).body.equals(original), `${name}: as it came for who asks for nothing`)
    decisions.length = 0
    const { status, body, complete } = await send(port, { path: `/${index}`, headers: MCP_TOON })
    t.same([status, complete], [200, true], name)
    t.equal(decisions.filter(({ reason }) => reason === 'too-large').length, tooLarge, `${name}: too large`)
    t.equal(decisions.filter(({ outcome }) => outcome === 'encoded').length, texts, `${name}: encoded`)
    if (texts === 0) t.ok(body.equals(original), `${name}: byte for byte`)
    // To parse what is too large takes longer than all else.
    const passed = tooLarge === 0 ? 0 : original.length - event(RESULT).length
    t.ok(body.subarray(0, passed).equals(original.subarray(0, passed)), `${name}: as it came`)
    const [came, left] = [original, body].map((stream) => stream.subarray(passed))
    const restored = restoreEvents(left)
    t.equal(restored.texts, texts, `${name}: rewritten`)
    // A message in several lines is one that is spelled otherwise.
    const spell = (events: unknown[]): string => JSON.stringify(events).replaceAll('\\n', '')
    t.ok(spell(restored.events) === spell(restoreEvents(came).events), `${name}: the same events`)
    t.ok(stripData(left) === stripData(came), `${name}: all but data is the same`)
    await checkNext(t, port, name)
  }
})

/** A stream without its data lines. */
function stripData (stream: Buffer): string {
  return stream.toString('latin1').replace(/^(?:\xef\xbb\xbf)?data(?::[^\r\n]*)?(?:\r\n|\r|\n|$)/gm, '')
}

/* Messages of odd shapes, as an answer and as an event. */
const B = block(ROWS)
const CONTENT = `{"content":[${B}]}`
const MESSAGES: Record<string, { message: string, texts: number }> = {
  'id null': { message: answer(CONTENT, 'null'), texts: 1 },
  'id 1e400': { message: answer(CONTENT, '1e400'), texts: 1 },
  'id that is an object': { message: answer(CONTENT, '{"a":1.0}'), texts: 1 },
  'no id': { message: `{"jsonrpc":"2.0","result":${CONTENT}}`, texts: 1 },
  'a batch with one id twice': { message: `[${answer(CONTENT)},${answer(CONTENT)}]`, texts: 2 },
  'a batch, one result twice': { message: `[{"jsonrpc":"2.0","id":1,"result":${CONTENT},"result":${CONTENT}},${answer(CONTENT, '2')}]`, texts: 1 },
  'a batch of all kinds': { message: `[1,null,"x",[],${answer(CONTENT)},{}]`, texts: 1 },
  'a batch in a batch': { message: `[[${answer(CONTENT)}]]`, texts: 0 },
  'content that is an object': { message: answer(`{"content":{"0":${B},"length":1}}`), texts: 0 },
  'content that is a text': { message: answer(`{"content":${JSON.stringify(ROWS)}}`), texts: 0 },
  'content in content': { message: answer(`{"content":[[${B}]]}`), texts: 0 },
  'a result that is an array': { message: answer(`[${B}]`), texts: 0 },
  'a result in the third place': { message: answer(`{"result":{"result":${CONTENT}}}`), texts: 0 },
  'a text that is a JSON string of JSON': { message: textAnswer(JSON.stringify(ROWS)), texts: 0 },
  '_meta null': { message: answer(`{"content":[${B}],"_meta":null}`), texts: 0 },
  '_meta that is a number': { message: answer(`{"content":[${B}],"_meta":1e400}`), texts: 0 },
  '_meta that says it is encoded': { message: answer(`{"content":[${B}],"_meta":{"fastify-token-gateway\\u002fencoding":5}}`), texts: 0 },
  '_meta with __proto__ and a member twice': { message: answer(`{"content":[${B}],"_meta":{"__proto__":{},"a":1,"a":2}}`), texts: 1 },
  'structuredContent twice': { message: answer(`{"content":[${B}],"structuredContent":1,"structuredContent":2}`), texts: 0 },
  'NUL behind it': { message: `${answer(CONTENT)}\0`, texts: 0 },
  'jsonrpc as a number': { message: `{"jsonrpc":2.0,"id":1,"result":${CONTENT}}`, texts: 0 }
}

t.test('hostile messages: only texts of results differ, and what decodes them is in _meta', async (t) => {
  const names = Object.keys(MESSAGES)
  const { port } = await setUpGateway(t, (request, response) => {
    const [index, kind] = request.url!.slice(1).split('.')
    if (kind === undefined) response.writeHead(200, json).end(ROWS)
    else if (kind === 'json') response.writeHead(200, json).end(MESSAGES[names[Number(index)]].message)
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(MESSAGES[names[Number(index)]].message))
  }, { gateway: { tokenEncoding: { measure: 'bytes', mcp: { tools: { exclude: [] } } } } })
  const META = /,?"_meta":\{"fastify-token-gateway\/encoding":\[[^\]]*\]\}|,"fastify-token-gateway\/encoding":\[[^\]]*\]/g
  for (const [index, name] of names.entries()) {
    const { message, texts } = MESSAGES[name]
    for (const kind of ['json', 'sse']) {
      const { body } = await send(port, { path: `/${index}.${kind}`, headers: MCP_TOON })
      const read = body.toString()
      t.equal(read.match(META)?.length ?? 0, texts, `${name}, ${kind}: texts`)
      const restored = texts === 0 ? read : read.replace(META, '').replace(/"text":("\[8\](?:[^"\\]|\\.)*")/g, (_, text: string) => `"text":${JSON.stringify(decode(JSON.parse(text), 'toon'))}`)
      t.equal(restored, kind === 'json' ? message : event(message), `${name}, ${kind}: the rest is the same`)
    }
    await checkNext(t, port, name)
  }
})

/* Requests, as bytes. */
const GET = 'GET / HTTP/1.1\r\nHost: h\r\n'
const fill = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length)).slice(0, size)

const REQUESTS: Record<string, { bytes: string, status: number, coded?: boolean }> = {
  'Accept-Encoding of 15 KB of codings that nobody knows': { bytes: `${GET}Accept-Encoding: ${fill('x;q=0.1, ', 15_000)}, toon\r\n`, status: 200, coded: true },
  'Accept-Encoding of 15 KB of commas': { bytes: `${GET}Accept-Encoding: ${fill(', ', 15_000)}toon\r\n`, status: 200, coded: true },
  'Accept of 15 KB of quotes': { bytes: `${GET}Accept: ${fill('a/b;c="', 15_000)}\r\n`, status: 200, coded: false },
  'Accept of 15 KB of semicolons': { bytes: `${GET}Accept: text/toon${fill(';', 15_000)}\r\n`, status: 200, coded: true },
  'a field that is larger than allowed': { bytes: `${GET}Accept-Encoding: ${fill('toon, ', 17_000)}\r\n`, status: 431 },
  'a thousand times Accept-Encoding': { bytes: `${GET}${'Accept-Encoding:x\r\n'.repeat(850)}Accept-Encoding: toon\r\n`, status: 200, coded: true },
  'fewer than a thousand fields': { bytes: `${GET}${'X: y\r\n'.repeat(990)}Accept-Encoding: toon\r\n`, status: 200, coded: true },
  'a thousand fields, of which Node drops the last': { bytes: `${GET.replace('GET', 'POST')}${'X: y\r\n'.repeat(1000)}Content-Length: 5\r\n`, status: 431 },
  'If-None-Match with 15 KB of tags': { bytes: `${GET}Accept-Encoding: toon\r\nIf-None-Match: ${fill('"a-toon", ', 15_000)}\r\n`, status: 200, coded: true },
  'absolute form': { bytes: 'GET http://h.invalid:1/ HTTP/1.1\r\nHost: h\r\nAccept-Encoding: toon\r\n', status: 200, coded: true },
  'absolute form of another scheme': { bytes: 'GET ftp://h.invalid/ HTTP/1.1\r\nHost: h\r\n', status: 400 },
  'asterisk form': { bytes: 'OPTIONS * HTTP/1.1\r\nHost: h\r\n', status: 400 },
  'no Host': { bytes: 'GET / HTTP/1.1\r\n', status: 400 },
  'a method that is none': { bytes: 'G<T / HTTP/1.1\r\nHost: h\r\n', status: 400 },
  'a version that is none': { bytes: 'GET / HTTP/9.9\r\nHost: h\r\n', status: 400 },
  'two blanks in the request line': { bytes: 'GET  /fine HTTP/1.1\r\nHost: h\r\n', status: 200, coded: false },
  'TLS on a plain port': { bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', status: 400 },
  'the preface of HTTP/2': { bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n', status: 400 }
}

t.test('hostile requests are refused or answered as others, and the next client is served', async (t) => {
  const { port } = await setUpGateway(t, answerRow())
  for (const [name, { bytes, status, coded }] of Object.entries(REQUESTS)) {
    const text = await exchangeBytes(port, `${bytes}Connection: close\r\n\r\n`)
    t.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), name)
    if (status === 200) t.equal(/\r\ncontent-type: text\/toon/i.test(text), coded, `${name}: ${text.slice(0, 200)}`)
    await checkNext(t, port, name)
  }
})

t.test('pipelined requests each get what they ask for, in order', async (t) => {
  const { port } = await setUpGateway(t, answerRow(), { gateway: { tokenEncoding: { encodings: ['toon', 'stc', 'stc2'], measure: 'bytes' } } })
  const wishes = Array.from({ length: 40 }, (_, i) => ['toon', 'identity', 'stc', 'gzip', 'toon;q=0, stc2', '*', 'stc2'][i % 7])
  const requests = wishes.map((wish, i) => `GET /fine?${i} HTTP/1.1\r\nHost: h\r\nAccept-Encoding: ${wish}\r\n${i === wishes.length - 1 ? 'Connection: close\r\n' : ''}\r\n`)
  let rest = await exchangeBytes(port, requests.join(''))
  for (const wish of wishes) {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n') + 4)
    const size = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    const body = rest.slice(head.length, head.length + size)
    rest = rest.slice(head.length + size)
    const coding = /\r\ncontent-encoding: (\S+)/i.exec(head)?.[1]
    t.equal(coding, /^(?:toon|stc2?)$/.test(wish) ? wish : wish.includes('stc2') ? 'stc2' : undefined, wish)
    t.equal(coding === undefined ? body : decode(body, coding as CodingName), ROWS, wish)
  }
  t.equal(rest, '')
})

t.test('clients that dribble heads or bodies hold nobody up, and are cut off in time', async (t) => {
  const { upstream, gateway, port } = await setUpGateway(t, (request, response) => { if (request.url !== '/stall') answerRow()(request, response) }, {
    server: { http: { headersTimeout: 400, connectionsCheckingInterval: 50 } }, gateway: { bodyIdleTimeout: 400 }
  })
  const sockets = await Promise.all(Array.from({ length: 60 }, () => openSocket(port)))
  const answers = sockets.map(async (socket) => String((await once(socket, 'data'))[0]))
  for (const [i, socket] of sockets.entries()) socket.write(i % 2 === 0 ? 'GET /fine HTTP/1.1\r\nHost: h\r\nX-A: ' : 'POST /stall HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n')
  for (let i = 0; i < 3; i++) {
    for (const socket of sockets) socket.write('a')
    await wait(50)
    await checkNext(t, port, `round ${i}`)
  }
  for (const answer of await Promise.all(answers)) t.match(answer, /^HTTP\/1\.1 408 /)
  for (const socket of sockets) socket.destroy()
  await checkNext(t, port, 'afterwards')
  await gateway.close()
  while (upstream.countConnections() > 0) await upstream.allClosed()
})
