import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { decode } from '../../lib/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { answerAndReset, answerInPart, drop, reset, stall, writeRaw, writeRawAndClose } from '../helpers/faulty-upstream.js'
import type { Answer } from '../helpers/faulty-upstream.js'
import { responseTo, send, start } from '../helpers/gateway-client.js'
import { setUpGateway } from '../helpers/gateway-setup.js'
import { MemoryPeak } from '../helpers/memory.js'

/*
 * What an upstream can do wrong, row by row, asked with and without a wish for a coding. In each row: what the client
 * sees, that the connection to the upstream is closed or fit for the next request, that memory does not grow with the
 * body, and that the next request works.
 */

const MB = 1024 * 1024
const LEAVE_AT = 64 * MB
const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const head = (fields: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${fields}\r\n`

/** What the client sees: the status, whether the response is complete, and what its bytes are. */
interface Outcome { status: number, complete: boolean, headers: IncomingMessage['headers'], size: number, hash: string, text: string }

type Check = (t: Test, outcome: Outcome, name: string, asks: boolean) => void

/** A problem document with this status. */
const problem = (status: number): Check => (t, outcome, name) => {
  t.equal(outcome.status, status, `${name}: status`)
  t.equal(outcome.headers['content-type'], 'application/problem+json', `${name}: problem`)
  t.ok(outcome.complete, name)
}

/** It never looks complete: it breaks where it has begun, and is a problem document where it has not. */
const brokenOr = (status: number): Check => (t, outcome, name, asks) => {
  if (asks || outcome.status !== 200) problem(status)(t, outcome, name, asks)
  else t.notOk(outcome.complete, `${name}: broken off`)
}

/** These bytes, as they came, whoever asks. */
const same = (size: number, hash: string): Check => (t, outcome, name) => {
  t.same([outcome.status, outcome.complete, outcome.size, outcome.hash], [200, true, size, hash], `${name}: as it came`)
  t.notMatch(outcome.headers['content-encoding'], /toon/, name)
}

/** This document, in the coding that was asked for. */
function document (text: string): Check {
  // What has been decoded once need not be again.
  let knownHash = ''
  return (t, outcome, name, asks) => {
    t.ok(outcome.complete, name)
    t.equal(outcome.headers['content-encoding'], asks ? 'toon' : undefined, name)
    t.ok((asks && outcome.hash === knownHash) || (asks ? decode(outcome.text, 'toon') : outcome.text) === text, `${name}: the document`)
    if (asks) knownHash = outcome.hash
  }
}

const hashOf = (...parts: (string | Buffer)[]): string => parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest('hex')
const sameText = (text: string | Buffer): Check => same(Buffer.byteLength(text), hashOf(text))

/** Writes chunk after chunk as fast as the reader takes them; endlessly without a count. */
function pour (headers: Record<string, string>, chunk: Buffer, count = Infinity): Answer {
  return (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, headers)
    let left = count
    const write = (): void => {
      while (left-- > 0 && !response.destroyed) if (!response.write(chunk)) return
      response.end()
    }
    response.on('drain', write)
    write()
  }
}

const rows = JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: `name ${id}` })))
const deep = '['.repeat(100_000) + ']'.repeat(100_000)
const bigChunk = Buffer.from(`${'"0123456789", '.repeat(4680)}\n`)
const bigCount = Math.ceil(100 * MB / bigChunk.length)
const bigHash = hashOf(...Array.from({ length: bigCount }, () => bigChunk))
const bomb = gzipSync(Buffer.alloc(100 * MB, 32))
const millionKeys = `{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i.toString(36)}":1`).join(',')}}`
const drip: Answer = async (_request, response) => {
  response.writeHead(200, { ...json, 'content-length': rows.length })
  for (const byte of rows) {
    response.write(byte)
    if (response.destroyed) return
    if (byte === '}') await wait(2)
  }
  response.end()
}

interface Row {
  answer: Answer
  /** Null: the client leaves after LEAVE_AT bytes. */
  check: Check | null
  /** Bytes that may be in use at a time, above what is in use before. */
  maxMemory?: number
  options?: TokenEncodingOptions
}

const ROWS: Record<string, Row> = {
  'drop before the head': { answer: drop, check: problem(502) },
  'reset before the head': { answer: reset, check: problem(502) },
  'stall before the head': { answer: stall, check: problem(504) },
  'drop in the head': { answer: writeRawAndClose('HTTP/1.1 200 OK\r\nx-a:'), check: problem(502) },
  'stall in the head': { answer: writeRaw('HTTP/1.1 200 OK\r\nx-a:'), check: problem(504) },
  'stall behind the head': { answer: answerInPart(json), check: problem(504) },
  'stall in the body': { answer: answerInPart(json, '{"a":1'), check: brokenOr(504) },
  'drop in the body': { answer: writeRawAndClose(head('transfer-encoding: chunked\r\n') + '7\r\n{"a":1}\r\n'), check: brokenOr(502) },
  'reset in the body': { answer: answerAndReset(json, '{"a":1'), check: brokenOr(502) },
  'reset of a body without framing': { answer: (_request, response) => { response.socket!.write(head('connection: close\r\n') + '{"a":1}', () => { setTimeout(() => response.socket?.resetAndDestroy(), 20) }) }, check: brokenOr(502) },
  'Content-Length too large': { answer: writeRawAndClose(head('content-length: 100\r\n') + '{"a":1}'), check: brokenOr(502) },
  'Content-Length too small': { answer: writeRaw(head('content-length: 7\r\n') + '{"a":1},{"b":2}'), check: sameText('{"a":1}') },
  'Content-Length no number': { answer: writeRaw(head('content-length: 1x\r\n') + '{"a":1}'), check: problem(502) },
  'chunk cut': { answer: writeRawAndClose(head('transfer-encoding: chunked\r\n') + '70\r\n{"a":1}'), check: brokenOr(502) },
  'chunk without a size': { answer: writeRaw(head('transfer-encoding: chunked\r\n') + 'zz\r\n{"a":1}'), check: brokenOr(502) },
  'slow drip': { answer: drip, check: document(rows) },
  'huge head': { answer: writeRaw(head(`x-a: ${'a'.repeat(100_000)}\r\ncontent-length: 2\r\n`) + '{}'), check: problem(502) },
  'ten thousand fields': { answer: writeRaw(head('x: y\r\n'.repeat(10_000) + 'content-length: 2\r\n') + '{}'), check: problem(502) },
  'invalid JSON': { answer: (_request, response) => { response.writeHead(200, json).end('{"a":1,}') }, check: sameText('{"a":1,}') },
  'deep JSON': { answer: (_request, response) => { response.writeHead(200, json).end(deep) }, check: sameText(deep) },
  '100 MB without a length': { answer: pour(json, bigChunk, bigCount), check: same(bigCount * bigChunk.length, bigHash), maxMemory: 48 * MB },
  '100 MB with a length': { answer: pour({ ...json, 'content-length': String(bigCount * bigChunk.length) }, bigChunk, bigCount), check: same(bigCount * bigChunk.length, bigHash), maxMemory: 48 * MB },
  'gzip bomb': { answer: (_request, response) => { response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb) }, check: sameText(bomb), maxMemory: 64 * MB },
  // On this thread: to start another takes most of the time here, since it has to compile everything first.
  'a million keys': { answer: (_request, response) => { response.writeHead(200, json).end(millionKeys) }, check: document(millionKeys), options: { maxBodyBytes: 16 * MB, mode: 'always', workers: false } },
  'endless events': { answer: pour(events, Buffer.from(`data: {"n":${'1'.repeat(1000)}}\n\n`.repeat(60))), check: null, maxMemory: 48 * MB },
  'an event without end': { answer: pour(events, Buffer.from(`data: ${'x'.repeat(64_000)}`)), check: null, maxMemory: 48 * MB },
  'a line without end': { answer: pour(events, Buffer.from('x'.repeat(64_000))), check: null, maxMemory: 48 * MB }
}

interface Observing { leaveAt: number, keepsText: boolean, onMegabytes: () => void }

/** Sends a request and reads its answer; or leaves after some bytes. */
async function observe (port: number, headers: Record<string, string>, { leaveAt, keepsText, onMegabytes }: Observing): Promise<Outcome> {
  const client = start(port, { path: '/fault', headers })
  client.end()
  const response = await responseTo(client)
  const hash = createHash('sha1')
  const chunks: Buffer[] = []
  let size = 0
  let next = 10 * MB
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    hash.update(chunk)
    if (keepsText) chunks.push(chunk)
    if (size >= next) {
      next += 10 * MB
      onMegabytes()
    }
    if (size >= leaveAt) client.destroy()
  }).on('error', () => {})
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve))
  return { status: Number(response.statusCode), complete: response.complete, headers: response.headers, size, hash: hash.digest('hex'), text: Buffer.concat(chunks).toString() }
}

for (const [name, { answer, check, maxMemory, options }] of Object.entries(ROWS)) {
  t.test(`an upstream's fault: ${name}`, async (t) => {
    // Where nothing stalls, a machine that is busy elsewhere must not look like it.
    const limit = name.startsWith('stall') ? 200 : 60_000
    const { upstream, gateway, port } = await setUpGateway(t, { '/fault': answer, '/fine': (_request, response) => { response.writeHead(200, json).end(rows) } }, {
      gateway: { headersTimeout: limit, bodyIdleTimeout: limit, tokenEncoding: options }
    })
    const wishes: Record<string, string>[] = [{}, { 'accept-encoding': 'toon' }, { 'accept-encoding': 'toon', accept: 'application/json, text/event-stream' }]
    for (const headers of wishes) {
      const label = `${name}, ${JSON.stringify(headers)}`
      const memory = maxMemory === undefined ? null : new MemoryPeak()
      const outcome = await observe(port, headers, { leaveAt: check === null ? LEAVE_AT : Infinity, keepsText: maxMemory === undefined, onMegabytes: () => { memory?.sample() } })
      if (check === null) t.ok(outcome.size >= LEAVE_AT && outcome.status === 200, `${label}: ${outcome.size} bytes came`)
      else check(t, outcome, label, 'accept-encoding' in headers)
      if (memory !== null) {
        const { sampled, buffers } = memory.stop()
        t.comment(`${label}: ${(sampled / MB).toFixed(1)} MB in use at most, buffers with garbage ${(buffers / MB).toFixed(1)} MB`)
        t.ok(sampled < maxMemory!, `${label}: ${sampled} bytes in use`)
        // What is unpacked at once is seen by no sample in between.
        if (name === 'gzip bomb') t.ok(buffers < maxMemory!, `${label}: ${buffers} bytes in buffers`)
      }
      const next = await send(port, { path: '/fine', headers })
      t.equal('accept-encoding' in headers ? decode(next.body, 'toon') : next.body.toString(), rows, `${label}: the next request works`)
      if (check === null || outcome.status !== 200 || !outcome.complete) await upstream.seen.find(({ request }) => request.url === '/fault')?.closed
      // The pool may have opened another for the next request while this one was still closing; neither is busy.
      t.ok(upstream.countConnections() <= 2, `${label}: ${upstream.countConnections()} connections`)
      upstream.seen.length = 0
    }
    await gateway.close()
    await upstream.allClosed()
    t.equal(upstream.countConnections(), 0)
  })
}
