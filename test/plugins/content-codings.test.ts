import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { listContentCodings } from '../../lib/http/content-codings.js'
import { decode } from '../../lib/index.js'
import type { Decision } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { canUndo, undoCodings } from '../../plugins/token-encoding/undo-codings.js'

const BODY = Buffer.from(JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `name of ${id}` }))))
const MAX = 8 * 1024 * 1024
const gzip = zlib.gzipSync(BODY)

t.test('Content-Encoding: codings in the order in which they were applied, names in any case, over repeated lines', async t => {
  t.same(listContentCodings(undefined), [])
  t.same(listContentCodings('identity'), [])
  t.same(listContentCodings('X-GZip'), ['gzip'])
  t.same(listContentCodings('deflate, BR'), ['deflate', 'br'])
  t.same(listContentCodings(['gzip', ' identity , zstd']), ['gzip', 'zstd'])
  t.equal(listContentCodings('gzip, aws-chunked'), null, 'an unknown one')
  t.equal(listContentCodings('toon'), null, 'one of ours is not undone here')
  t.equal(listContentCodings('gzip, gzip, gzip, gzip'), null, 'too many')
})

t.test('each coding, and lists of them, are undone', async t => {
  const packed = [
    ['gzip', [gzip]],
    ['deflate', [zlib.deflateSync(BODY), zlib.deflateRawSync(BODY)]],
    ['br', [zlib.brotliCompressSync(BODY)]]
  ] as const
  for (const [coding, bodies] of packed) {
    for (const body of bodies) t.ok((await undoCodings(body, [coding], MAX))?.equals(BODY), coding)
  }
  t.ok((await undoCodings(zlib.brotliCompressSync(gzip), ['gzip', 'br'], MAX))?.equals(BODY), 'gzip, br')
  t.ok((await undoCodings(BODY, [], MAX))?.equals(BODY), 'none')
})

t.test('zstd is undone where Node has it, and refused where not', async t => {
  const { zstdCompress } = zlib as { zstdCompress?: typeof zlib.brotliCompress }
  t.equal(canUndo(['gzip', 'zstd']), zstdCompress !== undefined)
  if (zstdCompress === undefined) t.equal(await undoCodings(BODY, ['zstd'], MAX), null)
  else t.ok((await undoCodings(await promisify(zstdCompress)(BODY), ['zstd'], MAX))?.equals(BODY))
})

t.test('what is cut off at any byte, broken, or no such coding at all is refused', async t => {
  for (const [coding, body] of [['gzip', gzip], ['deflate', zlib.deflateSync(BODY)], ['br', zlib.brotliCompressSync(BODY)]] as const) {
    for (let end = 0; end < body.length; end++) {
      if (await undoCodings(body.subarray(0, end), [coding], MAX) !== null) t.fail(`${coding} cut at ${end}`)
    }
    t.equal(await undoCodings(BODY, [coding], MAX), null, `plain JSON as ${coding}`)
  }
  const broken = Buffer.from(gzip)
  broken[broken.length - 6] ^= 1
  t.equal(await undoCodings(broken, ['gzip'], MAX), null, 'a checksum that is wrong')
})

t.test('a bomb is refused by its size, and by its ratio, before it is unpacked', async t => {
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))
  t.equal(await undoCodings(bomb, ['gzip'], MAX), null, 'more than the cap')
  t.equal(await undoCodings(bomb, ['gzip'], 1e9), null, 'more than 250 times its size')
  t.equal((await undoCodings(zlib.gzipSync(Buffer.alloc(900_000)), ['gzip'], MAX))?.length, 900_000, 'below 1 MiB the ratio does not count')
})

interface Answer { status: number, headers: http.IncomingHttpHeaders, body: Buffer }

/** A server that answers with one body, whatever is asked; what is decided is kept. */
async function serve (t: Test, body: () => unknown, headers: Record<string, string>, options: TokenEncodingOptions = {}) {
  const decisions: Decision[] = []
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { onDecision: (decision) => { decisions.push(decision) }, ...options })
  app.get('/', (_request, reply) => reply.headers({ 'content-type': 'application/json', etag: '"v1"', ...headers }).send(body()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const get = async (fields: Record<string, string> = { 'accept-encoding': 'toon, gzip' }): Promise<Answer> => {
    const request = http.get({ port: (app.server.address() as AddressInfo).port, headers: fields, agent: false })
    const [response] = await once(request, 'response') as [http.IncomingMessage]
    return { status: Number(response.statusCode), headers: response.headers, body: Buffer.concat(await response.toArray() as Buffer[]) }
  }
  return { get, decisions }
}

const streamOf = (bytes: Buffer) => (): Readable => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])

t.test('a packed body is unpacked, encoded, and labelled by its new coding alone', async t => {
  for (const send of [() => gzip, streamOf(gzip)]) {
    const { get, decisions } = await serve(t, send, { 'content-encoding': 'gzip', digest: 'x' })
    const { headers, body } = await get()
    t.match(headers, { 'content-encoding': 'toon', 'content-type': 'text/toon; charset=utf-8', etag: '"v1-toon"', 'content-length': String(body.length), vary: 'Accept-Encoding, Accept' })
    t.equal(headers.digest, undefined)
    t.equal(decode(body, 'toon'), BODY.toString())
    t.match(decisions, [{ outcome: 'encoded', bytesBefore: BODY.length, bytesAfter: body.length }])
    const byType = await get({ accept: 'text/toon' })
    t.equal(byType.headers['content-encoding'], undefined)
    t.equal(decode(byType.body, 'toon'), BODY.toString())
    const plain = await get({ 'accept-encoding': 'gzip' })
    t.match(plain.headers, { 'content-encoding': 'gzip', etag: '"v1"' })
    t.ok(plain.body.equals(gzip), 'without a wish for a coding nothing is touched')
  }
})

t.test('in a worker thread it is the same', async t => {
  const { get } = await serve(t, () => gzip, { 'content-encoding': 'gzip' }, { workers: { minBytes: 1000 } })
  t.equal(decode((await get()).body, 'toon'), BODY.toString())
  const { get: getProse } = await serve(t, () => zlib.gzipSync(PROSE), { 'content-encoding': 'gzip' }, { workers: { minBytes: 100 } })
  t.ok((await getProse()).body.equals(zlib.gzipSync(PROSE)))
})

/** No coding makes anything of it. */
const PROSE = JSON.stringify([`${'it was: "dark", '.repeat(40)}`])

t.test('what no coding makes smaller ships packed, as it came; what is only minified is plain JSON', async t => {
  const packed = zlib.brotliCompressSync(PROSE)
  const { get, decisions } = await serve(t, streamOf(packed), { 'content-encoding': 'br' })
  const { headers, body } = await get()
  t.match(headers, { 'content-encoding': 'br', etag: '"v1"' })
  t.ok(body.equals(packed))
  t.match(decisions, [{ outcome: 'passthrough', reason: 'not-smaller', bytesBefore: PROSE.length }])
  const { get: getPretty } = await serve(t, () => zlib.gzipSync(JSON.stringify(JSON.parse(PROSE), null, 8)), { 'content-encoding': 'gzip' })
  const pretty = await getPretty()
  t.equal(pretty.body.toString(), PROSE)
  t.match(pretty.headers, { 'content-type': 'application/json', etag: '"v1-json"' })
  t.equal(pretty.headers['content-encoding'], undefined)
})

t.test('what is broken, cut off, a bomb, too large or packed in a way that is not known ships as it came, with a reason', async t => {
  const bomb = zlib.gzipSync(Buffer.alloc(20e6))
  for (const [body, coding, reason, options] of [
    [gzip.subarray(0, 200), 'gzip', 'undecodable'],
    [BODY, 'gzip', 'undecodable'],
    [Buffer.alloc(0), 'gzip', 'undecodable'],
    [bomb, 'gzip', 'undecodable'],
    [gzip, 'aws-chunked, gzip', 'encoded-upstream'],
    [gzip, 'gzip', 'too-large', { maxBodyBytes: 100 }]
  ] as [Buffer, string, string, TokenEncodingOptions?][]) {
    for (const send of [() => body, streamOf(body)]) {
      const { get, decisions } = await serve(t, send, { 'content-encoding': coding }, options)
      const { headers, body: received } = await get()
      t.ok(received.equals(body), `${coding} ${reason}`)
      t.match(headers, { 'content-encoding': coding, etag: '"v1"' })
      t.match(decisions, [{ outcome: 'passthrough', reason }])
    }
  }
})

t.test('a client that refuses plain JSON gets a 406 without the coding of the body that it is not', async t => {
  const { get } = await serve(t, () => zlib.gzipSync('{"a":1,"a":2}'), { 'content-encoding': 'gzip' }, { notAcceptable: '406', encodings: ['toon'] })
  const { status, headers, body } = await get({ 'accept-encoding': 'toon, identity;q=0' })
  t.equal(status, 406)
  t.equal(headers['content-encoding'], undefined)
  t.match(JSON.parse(body.toString()), { statusCode: 406 })
})

t.test('a packed MCP message is rewritten, and ships packed where nothing in it changes; the hook sees its texts', async t => {
  const rows = JSON.stringify(Array.from({ length: 30 }, (_, id) => ({ id, name: `n${id}` })))
  const message = (text: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })
  const mcp = { 'accept-encoding': 'toon', accept: 'application/json, text/event-stream' }
  const tools = { exclude: [] }
  for (const beforeEncode of [undefined, (text: string) => text.replace('secret', '***')]) {
    const { get } = await serve(t, () => zlib.gzipSync(message(rows)), { 'content-encoding': 'gzip' }, { mcp: { tools, beforeEncode } })
    const { headers, body } = await get(mcp)
    t.equal(headers['content-encoding'], undefined)
    t.equal(headers['content-type'], 'application/json')
    t.equal(decode((JSON.parse(body.toString()) as { result: { content: { text: string }[] } }).result.content[0].text, 'toon'), rows)
    const words = zlib.gzipSync(message('no JSON'))
    const { get: getWords } = await serve(t, () => words, { 'content-encoding': 'gzip' }, { mcp: { tools, beforeEncode } })
    const same = await getWords(mcp)
    t.equal(same.headers['content-encoding'], 'gzip')
    t.ok(same.body.equals(words))
  }
  const { get } = await serve(t, () => zlib.gzipSync(message('a secret')), { 'content-encoding': 'gzip' }, { mcp: { tools, beforeEncode: (text: string) => text.replace('secret', '***') } })
  const clean = await get(mcp)
  t.equal(clean.headers['content-encoding'], undefined)
  t.equal(clean.body.toString(), message('a ***'))
})
