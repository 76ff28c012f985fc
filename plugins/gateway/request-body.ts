import { Readable } from 'node:stream'
import { ClientGoneError, RequestIdleError } from './errors.js'
import { IdleTimer } from './idle-timer.js'

const HIGH_WATER_MARK = 64 * 1024

/**
 * The client's request body for undici, which destroys the streams it is given when an upstream answers
 * early or fails. Node's own request must not be destroyed then, since its connection carries the answer;
 * so this stream stands between, and what the client still sends is read and dropped.
 */
export class RequestBody extends Readable {
  readonly #source: Readable
  readonly #idle: IdleTimer
  #complete = false

  /** @param idleLimit milliseconds that the client may be silent in mid-body; 0 for no limit */
  constructor (source: Readable, idleLimit: number) {
    super({ highWaterMark: HIGH_WATER_MARK })
    this.#source = source
    this.#idle = new IdleTimer(idleLimit, () => { this.destroy(new RequestIdleError()) })
    this.#idle.restart()
    source
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#onBroken)
      .on('close', this.#onBroken)
    this.on('error', () => {})
  }

  /** From here on the client may take its time: the upstream has begun to answer. */
  stopTimer (): void {
    this.#idle.disable()
  }

  override _read (): void {
    if (!this.#source.isPaused()) return
    this.#idle.restart()
    this.#source.resume()
  }

  override _destroy (error: Error | null, callback: (error: Error | null) => void): void {
    this.#idle.stop()
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onBroken)
    if (!this.#complete) this.#source.resume()
    callback(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.push(chunk)) {
      this.#idle.restart()
    } else {
      this.#idle.stop()
      this.#source.pause()
    }
  }

  readonly #onEnd = (): void => {
    this.#complete = true
    this.#idle.stop()
    this.push(null)
  }

  readonly #onBroken = (): void => {
    if (!this.#complete) this.destroy(new ClientGoneError())
  }
}
