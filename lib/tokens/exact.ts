import { cutRuns } from './cut-runs.js'
import { TOKEN_ENCODINGS } from './encodings.js'
import type { TokenEncoding } from './encodings.js'

/** The one function used of gpt-tokenizer/encoding/*. */
type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number

/**
 * The counter takes the square of the length of a run without word breaks: 1 s for 32,768 equal letters, 4 ms for so
 * many. Longer runs are counted in parts of this length, in UTF-16 units.
 */
const LONGEST_RUN = 2048

const counters: Partial<Record<TokenEncoding, Promise<Count>>> = {}

/**
 * Exactly how many tokens a text is; where more than 2,048 letters, marks or blanks stand in a row, up to one too
 * many for each 2,048 of them. Special tokens such as <|endoftext|> count as the ordinary text that they
 * are in a document. gpt-tokenizer and its tables (1 to 2.4 MB) are loaded at the first call.
 *
 * @throws TypeError (rejects with) for a tokenizer that is not known
 */
export async function countTokens (text: string, encoding: TokenEncoding = 'o200k_base'): Promise<number> {
  // The name becomes part of a module's.
  if (!TOKEN_ENCODINGS.includes(encoding)) throw new TypeError(`encoding must be one of ${TOKEN_ENCODINGS.join(', ')}, got ${String(encoding)}`)
  const count = await (counters[encoding] ??= loadCounter(encoding))
  let tokens = 0
  for (const part of cutRuns(text, LONGEST_RUN)) tokens += count(part, { disallowedSpecial: new Set() })
  return tokens
}

/** The specifier is put together here so that neither compiling nor bundling this package needs the tables. */
async function loadCounter (encoding: TokenEncoding): Promise<Count> {
  const { countTokens }: { countTokens: Count } = await import(`gpt-tokenizer/encoding/${encoding}`)
  return countTokens
}
