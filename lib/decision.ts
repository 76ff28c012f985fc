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
  'no-embedded-json',
  'inner-not-smaller',
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
  'undecodable',
  'json-rpc',
  'excluded-tool',
  'unknown-tool',
  'withheld',
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
  /** Estimated tokens of what came; null where sizes are measured in bytes, and where nobody is told of decisions. */
  tokensBefore: number | null
  /** Estimated tokens of what ships; null likewise. */
  tokensAfter: number | null
  /** Milliseconds spent on encoding, verifying and choosing. */
  ms: number
  /** The MCP tool that the text came from; null outside of MCP. */
  tool: string | null
  /** Index of the text block in `content[]`; null for a whole body. */
  index: number | null
  /**
   * JSON Pointers (RFC 6901) of the strings that were descended into, in the order of the document; empty where
   * none was. Where a string inside of such a document was, its pointer goes on behind the pointer of the outer one.
   */
  paths: string[]
  /** `json`: only the texts in these strings are in the codec; the text around them stayed JSON, byte for byte. */
  outer?: 'json'
  /** The dotted paths that the rows were cut down to, because the client asked for these only. */
  fields?: readonly string[]
  /** How many rows ship of how many, where the text was cut to a size. */
  cut?: { shown: number, total: number }
}
