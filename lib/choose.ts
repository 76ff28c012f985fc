import { CODECS, DEFAULT_CODINGS } from './codec.js'
import type { CodecName, CodecOptions, CodingName } from './codec.js'
import type { Decision, Reason } from './decision.js'
import type { Document } from './json/document.js'
import { minifyToBytes } from './json/minify.js'
import { isTabular } from './tabular.js'
import type { TabularRule } from './tabular.js'
import { TokenJudge } from './token-judge.js'
import { estimateTokens } from './tokens.js'
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

interface Candidate {
  codec: CodingName
  q: number
  size: number
  /** Where it had to be written to be judged. */
  text?: Uint8Array
}

/** A candidate that was compared with JSON. */
interface Ready extends Candidate {
  tokens: TokenComparison
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

/** What ships in place of the original, or null; and why no coding does. */
function choose (document: Document, policy: Policy): { chosen: Chosen | null, reason: Reason | null } {
  const original = document.bytes.length
  if (original < (policy.minBytes ?? 0) && !isFreeOfSize(policy)) return { chosen: null, reason: 'below-floor' }
  if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) return { chosen: null, reason: 'not-uniform-object-array' }
  const { candidates, declined } = measureCandidates(document, policy)
  const isFree = isFreeOfSize(policy)
  const smaller = candidates.filter(({ size }) => isFree || size < Math.min(original, document.minifiedBytes))
  const saving = smaller.filter(candidate => isFree || savesEnough(candidate, document, policy))
  const ranked = rank(saving, document, policy)
  let reason = declined ?? (smaller.length > saving.length || ranked.isBelowThreshold ? 'below-threshold' : 'not-smaller')
  for (const candidate of ranked.candidates) {
    const text = candidate.text ?? CODECS[candidate.codec].encode(document, policy, candidate.size)
    const refusal = refuse(text, candidate.codec, document, policy)
    if (refusal === null) return { chosen: { codec: candidate.codec, text, tokens: candidate.tokens ?? null }, reason: null }
    reason = refusal
  }
  const isMinified = document.minifiedBytes < original && policy.mode !== 'always'
  return { chosen: isMinified ? { codec: 'json', text: minifyToBytes(document), tokens: null } : null, reason }
}

/** Whether a coding ships even if it is larger. */
function isFreeOfSize ({ mode, identityRefused }: Policy): boolean {
  return identityRefused === true || mode === 'always'
}

/** The accepted codings that can hold the document, in the order of preference, and why the first other cannot. */
function measureCandidates (document: Document, policy: Policy): { candidates: Candidate[], declined: Reason | null } {
  const candidates: Candidate[] = []
  let declined: Reason | null = null
  for (const { codec, q } of policy.accepted) {
    const size = CODECS[codec].measure(document, policy)
    if (typeof size === 'number') candidates.push({ codec, q, size: size + (policy.overheadOf?.(codec) ?? 0) })
    else declined ??= size
  }
  return { candidates, declined }
}

function savesEnough ({ size }: Candidate, { minifiedBytes }: Document, { minSavings = 0 }: Policy): boolean {
  return size <= minifiedBytes * (1 - minSavings / 100)
}

/** In the order in which they are tried; by tokens, only those that are smaller by the estimate less its error. */
function rank (candidates: Candidate[], document: Document, policy: Policy): { candidates: (Candidate & { tokens?: TokenComparison })[], isBelowThreshold: boolean } {
  if (candidates.length === 0 || policy.measure === 'bytes' || policy.mode === 'always') {
    return { candidates: sortFew(candidates, preferenceOf(policy, ({ size }) => size)), isBelowThreshold: false }
  }
  const judge = new TokenJudge(document, policy.tokenizer)
  const open = policy.identityRefused ? candidates : candidates.filter(({ size }) => !judge.isTooNear(size))
  const ready: Ready[] = withoutHopeless(open).map(({ codec: name, q, size }) => {
    const codec = CODECS[name]
    const textSize = size - (policy.overheadOf?.(name) ?? 0)
    let text: Uint8Array | undefined
    const write = (): Uint8Array => {
      text = codec.encode(document, policy, textSize)
      return text
    }
    const tokens = judge.compare(codec, policy, textSize, write)
    return { codec: name, q, size, text, tokens }
  })
  judge.dispose()
  const smaller = policy.identityRefused ? ready : ready.filter(({ tokens }) => tokens.isSaving)
  const saving = policy.identityRefused ? ready : smaller.filter(({ tokens: { before, after } }) => after <= before * (1 - (policy.minSavings ?? 0) / 100))
  return { candidates: sortFew(saving, preferenceOf(policy, ({ tokens }) => tokens.after)), isBelowThreshold: smaller.length > saving.length }
}

/** A text so much larger than another that is as welcome is not the one with fewer tokens; it is not even written. */
const HOPELESS_FACTOR = 1.1

function withoutHopeless (candidates: Candidate[]): Candidate[] {
  return candidates.filter(({ size, q }) => !candidates.some(other => other.q >= q && size > other.size * HOPELESS_FACTOR))
}

/** Sorts a handful in place, for which Array.prototype.sort takes a tenth of a small document's time; what compares equal stays in the order of preference. */
function sortFew<T> (list: T[], compare: (a: T, b: T) => number): T[] {
  for (let i = 1; i < list.length; i++) {
    const item = list[i]
    let at = i
    while (at > 0 && compare(list[at - 1], item) > 0) {
      list[at] = list[at - 1]
      at--
    }
    list[at] = item
  }
  return list
}

function preferenceOf<T extends Candidate> ({ mode, identityRefused }: Policy, sizeOf: (candidate: T) => number): (a: T, b: T) => number {
  if (mode === 'always') return (a, b) => b.q - a.q
  if (identityRefused) return (a, b) => sizeOf(a) - sizeOf(b)
  return (a, b) => b.q - a.q || sizeOf(a) - sizeOf(b)
}

function refuse (text: Uint8Array, codec: CodingName, document: Document, policy: Policy): Reason | null {
  if (policy.verify !== false && !CODECS[codec].verify(text, document, policy)) return 'verification-failed'
  if (policy.isLabelSafe?.(text) === false) return 'declined-gzip-sniff'
  return policy.refuse?.(text, codec) ?? null
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
