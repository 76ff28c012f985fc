import type { FastifyReply } from 'fastify'
import type { FieldChanges } from '../../lib/http.js'

type Value = number | string | string[] | undefined
interface Change { before: Value, after: Value }

/**
 * Changes a reply's fields and can take that back: when a later hook fails, Fastify keeps the fields that
 * are set and sends the error's body under them, by way of onSend again.
 */
export class FieldJournal {
  readonly #changes = new WeakMap<FastifyReply, Map<string, Change>>()

  apply (reply: FastifyReply, { set, drop }: FieldChanges): void {
    const changes = new Map<string, Change>()
    // Kept from the start, so that what fails half-way can be taken back.
    this.#changes.set(reply, changes)
    for (const name of drop) {
      // The length belongs to bytes that will not be sent any more, whatever is sent instead.
      if (name !== 'content-length') changes.set(name, { before: reply.getHeader(name), after: undefined })
      reply.removeHeader(name)
    }
    for (const [name, value] of Object.entries(set)) {
      changes.set(name, { before: reply.getHeader(name), after: value })
      reply.header(name, value)
    }
  }

  /** Takes back what was changed, but for fields that somebody has changed since. */
  undo (reply: FastifyReply): void {
    const changes = this.#changes.get(reply)
    if (changes === undefined) return
    this.#changes.delete(reply)
    for (const [name, { before, after }] of changes) {
      if (reply.getHeader(name) !== after) continue
      if (before === undefined) reply.removeHeader(name)
      else reply.header(name, before)
    }
  }
}
