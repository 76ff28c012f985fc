import type { Socket } from 'node:net'

/** The connection that undici has read from last: what it tells right now came by it. */
let lastRead: UpstreamConnection | null = null

/**
 * A connection whose upstream can be made to wait: undici finds nothing to read in it meanwhile. undici's own way, to
 * pause its parser, ends the process where the upstream closes or resets a connection that it would not have used again
 * (undici 7, nodejs/undici#5360).
 */
export class UpstreamConnection {
  readonly #socket: Socket
  #isHeld = false

  private constructor (socket: Socket) {
    this.#socket = socket
    const read = socket.read.bind(socket) as Socket['read']
    socket.read = (size) => {
      lastRead = this
      // A read of nothing is what Node makes an end known by.
      return this.#isHeld && size !== 0 ? null : read(size)
    }
  }

  /** Takes a connection over before undici has it. */
  static watch (socket: Socket): void {
    lastRead = new UpstreamConnection(socket)
  }

  /** The one by which what undici tells right now came. */
  static current (): UpstreamConnection {
    return lastRead as UpstreamConnection
  }

  get isHeld (): boolean {
    return this.#isHeld
  }

  /** Lets nothing more be read than has been. */
  hold (): void {
    this.#isHeld = true
  }

  /** Goes on, once whatever runs now is done: undici may be in the middle of what it has read. */
  release (): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    process.nextTick(this.#wake)
  }

  readonly #wake = (): void => {
    if (!this.#isHeld && !this.#socket.destroyed) this.#socket.emit('readable')
  }
}
