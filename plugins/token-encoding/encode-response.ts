import type { FastifyReply, FastifyRequest } from 'fastify'
import { assess, describeEncoded, describeMinified, mapIfNoneMatch, mergeVary, restoreETag } from '../../lib/http.js'
import { negotiate } from '../../lib/negotiate.js'
import type { Negotiation } from '../../lib/negotiate.js'
import { joinBlocks } from './body-buffer.js'
import { openSource, resumeSource } from './body-source.js'
import type { BodySource } from './body-source.js'
import type { BodyWorkers } from './body-workers.js'
import { collectWhileWanted } from './collect-while-wanted.js'
import { describePassthrough, encodeBody, keepOriginal } from './encode-body.js'
import type { EncodedResult } from './encode-body.js'
import type { BodyResult } from './encode-worker.js'
import { FieldJournal } from './field-journal.js'
import { createJudge } from './judge-prefix.js'
import { refuseJson } from './not-acceptable.js'
import { report } from './report.js'
import { getField, hideBodyFields, measureBody, sendSlowly, toBuffer, toBytes, unwrapResponse, viewHead } from './response.js'
import type { RouteOptions, RouteOptionsCache } from './route-options.js'
import { giveBack, shareBlocks, shareText } from './shared-blocks.js'

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
  readonly #workers: BodyWorkers
  readonly #journal = new FieldJournal()
  /** If-None-Match as it came, where it was mapped. */
  readonly #ifNoneMatch = new WeakMap<FastifyRequest, string>()

  constructor (routes: RouteOptionsCache, workers: BodyWorkers) {
    this.#routes = routes
    this.#workers = workers
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
    return this.#attempt(request, reply, options, () => this.#encode(request, reply, payload, options), () => payload)
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
    if (bytes !== null) {
      if (!this.#goesToThread(size, options)) return this.#adopt(task, this.#encodeHere(task, bytes), size) ?? payload
      const blocks = typeof payload === 'string' ? shareText(payload, size) : shareBlocks([bytes])
      return this.#encodeInThread(task, blocks, size, payload)
    }
    const source = openSource(payload)
    return source === null ? payload : this.#encodeStream(task, source, size)
  }

  async #encodeStream (task: Task, source: BodySource, announcedBytes: number): Promise<unknown> {
    const { request, reply, options, negotiation } = task
    const collected = await collectWhileWanted(reply, source, {
      maxBytes: options.maxBodyBytes,
      expectedBytes: announcedBytes,
      judge: createJudge(negotiation, request.headers.accept, options)
    })
    if (collected === null) return null
    const { refusal, blocks, size } = collected
    if (refusal !== null) {
      report(request, options, describePassthrough(refusal, announcedBytes))
      return resumeSource(blocks, source)
    }
    // The body has a length from here on, and two framings are one too many (RFC 9112 section 6.2).
    reply.removeHeader('transfer-encoding')
    if (this.#goesToThread(size, options)) return await this.#encodeInThread(task, shareBlocks(blocks), size, null)
    const original = toBuffer(joinBlocks(blocks))
    giveBack(blocks)
    return this.#attempt(request, reply, options, () => this.#adopt(task, this.#encodeHere(task, original), size) ?? original, () => original)
  }

  #goesToThread (size: number, { workerMinBytes }: RouteOptions): boolean {
    return size >= workerMinBytes && size > 0 && this.#workers.isUsable
  }

  #encodeHere ({ request, options, negotiation }: Task, body: Uint8Array): EncodedResult {
    return encodeBody(body, negotiation, request.headers.accept, options)
  }

  /** @param payload what came; null where that was a stream */
  async #encodeInThread (task: Task, blocks: Uint8Array[], size: number, payload: unknown): Promise<unknown> {
    const { request, reply, options, negotiation } = task
    const { onDecision, ...bodyOptions } = options
    let result: EncodedResult & Partial<BodyResult>
    try {
      result = await this.#workers.encode({ blocks, size, negotiation, accept: request.headers.accept, options: bodyOptions })
    } catch (error) {
      // Not once more on this thread: what brought down one thread might bring down the other.
      result = { ...keepOriginal('error', size, 0), error }
    }
    // The client may have gone away meanwhile.
    const original = (): unknown => payload ?? toBuffer(result.original ?? joinBlocks(blocks))
    const next = reply.raw.destroyed ? null : this.#attempt(request, reply, options, () => this.#adopt(task, result, size) ?? original(), original)
    giveBack(blocks)
    return payload === null && Buffer.isBuffer(next) ? sendSlowly(reply, next) : next
  }

  /** The body that ships instead, with its fields set; null: the original. */
  #adopt ({ request, reply, options, negotiation }: Task, result: EncodedResult, size: number): Buffer | string | null {
    const { bytes, codec, decision, allDeclined, error } = result
    if (error !== undefined) request.log.warn({ err: error }, 'a body could not be re-encoded')
    report(request, options, decision)
    if (allDeclined && options.notAcceptable === '406' && options.mode !== 'observe') return refuseJson(reply)
    if (bytes === null) return null
    const etag = getField(reply, 'etag') as string | undefined
    const changes = codec === 'json'
      ? describeMinified(etag)
      : describeEncoded({ codec, by: negotiation.by, bytesBefore: size, bytesAfter: bytes.length, etag })
    this.#journal.apply(reply, changes)
    return toBuffer(bytes)
  }

  #restoreTag ({ request, reply, negotiation }: Task): void {
    const etag = getField(reply, 'etag')
    const sent = this.#ifNoneMatch.get(request)
    if (typeof etag === 'string' && sent !== undefined) reply.header('etag', restoreETag(etag, sent, listSuffixes(negotiation)))
  }

  #attempt<T> (request: FastifyRequest, reply: FastifyReply, options: RouteOptions, action: () => T, fallback: () => T): T {
    try {
      return action()
    } catch (error) {
      this.#journal.undo(reply)
      request.log.warn({ err: error }, 'a response could not be re-encoded')
      report(request, options, describePassthrough('error', 0))
      return fallback()
    }
  }
}

/** The suffixes of the tags that this request's answer may carry. */
function listSuffixes ({ accepted, identityRefused }: Negotiation): string[] {
  const codecs: string[] = accepted.map(({ codec }) => codec)
  return identityRefused ? codecs : [...codecs, 'json']
}
