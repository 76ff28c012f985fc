import type { CodecName } from './codec-names.js'

/**
 * Why a body or a text was left as it came, or why no coding was adopted. A closed list with one
 * spelling in the log, the metrics, `_meta` and on the command line.
 */
export const REASONS = [
  'not-json',
  'not-smaller',
  'below-threshold',
  'below-floor',
  'not-uniform-object-array',
  'observe-only',
  'declined-duplicate-keys',
  'declined-lone-surrogate',
  'declined-key-order',
  'declined-depth',
  'declined-dotted-key',
  'declined-inexact-value',
  'declined-gzip-sniff',
  'verification-failed',
  'not-eligible',
  'encoded-upstream',
  'json-rpc',
  'oauth',
  'too-large',
  'no-transform',
  'error'
] as const

export type Reason = typeof REASONS[number]

/** What was decided about one body or one text, and what it brought. */
export interface Decision {
  /** `encoded`: the bytes that ship differ from those that came; `passthrough`: they are the same. */
  outcome: 'encoded' | 'passthrough'
  /** The codec of the text that ships, or in mode `observe` would; `json` for the original and for minified JSON. */
  codec: CodecName
  /** The version of that codec's format, as in X-TOON-Version; null for JSON. */
  version: string | null
  /** Why no coding was adopted; null when one was. */
  reason: Reason | null
  /** True: what ships decodes to the document that came. */
  lossless: boolean
  /** Size in bytes of what came. */
  bytesBefore: number
  /** Size in bytes of what ships, or in mode `observe` would. */
  bytesAfter: number
  /** Estimated tokens of what came; null where sizes are measured in bytes. */
  tokensBefore: number | null
  /** Estimated tokens of what ships; null where sizes are measured in bytes. */
  tokensAfter: number | null
  /** Milliseconds spent on encoding, verifying and choosing. */
  ms: number
  /** The MCP tool that the text came from; null outside of MCP. */
  tool: string | null
  /** Index of the text block in `content[]`; null for a whole body. */
  index: number | null
  /** JSON Pointers of the strings that were descended into; empty where none was. */
  paths: string[]
}
