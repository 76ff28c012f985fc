import { Readable } from 'node:stream'
import { describeMessage } from '../../../lib/http.js'
import { EventStreamRewriter } from '../../../lib/mcp/events.js'
import { openSource } from '../body-source.js'
import type { BodyWorkers } from '../body-workers.js'
import { describePassthrough } from '../describe.js'
import { encodeInThread } from '../encode-in-thread.js'
import { isMessageResult } from '../encode-json.js'
import type { FieldJournal } from '../field-journal.js'
import { report } from '../report.js'
import { toBytes } from '../response.js'
import { sendHeadAtOnce } from '../send-head.js'
import { giveBack, shareBlocks } from '../shared-blocks.js'
import { bodyOptionsOf, toJsonTask } from '../task.js'
import type { Task } from '../task.js'
import { encodeMessage } from './encode-message.js'
import type { MessageResult } from './encode-message.js'
import { EventBody } from './event-body.js'
import { noteTask } from './note-task.js'
import { findSession, isMcpTask, needsSanitizing, sanitize } from './sanitize.js'
import type { McpTask } from './sanitize.js'

type Rewritten = Uint8Array | null

/** Re-encodes the tool results in event streams. */
export class EventEncoder {
  readonly #workers: BodyWorkers
  readonly #journal: FieldJournal

  constructor (workers: BodyWorkers, journal: FieldJournal) {
    this.#workers = workers
    this.#journal = journal
  }

  /** The stream to go on with, of which no event is held longer than until it is complete. */
  encode (task: Task, payload: unknown): unknown {
    const bytes = toBytes(payload)
    const source = openSource(bytes === null ? payload : Readable.from([bytes], { objectMode: false }))
    if (source === null || !isMcpTask(task)) return payload
    const { request, reply, options } = task
    if (options.mode !== 'observe') this.#journal.apply(reply, describeMessage(null))
    sendHeadAtOnce(reply)
    return new EventBody(source, new EventStreamRewriter((data) => this.#rewrite(task, data), {
      maxEventBytes: options.maxEventBytes,
      onTooLarge: (size) => { report(request, options, describePassthrough('too-large', size)) }
    }))
  }

  #rewrite (task: McpTask, data: Uint8Array): Rewritten | Promise<Rewritten> {
    if (!needsSanitizing(task)) return this.#encodeMessage(task, data, null)
    const clean = sanitize(data, task)
    const go = (message: Uint8Array): Rewritten | Promise<Rewritten> => this.#encodeMessage(task, message, message === data ? null : message)
    return clean instanceof Promise ? clean.then(go) : go(clean)
  }

  /** @param otherwise what ships where nothing is re-encoded; null: what came */
  #encodeMessage (task: McpTask, message: Uint8Array, otherwise: Rewritten): Rewritten | Promise<Rewritten> {
    const { options, calls, wish } = task
    const session = findSession(task)
    const { length } = message
    if (length >= options.workerMinBytes && length > 0 && this.#workers.isUsable && session === undefined) {
      return this.#encodeInThread(task, message, otherwise)
    }
    noteTask(message, task)
    const result = encodeMessage(message, { calls: calls.table, negotiation: wish.negotiation, options: bodyOptionsOf(task), mcp: options.mcp, session })
    return result === null ? otherwise : tell(task, result) ?? otherwise
  }

  async #encodeInThread (task: McpTask, message: Uint8Array, otherwise: Rewritten): Promise<Rewritten> {
    const refusal = 'json-rpc'
    const blocks = shareBlocks([message])
    const result = await encodeInThread(this.#workers, blocks, message.length, toJsonTask({ ...task, refusal }))
    giveBack(blocks)
    if (isMessageResult(result)) return tell(task, result) ?? otherwise
    // That there is nothing to rewrite is no news, unless it is a failure.
    if (result.error !== undefined) tell(task, { ...result, decisions: [result.decision], textBytesBefore: 0, textBytesAfter: 0 })
    return otherwise
  }
}

/** Reports what became of a message. */
function tell ({ request, options }: McpTask, { bytes, decisions, error }: MessageResult): Rewritten {
  if (error !== undefined) request.log.warn({ err: error }, 'an event could not be re-encoded')
  for (const decision of decisions) report(request, options, decision)
  return bytes
}
