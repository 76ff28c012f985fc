/** Calls back once nothing has happened for a while. Without a limit (0) it never does. */
export class IdleTimer {
  #limit: number
  readonly #onIdle: () => void
  #timer: NodeJS.Timeout | null = null

  /** @param limit milliseconds; 0 for none */
  constructor (limit: number, onIdle: () => void) {
    this.#limit = limit
    this.#onIdle = onIdle
  }

  /** Starts to wait, or to wait anew. */
  restart (): void {
    if (this.#limit === 0) return
    if (this.#timer === null) this.#timer = setTimeout(this.#onIdle, this.#limit)
    else this.#timer.refresh()
  }

  /** Stops waiting, until the next restart. */
  stop (): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Stops waiting for good. */
  disable (): void {
    this.stop()
    this.#limit = 0
  }
}
