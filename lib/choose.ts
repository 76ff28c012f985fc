import { CODECS, DEFAULT_CODINGS } from './codec.js'
import type { Codec, CodecName, CodecOptions, CodingName } from './codec.js'
import type { Decision, Reason } from './decision.js'
import type { Document } from './json/document.js'
import { minifyToBytes } from './json/minify.js'
import { isTabular } from './tabular.js'
import type { TabularRule } from './tabular.js'
import { TokenJudge } from './token-judge.js'
import { CLEAR_SHARE, estimateTokens } from './tokens.js'
import type { TokenComparison, TokenEncoding } from './tokens.js'

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
  /** By how many percent a coding must be smaller than minified JSON, in whatever is measured; 0 to 100, default 0. */
  minSavings?: number
  /**
   * What a coding must be less in: `bytes`, or also `tokens` (default), by an estimate and its margin of
   * error; of several the one with the fewest tokens is the smallest then.
   */
  measure?: 'tokens' | 'bytes'
  /** Whose tokens are meant; default o200k_base. */
  tokenizer?: TokenEncoding
  /** Re-encode nothing but tables; what is none stays as it came. */
  tabularOnly?: TabularRule
  /** Bodies below this many bytes stay as they are, but where larger texts are wanted too; default 0. */
  minBytes?: number
  /** Whether a text is decoded and compared before it ships; default true. */
  verify?: boolean
  /** Whether a decision tells tokens also where they had not to be estimated to decide; default true. */
  reportsTokens?: boolean
  /** Tells whether a text may ship; what it refuses is declined as `declined-gzip-sniff`. */
  isLabelSafe?: (text: Uint8Array) => boolean
  /** Bytes that will ship with a text of this codec, such as a line before it, and count as part of it; default none. */
  overheadOf?: (codec: CodingName) => number
  /** Why a text must not ship, or null; asked last. */
  refuse?: (text: Uint8Array, codec: CodingName) => Reason | null
}

/** What ships. */
export interface Choice {
  /** The very bytes of the document where the original ships. */
  bytes: Uint8Array
  codec: CodecName
  decision: Decision
}

/** A coding that can hold the document. */
interface Candidate {
  codec: Codec
  q: number
  /** Of its text, in bytes. */
  size: number
  /** With the bytes that ship beside the text. */
  shippedSize: number
  /** Where it was compared with JSON. */
  tokens: TokenComparison | null
  /** Where it had to be written for that. */
  text: Uint8Array | null
}

/**
 * Chooses the text for a document. Candidates are the original, minified JSON and the accepted codings.
 * Of the codings that are smaller than both, the highest q wins, then the smallest, then the first. Ties go
 * to the original, and then to JSON. A coding is verified before it can win.
 */
export function chooseBytes (document: Document, policy: Policy): Choice {
  const started = performance.now()
  const { reason, chosen } = choose(document, policy)
  const original = document.bytes.length
  const isObserved = policy.mode === 'observe'
  const codec = chosen?.codec ?? 'json'
  const bytes = chosen === null || isObserved ? document.bytes : chosen.text
  const { tokensBefore, tokensAfter } = policy.measure !== 'bytes' ? countTokens(document, chosen, policy) : NO_TOKENS
  const decision: Decision = {
    outcome: bytes === document.bytes ? 'passthrough' : 'encoded',
    codec,
    version: codec === 'json' ? null : CODECS[codec].version,
    reason: codec !== 'json' ? (isObserved ? 'observe-only' : null) : reason,
    lossless: codec === 'json' || (CODECS[codec].isLossless?.(policy) ?? true),
    bytesBefore: original,
    bytesAfter: chosen === null ? original : chosen.text.length,
    tokensBefore,
    tokensAfter,
    ms: performance.now() - started,
    tool: null,
    index: null,
    paths: []
  }
  return { bytes, codec: isObserved ? 'json' : codec, decision }
}

interface Chosen {
  codec: CodecName
  text: Uint8Array
  tokens: TokenComparison | null
}

/** The codings that may win, and why others do not, as far as that is known. */
interface Contest {
  candidates: Candidate[]
  reason: Reason | null
}

/** What ships in place of the original, or null; and why no coding does. */
function choose (document: Document, policy: Policy): { chosen: Chosen | null, reason: Reason | null } {
  const original = document.bytes.length
  if (original < (policy.minBytes ?? 0) && !isFreeOfSize(policy)) return { chosen: null, reason: 'below-floor' }
  if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) return { chosen: null, reason: 'not-uniform-object-array' }
  const contest = measureCandidates(document, policy)
  if (hasToCompareTokens(contest.candidates, document, policy)) compareTokens(contest, document, policy)
  const { candidates } = contest
  let reason = contest.reason ?? 'not-smaller'
  sortFew(candidates, policy)
  for (const { codec, size, tokens, text: written } of candidates) {
    const text = written ?? codec.encode(document, policy, size)
    const refusal = refuse(text, codec, document, policy)
    if (refusal === null) return { chosen: { codec: codec.name, text, tokens }, reason: null }
    reason = refusal
  }
  const isMinified = document.minifiedBytes < original && policy.mode !== 'always'
  return { chosen: isMinified ? { codec: 'json', text: minifyToBytes(document), tokens: null } : null, reason }
}

/** Whether a coding ships even if it is larger. */
function isFreeOfSize ({ mode, identityRefused }: Policy): boolean {
  return identityRefused === true || mode === 'always'
}

/** The accepted codings that can hold the document and save enough bytes, in the order of preference. */
function measureCandidates (document: Document, policy: Policy): Contest {
  const { accepted, overheadOf, minSavings = 0 } = policy
  const { minifiedBytes } = document
  const isFree = isFreeOfSize(policy)
  const smallest = Math.min(document.bytes.length, minifiedBytes)
  const enough = minifiedBytes * (1 - minSavings / 100)
  const candidates: Candidate[] = []
  let declined: Reason | null = null
  let isBelowThreshold = false
  for (let i = 0; i < accepted.length; i++) {
    const codec = CODECS[accepted[i].codec]
    const size = codec.measure(document, policy)
    if (typeof size !== 'number') {
      declined ??= size
      continue
    }
    const shippedSize = size + (overheadOf?.(codec.name) ?? 0)
    if (isFree || (shippedSize < smallest && shippedSize <= enough)) candidates.push({ codec, q: accepted[i].q, size, shippedSize, tokens: null, text: null })
    else if (shippedSize < smallest) isBelowThreshold = true
  }
  return { candidates, reason: declined ?? (isBelowThreshold ? 'below-threshold' : null) }
}

/** Nothing is to be estimated for a single candidate that is certainly smaller or need not be, where nobody asks by how much. */
function hasToCompareTokens (candidates: readonly Candidate[], { minifiedBytes }: Document, { measure, mode, identityRefused, minSavings = 0, reportsTokens }: Policy): boolean {
  if (candidates.length === 0 || measure === 'bytes' || mode === 'always') return false
  if (candidates.length > 1 || reportsTokens !== false) return true
  return identityRefused !== true && (minSavings > 0 || candidates[0].shippedSize > minifiedBytes * CLEAR_SHARE)
}

/** Leaves the candidates that are smaller in tokens, by the estimate less its error, and tells of each how many it has. */
function compareTokens (contest: Contest, document: Document, policy: Policy): void {
  const { identityRefused, minSavings = 0 } = policy
  const judge = new TokenJudge(document, policy.tokenizer)
  const compared: Candidate[] = []
  for (const candidate of withoutHopeless(contest.candidates)) {
    const { codec, size } = candidate
    if (identityRefused !== true && judge.isTooNear(candidate.shippedSize)) continue
    const tokens = judge.compare(codec, policy, size, () => {
      candidate.text = codec.encode(document, policy, size)
      return candidate.text
    })
    candidate.tokens = tokens
    if (identityRefused || (tokens.isSaving && tokens.after <= tokens.before * (1 - minSavings / 100))) compared.push(candidate)
    else if (tokens.isSaving) contest.reason ??= 'below-threshold'
  }
  judge.dispose()
  contest.candidates = compared
}

/** A text so much larger than another that is as welcome is not the one with fewer tokens; it is not even written. */
const HOPELESS_FACTOR = 1.1

function withoutHopeless (candidates: Candidate[]): Candidate[] {
  return candidates.filter(({ shippedSize, q }) => !candidates.some(other => other.q >= q && shippedSize > other.shippedSize * HOPELESS_FACTOR))
}

/** Sorts a handful in place, for which Array.prototype.sort takes a tenth of a small document's time; what is as good stays in the order of preference. */
function sortFew (list: Candidate[], policy: Policy): void {
  for (let i = 1; i < list.length; i++) {
    const item = list[i]
    let at = i
    while (at > 0 && isBetter(item, list[at - 1], policy)) {
      list[at] = list[at - 1]
      at--
    }
    list[at] = item
  }
}

function isBetter (a: Candidate, b: Candidate, { mode, identityRefused }: Policy): boolean {
  if (a.q !== b.q && (mode === 'always' || identityRefused !== true)) return a.q > b.q
  return mode !== 'always' && weigh(a) < weigh(b)
}

function weigh ({ tokens, shippedSize }: Candidate): number {
  return tokens === null ? shippedSize : tokens.after
}

function refuse (text: Uint8Array, codec: Codec, document: Document, policy: Policy): Reason | null {
  if (policy.verify !== false && !codec.verify(text, document, policy)) return 'verification-failed'
  if (policy.isLabelSafe?.(text) === false) return 'declined-gzip-sniff'
  return policy.refuse?.(text, codec.name) ?? null
}

type Tokens = Pick<Decision, 'tokensBefore' | 'tokensAfter'>

const NO_TOKENS: Tokens = { tokensBefore: null, tokensAfter: null }

/** What is read of a text only to report its tokens, in bytes. */
const REPORT_LOOK = 4096

function countTokens ({ bytes, minifiedBytes }: Document, chosen: Chosen | null, { tokenizer, reportsTokens }: Policy): Tokens {
  const known = chosen?.tokens ?? null
  const isMinified = minifiedBytes === bytes.length
  if (reportsTokens === false && (known === null || !isMinified)) return NO_TOKENS
  const tokensBefore = known !== null && isMinified ? known.before : estimateTokens(bytes, tokenizer, REPORT_LOOK)
  if (chosen === null) return { tokensBefore, tokensAfter: tokensBefore }
  return { tokensBefore, tokensAfter: known?.after ?? estimateTokens(chosen.text, tokenizer, REPORT_LOOK) }
}

/** The default codings, each as welcome as the others. */
export const ALL_ACCEPTED: Policy['accepted'] = DEFAULT_CODINGS.map(codec => ({ codec, q: 1 }))
