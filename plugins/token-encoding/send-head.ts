import type { FastifyReply } from 'fastify'

const NOTHING = Buffer.alloc(0)

/**
 * Sends the head of a response as soon as its body is piped, after the last onSend hook: Node holds it back until the
 * first byte, and a client of an event stream waits for it before there is any event.
 */
export function sendHeadAtOnce ({ raw }: FastifyReply): void {
  // flushHeaders would write it in UTF-8, and what is not ASCII in a field would be other bytes.
  raw.once('pipe', () => { raw.write(NOTHING) })
}
