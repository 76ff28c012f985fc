import { CODECS, DEFAULT_CODINGS } from './codec.js'
import type { CodecName, CodecOptions, CodingName } from './codec.js'
import type { Decision, Reason } from './decision.js'
import type { Document } from './json/document.js'
import { minifyToBytes } from './json/minify.js'
import { isTabular } from './tabular.js'
import type { TabularRule } from './tabular.js'

export { REASONS } from './decision.js'
export type { Decision, Reason } from './decision.js'

/** What may be chosen, and by which rules. */
export interface Policy extends CodecOptions {
  /** The codings that the client takes, in the order of preference of the operator. */
  accepted: readonly { codec: CodingName, q: number }[]
  /** Whether the client refuses plain JSON (identity;q=0): then the smallest coding wins even if it is larger. */
  identityRefused?: boolean
  /**
   * `adaptive` (default): a coding only where it is smaller; `always`: the first accepted, even if
   * larger; `observe`: decide, but ship the original.
   */
  mode?: 'observe' | 'adaptive' | 'always'
  /** By how many percent a coding must be smaller than minified JSON; 0 to 100, default 0. */
  minSavings?: number
  /** Re-encode nothing but tables; what is none stays as it came. */
  tabularOnly?: TabularRule
  /** Bodies below this many bytes stay as they are; default 0. */
  minBytes?: number
  /** Whether a text is decoded and compared before it ships; default true. */
  verify?: boolean
  /** Tells whether a text may ship; what it refuses is declined as `declined-gzip-sniff`. */
  isLabelSafe?: (text: Uint8Array) => boolean
}

/** What ships. */
export interface Choice {
  /** The very bytes of the document where the original ships. */
  bytes: Uint8Array
  codec: CodecName
  decision: Decision
}

interface Candidate {
  codec: CodingName
  q: number
  size: number
}

/**
 * Chooses the text for a document. Candidates are the original, minified JSON and the accepted codings.
 * Of the codings that are smaller than both, the highest q wins, then the smallest, then the first. Ties go
 * to the original, and then to JSON. A coding is verified before it can win.
 */
export function chooseBytes (document: Document, policy: Policy): Choice {
  const started = performance.now()
  const original = document.bytes.length
  let reason: Reason | null = null
  let chosen: { codec: CodecName, bytes: Uint8Array } | null = null
  if (original < (policy.minBytes ?? 0) && !policy.identityRefused) {
    reason = 'below-floor'
  } else if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) {
    reason = 'not-uniform-object-array'
  } else {
    const { candidates, declined } = measureCandidates(document, policy)
    const limit = policy.identityRefused || policy.mode === 'always' ? Infinity : Math.min(original, document.minifiedBytes)
    const smaller = candidates.filter(candidate => candidate.size < limit)
    const saving = smaller.filter(candidate => limit === Infinity || savesEnough(candidate, document, policy))
    reason = declined ?? (smaller.length > saving.length ? 'below-threshold' : 'not-smaller')
    for (const candidate of saving.sort(preferenceOf(policy))) {
      const text = CODECS[candidate.codec].encode(document, policy, candidate.size)
      const refusal = refuse(text, candidate.codec, document, policy)
      if (refusal === null) {
        chosen = { codec: candidate.codec, bytes: text }
        break
      }
      reason = refusal
    }
    if (chosen === null && document.minifiedBytes < original && policy.mode !== 'always') {
      chosen = { codec: 'json', bytes: minifyToBytes(document) }
    }
  }
  const isObserved = policy.mode === 'observe'
  const codec = chosen?.codec ?? 'json'
  const bytes = chosen === null || isObserved ? document.bytes : chosen.bytes
  const decision: Decision = {
    outcome: bytes === document.bytes ? 'passthrough' : 'encoded',
    codec,
    version: codec === 'json' ? null : CODECS[codec].version,
    reason: codec !== 'json' ? (isObserved ? 'observe-only' : null) : reason,
    lossless: codec === 'json' || (CODECS[codec].isLossless?.(policy) ?? true),
    bytesBefore: original,
    bytesAfter: chosen === null ? original : chosen.bytes.length,
    tokensBefore: null,
    tokensAfter: null,
    ms: performance.now() - started,
    tool: null,
    index: null,
    paths: []
  }
  return { bytes, codec: isObserved ? 'json' : codec, decision }
}

/** The accepted codings that can hold the document, in the order of preference, and why the first other cannot. */
function measureCandidates (document: Document, policy: Policy): { candidates: Candidate[], declined: Reason | null } {
  const candidates: Candidate[] = []
  let declined: Reason | null = null
  for (const { codec, q } of policy.accepted) {
    const size = CODECS[codec].measure(document, policy)
    if (typeof size === 'number') candidates.push({ codec, q, size })
    else declined ??= size
  }
  return { candidates, declined }
}

function savesEnough ({ size }: Candidate, { minifiedBytes }: Document, { minSavings = 0 }: Policy): boolean {
  return size <= minifiedBytes * (1 - minSavings / 100)
}

/** Array.prototype.sort is stable, so what compares equal stays in the order of preference. */
function preferenceOf ({ mode, identityRefused }: Policy): (a: Candidate, b: Candidate) => number {
  if (mode === 'always') return (a, b) => b.q - a.q
  if (identityRefused) return (a, b) => a.size - b.size
  return (a, b) => b.q - a.q || a.size - b.size
}

function refuse (text: Uint8Array, codec: CodingName, document: Document, policy: Policy): Reason | null {
  if (policy.verify !== false && !CODECS[codec].verify(text, document, policy)) return 'verification-failed'
  return policy.isLabelSafe?.(text) === false ? 'declined-gzip-sniff' : null
}

/** The default codings, each as welcome as the others. */
export const ALL_ACCEPTED: Policy['accepted'] = DEFAULT_CODINGS.map(codec => ({ codec, q: 1 }))
