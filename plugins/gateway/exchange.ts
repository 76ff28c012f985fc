import type { IncomingMessage } from 'node:http'
import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { IncomingHttpHeaders } from 'undici/types/header.js'
import { sendHeadAtOnce } from '../token-encoding/send-head.js'
import { isConnectionFailing } from './connector.js'
import { BrokenError, ClientGoneError, InvalidResponseError } from './errors.js'
import type { GatewayError } from './errors.js'
import { toGatewayError } from './failures.js'
import { forwardEarlyHints } from './early-hints.js'
import { sendProblem } from './problem.js'
import type { RequestBody } from './request-body.js'
import { ResponseBody } from './response-body.js'
import { isEventStream, toClientHeaders } from './response-headers.js'
import { hasOtherTransferCoding } from './transfer-codings.js'
import { UpstreamConnection } from './upstream-connection.js'

/**
 * One request on its way to the upstream and the answer on its way back, as undici reports it. It ends
 * when the upstream has answered in full, when either side breaks, or when it is stopped.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #requestBody: RequestBody | null
  readonly #idleLimit: number
  #controller: Dispatcher.DispatchController | null = null
  #responseBody: ResponseBody | null = null
  /** Why it was stopped from this side; null while it was not. */
  #stopped: GatewayError | null = null
  #over = false

  /**
   * @param requestBody null where the request has none
   * @param idleLimit milliseconds that the upstream may be silent in mid-body; 0 for no limit
   */
  constructor (request: FastifyRequest, reply: FastifyReply, requestBody: RequestBody | null, idleLimit: number) {
    this.#request = request
    this.#reply = reply
    this.#requestBody = requestBody
    this.#idleLimit = idleLimit
  }

  /** Ends the upstream request in whatever phase it is; the client is told where it still can be. */
  stop (Reason: new () => GatewayError): void {
    if (this.#over || this.#stopped !== null) return
    const reason = new Reason()
    this.#stopped = reason
    // Before undici has a connection there is no controller, and onRequestStart stops it instead.
    this.#controller?.abort(reason)
    if (this.#controller === null) this.#fail(reason)
  }

  onRequestStart (controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#stopped !== null) controller.abort(this.#stopped)
  }

  onResponseStart (controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return forwardEarlyHints(this.#request, this.#reply, statusCode, headers)
    // RFC 9110 section 15: no status codes lie beyond 599.
    if (statusCode > 599 || hasOtherTransferCoding(headers['transfer-encoding'])) return controller.abort(new InvalidResponseError())
    this.#requestBody?.stopTimer()
    const fields = toClientHeaders(headers, statusCode, this.#request.raw.httpVersionMajor === 2)
    // Hooks such as that of @fastify/cors have named what they vary on before the upstream answers.
    if (fields.vary !== undefined && this.#reply.hasHeader('vary')) fields.vary = `${String(this.#reply.getHeader('vary'))}, ${String(fields.vary)}`
    this.#reply.code(statusCode).headers(fields)
    // RFC 9110 section 15.3.6: what comes with a 205 all the same is no content, and HTTP/2 clients would take it for an error.
    if (this.#request.method === 'HEAD' || statusCode === 204 || statusCode === 205 || statusCode === 304) {
      this.#reply.send()
      return
    }
    const streaming = isEventStream(fields)
    if (streaming) sendHeadAtOnce(this.#reply)
    // Else Node would write a length of its own where the body turns out to be empty.
    if (fields['content-length'] === undefined) this.#reply.raw.removeHeader('content-length')
    this.#responseBody = new ResponseBody(controller, UpstreamConnection.current(), streaming ? 0 : this.#idleLimit)
    this.#reply.send(this.#responseBody)
  }

  onResponseData (_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#responseBody?.receive(chunk)
  }

  onResponseEnd (): void {
    if (isConnectionFailing()) return this.#fail(new BrokenError())
    this.#over = true
    this.#responseBody?.complete()
  }

  onResponseError (_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toGatewayError(error))
  }

  /** Tells the client, or breaks off a response that has begun: it must never look complete. */
  #fail (error: GatewayError): void {
    if (this.#over) return
    this.#over = true
    this.#requestBody?.destroy()
    this.#log(error)
    if (this.#responseBody !== null) {
      // Where nobody has begun to read it, what the client gets is the body of some hook.
      if (this.#responseBody.readableFlowing !== null) this.#breakOff()
      this.#responseBody.destroy(error)
    } else if (!(error instanceof ClientGoneError)) {
      sendProblem(this.#reply, error)
    }
  }

  /** Says that the response is not complete where the end of the connection, or of its stream, would not say so. */
  #breakOff (): void {
    const { raw } = this.#reply
    if (!raw.headersSent) return
    const { httpVersion, socket, stream } = this.#request.raw as IncomingMessage & { stream?: ServerHttp2Stream }
    // Node ends the stream of a response that is destroyed as if it were complete.
    if (stream !== undefined) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    // An HTTP/1.0 client takes the end of the connection for that of the body, unless it is reset.
    else if (httpVersion === '1.0' && !raw.hasHeader('content-length')) socket.resetAndDestroy()
  }

  #log (error: GatewayError): void {
    if (error instanceof ClientGoneError) this.#request.log.info('upstream request aborted, nobody waits for its answer')
    else this.#request.log.warn({ err: error }, 'upstream request failed')
  }
}
