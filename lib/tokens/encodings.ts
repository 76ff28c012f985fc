/** The tokenizers that sizes are told in. */
export type TokenEncoding = 'o200k_base' | 'cl100k_base'

/** The default is first: GPT-4o, GPT-4.1, the o-series and later; then GPT-4 and GPT-3.5. */
export const TOKEN_ENCODINGS: readonly TokenEncoding[] = ['o200k_base', 'cl100k_base']
