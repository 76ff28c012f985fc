import type { Policy } from '../choose.js'
import type { CodecName } from '../codec.js'
import type { Decision } from '../decision.js'
import type { ParseOptions } from '../json/document.js'
import type { ResolvedMcpOptions } from './options.js'
import type { SessionTools } from './session-tools.js'

/** What a client can ask for by name: a codec, or JSON in a fenced block of Markdown. */
export type FormatName = CodecName | 'markdown'

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

/** What became of a message. */
export interface RewrittenMessage {
  /** The very same array where nothing changed. */
  bytes: Uint8Array
  /** One for each text block that was looked at, in the order of the message. */
  decisions: Decision[]
  /** Bytes of all texts that were rewritten, before; 0 where none was. X-Token-Ratio is after / before. */
  textBytesBefore: number
  /** Bytes of the same texts, after. */
  textBytesAfter: number
}

/**
 * Rewrites the tool results in one JSON-RPC message, or a batch (MCP 2025-03-26): new string literals are spliced
 * into the bytes that came, and all else stays as it is. The same input gives the same bytes.
 *
 * It does not run `beforeEncode`; where that option is set, `sanitizeMessage` comes first and its bytes are
 * what ships if anything fails after it.
 */
export function rewriteMessage (bytes: Uint8Array, context: MessageContext): RewrittenMessage {
  return { bytes, decisions: [], textBytesBefore: 0, textBytesAfter: 0 }
}
