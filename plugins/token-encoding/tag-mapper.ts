import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CodingName } from '../../lib/codec.js'
import { listStackable, mapIfMatch, mapIfNoneMatch, nameStacked, restoreETag } from '../../lib/http.js'
import type { StackedCoding } from '../../lib/http.js'
import type { RouteOptions } from './options.js'
import { getField } from './response.js'
import { OFFERED_STACKED } from './stack-coding.js'
import { isWish } from './wish.js'
import type { Wish } from './wish.js'

/**
 * Turns our entity tags in a request into the origin's, for whoever answers it, and gives the client its own back.
 * A tag in If-Range stays as it came: a part of the origin's bytes would not fit what the client has of ours, so that the tag
 * must not match. A date there would match, so that such a request goes on without its Range.
 */
export class TagMapper {
  /** If-None-Match as it came, where it was mapped. */
  readonly #ifNoneMatch = new WeakMap<FastifyRequest, string>()

  mapRequest (request: FastifyRequest, wish: Wish, options: RouteOptions): void {
    if (options.mode === 'observe') return
    if (isWish(wish)) dropDatedRange(request)
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
    // What the client changes is the same thing, whatever it was shown of it.
    if (ifMatch !== undefined) {
      const suffixes = [...withStacked(options.encodings, options.stackCodings ? OFFERED_STACKED : []), 'json', 'markdown']
      replaceField(request, 'if-match', value => mapIfMatch(value, suffixes))
    }
    if (ifNoneMatch === undefined || (request.method !== 'GET' && request.method !== 'HEAD') || !isWish(wish)) return
    const suffixes = listSuffixes(request, wish, options)
    if (replaceField(request, 'if-none-match', value => mapIfNoneMatch(value, suffixes))) this.#ifNoneMatch.set(request, ifNoneMatch)
  }

  /** Puts the tag that the client sent on a 304 (RFC 9110 section 15.4.5). */
  restore (request: FastifyRequest, reply: FastifyReply, wish: Wish, options: RouteOptions): void {
    const etag = getField(reply, 'etag')
    const sent = this.#ifNoneMatch.get(request)
    if (typeof etag !== 'string' || sent === undefined) return
    const restored = restoreETag(etag, sent, listSuffixes(request, wish, options))
    reply.header('etag', restored)
    // A cache takes the fields of a 304 over into what it has stored, which is of another type than the origin's JSON.
    if (restored !== etag) reply.removeHeader('content-type')
  }

  /**
   * Puts If-None-Match back as it came once the answer is encoded. Its tag is of what the client gets from here on, and
   * hooks behind ours compare the two: @fastify/etag does, for tags that are not its own too.
   */
  release (request: FastifyRequest): void {
    const sent = this.#ifNoneMatch.get(request)
    if (sent !== undefined) request.raw.headers['if-none-match'] = sent
  }
}

/** The suffixes of the tags that this request's answer may carry. */
function listSuffixes ({ headers }: FastifyRequest, { negotiation, isMarkdown }: Wish, { stackCodings }: RouteOptions): string[] {
  const stacked = stackCodings && negotiation?.by === 'accept-encoding' ? listStackable(headers['accept-encoding'], OFFERED_STACKED) : []
  const codecs = withStacked(negotiation?.accepted.map(({ codec }) => codec) ?? [], stacked)
  if (isMarkdown) codecs.push('markdown')
  return negotiation?.identityRefused === true ? codecs : [...codecs, 'json']
}

/** The names of codings, and of each with another stacked on it. */
function withStacked (codecs: readonly CodingName[], stacked: readonly StackedCoding[]): string[] {
  return [...codecs, ...codecs.flatMap((codec) => stacked.map((coding) => nameStacked(codec, coding)))]
}

/** A server may ignore Range, and a client then gets all of the body (RFC 9110 section 14.2). */
function dropDatedRange ({ raw: { headers, rawHeaders } }: FastifyRequest): void {
  const { 'if-range': ifRange } = headers
  if (ifRange === undefined || ifRange.includes('"')) return
  for (const name of ['range', 'if-range']) {
    delete headers[name]
    for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
      if (rawHeaders[i].toLowerCase() === name) rawHeaders.splice(i, 2)
    }
  }
}

/** Changes a field for all who read the request, and returns whether anything has changed. */
function replaceField ({ raw: { headers, rawHeaders } }: FastifyRequest, name: 'if-match' | 'if-none-match', map: (value: string) => string): boolean {
  const sent = headers[name] as string
  const mapped = map(sent)
  if (mapped === sent) return false
  headers[name] = mapped
  // Proxies forward the raw fields.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() === name) rawHeaders[i + 1] = map(rawHeaders[i + 1])
  }
  return true
}
