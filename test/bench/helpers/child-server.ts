import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('./server-process.js', import.meta.url))

/** What a child process says about itself. Times and bytes are those of all of its threads. */
export interface Usage {
  /** Microseconds of CPU since it started. */
  cpu: number
  /** Bytes of JavaScript objects, after garbage collection where the process has `--expose-gc`. */
  heap: number
  /** Bytes in buffers. */
  buffers: number
  /** Bytes. */
  rss: number
  /** What keeps the event loop alive, by kind. */
  resources: Record<string, number>
  /** Listeners of the process itself. */
  listeners: number
  /** Warnings so far, such as that of a leak of listeners. */
  warnings: string[]
}

/** A server in a process of its own, so that nothing shares its thread. */
export interface ChildServer {
  /** Such as http://127.0.0.1:1234 */
  origin: string
  port: number
  measure: () => Promise<Usage>
  stop: () => Promise<void>
}

/**
 * Starts a server of ./servers.ts.
 *
 * @param role a key of SERVERS
 * @param upstream origin of the server behind it, if it has one
 */
export async function startChild (role: string, upstream = '', execArgv: string[] = []): Promise<ChildServer> {
  const child = fork(FILE, [role, upstream], { execArgv })
  const exited = once(child, 'exit')
  const failed = exited.then(([code]) => { throw new Error(`the server ${role} ended with ${code}`) })
  // Nobody waits for it when the server is stopped.
  failed.catch(() => {})
  const [port] = await Promise.race([once(child, 'message'), failed]) as [number]
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    measure: async () => {
      const answer = once(child, 'message')
      child.send('measure')
      const [usage] = await Promise.race([answer, failed])
      return usage as Usage
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    }
  }
}
