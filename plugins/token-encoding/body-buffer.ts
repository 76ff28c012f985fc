import { isShared, takeSharedBlock } from './shared-blocks.js'

/** Bytes of the first block that chunks are copied into. */
const FIRST_BLOCK = 64 * 1024

/**
 * Collects a body in blocks. Chunks are copied, since they may be of one byte each, but a block is never
 * copied again: that would hold up the event loop the longer the larger the body is.
 */
export class BodyBuffer {
  /** Bytes so far. */
  size = 0
  readonly #full: Uint8Array[] = []
  #block: Uint8Array = Buffer.alloc(0)
  /** Bytes of the last block that are in use. */
  #used = 0
  readonly #firstBlock: number

  /** @param expectedBytes the body's size where it was announced, else 0 */
  constructor (expectedBytes: number) {
    this.#firstBlock = expectedBytes > 0 ? Math.min(expectedBytes, FIRST_BLOCK) : FIRST_BLOCK
  }

  /** The chunk must not change from here on: one that is alone is not copied. */
  append (chunk: Uint8Array): void {
    if (this.size === 0) {
      this.#block = chunk
      this.#used = chunk.length
    } else {
      if (this.#full.length === 0 && this.#used === this.#block.length && this.size < this.#firstBlock) this.#moveFirst()
      this.#copy(chunk)
    }
    this.size += chunk.length
  }

  /** The blocks in order; at least one. */
  blocks (): Uint8Array[] {
    return [...this.#full, this.#block.subarray(0, this.#used)]
  }

  /** The first bytes, so many of them as there are. */
  head (length: number): Uint8Array {
    const blocks = this.blocks()
    return (blocks[0].length >= length ? blocks[0] : Buffer.concat(blocks)).subarray(0, length)
  }

  /** Puts the first chunk, which was kept as it came, where the next ones have room behind it. */
  #moveFirst (): void {
    const block = Buffer.allocUnsafeSlow(this.#firstBlock)
    block.set(this.#block)
    this.#block = block
  }

  #copy (chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length;) {
      if (this.#used === this.#block.length) {
        this.#full.push(this.#block)
        this.#block = takeSharedBlock()
        this.#used = 0
      }
      const part = chunk.subarray(from, from + this.#block.length - this.#used)
      this.#block.set(part, this.#used)
      this.#used += part.length
      from += part.length
    }
  }
}

/** The blocks of a body as one piece, in memory of this thread alone. */
export function joinBlocks (blocks: readonly Uint8Array[]): Uint8Array {
  return blocks.length === 1 && !isShared(blocks[0]) ? blocks[0] : Buffer.concat(blocks)
}
