import type { Call } from '../context.js'
import { SessionTools } from '../session-tools.js'

/** Most sessions that are known; the one that was used least recently goes first. */
const MAX_SESSIONS = 1000
/** Most calls, and tasks, that are known of a session. */
const MAX_CALLS = 100
/** Longer ids, and names, are not kept. */
const MAX_LENGTH = 256

/**
 * What is known of an MCP session beyond a single request: the calls whose results may come on another stream of
 * it (resumption by Last-Event-ID), and the tasks that calls have become.
 */
export class McpSession {
  readonly tools = new SessionTools()
  readonly #calls = new Map<string, Call>()
  readonly #tasks = new Map<string, string>()

  /** The calls by the ids of their requests, as JSON text. It stays up to date. */
  get calls (): ReadonlyMap<string, Call> {
    return this.#calls
  }

  /** Keeps a call; one whose names are too long is not known on another stream. */
  remember (id: string, call: Call): void {
    const { tool, fields = [] } = call
    if (tool !== null && tool.length + fields.join().length <= MAX_LENGTH) keep(this.#calls, id, call)
  }

  rememberTask (taskId: string, tool: string): void {
    if (tool.length <= MAX_LENGTH) keep(this.#tasks, taskId, tool)
  }

  /** The tool whose call has become this task; null where it is not known. */
  findTask (taskId: string): string | null {
    return this.#tasks.get(taskId) ?? null
  }
}

/** The sessions that are known; bounded. */
export class McpSessions {
  readonly #sessions = new Map<string, McpSession>()

  /** The session of a request's Mcp-Session-Id; null where it has none, or one that is too long to keep. */
  open (id: string | undefined): McpSession | null {
    if (id === undefined || id === '' || id.length > MAX_LENGTH) return null
    const session = this.#sessions.get(id) ?? new McpSession()
    keep(this.#sessions, id, session, MAX_SESSIONS)
    return session
  }

  /** Forgets a session that has ended. */
  close (id: string): void {
    this.#sessions.delete(id)
  }
}

function keep<T> (map: Map<string, T>, key: string, value: T, limit = MAX_CALLS): void {
  if (key.length > MAX_LENGTH) return
  map.delete(key)
  map.set(key, value)
  // A map gives its keys in the order in which they were set.
  if (map.size > limit) map.delete(map.keys().next().value as string)
}
