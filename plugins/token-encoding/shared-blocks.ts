/*
 * Shared memory: another thread reads it without a copy, and it stays when that thread dies. Making it takes
 * long, most of all when it is used for the first time, and garbage collection does not keep up with it, so
 * blocks are used again.
 */

/** Bytes of a block. */
const BLOCK = 256 * 1024
/** Most blocks that are kept for the next body. */
const MAX_SPARE = 40

const spare: SharedArrayBuffer[] = []

/** A block of shared memory, of any content. */
export function takeSharedBlock (): Uint8Array {
  return Buffer.from(spare.pop() ?? new SharedArrayBuffer(BLOCK))
}

/** Says that nobody needs these blocks any more, nor has any view of them; those that are not shared are left alone. */
export function giveBack (blocks: readonly Uint8Array[]): void {
  for (const { buffer } of blocks) {
    const isBlock = buffer instanceof SharedArrayBuffer && buffer.byteLength === BLOCK
    if (isBlock && spare.length < MAX_SPARE && !spare.includes(buffer)) spare.push(buffer)
  }
}

/** The blocks as another thread can have them without taking anything from this one. */
export function shareBlocks (blocks: readonly Uint8Array[]): Uint8Array[] {
  return blocks.flatMap((block) => isShared(block) ? [block] : copyToShared(block))
}

/** A text in shared memory. @param size its size in UTF-8 */
export function shareText (text: string, size: number): Uint8Array[] {
  const block = Buffer.from(new SharedArrayBuffer(size))
  block.write(text)
  return [block]
}

export function isShared ({ buffer }: Uint8Array): boolean {
  return buffer instanceof SharedArrayBuffer
}

function copyToShared (bytes: Uint8Array): Uint8Array[] {
  const copies: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const part = bytes.subarray(at, at + BLOCK)
    const block = takeSharedBlock().subarray(0, part.length)
    block.set(part)
    copies.push(block)
  }
  return copies
}
