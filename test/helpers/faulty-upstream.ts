import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tlsCertificate, tlsKey } from './tls-fixture.js'

/** One request as the upstream got it. */
export interface Seen {
  request: IncomingMessage
  response: ServerResponse
  /** Settles when the connection that carried it is closed. */
  closed: Promise<void>
}

/** A real HTTP server that answers well or badly, as its routes say, and shows what it saw. */
export interface FaultyUpstream {
  server: Server
  port: number
  /** Its origin, such as http://127.0.0.1:12345 */
  origin: string
  /** All requests so far, in order. */
  seen: Seen[]
  /** Waits for the next request that was not waited for before. */
  nextRequest: () => Promise<Seen>
  /** Number of connections that are open now. */
  countConnections: () => number
  /** Waits until no connection is open. */
  allClosed: () => Promise<void>
  close: () => Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Starts an upstream on a free port of 127.0.0.1.
 *
 * @param answers one for all paths, or one for each path without its query; other paths are answered with 404
 * @param tls whether it speaks TLS, with the certificate of tls-fixture.ts
 */
export async function startUpstream (answers: Record<string, Answer> | Answer, { tls = false } = {}): Promise<FaultyUpstream> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const waiting: ((seen: Seen) => void)[] = []
  let handed = 0
  const answer = typeof answers === 'function' ? answers : route(answers)
  const server = tls ? createTlsServer({ key: tlsKey, cert: tlsCertificate }) : createServer()
  server.on('request', (request, response) => {
    const entry = { request, response, closed: closing(request.socket) }
    seen.push(entry)
    if (waiting.length > 0) {
      handed++
      waiting.shift()?.(entry)
    }
    answer(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    closing(socket)
  })
  // What it is made to do must not end by a time-out of its own.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    server,
    port,
    origin: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    seen,
    nextRequest: async () => await new Promise<Seen>((resolve) => {
      if (handed < seen.length) resolve(seen[handed++])
      else waiting.push(resolve)
    }),
    countConnections: () => sockets.size,
    allClosed: async () => { await Promise.all([...sockets].map(closing)) },
    close: async () => {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    }
  }
}

const closings = new WeakMap<Socket, Promise<void>>()

/** One promise for each connection, however many requests it carries. */
function closing (socket: Socket): Promise<void> {
  let promise = closings.get(socket)
  if (promise === undefined) {
    promise = new Promise((resolve) => { socket.once('close', () => resolve()) })
    closings.set(socket, promise)
  }
  return promise
}

function route (answers: Record<string, Answer>): Answer {
  return (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    if (Object.hasOwn(answers, path)) return answers[path](request, response)
    response.writeHead(404).end()
  }
}

/** Writes these bytes on the connection in place of an HTTP response, and leaves it open. */
export function writeRaw (bytes: string | Buffer): Answer {
  return (_request, response) => { response.socket?.write(bytes, 'latin1') }
}

/** Writes these bytes on the connection in place of an HTTP response, and closes it. */
export function writeRawAndClose (bytes: string | Buffer): Answer {
  return (_request, response) => { response.socket?.end(bytes, 'latin1') }
}

/** Sends this head and body at once, the body in one piece, and nothing more: the response stays open. */
export function answerInPart (headers: OutgoingHttpHeaders, body: string | Buffer = ''): Answer {
  return (_request, response) => {
    response.writeHead(200, headers)
    response.flushHeaders()
    if (body.length > 0) response.write(body)
  }
}

/** Sends this head and body at once, and resets the connection once the client has them. */
export function answerAndReset (headers: OutgoingHttpHeaders, body: string | Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200, headers)
    response.write(body, () => { setImmediate(() => response.socket?.resetAndDestroy()) })
  }
}

/** Closes the connection without an answer. */
export const drop: Answer = (_request, response) => { response.socket?.destroy() }

/** Resets the connection without an answer. */
export const reset: Answer = (_request, response) => { response.socket?.resetAndDestroy() }

/** Never answers. */
export const stall: Answer = () => {}
