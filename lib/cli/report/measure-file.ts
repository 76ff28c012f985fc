import { isUtf8 } from 'node:buffer'
import { dirname } from 'node:path'
import { Document, choose, minify } from '../../index.js'
import type { CodecName, ChooseOptions, Reason } from '../../index.js'
import { toText } from '../../json/utf8.js'
import type { TokenEncoding } from '../../tokens/encodings.js'
import { countTokens } from '../../tokens/exact.js'

/** One text in the three forms that are compared, in bytes or in tokens. */
export interface Sizes {
  /** As it is in the file. */
  original: number
  /** As minified JSON. */
  minified: number
  /** As the gateway would send it. */
  chosen: number
}

/** What the gateway would make of one file. */
export interface FileRow {
  file: string
  directory: string
  /** The codec of what would be sent; `original` where that is the file as it is. */
  winner: CodecName | 'original'
  /** Why no coding was adopted; null when one was. */
  reason: Reason | null
  bytes: Sizes
  /** Null where they are not wanted. */
  tokens: Sizes | null
}

/**
 * Lets the gateway's own chooser work on a file and counts what comes of it.
 * @param tokenizer whose tokens are counted; null: bytes only
 * @param policy how it is chosen
 * @throws JsonSyntaxError
 */
export async function measureFile (file: string, bytes: Uint8Array, tokenizer: TokenEncoding | null, policy: ChooseOptions): Promise<FileRow> {
  const document = Document.parse(bytes, { isUtf8 })
  const { text, codec, decision: { outcome, reason, bytesAfter } } = choose(document, policy)
  const minified = minify(document)
  const { minifiedBytes } = document
  document.dispose()
  return {
    file,
    directory: dirname(file),
    winner: outcome === 'passthrough' ? 'original' : codec,
    reason,
    bytes: { original: bytes.length, minified: minifiedBytes, chosen: bytesAfter },
    tokens: tokenizer === null ? null : await countSizes({ original: toText(bytes), minified, chosen: text }, tokenizer)
  }
}

async function countSizes ({ original, minified, chosen }: Record<keyof Sizes, string>, tokenizer: TokenEncoding): Promise<Sizes> {
  const tokens = await countTokens(minified, tokenizer)
  // Counting is the slow part, and often two of the three are the same text.
  const count = async (text: string): Promise<number> => text === minified ? tokens : countTokens(text, tokenizer)
  const originalTokens = await count(original)
  return { original: originalTokens, minified: tokens, chosen: chosen === original ? originalTokens : await count(chosen) }
}
