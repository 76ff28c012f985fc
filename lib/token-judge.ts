import type { Codec, CodecOptions } from './codec-interface.js'
import type { Document } from './json/document.js'
import { disposeMiniature, makeMiniature } from './json/miniature.js'
import type { Miniature } from './json/miniature.js'
import { minifyToBytes } from './json/minify.js'
import { CLEAR_SHARE, TokenBaseline } from './tokens.js'
import type { TokenComparison, TokenEncoding } from './tokens.js'
import { SAMPLED_BYTES, estimateShare, partsOf } from './tokens/estimate.js'
import { SAMPLING_MARGIN, marginOf } from './tokens/margin.js'
import type { TokenEstimate } from './tokens/scan.js'

/*
 * What is estimated is the difference between two texts of one document, and they differ in what is between its values. So a
 * miniature of the document is written both ways, and the middles of long strings, which are the same in both, are not
 * read. A miniature may hold more or less of what one format saves than the document does; the exact sizes of
 * the texts tell how much, and that is taken back at the tokens that a byte is worth in this document.
 *
 * Errors of the ratio against both texts read whole, over 1,472 TOON and STC texts of documents above 8 KB (test/bench/fit-tokens) that are
 * smaller in bytes: at 2 KB 90 % are below 1.2 (TOON) and 1.7 % (STC), 99 % below 4, the worst 8; at 16 KB 90 % below 0.4, 99 % below 1.2, the worst 4.
 * Of all 6,282 such texts 3,532 are adopted and 26 of these are not smaller in tokens (worst 3.4 %); 99.5 % of what can be saved is.
 */

/**
 * A first look is enough for what is far from the line: smaller by `margin`, or not smaller at all. What that gives up
 * too early is smaller by a percent or two: 0.2 % of what can be saved over those texts.
 */
const FIRST_LOOK = { bytes: 2048, margin: 0.04 }
const LAST_LOOK = { bytes: 16_384 }
/** A text that is clearly smaller is read only to tell it from others, and for reports. */
const CLEAR_LOOK = { bytes: 1024 }
/** The least margin: a difference of a token or two in a thousand is chance. */
const LEAST_MARGIN = 0.003
/** With less saved of its bytes a text cannot come to that: a token has about three bytes, and no saved byte saves more than a token. */
const LEAST_BYTES_SAVED = LEAST_MARGIN / 3

/** With more bytes for a word of its tape a document has long strings, of which a miniature needs only the ends. */
const LONG_STRINGS = 8

/** A document that is larger than a miniature by no more than this factor is read itself. */
const NEARLY_ALL = 1.25

const SAMPLED_PARTS = partsOf(SAMPLED_BYTES)

/** What is read of a document, and the tokens of that as minified JSON. */
interface Look {
  /** How many bytes were wanted. */
  wanted: number
  /** Null: the document itself. */
  miniature: Miniature | null
  /** Which part of it is read: of what cannot be made small, such as a few very wide rows, no more than of any text. */
  share: number
  /** Bytes of its minified JSON, and of that with what was left out of strings. */
  bytes: number
  wholeBytes: number
  json: TokenEstimate
  /** About the tokens of its JSON with what was left out of strings. */
  tokens: number
}

/** Tells which codecs make a document smaller in tokens; what was read for one serves the others. To be disposed. */
export class TokenJudge {
  private readonly looks: Look[] = []
  private baseline: TokenBaseline | null = null

  constructor (private readonly document: Document, private readonly encoding: TokenEncoding = 'o200k_base') {}

  /**
   * Compares a codec with minified JSON, without writing the whole text where a miniature shows enough.
   *
   * @param size in bytes of its text
   * @param text writes it
   */
  compare (codec: Codec, options: CodecOptions, size: number, text: () => Uint8Array): TokenComparison {
    const { minifiedBytes } = this.document
    if (codec.isShownByMiniature?.(options) !== true) {
      this.baseline ??= new TokenBaseline(minifyToBytes(this.document), this.encoding)
      return this.baseline.compare(text())
    }
    if (size <= minifiedBytes * CLEAR_SHARE) {
      const clear = this.look(codec, options, size, CLEAR_LOOK.bytes, 0, text)
      clear.isSaving = true
      return clear
    }
    const first = this.look(codec, options, size, FIRST_LOOK.bytes, FIRST_LOOK.margin, text)
    if (first.isFinal || first.isSaving || first.ratio > 1) return first
    return this.look(codec, options, size, LAST_LOOK.bytes, 0, text)
  }

  /** Whether a text of so many bytes saves too few of them to save tokens. */
  isTooNear (size: number): boolean {
    return size > this.document.minifiedBytes * (1 - LEAST_BYTES_SAVED)
  }

  /** Whether a first look shows that the text of a codec, smaller in bytes or not, has no fewer tokens than minified JSON. */
  isHopeless (codec: Codec, options: CodecOptions, size: number): boolean {
    if (codec.isShownByMiniature?.(options) !== true) return false
    if (this.isTooNear(size)) return true
    return this.look(codec, options, size, FIRST_LOOK.bytes, 0, () => codec.encode(this.document, options, size)).ratio > 1
  }

  dispose (): void {
    for (const { miniature } of this.looks) {
      if (miniature !== null) disposeMiniature(miniature)
    }
    this.looks.length = 0
  }

  /** @param least the least margin where not all values were read */
  private look (codec: Codec, options: CodecOptions, size: number, wanted: number, least: number, text: () => Uint8Array): TokenComparison & { ratio: number, isFinal: boolean } {
    const { encoding } = this
    const { minifiedBytes } = this.document
    const { miniature, share, json, tokens, bytes, wholeBytes } = this.take(wanted)
    const candidate = miniature === null ? text() : codec.encode(miniature.document, options, bytes)
    const estimate = estimateShare(candidate, encoding, share, SAMPLED_PARTS)
    const shown = (json.tokens - estimate.tokens) / tokens
    // By which part of the bytes the text is smaller, here and in the document.
    const unlike = (minifiedBytes - size) / minifiedBytes - (bytes - candidate.length) / wholeBytes
    const ratio = Math.max(0, 1 - shown - unlike)
    const spread = Math.max(LEAST_MARGIN, marginOf(json, estimate, bytes, candidate.length, encoding) * json.tokens / tokens)
    const isFinal = miniature === null || !miniature.isThinned
    const margin = isFinal ? spread + (share < 1 ? SAMPLING_MARGIN : 0) : Math.max(least, spread + SAMPLING_MARGIN)
    const before = tokens * minifiedBytes / wholeBytes
    return { before: Math.round(before), after: Math.round(before * ratio), margin, ratio, isSaving: ratio < 1 - margin, isFinal }
  }

  private take (bytes: number): Look {
    for (const look of this.looks) {
      // One with all values, or that came out larger than it was wanted, does for a closer look too.
      if (look.wanted === bytes || look.bytes >= bytes || look.miniature?.isThinned !== true) return look
    }
    const look = this.read(bytes)
    this.looks.push(look)
    return look
  }

  private read (wanted: number): Look {
    const { document, encoding } = this
    const { minifiedBytes, length } = document
    const isItself = minifiedBytes <= wanted * NEARLY_ALL && minifiedBytes <= length * LONG_STRINGS
    const miniature = isItself ? null : makeMiniature(document, wanted)
    const minified = miniature?.document.bytes ?? minifyToBytes(document)
    const bytes = minified.length
    const share = SAMPLED_BYTES / bytes
    const json = estimateShare(minified, encoding, share, SAMPLED_PARTS)
    const elidedBytes = miniature?.elidedBytes ?? 0
    const elidedTokens = miniature === null || elidedBytes === 0 ? 0 : estimateShare(miniature.elided, encoding, 1).tokens * elidedBytes / miniature.elided.length
    return { wanted, miniature, share, json, tokens: json.tokens + elidedTokens, bytes, wholeBytes: bytes + elidedBytes }
  }
}
