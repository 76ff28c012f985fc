import type { TokenEncoding } from './encodings.js'
import type { TokenEstimate } from './scan.js'

/*
 * The margins are chosen on the TOON and STC of 4,324 documents, each estimated with weights learnt without its source
 * (test/bench/fit-tokens, --folds 4); the figures here are of those same documents, read whole. Errors of the
 * ratio, median and 90th percentile: o200k_base 0.50 and 2.8 % for TOON, 0.11 and 1.2 % for STC; cl100k_base 0.67
 * and 4.0 %, 0.20 and 1.4 %. A margin grows with what is guessed and with how different the texts are. For
 * o200k_base, of 2,389 TOON and 3,946 STC texts smaller in bytes it adopts 4 and 18 that are not smaller in
 * tokens (worst 0.1 % and none larger), and keeps 99.6 and 99.3 % of what can be saved. For cl100k_base: 6 and 13
 * (2 TOON texts over 1 %, worst 2.9 %; no STC text larger), 99.5 and 97.9 %.
 */
const MARGIN = 0.005
const MARGIN_OF_GUESSED = 0.02
const MARGIN_OF_DIFFERENCE = 0.03
/** The smaller vocabulary of cl100k_base leaves more to guess. */
const MARGIN_FACTOR: Record<TokenEncoding, number> = { o200k_base: 1, cl100k_base: 1.5 }

/** What reading a sample adds: SAMPLED_BYTES are off by 0.1 % at the median, 0.3 to 0.6 % at p90 and 1.2 % at p99. */
export const SAMPLING_MARGIN = 0.005

/** By which part of its tokens one text must be estimated smaller than another, so that it is smaller in truth. */
export function marginOf (before: TokenEstimate, after: TokenEstimate, bytesBefore: number, bytesAfter: number, encoding: TokenEncoding): number {
  const guessed = (before.guessed + after.guessed) / 2 / Math.max(1, before.tokens)
  const difference = Math.abs(1 - bytesAfter / Math.max(1, bytesBefore))
  return MARGIN_FACTOR[encoding] * (MARGIN + MARGIN_OF_GUESSED * guessed + MARGIN_OF_DIFFERENCE * difference)
}
