import type { TokenEncodingOptions } from './token-encoding.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How this route's responses are re-encoded: the plugin's options again, or false for not at all. */
    tokenEncoding?: false | TokenEncodingOptions
  }
}

export { tokenEncoding, tokenEncoding as default } from './token-encoding.js'
export type { DecisionListener, TokenEncodingOptions, WorkerOptions } from './token-encoding.js'
export { tokenGateway } from './gateway.js'
export type { TokenGatewayOptions } from './gateway.js'
export type { CodecName, CodingName, FormatName } from '../lib/codec.js'
export type { Decision, Reason } from '../lib/decision.js'
export type { BeforeEncode, McpOptions, Sanitized, TextContext, ToolOptions, ToolScope } from '../lib/mcp/options.js'
export type { EncodingOptions } from '../lib/options.js'
