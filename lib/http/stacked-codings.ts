import { parseFieldList } from './field-list.js'
import type { FieldValue } from './field-list.js'

/** A content coding that may be applied to a text in one of our codings. */
export type StackedCoding = 'gzip' | 'br' | 'zstd'

/** In the order that breaks ties: the one that packs texts best for its time goes first. */
export const STACKED_CODINGS: readonly StackedCoding[] = ['zstd', 'br', 'gzip']

/**
 * The codings that a client wants applied on top of one of ours. As with ours, only a coding that is named in full
 * counts, q=0 refuses, and one to which `identity` is preferred by an explicit higher weight is left out.
 *
 * @param offered the codings that can be applied, in the order that breaks ties
 * @returns the most wanted first
 */
export function listStackable (acceptEncoding: FieldValue, offered: readonly StackedCoding[]): StackedCoding[] {
  const weights = new Map<string, number>()
  for (const { name, q } of parseFieldList(acceptEncoding)) {
    // RFC 9110 section 8.4.1.3.
    const coding = name === 'x-gzip' ? 'gzip' : name
    weights.set(coding, Math.max(q, weights.get(coding) ?? 0))
  }
  const least = weights.get('identity') ?? 0
  const weigh = (coding: StackedCoding): number => weights.get(coding) ?? 0
  return offered.filter((coding) => weigh(coding) > 0 && weigh(coding) >= least).sort((a, b) => weigh(b) - weigh(a))
}
