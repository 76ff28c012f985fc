import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { TAKE_WHOLE } from '../token-encoding/whole-body.js'
import type { WholeBody } from '../token-encoding/whole-body.js'
import { ClientGoneError, ResponseIdleError } from './errors.js'
import { IdleTimer } from './idle-timer.js'
import type { UpstreamConnection } from './upstream-connection.js'

/** Bytes held for a client that reads more slowly than the upstream sends; then the upstream waits. */
const HIGH_WATER_MARK = 64 * 1024

/**
 * The upstream's response body as a stream. Its idle timer runs only while the upstream is asked for
 * bytes: a client that reads slowly is not the upstream's fault. Destroying it ends the upstream request.
 */
export class ResponseBody extends Readable implements WholeBody {
  readonly #controller: Dispatcher.DispatchController
  readonly #connection: UpstreamConnection
  readonly #idle: IdleTimer
  #complete = false

  /**
   * @param connection by which it comes
   * @param idleLimit milliseconds that the upstream may be silent in mid-body; 0 for no limit
   */
  constructor (controller: Dispatcher.DispatchController, connection: UpstreamConnection, idleLimit: number) {
    super({ highWaterMark: HIGH_WATER_MARK })
    this.#controller = controller
    this.#connection = connection
    this.#idle = new IdleTimer(idleLimit, () => { controller.abort(new ResponseIdleError()) })
    this.#idle.restart()
    // It may break while onSend hooks still wait for something else and nobody listens yet; whoever
    // reads it later is told all the same.
    this.on('error', () => {})
  }

  /** Takes what the upstream sent and tells it to wait where that was enough. */
  receive (chunk: Buffer): void {
    if (this.push(chunk)) {
      this.#idle.restart()
    } else {
      this.#idle.stop()
      this.#connection.hold()
    }
  }

  /** Ends the stream: the upstream has sent all of its response. */
  complete (): void {
    this.#complete = true
    this.#idle.stop()
    // The next response may come by it.
    this.#connection.release()
    this.push(null)
  }

  /**
   * Writes a body that has come at once, as small ones do, with one write and without the listeners of a pipe. A
   * body without a length goes the long way, since Node would give it one.
   */
  override pipe<T extends NodeJS.WritableStream> (destination: T, options?: { end?: boolean }): T {
    if (!(destination instanceof ServerResponse) || !destination.hasHeader('content-length') || options?.end === false) return super.pipe(destination, options)
    process.nextTick(() => {
      // Undici tells of all that is in one packet before anything else runs.
      if (!this.#complete || this.destroyed || destination.headersSent) return super.pipe(destination, options)
      // Else Node would know the length before it writes the head, which is bad for Content-Disposition (see response-headers.ts).
      destination.writeHead(destination.statusCode)
      destination.end(this.read())
    })
    return destination
  }

  [TAKE_WHOLE] (maxBytes: number): Buffer | null {
    return this.#complete && !this.destroyed && this.readableLength <= maxBytes ? this.read() as Buffer | null : null
  }

  override _read (): void {
    if (this.#complete || !this.#connection.isHeld) return
    this.#idle.restart()
    this.#connection.release()
  }

  override _destroy (error: Error | null, callback: (error: Error | null) => void): void {
    this.#idle.stop()
    if (!this.#complete) this.#controller.abort(error ?? new ClientGoneError())
    callback(error)
  }
}
