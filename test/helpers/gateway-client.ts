import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** A response as it came over the wire. */
export interface Received {
  status: number
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: Buffer
  /** False: the connection broke before the body was complete. */
  complete: boolean
}

export interface Sending {
  method?: string
  path?: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

/** Sends a request on a connection of its own and waits for the whole response, or for its break. */
export async function send (port: number, sending: Sending = {}): Promise<Received> {
  const client = start(port, sending)
  client.end(sending.body)
  return await receive(await responseTo(client))
}

/** Starts a request on a connection of its own; the body is the caller's to write and end. */
export function start (port: number, { method = 'GET', path = '/', headers = {} }: Sending = {}): ClientRequest {
  const client = startRequest({ host: '127.0.0.1', port, method, path, headers, agent: false })
  client.on('error', () => {})
  return client
}

/** Waits for the head of the response. */
export async function responseTo (client: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(client, 'response') as [IncomingMessage]
  return response
}

/** Reads a response to its end, or up to where it breaks. */
export async function receive (response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  response.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  // Not `once`, which throws when an error comes first.
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve))
  const { statusCode = 0, headers, rawHeaders, complete } = response
  return { status: statusCode, headers, rawHeaders, body: Buffer.concat(chunks), complete }
}

/** Sends these bytes and gives all that comes back until the connection is closed. */
export async function exchangeBytes (port: number, bytes: string): Promise<string> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** Opens a plain connection. */
export async function openSocket (port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
