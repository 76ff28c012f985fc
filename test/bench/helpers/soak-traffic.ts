import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Document, isEqual, minify } from '../../../lib/index.js'
import { answerAndReset, answerInPart, drop, reset, stall, writeRaw, writeRawAndClose } from '../../helpers/faulty-upstream.js'
import type { Answer } from '../../helpers/faulty-upstream.js'
import type { Received, Sending } from '../../helpers/gateway-client.js'
import { readAsLabelled } from '../../helpers/honest-answer.js'
import { SHAPES } from './payloads.js'

/** One kind of request, with what the upstream answers to it and what the client must see. */
export interface Kind {
  /** How often it comes, against the others. */
  weight: number
  answer: Answer
  sending?: Sending
  /** What is wrong with what the client got; null where nothing is. */
  check: (received: Received) => string | null
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const NASTY = `{"ledger":[${Array.from({ length: 60 }, (_, i) => `{"id":7256539339334584${10 + i},"amount":${i}.50,"factor":1e400,"note":"\\u00e9 ${i}"}`).join()}],"__proto__":{"a":-0},"a":1}`
const EVENTS = Array.from({ length: 20 }, (_, i) => `id: ${i}\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":${i}}}\n\n`)
const PART = SHAPES.uniform(20_000)

/** A JSON document, in whatever pieces. */
function json (text: string, weight: number, send: (response: ServerResponse, bytes: Buffer) => void = (response, bytes) => { response.end(bytes) }): Kind {
  const bytes = Buffer.from(text)
  const minified = minify(text)
  return {
    weight,
    answer: (_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, etag: '"v1"' })
      send(response, bytes)
    },
    check: (received) => {
      if (received.status !== 200 || !received.complete) return describe(received)
      const read = readAsLabelled(received)
      if (read === text || read === minified) return null
      return isToon(received) && isEqual(Document.parse(read), Document.parse(text), 'value') ? null : `another document: ${read.slice(0, 80)}`
    }
  }
}

/** Something that must arrive as it is. */
function verbatim (weight: number, status: number, body: Buffer, answer: Answer, sending?: Sending): Kind {
  return {
    weight,
    answer,
    sending,
    check: (received) => received.status === status && received.complete && received.body.equals(body) ? null : describe(received)
  }
}

/** A failure of the upstream: the client is told, or sees the response break off; it never looks complete. */
function fault (weight: number, answer: Answer): Kind {
  return {
    weight,
    answer,
    check: (received) => {
      const isTold = (received.status === 502 || received.status === 504) && received.complete && received.headers['content-type'] === 'application/problem+json'
      return isTold || !received.complete ? null : describe(received)
    }
  }
}

const isToon = ({ headers }: Received): boolean => String(headers['content-type']).startsWith('text/toon')
const describe = ({ status, complete, body }: Received): string => `status ${status}, ${complete ? 'complete' : 'broken off'}, ${body.length} bytes: ${body.toString('latin1', 0, 80)}`

function sendSlowly (response: ServerResponse, bytes: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (at >= bytes.length || response.destroyed) {
      clearInterval(timer)
      response.end()
      return
    }
    response.write(bytes.subarray(at, at + 2000))
    at += 2000
  }, 5)
}

function sendEvents (_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  sendInTurn(response, EVENTS)
}

function sendInTurn (response: ServerResponse, parts: readonly string[]): void {
  const [first, ...rest] = parts
  if (first === undefined || response.destroyed) response.end()
  else response.write(first, () => { setTimeout(sendInTurn, 3, response, rest) })
}

function echo (request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {}).on('end', () => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.concat(chunks))
  })
}

const POSTED = Buffer.from(PART.repeat(5))
const GZIPPED = gzipSync(PART)
const LARGE = SHAPES.uniform(600_000)

/** All kinds, by the path of their requests. */
export const KINDS: Readonly<Record<string, Kind>> = {
  '/small': json(SHAPES.uniform(1000), 20),
  '/table': json(SHAPES.nested(20_000), 20),
  '/pretty': json(JSON.stringify(JSON.parse(SHAPES.ragged(20_000)), null, 2), 8),
  '/nasty': json(NASTY, 8),
  '/cjk': json(SHAPES.cjk(20_000), 5),
  '/loser': json(SHAPES.ragged(80_000), 5),
  '/late-loser': json(SHAPES.config(60_000), 5),
  '/thread': json(SHAPES.uniform(200_000), 5),
  '/too-large': json(LARGE, 2),
  '/pieces': json(SHAPES.uniform(30_000), 4, sendSlowly),
  '/rpc': json(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: SHAPES.uniform(4000) }] } }), 5),
  '/events': verbatim(3, 200, Buffer.from(EVENTS.join('')), sendEvents),
  '/text': verbatim(4, 200, Buffer.from('plain text'), (_request, response) => { response.writeHead(200, { 'content-type': 'text/plain' }).end('plain text') }),
  '/not-json': verbatim(3, 200, Buffer.from('{"cut":'), (_request, response) => { response.writeHead(200, JSON_TYPE).end('{"cut":') }),
  '/empty': verbatim(2, 204, Buffer.alloc(0), (_request, response) => { response.writeHead(204).end() }),
  '/head': verbatim(3, 200, Buffer.alloc(0), (_request, response) => { response.writeHead(200, { ...JSON_TYPE, 'content-length': PART.length }).end() }, { method: 'HEAD' }),
  '/echo': verbatim(5, 200, POSTED, echo, { method: 'POST', body: POSTED, headers: { 'content-type': 'application/json' } }),
  '/missing': verbatim(2, 404, Buffer.from('{"error":"gone"}'), (_request, response) => { response.writeHead(404, JSON_TYPE).end('{"error":"gone"}') }),
  // Decoded by the gateway or not, it is the same document.
  '/gzip': { ...json(PART, 5), answer: (_request, response) => { response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(GZIPPED) } },
  '/drop': fault(1, drop),
  '/reset': fault(1, reset),
  '/stall': fault(1, stall),
  '/garbage': fault(1, writeRawAndClose('hello\r\n\r\n')),
  '/cut': fault(1, answerAndReset(JSON_TYPE, PART)),
  '/cut-with-length': fault(1, answerAndReset({ ...JSON_TYPE, 'content-length': 2 * PART.length }, PART)),
  '/silent-in-body': fault(1, answerInPart(JSON_TYPE, PART)),
  '/short': fault(1, writeRawAndClose(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n${PART.slice(0, 5000)}`)),
  '/bad-chunk': fault(1, writeRaw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2,\r\nzz\r\n')),
  '/cut-gzip': fault(1, answerAndReset({ ...JSON_TYPE, 'content-encoding': 'gzip' }, GZIPPED.subarray(0, 500)))
}
