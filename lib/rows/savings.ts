import { FOOTER } from './lines.js'

/** Counts of tokens; those of the dialect under the name that it gives itself. */
export interface TokenSavings {
  jsonTokens: number
  toonTokens: number
  /** Tokens saved; below 0 where the JSON is smaller. */
  savings: number
  /** The same in percent of the JSON, with one decimal; 0 where that has no tokens. */
  savingsPercent: number
}

/**
 * Compares the tokens of a JSON text and a text of the rows dialect.
 *
 * @param countTokens counts the tokens of a text; the dialect's own figures are of cl100k_base
 */
export function estimateTokenSavings (json: string, rows: string, countTokens: (text: string) => number): TokenSavings {
  const jsonTokens = countTokens(json)
  const toonTokens = countTokens(rows)
  const savings = jsonTokens - toonTokens
  const savingsPercent = jsonTokens === 0 ? 0 : Math.round(savings / jsonTokens * 1000) / 10
  return { jsonTokens, toonTokens, savings, savingsPercent }
}

/** The lines that may stand behind a text, a blank line before them. */
export function savingsFooter ({ jsonTokens, toonTokens, savings, savingsPercent }: TokenSavings): string {
  return `\n\n${FOOTER}\nJSON: ${jsonTokens} tokens\nTOON: ${toonTokens} tokens\nSavings: ${savings} tokens (${savingsPercent.toFixed(1)}%)`
}
