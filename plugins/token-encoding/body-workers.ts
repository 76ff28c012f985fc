import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { BodyResult, BodyTask } from './encode-worker.js'
import { WorkerError } from './errors.js'

/** Beside this file, and like it TypeScript where a loader reads that. */
const WORKER_FILE = fileURLToPath(new URL(`./encode-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url))
/** Milliseconds after which a thread that has nothing to do ends. */
const IDLE_TIMEOUT = 60_000
/** After so many failures in a row threads are not tried any more. */
const MAX_FAILURES = 3

/**
 * Worker threads that encode large bodies. They start with the first body, do not keep the process running,
 * and end on `close`.
 */
export class BodyWorkers {
  readonly #maxThreads: number
  readonly #file: string
  #pool: Piscina | null = null
  readonly #pending = new Set<Promise<BodyResult>>()
  #isClosed = false
  #failures = 0

  /**
   * @param maxThreads 1 or more
   * @param file the module whose default export does the work
   */
  constructor (maxThreads: number, file = WORKER_FILE) {
    this.#maxThreads = maxThreads
    this.#file = file
  }

  /** False where the caller has to do the work itself: after `close`, and where threads keep failing. */
  get isUsable (): boolean {
    return !this.#isClosed && this.#failures < MAX_FAILURES
  }

  /**
   * Encodes a body in a thread.
   *
   * @throws (rejects with) FST_TOKEN_WORKER where the thread fails; the blocks are whole then too
   */
  async encode (task: BodyTask): Promise<BodyResult> {
    try {
      const result = await this.#run(task)
      this.#failures = 0
      return result
    } catch (error) {
      this.#failures++
      throw new WorkerError({ cause: error })
    }
  }

  /** Waits for the bodies that threads have, and ends the threads. */
  async close (): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#pending)
    await this.#pool?.destroy()
  }

  async #run (task: BodyTask): Promise<BodyResult> {
    this.#pool ??= this.#start()
    const result = this.#pool.run(task) as Promise<BodyResult>
    this.#pending.add(result)
    try {
      return await result
    } finally {
      this.#pending.delete(result)
    }
  }

  #start (): Piscina {
    const pool = new Piscina({
      filename: this.#file,
      minThreads: 0,
      maxThreads: this.#maxThreads,
      idleTimeout: IDLE_TIMEOUT,
      recordTiming: false,
      workerHistogram: false
    })
    // Where its last thread ends before it takes a body, the pool would leave that body waiting forever.
    const discard = (): void => {
      if (pool.threads.length > 0) return
      if (this.#pool === pool) this.#pool = null
      pool.destroy().catch(() => {})
    }
    const check = (): void => { setImmediate(discard) }
    pool.on('error', check)
    pool.on('workerDestroy', check)
    return pool
  }
}
