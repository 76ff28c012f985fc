import type { TokenEncoding } from './encodings.js'
import { modelOf } from './model.js'
import { scan } from './scan.js'
import type { TokenEstimate } from './scan.js'

/** Texts up to this many bytes are read whole; of longer ones that many bytes are. */
export const SAMPLED_BYTES = 65_536
/**
 * A sample is parts at equal distances: as many as there are KB, but no fewer than this. Many small parts follow a
 * document whose rows change, and each edge costs about half a token.
 */
const FEWEST_PARTS = 8

/**
 * About how many tokens a UTF-8 text is; 0 or more, whole. At most `sampledBytes` of it are read.
 *
 * @throws TypeError for a string, of which no byte could be read
 */
export function estimateTokens (bytes: Uint8Array, encoding: TokenEncoding = 'o200k_base', sampledBytes = SAMPLED_BYTES): number {
  if (typeof bytes === 'string') throw new TypeError('expected bytes, a Uint8Array, got string')
  return Math.round(estimateShare(bytes, encoding, sampledBytes / bytes.length).tokens)
}

/**
 * The tokens of a text, not rounded, from a share of it.
 *
 * @param share above 0; from 1 on the whole text is read, else parts of equal size and distance, the head and
 * the tail among them. The same share and parts of two encodings of a document cover about the same of its content.
 * @param parts 2 or more
 */
export function estimateShare (bytes: Uint8Array, encoding: TokenEncoding, share: number, parts: number = partsOf(bytes.length * share)): TokenEstimate {
  const model = modelOf(encoding)
  const sum = { tokens: 0, guessed: 0 }
  const { length } = bytes
  const size = Math.ceil(length * share / parts)
  if (!(share < 1) || size * parts >= length) {
    scan(model, bytes, 0, length, sum)
    return sum
  }
  for (let i = 0; i < parts; i++) {
    const from = Math.floor((length - size) * i / (parts - 1))
    scan(model, bytes, from, from + size, sum)
  }
  const scale = length / (size * parts)
  return { tokens: sum.tokens * scale, guessed: sum.guessed * scale }
}

/** Into how many parts a sample of that many bytes falls. */
export function partsOf (sampledBytes: number): number {
  return Math.max(FEWEST_PARTS, sampledBytes >>> 10)
}
