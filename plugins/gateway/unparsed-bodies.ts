import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Content-Type fields that Fastify cannot read, by request. */
const unreadable = new WeakMap<FastifyRequest, string>()

/** Makes request bodies of every type, or of none, reach the handler as the stream that they are. */
export function passBodiesThrough (scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, payload, done) => { done(null, payload) })
  // Fastify answers such a field with 415; here that is for the upstream to judge.
  scope.addHook('preParsing', (request, _reply, _payload, done) => {
    const { headers } = request.raw
    if (headers['content-type'] !== undefined && request.mediaType === undefined) {
      unreadable.set(request, headers['content-type'])
      delete headers['content-type']
    }
    done()
  })
}

/** Puts a Content-Type back that `passBodiesThrough` has hidden from Fastify. */
export function restoreContentType (request: FastifyRequest): void {
  const contentType = unreadable.get(request)
  if (contentType !== undefined) request.raw.headers['content-type'] = contentType
}
