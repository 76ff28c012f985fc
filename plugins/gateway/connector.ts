import { buildConnector } from 'undici'
import { UpstreamConnection } from './upstream-connection.js'

/** Whether the error of some upstream connection is being told right now. */
let isFailing = false

const end = (): void => { isFailing = false }

function begin (): void {
  isFailing = true
  // Whoever listens for the error too is told before this runs.
  process.nextTick(end)
}

/**
 * Makes undici's connector, of whose connections an error is noted before undici hears of it, and which can be made to wait. undici takes a reset for
 * the end of a body that has neither a length nor chunks, and by RFC 9112 section 8 such a body is not complete.
 */
export function createConnector (options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options)
  return (target, callback) => {
    connect(target, (...result) => {
      const [error, socket] = result
      if (error === null) {
        socket.on('error', begin)
        UpstreamConnection.watch(socket)
      }
      callback(...result)
    })
  }
}

/** True while a connection breaks: what undici calls an end then is none. */
export function isConnectionFailing (): boolean {
  return isFailing
}
