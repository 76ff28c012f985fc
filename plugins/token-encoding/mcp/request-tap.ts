import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { HeldBytes } from '../../../lib/mcp/events.js'

/** Request bodies of more bytes are not kept: what they call stays unknown. */
const MAX_REQUEST_BYTES = 1024 * 1024

/** Keeps a copy of a request body while somebody else reads it. */
export class RequestTap {
  readonly #source: Readable
  readonly #held = new HeldBytes()
  #isWhole = false

  constructor (source: Readable) {
    this.#source = source
    // As `on` of a stream would do, but for the start of the flow: that is for the reader, who may come later.
    EventEmitter.prototype.on.call(source, 'data', this.#onData)
    source.once('end', this.#onEnd)
  }

  /** The body; null where it is too large, or was not read to its end. The second time there is none. */
  take (): Uint8Array | null {
    const isWhole = this.#isWhole
    this.#stop()
    const body = this.#held.take()
    return isWhole ? body : null
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, this.#source.readableEncoding ?? 'utf8') : chunk
    if (this.#held.size + bytes.length <= MAX_REQUEST_BYTES) {
      // Copied, since a chunk may be a byte of a large block that it would keep in memory.
      this.#held.append(bytes)
    } else {
      this.#stop()
      this.#held.take()
    }
  }

  readonly #onEnd = (): void => {
    this.#isWhole = true
    EventEmitter.prototype.off.call(this.#source, 'data', this.#onData)
  }

  #stop (): void {
    this.#source.off('end', this.#onEnd)
    EventEmitter.prototype.off.call(this.#source, 'data', this.#onData)
    this.#isWhole = false
  }
}
