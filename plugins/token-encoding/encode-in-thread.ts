import type { BodyWorkers } from './body-workers.js'
import { keepOriginal } from './encode-body.js'
import type { JsonResult, JsonTask } from './encode-json.js'

/** What a thread makes of a body that lies in shared memory; a thread that fails leaves the body as it came. */
export async function encodeInThread (
  workers: BodyWorkers, blocks: Uint8Array[], size: number, task: JsonTask
): Promise<JsonResult & { original?: Uint8Array | null }> {
  try {
    return await workers.encode({ ...task, blocks, size })
  } catch (error) {
    // Not once more on this thread: what brought down one thread might bring down the other.
    return { ...keepOriginal('error', size, 0), error }
  }
}
