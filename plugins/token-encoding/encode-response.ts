import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Decision } from '../../lib/decision.js'
import { assess, describeEncoded, describeMinified, mapIfNoneMatch, mergeVary, restoreETag } from '../../lib/http.js'
import { negotiate } from '../../lib/negotiate.js'
import type { Negotiation } from '../../lib/negotiate.js'
import { openSource, resumeSource, toError } from './body-source.js'
import type { BodySource } from './body-source.js'
import { collect } from './collect.js'
import type { Collected } from './collect.js'
import { describePassthrough, encodeBody } from './encode-body.js'
import { FieldJournal } from './field-journal.js'
import { refuseJson } from './not-acceptable.js'
import { getField, hideBodyFields, measureBody, toBuffer, toBytes, unwrapResponse, viewHead } from './response.js'
import type { RouteOptions, RouteOptionsCache } from './route-options.js'

/** One response that somebody asked to have re-encoded. */
interface Task {
  request: FastifyRequest
  reply: FastifyReply
  options: RouteOptions
  negotiation: Negotiation
}

/** Re-encodes responses: the work behind the hooks of the plugin. */
export class ResponseEncoder {
  readonly #routes: RouteOptionsCache
  readonly #journal = new FieldJournal()
  /** If-None-Match as it came, where it was mapped. */
  readonly #ifNoneMatch = new WeakMap<FastifyRequest, string>()

  constructor (routes: RouteOptionsCache) {
    this.#routes = routes
  }

  /** Maps our entity tags in a request's If-None-Match back to the origin's, for whoever answers it. */
  mapRequest (request: FastifyRequest): void {
    const sent = request.headers['if-none-match']
    if (sent === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return
    const options = this.#routes.find(request)
    if (options === null || options.mode === 'observe') return
    const negotiation = negotiate(request.headers, options.encodings)
    if (negotiation === null) return
    const suffixes = listSuffixes(negotiation)
    const mapped = mapIfNoneMatch(sent, suffixes)
    if (mapped === sent) return
    this.#ifNoneMatch.set(request, sent)
    const { headers, rawHeaders } = request.raw
    headers['if-none-match'] = mapped
    // Proxies forward the raw fields.
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (rawHeaders[i].toLowerCase() === 'if-none-match') rawHeaders[i + 1] = mapIfNoneMatch(rawHeaders[i + 1], suffixes)
    }
  }

  /**
   * Gives the payload to go on with. The reply's fields are changed only once the new body is there;
   * where anything of ours fails, it is the payload that came.
   *
   * @throws (rejects with) what a stream broke off with
   */
  encode (request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const options = this.#routes.find(request)
    if (options === null) return payload
    return this.#attempt(request, reply, options, () => this.#encode(request, reply, payload, options), payload)
  }

  #encode (request: FastifyRequest, reply: FastifyReply, payload: unknown, options: RouteOptions): unknown {
    this.#journal.undo(reply)
    const { varies, reason } = assess(viewHead(request, reply, payload), options)
    const body = varies ? unwrapResponse(reply, payload) : payload
    const isObserver = options.mode === 'observe'
    if (varies && !isObserver) reply.header('vary', mergeVary(getField(reply, 'vary')))
    const negotiation = negotiate(request.headers, options.encodings)
    if (negotiation === null) return body
    const task = { request, reply, options, negotiation }
    if (reply.statusCode === 304) this.#restoreTag(task)
    if (reason !== null) {
      report(request, options, describePassthrough(reason, measureBody(reply, body)))
      return body
    }
    if (request.method === 'HEAD') return isObserver ? body : hideBodyFields(reply, body)
    return this.#encodePayload(task, body)
  }

  #encodePayload (task: Task, payload: unknown): unknown {
    const { request, reply, options } = task
    const size = measureBody(reply, payload)
    if (size > options.maxBodyBytes) {
      report(request, options, describePassthrough('too-large', size))
      return payload
    }
    const bytes = toBytes(payload)
    if (bytes !== null) return this.#encodeBytes(task, bytes) ?? payload
    const source = openSource(payload)
    return source === null ? payload : this.#encodeStream(task, source, size)
  }

  async #encodeStream (task: Task, source: BodySource, announcedBytes: number): Promise<unknown> {
    const { request, reply, options } = task
    const collected = await collectWhileWanted(reply, source, options.maxBodyBytes, announcedBytes)
    if (collected === null) return null
    if (!collected.complete) {
      report(request, options, describePassthrough('too-large', announcedBytes))
      return resumeSource(collected.chunks, source)
    }
    // The body has a length from here on, and two framings are one too many (RFC 9112 section 6.2).
    reply.removeHeader('transfer-encoding')
    const original = toBuffer(collected.chunks[0])
    return this.#attempt(request, reply, options, () => this.#encodeBytes(task, original) ?? original, original)
  }

  /** The body that ships instead; null: the original. */
  #encodeBytes ({ request, reply, options, negotiation }: Task, body: Uint8Array): Buffer | string | null {
    const { bytes, codec, decision, allDeclined, error } = encodeBody(body, negotiation, request.headers.accept, options)
    if (error !== undefined) request.log.warn({ err: error }, 'a body could not be re-encoded')
    report(request, options, decision)
    if (allDeclined && options.notAcceptable === '406' && options.mode !== 'observe') return refuseJson(reply)
    if (bytes === null) return null
    const etag = getField(reply, 'etag') as string | undefined
    const changes = codec === 'json'
      ? describeMinified(etag)
      : describeEncoded({ codec, by: negotiation.by, bytesBefore: body.length, bytesAfter: bytes.length, etag })
    this.#journal.apply(reply, changes)
    return toBuffer(bytes)
  }

  #restoreTag ({ request, reply, negotiation }: Task): void {
    const etag = getField(reply, 'etag')
    const sent = this.#ifNoneMatch.get(request)
    if (typeof etag === 'string' && sent !== undefined) reply.header('etag', restoreETag(etag, sent, listSuffixes(negotiation)))
  }

  #attempt<T> (request: FastifyRequest, reply: FastifyReply, options: RouteOptions, action: () => T, fallback: T): T {
    try {
      return action()
    } catch (error) {
      this.#journal.undo(reply)
      request.log.warn({ err: error }, 'a response could not be re-encoded')
      report(request, options, describePassthrough('error', 0))
      return fallback
    }
  }
}

/** The suffixes of the tags that this request's answer may carry. */
function listSuffixes ({ accepted, identityRefused }: Negotiation): string[] {
  const codecs: string[] = accepted.map(({ codec }) => codec)
  return identityRefused ? codecs : [...codecs, 'json']
}

/**
 * Collects a body; a client that goes away meanwhile takes the source with it.
 *
 * @returns null where the client is gone
 * @throws what the stream broke off with, as an Error
 */
async function collectWhileWanted (
  reply: FastifyReply, source: BodySource, maxBytes: number, announcedBytes: number
): Promise<Collected | null> {
  let isGone = false
  const stop = (): void => {
    isGone = true
    source.destroy()
  }
  reply.raw.once('close', stop)
  if (reply.raw.destroyed) stop()
  try {
    const collected = await collect(source, maxBytes, announcedBytes)
    // A web stream that is cancelled looks like one that ended.
    return isGone ? null : collected
  } catch (error) {
    source.destroy()
    if (isGone) return null
    throw toError(error)
  } finally {
    reply.raw.removeListener('close', stop)
  }
}

function report (request: FastifyRequest, options: RouteOptions, decision: Decision): void {
  request.log.debug({ tokenEncoding: decision }, 'token encoding decided')
  const { onDecision } = options
  if (onDecision === undefined) return
  const complain = (error: unknown): void => request.log.error({ err: error }, 'onDecision failed')
  try {
    // An async listener is not asked for, but its failure must not end the process.
    const result: unknown = onDecision(decision, request)
    if (result instanceof Promise) result.catch(complain)
  } catch (error) {
    complain(error)
  }
}
