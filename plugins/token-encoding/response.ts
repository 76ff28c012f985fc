import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BYTE_BOUND_FIELDS } from '../../lib/http.js'
import type { Exchange, FieldValue } from '../../lib/http.js'
import { streamSlices } from './body-source.js'

/** Bodies of more bytes are written piece by piece. */
const MAX_WRITE = 256 * 1024

/** A field of the reply; Fastify keeps numbers as they are set. */
export function getField (reply: FastifyReply, name: string): FieldValue {
  const value = reply.getHeader(name)
  return typeof value === 'number' ? String(value) : value
}

/** The head of a response as it is going to be sent; that of a `Response` is not yet on the reply. */
export class ResponseHead implements Exchange {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #response: Response | null

  constructor (request: FastifyRequest, reply: FastifyReply, payload: unknown) {
    this.#request = request
    this.#reply = reply
    this.#response = isResponse(payload) ? payload : null
  }

  get url (): string {
    return this.#request.url
  }

  get status (): number {
    return this.#response === null ? this.#reply.statusCode : this.#response.status
  }

  getRequestHeader (name: string): FieldValue {
    return this.#request.headers[name]
  }

  getHeader (name: string): FieldValue {
    return this.#response?.headers.get(name) ?? getField(this.#reply, name)
  }
}

/**
 * Puts a `Response`'s status and fields on the reply, as Fastify does behind the last hook; what is not a
 * `Response`, or one that has been read, is left for Fastify.
 *
 * @returns the body to go on with
 */
export function unwrapResponse (reply: FastifyReply, payload: unknown): unknown {
  if (!isResponse(payload) || payload.bodyUsed) return payload
  reply.code(payload.status)
  for (const [name, value] of payload.headers) reply.header(name, value)
  return payload.body
}

/** The body as bytes where all of it is there; null for streams and what is no body. */
export function toBytes (payload: unknown): Uint8Array | null {
  if (typeof payload === 'string') return Buffer.from(payload)
  return payload instanceof Uint8Array ? payload : null
}

/** The same bytes as a Buffer, the only kind of bytes that Fastify sends. */
export function toBuffer (bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * The body as a stream of its bytes where it is so large that writing it at once would hold up the event loop.
 * For a body that came as a stream, since a hook may do more with bytes, such as to tag them.
 */
export function sendSlowly (reply: FastifyReply, bytes: Buffer): Buffer | Readable {
  if (bytes.length <= MAX_WRITE || mayHaveTrailers(reply)) return bytes
  reply.header('content-length', bytes.length)
  return streamSlices(bytes)
}

/** Size in bytes of a body, as far as it is known without reading it; 0 where it is not. */
export function measureBody (reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  if (payload instanceof Uint8Array) return payload.length
  const announced = Number(getField(reply, 'content-length') ?? 0)
  return Number.isSafeInteger(announced) && announced > 0 ? announced : 0
}

/**
 * Takes the fields from the answer to a HEAD that would be wrong for the body of the GET, which only its
 * encoding could tell (RFC 9110 sections 8.6 and 9.3.2).
 *
 * @returns the payload to go on with: a stream, since Fastify's own HEAD routes measure a string
 */
export function hideBodyFields (reply: FastifyReply, payload: unknown): unknown {
  for (const name of [...BYTE_BOUND_FIELDS, 'etag', 'content-type', 'content-encoding']) reply.removeHeader(name)
  return toBytes(payload) === null ? payload : Readable.from([])
}

function isResponse (payload: unknown): payload is Response {
  return typeof payload === 'object' && Object.prototype.toString.call(payload) === '[object Response]'
}

/** With trailers a body has no length (RFC 9112 section 6.3); Fastify tells whether it has one only of a trailer whose name is known. */
function mayHaveTrailers (reply: FastifyReply): boolean {
  const symbol = Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.trailers')
  return symbol === undefined || (reply as unknown as Record<symbol, unknown>)[symbol] !== null
}
