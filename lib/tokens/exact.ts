import type { TokenEncoding } from './encodings.js'

/** The one function used of gpt-tokenizer/encoding/*. */
type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number

const counters: Partial<Record<TokenEncoding, Promise<Count>>> = {}

/**
 * Exactly how many tokens a text is. Special tokens such as <|endoftext|> count as the ordinary text that they
 * are in a document. gpt-tokenizer and its tables (1 to 2.4 MB) are loaded at the first call.
 */
export async function countTokens (text: string, encoding: TokenEncoding = 'o200k_base'): Promise<number> {
  const count = await (counters[encoding] ??= loadCounter(encoding))
  return count(text, { disallowedSpecial: new Set() })
}

/** The specifier is put together here so that neither compiling nor bundling this package needs the tables. */
async function loadCounter (encoding: TokenEncoding): Promise<Count> {
  const { countTokens }: { countTokens: Count } = await import(`gpt-tokenizer/encoding/${encoding}`)
  return countTokens
}
