import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reason } from '../../lib/decision.js'
import { SNIFF_BYTES } from '../../lib/sniff.js'
import { BodyBuffer } from './body-buffer.js'
import type { BodySource } from './body-source.js'
import { InvalidChunkError } from './errors.js'

/** What was read of a body. */
export interface Collected {
  /** Null where the body ended; else why no more was read: its rest is still in the source. */
  refusal: Reason | null
  /** In order; at least one where the body ended. */
  blocks: Uint8Array[]
  /** Bytes that were read. */
  size: number
}

/** How a body is read. */
export interface CollectRules {
  /** The cap. */
  maxBytes: number
  /** The body's size where it was announced, else 0; it saves copies, and is not relied on. */
  expectedBytes: number
  /** Judges exactly the first SNIFF_BYTES of a body that is longer, once; null where it is to be read on. */
  judge: ((prefix: Uint8Array) => Reason | null) | null
}

/** Bytes that are read without a turn of the event loop between; a socket would give up to 2 MiB. */
const TURN_BYTES = 128 * 1024

/**
 * Reads a body up to its end, to the first chunk past the cap, or to the chunk with which it becomes longer
 * than SNIFF_BYTES and is refused.
 *
 * @throws what the source throws, and FST_TOKEN_INVALID_CHUNK for a chunk that is neither bytes nor a string
 */
export async function collect (source: BodySource, { maxBytes, expectedBytes, judge }: CollectRules): Promise<Collected> {
  const buffer = new BodyBuffer(Math.min(expectedBytes, maxBytes))
  let turnEnd = TURN_BYTES
  for (;;) {
    if (buffer.size >= turnEnd) {
      await nextTurn()
      turnEnd = buffer.size + TURN_BYTES
    }
    const { done, value } = await source.next()
    if (done === true) return { refusal: null, blocks: buffer.blocks(), size: buffer.size }
    const chunk = toChunk(value)
    const before = buffer.size
    const size = before + chunk.length
    if (size > maxBytes) return { refusal: 'too-large', blocks: [...buffer.blocks(), chunk], size }
    buffer.append(chunk)
    if (judge === null || before > SNIFF_BYTES || size <= SNIFF_BYTES) continue
    const refusal = judge(buffer.head(SNIFF_BYTES))
    if (refusal !== null) return { refusal, blocks: buffer.blocks(), size }
  }
}

export function toChunk (chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  if (chunk instanceof Uint8Array) return chunk
  throw new InvalidChunkError(typeof chunk)
}
