import { sanitizeMessage } from '../../../lib/mcp/sanitize.js'
import type { SanitizedMessage } from '../../../lib/mcp/sanitize.js'
import type { SessionTools } from '../../../lib/mcp/session-tools.js'
import type { RouteOptions } from '../options.js'
import { report } from '../report.js'
import type { Task } from '../task.js'
import { toContext } from './encode-message.js'
import type { Calls } from './find-calls.js'

/** A task whose answer may be a message for an MCP client. */
export interface McpTask extends Task {
  options: RouteOptions & { mcp: NonNullable<RouteOptions['mcp']> }
  calls: Calls
}

export function isMcpTask (task: Task): task is McpTask {
  return task.calls !== null && task.options.mcp !== null
}

/** Whether the operator's hook sees the texts first. */
export function needsSanitizing (task: Task): task is McpTask {
  return isMcpTask(task) && task.options.mode !== 'observe' && task.options.mcp.beforeEncode !== undefined
}

/** What the operator's hook has made of a message; the very same array where it changed nothing. */
export function sanitize (message: Uint8Array, { request, options, wish, calls }: McpTask): Uint8Array | Promise<Uint8Array> {
  const take = ({ bytes, decisions }: SanitizedMessage): Uint8Array => {
    for (const decision of decisions) report(request, options, decision)
    return bytes
  }
  const sanitized = sanitizeMessage(message, toContext({ calls: calls.table, negotiation: wish.negotiation, options, mcp: options.mcp }))
  return sanitized instanceof Promise ? sanitized.then(take) : take(sanitized)
}

/** What is known of the session's tools, where that plays a part; another thread cannot have it. */
export function findSession ({ options, calls }: Task): SessionTools | undefined {
  return options.mcp?.structuredContent === 'drop' ? calls?.session?.tools : undefined
}
