import type { TokenEncoding } from './tokens/encodings.js'
import { SAMPLED_BYTES, estimateShare, partsOf } from './tokens/estimate.js'
import { SAMPLING_MARGIN, marginOf } from './tokens/margin.js'
import type { TokenEstimate } from './tokens/scan.js'

export { TOKEN_ENCODINGS } from './tokens/encodings.js'
export type { TokenEncoding } from './tokens/encodings.js'
export { SAMPLED_BYTES, estimateTokens } from './tokens/estimate.js'
export { countTokens } from './tokens/exact.js'

/** Two texts of one document by their tokens. */
export interface TokenComparison {
  /** About the tokens of the minified JSON; whole. */
  before: number
  /** About the tokens of the candidate; whole. */
  after: number
  /** By which part of `before` the candidate must be smaller so that it is smaller in truth; 0.005 or more, seldom above 0.15. */
  margin: number
  /** Whether it is: after < before * (1 - margin), before rounding; or it has so few bytes that it must be. */
  isSaving: boolean
}

/**
 * Most decisions are far from the line: a look at a small sample is enough for them. A candidate is adopted at once
 * if it is smaller by `margin`: more than the sampling error of 99 % of documents, 6 to 10 % at 2 KB and 1.6 to 3 % at 16 KB
 * (8.7 % for TOON of bodies above 64 KB, one of 72). It is given up if it is larger by `excess`, about the error
 * that 90 to 95 % stay below: what that misses is close to the line.
 */
const LOOKS = [{ bytes: 2048, margin: 0.15, excess: 0.06 }, { bytes: 16_384, margin: 0.06, excess: 0.02 }]

/**
 * A candidate of at most this share of the bytes is adopted for that alone: of 4,382 documents (those of
 * test/bench/fit-tokens and public payloads) the one that came worst of all such kept 0.97 of its tokens, by either
 * tokenizer. What is read of it then only tells it from other candidates and goes into reports.
 */
export const CLEAR_SHARE = 0.65
const CLEAR_LOOK = 1024

/** The minified JSON of a document, to be compared with several candidates; what was read of it once is kept. */
export class TokenBaseline {
  private readonly estimates = new Map<number, TokenEstimate>()

  constructor (private readonly minified: Uint8Array, private readonly encoding: TokenEncoding = 'o200k_base') {}

  /**
   * Tells whether a candidate text is less in tokens than the minified JSON, without counting exactly: at most
   * SAMPLED_BYTES of the JSON and the same share of the candidate are read.
   */
  compare (candidate: Uint8Array): TokenComparison {
    const { minified } = this
    if (candidate.length <= minified.length * CLEAR_SHARE) return { ...this.look(candidate, CLEAR_LOOK, 0), isSaving: minified.length > 0 }
    for (const { bytes, margin, excess } of LOOKS) {
      if (minified.length <= 2 * bytes) break
      const comparison = this.look(candidate, bytes, margin)
      if (comparison.isSaving || comparison.after > comparison.before * (1 + excess)) return comparison
    }
    return this.look(candidate, SAMPLED_BYTES, 0)
  }

  /** @param least the least margin */
  private look (candidate: Uint8Array, sampled: number, least: number): TokenComparison {
    const { minified, encoding } = this
    const share = sampled / minified.length
    const parts = partsOf(sampled)
    const before = this.estimate(sampled, parts)
    const after = estimateShare(candidate, encoding, share, parts)
    const spread = marginOf(before, after, minified.length, candidate.length, encoding)
    const margin = Math.max(least, spread + (share < 1 ? SAMPLING_MARGIN : 0))
    return {
      before: Math.round(before.tokens),
      after: Math.round(after.tokens),
      margin,
      isSaving: after.tokens < before.tokens * (1 - margin)
    }
  }

  private estimate (sampled: number, parts: number): TokenEstimate {
    let estimate = this.estimates.get(sampled)
    if (estimate === undefined) {
      estimate = estimateShare(this.minified, this.encoding, sampled / this.minified.length, parts)
      this.estimates.set(sampled, estimate)
    }
    return estimate
  }
}

/** Whether one candidate is less in tokens than minified JSON; see `TokenBaseline.compare`. */
export function compareTokens (candidate: Uint8Array, minified: Uint8Array, encoding?: TokenEncoding): TokenComparison {
  return new TokenBaseline(minified, encoding).compare(candidate)
}
