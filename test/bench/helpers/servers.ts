import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import { tokenEncoding, tokenGateway } from '../../../plugins/index.js'
import { SHAPES } from './payloads.js'

/**
 * What the upstream answers, by path. A winner is smaller in both codings. A loser is larger as TOON, which its
 * beginning shows; a late loser is smaller as STC in bytes and not in tokens, which only all of it shows.
 */
export const BODIES: Readonly<Record<string, string>> = {
  '/1KB': SHAPES.uniform(1e3),
  '/50KB-winner': SHAPES.uniform(5e4),
  '/50KB-loser': SHAPES.ragged(5e4),
  '/50KB-late-loser': SHAPES.config(5e4),
  '/1MB-winner': SHAPES.uniform(1e6),
  '/1MB-loser': SHAPES.ragged(1e6),
  '/1MB-late-loser': SHAPES.config(1e6)
}

const HOST = '127.0.0.1'
const JSON_TYPE = 'application/json; charset=utf-8'
const EVENT = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n'
/** Milliseconds after its event for which an event stream stays open. */
const STREAM_MS = 2

/** Each starts a server on a free port and gives that; those that forward are told where to. */
export const SERVERS: Readonly<Record<string, (upstream: string) => Promise<number>>> = {
  upstream: async () => await listenRaw(createRawServer(answerRaw)),
  plain: async () => await serveBody(Fastify()),
  plugin: async () => await serveBody(Fastify().register(tokenEncoding)),
  gateway: async (upstream) => await listen(Fastify().register(tokenGateway, { upstream })),
  'gateway-cold': async (upstream) => await listen(Fastify().register(tokenGateway, { upstream, tokenEncoding: { warmUp: false } })),
  // Limits so low that traffic of a minute meets all of them.
  soak: async (upstream) => await listen(Fastify().register(tokenGateway, {
    upstream, headersTimeout: 3000, bodyIdleTimeout: 3000, tokenEncoding: { maxBodyBytes: 400_000, workers: { minBytes: 100_000 } }
  })),
  'http-proxy': async (upstream) => await listen(Fastify().register(httpProxy, { upstream })),
  bare: async (upstream) => {
    const pool = new Pool(upstream)
    return await listenRaw(createServer((request, response) => { forward(pool, request, response) }))
  }
}

async function serveBody (app: FastifyInstance): Promise<number> {
  const body = JSON.parse(BODIES['/1KB']) as unknown
  app.get('/1KB', async () => body)
  return await listen(app)
}

async function listen (app: FastifyInstance): Promise<number> {
  await app.listen({ host: HOST, port: 0 })
  return (app.server.address() as AddressInfo).port
}

async function listenRaw (server: Server): Promise<number> {
  server.listen(0, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const RESPONSES = new Map(Object.entries(BODIES).map(([path, body]) =>
  [path, Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)]))

/** The upstream must not be what is measured: it reads request lines and writes what is ready. */
function answerRaw (socket: Socket): void {
  let rest = ''
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    const heads = (rest + chunk.toString('latin1')).split('\r\n\r\n')
    rest = heads.pop() as string
    for (const head of heads) {
      const path = head.split(' ', 2)[1]
      if (path === '/events') answerEvents(socket)
      else socket.write(RESPONSES.get(path) ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    }
  })
}

function answerEvents (socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${EVENT.length.toString(16)}\r\n${EVENT}\r\n`)
  setTimeout(() => { socket.write('0\r\n\r\n') }, STREAM_MS)
}

/** The least that a proxy on undici does: it streams, and does nothing about failures or hop-by-hop fields. */
function forward (pool: Pool, request: IncomingMessage, response: ServerResponse): void {
  const { host, connection, ...headers } = request.headers
  pool.stream({ path: request.url as string, method: request.method as Dispatcher.HttpMethod, headers }, ({ statusCode, headers }) => {
    return response.writeHead(statusCode, headers)
  }).catch(() => { response.destroy() })
}
