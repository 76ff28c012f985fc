import { chooseBytes } from './choose.js'
import type { Choice, Policy, Reason } from './choose.js'
import { CODECS, DEFAULT_CODEC_DEPTH } from './codec.js'
import type { CodecName, CodecOptions, CodingName } from './codec.js'
import { encodeEmbedded } from './descend/encode-embedded.js'
import type { Rewritten } from './descend/encode-embedded.js'
import { disposeEmbedded, findEmbedded } from './descend/find-embedded.js'
import type { Embedded } from './descend/find-embedded.js'
import { restorePaths } from './descend/restore.js'
import { isSameButEmbedded } from './descend/same-but-embedded.js'
import { Document } from './json/document.js'
import { TextError } from './json/errors.js'
import { KNOWN_UTF8 } from './json/known-utf8.js'
import { minifyToBytes } from './json/minify.js'
import { splice } from './json/splice.js'
import { TextRooms } from './json/text-rooms.js'
import { ARRAY, KIND_MASK, OBJECT, ROWS, nextNode } from './json/tape.js'
import { isTabular } from './tabular.js'
import { compareTokens, estimateTokens } from './tokens.js'

/** How far a text was descended into. */
export interface Descent {
  /** JSON Pointers of the strings that hold texts of the codec; `restore` needs them. */
  coded: string[]
  /** JSON Pointers of the strings that hold minified JSON in the place of JSON with blanks. */
  minified: string[]
  /** `json`: the text around the strings stayed JSON; null: it is in the codec. */
  outer: 'json' | null
}

/** What must be known to undo a descent. */
export interface RestoreOptions {
  coded: readonly string[]
  outer: 'json' | null
}

/** What ships, and what was descended into. */
export interface DescendedChoice extends Choice {
  descent: Descent | null
}

/** What to choose by where strings are looked into. */
export interface DescendPolicy extends Policy {
  /** Whether a text may stay JSON around encoded strings; default true. */
  mixed?: boolean
}

/** A text made by descending. */
interface Candidate {
  codec: CodecName
  text: Uint8Array
  q: number
  size: number
  descent: Descent
  paths: string[]
}

/** JSON with all of it minified, which is made only where it is needed. */
interface JsonForm {
  size: number
  make: () => Uint8Array
}

/**
 * Chooses the text for a document as `chooseBytes` does, and looks for JSON documents in its strings on the way
 * (at most two levels, see README.md in lib/mcp). For each coding there are two more candidates: all of it in the
 * coding, and only the embedded documents in it, with every other byte as it came; and there is JSON with all of it
 * minified. One that does not come back is dropped.
 */
export function chooseDescended (document: Document, policy: DescendPolicy): DescendedChoice {
  const started = performance.now()
  const plain = chooseBytes(document, policy)
  const isBelowFloor = plain.decision.reason === 'below-floor'
  const rooms = new TextRooms()
  const embedded = isBelowFloor ? [] : findEmbedded(document, policy.maxDepth ?? DEFAULT_CODEC_DEPTH, rooms)
  try {
    const better = embedded.length === 0 ? null : findBetter(document, embedded, plain, policy)
    const decision = better === null ? plain.decision : decide(plain, better, policy)
    if (better === null) decision.reason = refineReason(document, embedded, decision.reason)
    decision.ms = performance.now() - started
    if (better === null) return { bytes: plain.bytes, codec: plain.codec, decision, descent: null }
    const isObserved = policy.mode === 'observe'
    return { bytes: isObserved ? document.bytes : better.text, codec: isObserved ? 'json' : better.codec, decision, descent: isObserved ? null : better.descent }
  } finally {
    disposeEmbedded(embedded)
    rooms.giveBack()
  }
}

/** The best candidate made by descending that is better than the plain one. */
function findBetter (document: Document, embedded: Embedded[], plain: Choice, policy: DescendPolicy): Candidate | null {
  const { bytesAfter, codec: plainCodec } = plain.decision
  const plainSize = bytesAfter + (plainCodec === 'json' ? 0 : policy.overheadOf?.(plainCodec) ?? 0)
  const minified = minifyAll(document, embedded, policy)
  // JSON ships minified, embedded documents too, so that is what a coding must be smaller than.
  const json: JsonForm = minified === null ? { size: document.minifiedBytes, make: () => minifyToBytes(document) } : { size: document.minifiedBytes - minified.saved, make: () => minifyEdited(document, minified) }
  const jsonSize = Math.min(document.bytes.length, json.size)
  const isFree = isFreeOfSize(policy)
  const plainQ = policy.accepted.find(({ codec }) => codec === plainCodec)?.q ?? -1
  const isPlainBeaten = plainCodec === 'json' || (!isFree && plainSize >= jsonSize)
  for (const candidate of rankCoded(document, embedded, plainCodec, json, policy)) {
    const isBetter = isPlainBeaten || (!isFree && candidate.q > plainQ) || ((isFree || candidate.q === plainQ) && candidate.size < plainSize)
    if (isBetter && comesBack(candidate, document, embedded, policy)) return candidate
  }
  if (minified === null || isFree || !isPlainBeaten || json.size >= Math.min(document.bytes.length, document.minifiedBytes)) return null
  const candidate = toCandidate('json', 0, json.make(), minified, null, 0)
  return comesBack(candidate, document, embedded, policy) ? candidate : null
}

function isFreeOfSize ({ mode, identityRefused }: Policy): boolean {
  return mode === 'always' || identityRefused === true
}

/** The candidates of the codings that save enough, in the order in which they are tried. */
function rankCoded (document: Document, embedded: Embedded[], plainCodec: CodecName, json: JsonForm, policy: DescendPolicy): Candidate[] {
  const isFree = isFreeOfSize(policy)
  const candidates: Candidate[] = []
  for (const { codec, q } of policy.accepted) {
    if (policy.mode === 'always' && codec !== plainCodec) continue
    const candidate = makeCoded(document, embedded, codec, q, policy)
    if (candidate !== null && (isFree || isSaving(candidate, document, json, policy))) candidates.push(candidate)
  }
  return candidates.sort((a, b) => isFree ? a.size - b.size : b.q - a.q || a.size - b.size)
}

function isSaving ({ text, size }: Candidate, { bytes }: Document, json: JsonForm, { minSavings = 0, measure, tokenizer }: Policy): boolean {
  const most = Math.min(bytes.length, json.size)
  if (size >= most || size > most * (1 - minSavings / 100)) return false
  return measure === 'bytes' || compareTokens(text, json.make(), tokenizer).isSaving
}

/** All embedded documents minified; null where that saves nothing, or nothing but tables may be touched. */
function minifyAll (document: Document, embedded: Embedded[], policy: DescendPolicy): Rewritten | null {
  if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) return null
  return encodeEmbedded(document, embedded, null, policy)
}

function minifyEdited (document: Document, { edits }: Rewritten): Uint8Array {
  const outer = Document.parse(splice(document.bytes, edits), KNOWN_UTF8)
  const text = minifyToBytes(outer)
  outer.dispose()
  return text
}

/** The smaller of the two forms for a coding. */
function makeCoded (document: Document, embedded: Embedded[], codec: CodingName, q: number, policy: DescendPolicy): Candidate | null {
  if (CODECS[codec].isLossless?.(policy) === false) return null
  const rewritten = encodeEmbedded(document, embedded, codec, policy)
  if (rewritten === null) return null
  const overhead = policy.overheadOf?.(codec) ?? 0
  const bytes = splice(document.bytes, rewritten.edits)
  const outer = Document.parse(bytes, KNOWN_UTF8)
  try {
    const isAllowed = policy.tabularOnly === undefined || isTabular(outer, policy.tabularOnly)
    const size = isAllowed ? CODECS[codec].measure(outer, policy) : 'not-uniform-object-array'
    const isMixed = policy.mixed !== false && rewritten.coded.length > 0 && !(typeof size === 'number' && size <= bytes.length)
    if (isMixed) return toCandidate(codec, q, bytes, rewritten, 'json', overhead)
    if (typeof size === 'string') return null
    return toCandidate(codec, q, CODECS[codec].encode(outer, policy, size), rewritten, null, overhead)
  } finally {
    outer.dispose()
  }
}

function toCandidate (codec: CodecName, q: number, text: Uint8Array, { coded, minified, paths }: Rewritten, outer: 'json' | null, overhead: number): Candidate {
  return { codec, q, text, size: text.length + overhead, descent: { coded, minified, outer }, paths }
}

/** Whether the text decodes to the document, by the very function that readers have. */
function comesBack (candidate: Candidate, document: Document, embedded: Embedded[], policy: DescendPolicy): boolean {
  const { codec, text, descent } = candidate
  if (codec !== 'json' && (policy.isLabelSafe?.(text) === false || (policy.refuse?.(text, codec) ?? null) !== null)) return false
  if (policy.verify === false) return true
  try {
    const restored = Document.parse(restore(text, codec, descent, policy), KNOWN_UTF8)
    const isSame = isSameButEmbedded(document, embedded, restored, codec === 'json' ? 'lexeme' : CODECS[codec].numbers ?? 'lexeme')
    restored.dispose()
    return isSame
  } catch (error) {
    // That it cannot be read is the answer "no"; anything else is a defect of ours and must be seen.
    if (error instanceof TextError) return false
    throw error
  }
}

/**
 * The minified JSON that a text stands for, with minified JSON in its strings.
 *
 * @throws DecodeError, JsonSyntaxError or TypeError where the text is not of that form
 */
export function restore (text: Uint8Array | string, codec: CodecName, { coded, outer }: RestoreOptions, options: CodecOptions): Uint8Array {
  if (codec !== 'json' && outer === null) return restorePaths(CODECS[codec].decode(text, options), coded, codec, options)
  const document = Document.parse(text)
  const json = minifyToBytes(document)
  document.dispose()
  return codec === 'json' ? json : restorePaths(json, coded, codec, options)
}

function decide ({ decision }: Choice, { codec, text, descent, paths }: Candidate, policy: Policy): Choice['decision'] {
  const isObserved = policy.mode === 'observe'
  return {
    ...decision,
    outcome: isObserved ? 'passthrough' : 'encoded',
    codec,
    version: codec === 'json' ? null : CODECS[codec].version,
    reason: codec === 'json' ? decision.reason ?? 'not-smaller' : isObserved ? 'observe-only' : null,
    lossless: true,
    bytesAfter: text.length,
    tokensAfter: decision.tokensAfter === null ? null : estimateTokens(text, policy.tokenizer),
    paths,
    ...descent.outer === null ? {} : { outer: descent.outer }
  }
}

/** Of an object that did not get smaller, what is the matter with the documents in its strings. */
function refineReason ({ tape }: Document, embedded: readonly Embedded[], reason: Reason | null): Reason | null {
  if (reason !== 'not-smaller' || (tape[0] & KIND_MASK) !== OBJECT) return reason
  if (embedded.length === 0) return 'no-embedded-json'
  return embedded.some(({ document }) => hasRows(document)) ? 'inner-not-smaller' : 'not-uniform-object-array'
}

/** Whether there is an array of objects of one shape anywhere in a document. */
function hasRows ({ tape, length }: Document): boolean {
  for (let node = 0; node < length;) {
    const kind = tape[node] & KIND_MASK
    if (kind === ARRAY && tape[node] & ROWS) return true
    node = kind <= ARRAY ? node + 6 : nextNode(tape, node)
  }
  return false
}
