import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { isJsonType } from '../../../lib/http.js'
import type { Call } from '../../../lib/mcp/context.js'
import { McpSessions, readRequest, readToolHeader } from '../../../lib/mcp/request.js'
import type { CallTable, McpSession, RequestMessage } from '../../../lib/mcp/request.js'
import { RequestTap } from './request-tap.js'

/** What a response may be the answer to. */
export interface Calls {
  table: CallTable
  session: McpSession | null
  /** The tool whose call the answer may turn into a task; null where there is none. */
  taskTool: string | null
}

const NO_CALLS: ReadonlyMap<string, Call> = new Map()

/** Finds out which tools a request calls: by its fields, by its body, or by what is known of its session. */
export class CallFinder {
  readonly #taps = new WeakMap<FastifyRequest, RequestTap>()
  readonly #found = new WeakMap<FastifyRequest, Calls>()
  readonly #sessions = new McpSessions()

  /** Keeps a copy of the body that is going to be read, where it is needed. @param readsMeta whether wishes in `_meta` count */
  watch (request: FastifyRequest, readsMeta: boolean): void {
    if (request.method !== 'POST' || !isJsonType(request.headers['content-type'] ?? '')) return
    if (!readsMeta && readHeader(request) !== null) return
    this.#taps.set(request, new RequestTap(request.raw))
  }

  /** The calls that a response may answer that is going to be rewritten. */
  find (request: FastifyRequest, readsMeta: boolean): Calls {
    let calls = this.#found.get(request)
    if (calls === undefined) {
      calls = this.#find(request, readsMeta)
      this.#found.set(request, calls)
    }
    return calls
  }

  #find (request: FastifyRequest, readsMeta: boolean): Calls {
    const session = this.#sessions.open(readSessionId(request))
    const messages = this.#readBody(request, readsMeta)
    if (messages === null || messages.length === 0) {
      const tool = readHeader(request)
      if (tool !== null) return { table: { sole: { tool }, byId: NO_CALLS }, session, taskTool: null }
      // On a stream that is asked for by GET come the answers to other requests of the session.
      return { table: { sole: null, byId: request.method === 'GET' && session !== null ? session.calls : NO_CALLS }, session, taskTool: null }
    }
    const calls = messages.map(({ id, call, taskId }) => [id, taskId === null ? call : { ...call, tool: session?.findTask(taskId) ?? null }] as const)
    for (const [id, call] of calls) session?.remember(id, call)
    const isSole = messages.length === 1
    return {
      table: { sole: isSole ? calls[0][1] : null, byId: new Map(calls) },
      session,
      taskTool: isSole && messages[0].createsTask ? messages[0].call.tool : null
    }
  }

  /** Forgets the session that a request has ended. */
  closeSession (request: FastifyRequest): void {
    const id = readSessionId(request)
    if (id !== undefined) this.#sessions.close(id)
  }

  #readBody (request: FastifyRequest, readsMeta: boolean): RequestMessage[] | null {
    const body = this.#taps.get(request)?.take() ?? null
    if (body === null) return null
    try {
      return readRequest(body, readsMeta, isUtf8)
    } catch (error) {
      request.log.debug({ err: error }, 'the request names no tool, since it is no JSON')
      return null
    }
  }
}

function readHeader ({ headers }: FastifyRequest): string | null {
  return readToolHeader(headers['mcp-method'], headers['mcp-name'])
}

function readSessionId ({ headers }: FastifyRequest): string | undefined {
  // Node joins repeated lines of a field that it does not know.
  return headers['mcp-session-id'] as string | undefined
}

/** True where a call asks for something by `_meta`. */
export function hasWishes ({ sole, byId }: CallTable): boolean {
  for (const { format, fields } of sole === null ? byId.values() : [sole]) if (format !== undefined || fields !== undefined) return true
  return false
}
