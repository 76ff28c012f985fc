/** What can be set about the text of the rows dialect. */
export interface RowsOptions {
  /** The name of a block that has none of its own, the one of a root array; default `data`. */
  objectName?: string
  /** Whether commas, pipes, brackets and backslashes in values are escaped; default true. Reader and writer must agree. */
  escapeValues?: boolean
  /** Whether a document is written that does not come back exactly; default false, which declines it. */
  lossy?: boolean
  /** Counts the tokens of a text. Given, the `# Token Savings` footer is written with its counts. */
  countTokens?: (text: string) => number
}
