import type { Policy } from '../choose.js'
import type { FormatName } from '../codec-names.js'
import type { ParseOptions } from '../json/document.js'
import type { ResolvedMcpOptions } from './options.js'
import type { SessionTools } from './session-tools.js'

/** What is known of the request that a message answers. */
export interface Call {
  /** The name of the tool that was called; null where it is not known. */
  tool: string | null
  /** The format that the request asked for by name; it goes before what the policy accepts. */
  format?: FormatName
  /** The dotted paths that the request wants of each row; absent or empty: all. */
  fields?: readonly string[]
}

/** Finds the request by its id as JSON text: the lexeme of a number, or a string in quotes and its shortest spelling. */
export type CallOfId = (id: string) => Call

/** All that a message is rewritten by. */
export interface MessageContext {
  /** What the client takes, and by which rules it is chosen. */
  policy: Policy
  options: ResolvedMcpOptions
  /** The request, or, where a batch or a stream may answer several, a way to find it by its id. */
  call: Call | CallOfId
  /** Of the MCP session; absent where there is none, and then no structuredContent is dropped. */
  session?: SessionTools
  /** As for Document.parse. */
  isUtf8?: ParseOptions['isUtf8']
}
