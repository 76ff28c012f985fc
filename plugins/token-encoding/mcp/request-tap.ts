import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'

/** Request bodies of more bytes are not kept: what they call stays unknown. */
const MAX_REQUEST_BYTES = 1024 * 1024

/** Keeps a copy of a request body while somebody else reads it. */
export class RequestTap {
  readonly #source: Readable
  #chunks: Buffer[] = []
  #size = 0
  #isWhole = false

  constructor (source: Readable) {
    this.#source = source
    // As `on` of a stream would do, but for the start of the flow: that is for the reader, who may come later.
    EventEmitter.prototype.on.call(source, 'data', this.#onData)
    source.once('end', this.#onEnd)
  }

  /** The body; null where it is too large, or was not read to its end. The second time there is none. */
  take (): Uint8Array | null {
    const body = this.#isWhole ? Buffer.concat(this.#chunks) : null
    this.#stop()
    return body
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, this.#source.readableEncoding ?? 'utf8') : chunk
    this.#size += bytes.length
    if (this.#size > MAX_REQUEST_BYTES) this.#stop()
    else this.#chunks.push(bytes)
  }

  readonly #onEnd = (): void => {
    this.#isWhole = true
    EventEmitter.prototype.off.call(this.#source, 'data', this.#onData)
  }

  #stop (): void {
    this.#source.off('end', this.#onEnd)
    EventEmitter.prototype.off.call(this.#source, 'data', this.#onData)
    this.#chunks = []
    this.#isWhole = false
  }
}
