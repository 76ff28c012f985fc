import { promisify } from 'node:util'
import { describeEncoded, describeMarkdown, describeMessage, describeMinified, listStackable } from '../../lib/http.js'
import type { FieldChanges, StackedCoding } from '../../lib/http.js'
import { SNIFF_BYTES } from '../../lib/sniff.js'
import { attempt, recover } from './attempt.js'
import { joinBlocks } from './body-buffer.js'
import { openSource, resumeSource } from './body-source.js'
import type { BodySource } from './body-source.js'
import type { BodyWorkers } from './body-workers.js'
import { collectWhileWanted } from './collect-while-wanted.js'
import { describePassthrough } from './describe.js'
import type { EncodedResult } from './encode-body.js'
import { encodeInThread } from './encode-in-thread.js'
import { encodeJson, isMessageResult } from './encode-json.js'
import type { JsonResult } from './encode-json.js'
import type { FieldJournal } from './field-journal.js'
import { createJudge } from './judge-prefix.js'
import { findRatio } from './mcp/encode-message.js'
import { noteTask } from './mcp/note-task.js'
import { findSession, needsSanitizing, sanitize } from './mcp/sanitize.js'
import type { McpTask } from './mcp/sanitize.js'
import { refuseJson } from './not-acceptable.js'
import { report } from './report.js'
import { getField, measureBody, sendSlowly, toBuffer, toBytes } from './response.js'
import { giveBack, shareBlocks, shareText } from './shared-blocks.js'
import { readPacked } from './read-packed.js'
import { compressText, OFFERED_STACKED } from './stack-coding.js'
import { toJsonTask } from './task.js'
import type { Task } from './task.js'
import { undoCodings } from './undo-codings.js'
import { TAKE_WHOLE, mayBeWhole } from './whole-body.js'
import type { WholeBody } from './whole-body.js'

/** Of a body of at most so many bytes that is all there, to judge the beginning costs as much as to measure all of it. */
const SMALL_BYTES = 4 * SNIFF_BYTES

const nextTick = promisify(process.nextTick)

/** Re-encodes bodies, as messages of MCP or as a whole, on this thread or another. */
export class PayloadEncoder {
  readonly #workers: BodyWorkers
  readonly #journal: FieldJournal

  constructor (workers: BodyWorkers, journal: FieldJournal) {
    this.#workers = workers
    this.#journal = journal
  }

  /** The payload to go on with; the reply's fields are changed only once it is there. */
  encode (task: Task, payload: unknown): unknown {
    const { request, reply, options } = task
    const size = measureBody(reply, payload)
    if (size > options.maxBodyBytes) {
      report(request, options, describePassthrough('too-large', size))
      return payload
    }
    if (task.codings.length > 0) return this.#encodePacked(task, payload, size)
    const bytes = toBytes(payload)
    if (bytes !== null) return this.#encodeBytes(task, bytes, size, payload)
    if (mayBeWhole(payload) && size > 0) return this.#encodeArriving(task, payload, size)
    const source = openSource(payload)
    return source === null ? payload : this.#encodeStream(task, source, size)
  }

  /** Small bodies mostly come with their heads: it is cheaper to wait a tick for them than to read a stream. */
  async #encodeArriving (task: Task, payload: WholeBody, size: number): Promise<unknown> {
    await nextTick()
    const whole = task.reply.raw.destroyed ? null : payload[TAKE_WHOLE](SMALL_BYTES)
    if (whole === null) return await this.#encodeStream(task, openSource(payload) as BodySource, size)
    if (needsSanitizing(task)) return await this.#encodeSanitized(task, whole)
    if (this.#goesToThread(task, size)) return await this.#encodeInThread(task, shareBlocks([whole]), size, null)
    return this.#encodeBuffer(task, whole)
  }

  #encodeBytes (task: Task, bytes: Uint8Array, size: number, payload: unknown): unknown {
    if (needsSanitizing(task)) return this.#encodeSanitized(task, bytes)
    if (!this.#goesToThread(task, size)) return this.#attempt(task, () => this.#adopt(task, this.#encodeHere(task, bytes), size) ?? payload, () => payload)
    const blocks = typeof payload === 'string' ? shareText(payload, size) : shareBlocks([bytes])
    return this.#encodeInThread(task, blocks, size, payload)
  }

  async #encodeStream (task: Task, source: BodySource, announcedBytes: number): Promise<unknown> {
    const { request, reply, options } = task
    const collected = await collectWhileWanted(reply, source, {
      maxBytes: options.maxBodyBytes,
      expectedBytes: announcedBytes,
      judge: createJudge(task)
    })
    if (collected === null) return null
    const { refusal, blocks, size } = collected
    if (refusal !== null) {
      report(request, options, describePassthrough(refusal, announcedBytes))
      return resumeSource(blocks, source)
    }
    // The body has a length from here on, and two framings are one too many (RFC 9112 section 6.2).
    reply.removeHeader('transfer-encoding')
    const isSanitized = needsSanitizing(task)
    if (!isSanitized && this.#goesToThread(task, size)) return await this.#encodeInThread(task, shareBlocks(blocks), size, null)
    const original = toBuffer(joinBlocks(blocks))
    giveBack(blocks)
    if (isSanitized) return await this.#encodeSanitized(task, original)
    return this.#encodeBuffer(task, original)
  }

  #encodeBuffer (task: Task, original: Buffer): unknown {
    return this.#attempt(task, () => this.#adopt(task, this.#encodeHere(task, original), original.length) ?? original, () => original)
  }

  /** Encodes what is in a body with content codings; where nothing comes of it, the body ships as it came, packed. */
  async #encodePacked (task: Task, payload: unknown, announcedBytes: number): Promise<unknown> {
    const { request, options } = task
    const packed = await readPacked(task, payload, announcedBytes)
    if (!Buffer.isBuffer(packed)) return packed
    const body = await undoCodings(packed, task.codings, options.maxBodyBytes)
    if (body === null) {
      report(request, options, describePassthrough('undecodable', packed.length))
      return packed
    }
    if (needsSanitizing(task)) return await this.#encodeSanitized(task, body, packed)
    const ship = (): Buffer => packed
    if (this.#goesToThread(task, body.length)) return await this.#encodeInThread(task, shareBlocks([body]), body.length, null, ship)
    return this.#attempt(task, () => this.#adopt(task, this.#encodeHere(task, body), body.length) ?? packed, ship)
  }

  /**
   * Encodes what the operator's hook makes of a message; whatever goes wrong then, that is what ships.
   *
   * @param packed what ships where the hook changes nothing, if that is not the message
   */
  async #encodeSanitized (task: McpTask, original: Uint8Array, packed?: Buffer): Promise<unknown> {
    const clean = await sanitize(original, task)
    const size = clean.length
    const ship = (): Buffer => {
      if (clean === original) return packed ?? toBuffer(clean)
      this.#apply(task, describeMessage(null))
      return toBuffer(clean)
    }
    if (this.#goesToThread(task, size)) return await this.#encodeInThread(task, shareBlocks([clean]), size, null, ship)
    return this.#attempt(task, () => this.#adopt(task, this.#encodeHere(task, clean), size) ?? ship(), ship)
  }

  #goesToThread (task: Task, size: number): boolean {
    return size >= task.options.workerMinBytes && size > 0 && this.#workers.isUsable && findSession(task) === undefined
  }

  #encodeHere (task: Task, body: Uint8Array): JsonResult {
    noteTask(body, task)
    return encodeJson(body, toJsonTask(task), findSession(task))
  }

  /**
   * @param payload what came; null where that was a stream
   * @param ship gives what ships where that is not the body in the blocks
   */
  async #encodeInThread (task: Task, blocks: Uint8Array[], size: number, payload: unknown, ship?: () => Buffer): Promise<unknown> {
    const { reply } = task
    const result = await encodeInThread(this.#workers, blocks, size, toJsonTask(task))
    // The client may have gone away meanwhile.
    const original = (): unknown => ship?.() ?? payload ?? toBuffer(result.original ?? joinBlocks(blocks))
    const next = reply.raw.destroyed ? null : await this.#attempt(task, () => this.#adopt(task, result, size) ?? original(), original)
    giveBack(blocks)
    return payload === null && Buffer.isBuffer(next) ? sendSlowly(reply, next) : next
  }

  /** The body that ships instead, with its fields set; null: the original. */
  #adopt (task: Task, result: JsonResult, size: number): Buffer | string | Promise<Buffer> | null {
    const { request, reply, options } = task
    const { bytes, error } = result
    if (error !== undefined) request.log.warn({ err: error }, 'a body could not be re-encoded')
    if (isMessageResult(result)) {
      for (const decision of result.decisions) report(request, options, decision)
    } else {
      report(request, options, result.decision)
      if (result.allDeclined && options.notAcceptable === '406' && options.mode !== 'observe') return refuseJson(reply)
    }
    if (bytes === null) return null
    const stacked = options.stackCodings && !isMessageResult(result) ? findStacked(task, result) : undefined
    if (stacked !== undefined) return this.#stack(task, result as EncodedResult, size, bytes, stacked)
    this.#apply(task, isMessageResult(result) ? describeMessage(findRatio(result)) : describeBody(task, result, size, bytes.length))
    return toBuffer(bytes)
  }

  /** Applies a content coding to a text in one of ours, where that makes it smaller. */
  async #stack (task: Task, result: EncodedResult, size: number, text: Uint8Array, stacked: StackedCoding): Promise<Buffer> {
    const packed = await compressText(text, stacked)
    this.#apply(task, describeBody(task, result, size, text.length, packed === null ? undefined : stacked))
    return packed ?? toBuffer(text)
  }

  /** Changes the reply's fields for a body that is not the one that came, nor packed as that was. */
  #apply ({ reply, codings }: Task, { set, drop }: FieldChanges): void {
    const isPacked = codings.length > 0 && set['content-encoding'] === undefined
    this.#journal.apply(reply, { set, drop: isPacked ? [...drop, 'content-encoding'] : drop })
  }

  #attempt<T> (task: Task, action: () => T | Promise<T>, fallback: () => T): T | Promise<T> {
    const { request, reply, options } = task
    const next = attempt(request, reply, options, this.#journal, action, fallback)
    return next instanceof Promise ? next.catch((error) => recover(request, reply, options, this.#journal, error, fallback)) : next
  }
}

/** What is to be applied to a text in one of our codings; undefined for nothing. */
function findStacked ({ request, wish: { negotiation } }: Task, { codec }: EncodedResult): StackedCoding | undefined {
  // What is asked for by type has no coding of ours that another could be stacked on: that is for compressors.
  if (codec === 'json' || negotiation?.by !== 'accept-encoding') return undefined
  return listStackable(request.headers['accept-encoding'], OFFERED_STACKED)[0]
}

function describeBody (
  { reply, wish }: Task, { codec, decision }: EncodedResult, bytesBefore: number, bytesAfter: number, stacked?: StackedCoding
): FieldChanges {
  const { negotiation, isMarkdown } = wish
  const etag = getField(reply, 'etag') as string | undefined
  const changes = codec === 'json' || negotiation === null
    ? (isMarkdown ? describeMarkdown(etag) : describeMinified(etag))
    : describeEncoded({ codec, by: negotiation.by, bytesBefore, bytesAfter, etag, stacked })
  // A name outside of ASCII cannot stand in a field.
  if (decision.fields !== undefined) changes.set['x-token-fields'] = decision.fields.map(encodeURI).join(',')
  return changes
}
