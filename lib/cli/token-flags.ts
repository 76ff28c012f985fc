import { TOKEN_ENCODINGS } from '../tokens/encodings.js'
import { choiceFlag } from './flags.js'

/** Whose tokens are shown where no other tokenizer is named. */
export const DEFAULT_TOKENIZER = TOKEN_ENCODINGS[0]

/** For commands that show tokens. */
export const TOKEN_FLAGS = {
  tokenizer: choiceFlag(TOKEN_ENCODINGS, `whose tokens are shown (default ${DEFAULT_TOKENIZER})`)
}
