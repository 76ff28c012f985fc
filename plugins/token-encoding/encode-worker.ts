import { move, transferableSymbol, valueSymbol } from 'piscina'
import { encodeJson } from './encode-json.js'
import type { JsonResult, JsonTask } from './encode-json.js'

/* What a worker thread runs: encode-json.ts on a body that lies in shared memory. */

/** One body, or one message of an event stream, for a worker thread. */
export interface BodyTask extends JsonTask {
  /** In order, in shared memory. */
  blocks: Uint8Array[]
  /** Bytes in all of them. */
  size: number
}

/** What a worker thread gives back. */
export type BodyResult = JsonResult & {
  /** The body in one piece where the original ships; null where `bytes` do. */
  original: Uint8Array | null
}

type Transferable = Parameters<typeof move>[0]

/** What the last body lay in, for the next; memory that is new costs about as much as to read the body. */
let scratch = new Uint8Array(0)

/** Encodes a body. The bytes that it gives back are transferred to the thread that asked. */
export default function encodeInWorker ({ blocks, size, ...task }: BodyTask): unknown {
  const body = join(blocks, size)
  const { bytes, error, ...rest } = encodeJson(body, task)
  const shipped = own(bytes ?? body)
  const result: BodyResult = { ...rest, bytes: bytes && shipped, original: bytes === null ? shipped : null }
  // Not every error can be sent to another thread.
  if (error !== undefined) result.error = new Error(String(error))
  return move({ [transferableSymbol]: [shipped.buffer], [valueSymbol]: result } as unknown as Transferable)
}

function join (blocks: readonly Uint8Array[], size: number): Uint8Array {
  if (scratch.length < size) scratch = new Uint8Array(size)
  let at = 0
  for (const block of blocks) {
    scratch.set(block, at)
    at += block.length
  }
  return scratch.subarray(0, size)
}

/** Bytes that share no memory with others, such as small texts do, for that would be transferred with them. */
function own (bytes: Uint8Array): Uint8Array {
  return bytes.buffer === scratch.buffer || bytes.length < bytes.buffer.byteLength ? bytes.slice() : bytes
}
