import { joinBlocks } from './body-buffer.js'
import { openSource, resumeSource } from './body-source.js'
import { collectWhileWanted } from './collect-while-wanted.js'
import { describePassthrough } from './describe.js'
import { report } from './report.js'
import { toBuffer, toBytes } from './response.js'
import { giveBack } from './shared-blocks.js'
import type { Task } from './task.js'

/**
 * Reads a body that is packed, all of it: what is in it shows only when it is whole.
 *
 * @returns the body; or what is to be sent instead of it: a stream of a body that is too large, the payload where it
 * is no body, null where the client is gone
 * @throws what the stream broke off with, as an Error
 */
export async function readPacked (task: Task, payload: unknown, announcedBytes: number): Promise<unknown> {
  const { request, reply, options } = task
  const bytes = toBytes(payload)
  if (bytes !== null) return toBuffer(bytes)
  const source = openSource(payload)
  if (source === null) return payload
  const collected = await collectWhileWanted(reply, source, { maxBytes: options.maxBodyBytes, expectedBytes: announcedBytes, judge: null })
  if (collected === null) return null
  const { refusal, blocks } = collected
  if (refusal !== null) {
    report(request, options, describePassthrough(refusal, announcedBytes))
    return resumeSource(blocks, source)
  }
  // The body has a length from here on, and two framings are one too many (RFC 9112 section 6.2).
  reply.removeHeader('transfer-encoding')
  const body = toBuffer(joinBlocks(blocks))
  giveBack(blocks)
  return body
}
