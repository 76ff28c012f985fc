import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { CliError, describeError } from './errors.js'
import type { Io } from './io.js'

/** Exit codes of a process that a signal ended, as shells count them: 128 and the signal's number. */
const FORCED_CODES = { SIGINT: 130, SIGTERM: 143 }
type Signal = keyof typeof FORCED_CODES
const IDLE_CHECK_MS = 50
/** Ctrl-C under `npm start` comes twice, from the terminal and from npm, some milliseconds apart. */
const ECHO_MS = 200
const SIGNALS: Signal[] = ['SIGINT', 'SIGTERM']

interface Watch {
  first: Promise<Signal>
  second: Promise<Signal>
  end (): void
}

function watchSignals (signals: Io['signals']): Watch {
  const received = new EventEmitter()
  const nth = async (event: string): Promise<Signal> => (await once(received, event))[0]
  let echoEnds: number | null = null
  const listeners = SIGNALS.map(signal => () => {
    if (echoEnds === null) {
      echoEnds = performance.now() + ECHO_MS
      received.emit('first', signal)
    } else if (performance.now() > echoEnds) received.emit('second', signal)
  })
  SIGNALS.forEach((signal, i) => signals.on(signal, listeners[i]))
  return {
    first: nth('first'),
    second: nth('second'),
    end: () => SIGNALS.forEach((signal, i) => signals.off(signal, listeners[i]))
  }
}

async function listen (app: FastifyInstance, address: { port: number, host: string }): Promise<void> {
  try {
    await app.listen(address)
  } catch (error) {
    await app.close()
    const { code, syscall } = error as NodeJS.ErrnoException
    const place = `${address.host}:${address.port}`
    if (code === 'EADDRINUSE') throw new CliError(`port ${address.port} of ${address.host} is in use; choose another with --port`)
    throw new CliError(syscall === undefined ? describeError(error) : `cannot listen on ${place}: ${describeError(error)}`)
  }
}

/**
 * Closes the server once its last response is out. Connections that were busy when closing began stay
 * open for further requests until their keep-alive time is over, more than a minute; these are closed
 * as they fall idle.
 */
async function closeGently (app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await app.close()
  } finally {
    clearInterval(timer)
  }
}

/** The URL under which this machine reaches a server that listens. */
export function formatOrigin (app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Runs a server until SIGTERM or SIGINT. Requests in flight end first; a second signal cuts them off.
 * @param onListening called once, when the server takes connections
 * @returns the exit code: 0, or 130 / 143 when it was forced
 * @throws CliError when it cannot listen
 */
export async function serveUntilSignal (
  app: FastifyInstance,
  address: { port: number, host: string },
  io: Io,
  onListening: (origin: string) => Promise<void>
): Promise<number> {
  const watch = watchSignals(io.signals)
  try {
    await listen(app, address)
    await onListening(formatOrigin(app))
    const signal = await watch.first
    app.log.info(`${signal}: requests in flight end first, a second signal cuts them off`)
    const closed = closeGently(app).then(() => 0)
    const code = await Promise.race([closed, watch.second.then(second => FORCED_CODES[second])])
    app.server.closeAllConnections()
    return code
  } finally {
    watch.end()
  }
}
