import { Readable } from 'node:stream'
import type { EventStreamRewriter, Piece } from '../../../lib/mcp/events.js'
import { toError } from '../body-source.js'
import type { BodySource } from '../body-source.js'
import { toChunk } from '../collect.js'

/** Bytes held for a client that reads more slowly than the upstream sends; then the upstream waits. */
const HIGH_WATER_MARK = 64 * 1024

/**
 * A stream of events of which some are rewritten, each given on in the turn of the event loop in which it was
 * complete. It reads no faster than it is read, and destroys the source when it is destroyed itself.
 */
export class EventBody extends Readable {
  readonly #source: BodySource
  readonly #rewriter: EventStreamRewriter
  /** Whether the reader has room, and whether we are at it. */
  #isWanted = false
  #isBusy = false

  constructor (source: BodySource, rewriter: EventStreamRewriter) {
    super({ highWaterMark: HIGH_WATER_MARK })
    this.#source = source
    this.#rewriter = rewriter
  }

  override _read (): void {
    this.#isWanted = true
    if (this.#isBusy) return
    this.#isBusy = true
    this.#run().then(
      () => {
        this.#isBusy = false
        if (this.#isWanted) this._read()
      },
      (error) => { this.destroy(toError(error)) }
    )
  }

  override _destroy (error: Error | null, callback: (error: Error | null) => void): void {
    this.#source.destroy()
    callback(error)
  }

  async #run (): Promise<void> {
    while (this.#isWanted && !this.destroyed) {
      const { done, value } = await this.#source.next()
      if (done === true) {
        await this.#give(this.#rewriter.end())
        this.#isWanted = false
        this.push(null)
        return
      }
      await this.#give(this.#rewriter.push(toChunk(value)))
    }
  }

  async #give (pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) {
      const bytes = piece instanceof Promise ? await piece : piece
      this.#isWanted = false
      // Where there is room for more, the stream asks for it.
      this.push(bytes)
    }
  }
}
