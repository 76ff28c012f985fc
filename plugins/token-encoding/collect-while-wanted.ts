import type { FastifyReply } from 'fastify'
import { toError } from './body-source.js'
import type { BodySource } from './body-source.js'
import { collect } from './collect.js'
import type { Collected, CollectRules } from './collect.js'

/**
 * Collects a body; a client that goes away meanwhile takes the source with it.
 *
 * @returns null where the client is gone
 * @throws what the stream broke off with, as an Error
 */
export async function collectWhileWanted (reply: FastifyReply, source: BodySource, rules: CollectRules): Promise<Collected | null> {
  let isGone = false
  const stop = (): void => {
    isGone = true
    source.destroy()
  }
  reply.raw.once('close', stop)
  if (reply.raw.destroyed) stop()
  try {
    const collected = await collect(source, rules)
    // A web stream that is cancelled looks like one that ended.
    return isGone ? null : collected
  } catch (error) {
    source.destroy()
    if (isGone) return null
    throw toError(error)
  } finally {
    reply.raw.removeListener('close', stop)
  }
}
