import type { BodySource } from './body-source.js'
import { InvalidChunkError } from './errors.js'

/** What was read of a body. */
export interface Collected {
  /** Whether the body ended; false: it is larger than the cap, and its rest is still in the source. */
  complete: boolean
  /** In order; exactly one where the body ended. */
  chunks: Uint8Array[]
}

const FIRST_CAPACITY = 64 * 1024

/**
 * Reads a body up to its end or to the first chunk past the cap, whichever comes first.
 *
 * @param maxBytes the cap
 * @param expectedBytes the body's size where it was announced, else 0; it saves copies, and is not relied on
 * @throws what the source throws, and FST_TOKEN_INVALID_CHUNK for a chunk that is neither bytes nor a string
 */
export async function collect (source: BodySource, maxBytes: number, expectedBytes: number): Promise<Collected> {
  const buffer = new GrowingBuffer(Math.min(expectedBytes, maxBytes))
  for (;;) {
    const { done, value } = await source.next()
    if (done === true) return { complete: true, chunks: [buffer.view()] }
    const chunk = toBytes(value)
    if (buffer.size + chunk.length > maxBytes) return { complete: false, chunks: [buffer.view(), chunk] }
    buffer.append(chunk)
  }
}

/** Bytes one behind the other. A body may come in chunks of one byte, so that chunks are not kept as they are. */
class GrowingBuffer {
  size = 0
  #bytes: Uint8Array = Buffer.alloc(0)
  readonly #firstCapacity: number

  constructor (expectedBytes: number) {
    this.#firstCapacity = expectedBytes > 0 ? expectedBytes : FIRST_CAPACITY
  }

  append (chunk: Uint8Array): void {
    const size = this.size + chunk.length
    if (this.size === 0) {
      this.#bytes = chunk
    } else {
      if (size > this.#bytes.length) this.#grow(size)
      this.#bytes.set(chunk, this.size)
    }
    this.size = size
  }

  view (): Uint8Array {
    return this.#bytes.subarray(0, this.size)
  }

  #grow (size: number): void {
    const grown = Buffer.allocUnsafe(Math.max(size, this.#firstCapacity, this.#bytes.length * 2))
    grown.set(this.view())
    this.#bytes = grown
  }
}

function toBytes (chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  if (chunk instanceof Uint8Array) return chunk
  throw new InvalidChunkError(typeof chunk)
}
