import { TOKEN_ENCODINGS } from '../tokens/encodings.js'
import { choiceFlag } from './flags.js'

/** Whose tokens are meant where no other tokenizer is named. */
export const DEFAULT_TOKENIZER = TOKEN_ENCODINGS[0]

/** For commands that choose, and show tokens. */
export const TOKEN_FLAGS = {
  measure: choiceFlag(['bytes', 'tokens'], 'what a coding must be less in: bytes, or also tokens, as they are estimated (default tokens)'),
  tokenizer: choiceFlag(TOKEN_ENCODINGS, `whose tokens are meant (default ${DEFAULT_TOKENIZER})`)
}
