import { DEFAULT_CODINGS, decode } from '../../lib/index.js'
import type { CodingName, Policy } from '../../lib/index.js'
import type { Call, CallOfId } from '../../lib/mcp/context.js'
import type { EncodingEntry } from '../../lib/mcp/entry.js'
import { rewriteMessage } from '../../lib/mcp/message.js'
import type { RewrittenMessage } from '../../lib/mcp/message.js'
import { resolveMcpOptions } from '../../lib/mcp/options.js'
import type { McpOptions } from '../../lib/mcp/options.js'
import type { SessionTools } from '../../lib/mcp/session-tools.js'

export const KEY = 'fastify-token-gateway/encoding'

/** Rows that TOON makes smaller, as one line and with blanks. */
const rows = Array.from({ length: 8 }, (_, id) => ({ id, name: `name ${id}`, city: 'Oslo', active: id % 2 === 0 }))
export const ROWS = JSON.stringify(rows)
export const PRETTY_ROWS = JSON.stringify(rows, null, 2)

/** What a test sets; all else has its default, and the tool is one that nothing excludes. */
export interface Settings extends Omit<Partial<Policy>, 'accepted'> {
  accepted?: readonly CodingName[]
  mcp?: McpOptions
  call?: Call | CallOfId
  session?: SessionTools
}

export interface Rewritten extends RewrittenMessage {
  text: string
}

export function rewrite (message: string | Uint8Array, { accepted = DEFAULT_CODINGS, mcp = {}, call = { tool: 'list_rows' }, session, ...policy }: Settings = {}): Rewritten {
  const bytes = typeof message === 'string' ? Buffer.from(message) : message
  const context = { policy: { ...policy, accepted: accepted.map(codec => ({ codec, q: 1 })) }, options: resolveMcpOptions(mcp), call, session }
  const rewritten = rewriteMessage(bytes, context)
  return { ...rewritten, text: Buffer.from(rewritten.bytes).toString() }
}

/** Whether a message left as the very array that came. */
export function isUntouched (message: string | Uint8Array, settings: Settings = {}): boolean {
  const bytes = typeof message === 'string' ? Buffer.from(message) : message
  return rewrite(bytes, settings).bytes === bytes
}

/** An answer to tools/call as servers send it. */
export function answer (result: string, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export const block = (text: string, more = ''): string => `{"type":"text","text":${JSON.stringify(text)}${more}}`

/** An answer with one text block for each text. */
export const textAnswer = (...texts: string[]): string => answer(`{"content":[${texts.map(text => block(text)).join()}]}`)

interface Result {
  content: { type?: string, text: string }[]
  _meta?: Record<string, unknown>
}

export const resultOf = (text: string): Result => (JSON.parse(text) as { result: Result }).result

export const entriesOf = (result: Result): EncodingEntry[] => (result._meta?.[KEY] ?? []) as EncodingEntry[]

/** The JSON that a block holds, read by nothing but what `_meta` says of it. */
export function decodeBlock (text: string, entry: EncodingEntry | undefined): string {
  if (entry === undefined) return text
  const { codec, ...options } = entry
  return decode(text, codec, options)
}
