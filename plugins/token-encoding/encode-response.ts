import type { FastifyReply, FastifyRequest } from 'fastify'
import { mergeVary } from '../../lib/http.js'
import { isEventStreamClient, isJsonOnlyClient } from '../../lib/negotiate.js'
import { assessResponse } from './assess-response.js'
import { attempt } from './attempt.js'
import type { BodyWorkers } from './body-workers.js'
import { describePassthrough } from './describe.js'
import { PayloadEncoder } from './encode-payload.js'
import { FieldJournal } from './field-journal.js'
import { EventEncoder } from './mcp/encode-events.js'
import { CallFinder, hasWishes } from './mcp/find-calls.js'
import type { Calls } from './mcp/find-calls.js'
import type { RouteOptions } from './options.js'
import { report } from './report.js'
import { getField, hideBodyFields, measureBody, ResponseHead, unwrapResponse } from './response.js'
import type { RouteOptionsCache } from './route-options.js'
import { TagMapper } from './tag-mapper.js'
import type { Task } from './task.js'
import { isWish, mayHaveMeta, readWish } from './wish.js'
import type { Wish } from './wish.js'

/** Re-encodes responses: the work behind the hooks of the plugin. */
export class ResponseEncoder {
  readonly #routes: RouteOptionsCache
  readonly #journal = new FieldJournal()
  readonly #bodies: PayloadEncoder
  readonly #events: EventEncoder
  readonly #calls = new CallFinder()
  readonly #wishes = new WeakMap<FastifyRequest, Wish>()
  readonly #tags = new TagMapper()

  constructor (routes: RouteOptionsCache, workers: BodyWorkers) {
    this.#routes = routes
    this.#bodies = new PayloadEncoder(workers, this.#journal)
    this.#events = new EventEncoder(workers, this.#journal)
  }

  /**
   * Reads what a request asks for, and takes what is for us alone out of what is seen by whoever answers it. The
   * request goes on, whatever fails here; what follows from it is told when its answer is encoded.
   */
  mapRequest (request: FastifyRequest): void {
    const options = this.#routes.find(request)
    if (options === null) return
    try {
      const wish = this.#readWish(request, options)
      const hasMeta = mayHaveMeta(request, options)
      if (hasMeta || (isWish(wish) && options.mcp !== null && isMcpClient(request))) this.#calls.watch(request, hasMeta)
      this.#tags.mapRequest(request, wish, options)
    } catch (error) {
      request.log.warn({ err: error }, 'a request could not be read')
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
    return attempt(request, reply, options, this.#journal, () => this.#encode(request, reply, payload, options), () => payload)
  }

  #encode (request: FastifyRequest, reply: FastifyReply, payload: unknown, options: RouteOptions): unknown {
    this.#journal.undo(reply)
    const hasMeta = mayHaveMeta(request, options)
    const { varies, reason, refusal, isEventStream, codings } = assessResponse(new ResponseHead(request, reply, payload), options, () => hasMeta || isMcpClient(request))
    const body = varies ? unwrapResponse(reply, payload) : payload
    const isObserver = options.mode === 'observe'
    // @fastify/compress, which comes behind us in any order, knows its field in lower case alone.
    if (varies && !isObserver) reply.header('vary', mergeVary(getField(reply, 'vary'), 'compress' in reply))
    if (request.method === 'DELETE' && reply.statusCode < 300) this.#calls.closeSession(request)
    const wish = this.#readWish(request, options)
    if (!isWish(wish) && !hasMeta) return body
    if (reply.statusCode === 304) this.#tags.restore(request, reply, wish, options)
    else this.#tags.release(request)
    if (reason !== null) {
      if (isWish(wish)) report(request, options, describePassthrough(reason, measureBody(reply, body)))
      return body
    }
    if (request.method === 'HEAD') return isObserver || isEventStream ? body : hideBodyFields(reply, body)
    const calls = this.#findCalls(request, wish, options, isEventStream)
    // By `_meta` only a message's texts can be asked for.
    if (!isWish(wish) && (calls === null || !hasWishes(calls.table))) return body
    const task: Task = { request, reply, options, wish, calls, refusal: refusal ?? (isWish(wish) ? null : 'not-eligible'), codings }
    return isEventStream ? this.#events.encode(task, body) : this.#bodies.encode(task, body)
  }

  /** The calls that a response may answer; null where it goes to a client that knows nothing of MCP. */
  #findCalls (request: FastifyRequest, wish: Wish, options: RouteOptions, isEventStream: boolean): Calls | null {
    const hasMeta = mayHaveMeta(request, options)
    if (options.mcp === null || !(hasMeta || isEventStream || isMcpClient(request))) return null
    const calls = this.#calls.find(request, hasMeta)
    if (!isEventStream && !isMcpClient(request) && !hasWishes(calls.table)) return null
    const { format, fields, isMarkdown } = wish
    return { ...calls, table: { ...calls.table, format, fields, defaultFormat: isMarkdown ? 'markdown' : undefined, offered: options.encodings } }
  }

  #readWish (request: FastifyRequest, options: RouteOptions): Wish {
    const known = this.#wishes.get(request)
    if (known !== undefined) return known
    const wish = readWish(request, options)
    // Most requests wish for nothing, and to read that again is less work than to keep it.
    if (isWish(wish) || wish.format !== undefined) this.#wishes.set(request, wish)
    return wish
  }
}

/** Whether a client reads JSON-RPC only as such (design: MCP clients). */
function isMcpClient ({ headers: { accept } }: FastifyRequest): boolean {
  return isEventStreamClient(accept) || isJsonOnlyClient(accept)
}
