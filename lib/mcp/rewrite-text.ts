import { chooseBytes } from '../choose.js'
import type { Choice, Policy } from '../choose.js'
import type { FormatName } from '../codec-names.js'
import type { CodecName, CodingName } from '../codec.js'
import type { Decision, Reason } from '../decision.js'
import { chooseDescended } from '../descend.js'
import type { DescendedChoice } from '../descend.js'
import { Document } from '../json/document.js'
import { JsonSyntaxError } from '../json/errors.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { minifyToBytes } from '../json/minify.js'
import { measureLiteral, unescapeString } from '../json/string-literal.js'
import { ARRAY, KIND_MASK } from '../json/tape.js'
import type { TextRooms } from '../json/text-rooms.js'
import { project } from '../project.js'
import { compareTokens, estimateTokens } from '../tokens.js'
import type { EncodingEntry } from './entry.js'
import type { FoundText } from './find-results.js'
import { concat, frameText, measureMarker } from './frame.js'
import type { Framed } from './frame.js'
import { cutToSize } from './limit.js'
import type { FramedChoice, TextPlan } from './text-plan.js'

/** What becomes of a text. */
export interface RewrittenText {
  decision: Decision
  /** What ships in its place; null: it stays. */
  framed: Framed | null
  /** What `_meta` says of it; null where a reader needs to know nothing. */
  entry: EncodingEntry | null
}

/** Reads the document in a text block; a reason where it has none. It is the caller's to dispose of, and of no use once the rooms are given back. */
export function readDocument (bytes: Uint8Array, view: DataView, { start, end }: FoundText, rooms: TextRooms): Document | Reason {
  if (!mayBeDocument(bytes, start, end)) return 'not-json'
  const text = unescapeString(bytes, view, start, end, rooms.take)
  if (text === null) return 'declined-lone-surrogate'
  try {
    const document = Document.parse(text, KNOWN_UTF8)
    if ((document.tape[0] & KIND_MASK) <= ARRAY) return document
    document.dispose()
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
  }
  return 'not-json'
}

/** A look at the first character, past blanks and their escapes. */
function mayBeDocument (bytes: Uint8Array, start: number, end: number): boolean {
  let i = start
  while (i < end) {
    if (bytes[i] === 0x20) i++
    else if (bytes[i] !== 0x5c) return bytes[i] === 0x7b || bytes[i] === 0x5b
    else if (bytes[i + 1] === 0x75) return true
    else i += 2
  }
  return false
}

/** The decision about a text that stays as it came. */
export function leaveText ({ index, start, end }: FoundText, tool: string | null, reason: Reason): RewrittenText {
  const size = end - start
  return {
    decision: {
      outcome: 'passthrough', codec: 'json', version: null, reason, lossless: true, bytesBefore: size, bytesAfter: size, tokensBefore: null, tokensAfter: null, ms: 0, tool, index, paths: []
    },
    framed: null,
    entry: null
  }
}

/** Rewrites the document of a text block: cut down to the fields asked for, encoded, cut to its size. */
export function rewriteText (document: Document, text: FoundText, plan: TextPlan): RewrittenText {
  const projected = plan.fields.length === 0 ? null : project(document, plan.fields)
  const source = projected === null ? document : Document.parse(projected, KNOWN_UTF8)
  try {
    return finish(source, document, text, plan)
  } finally {
    if (source !== document) source.dispose()
  }
}

function finish (source: Document, document: Document, text: FoundText, plan: TextPlan): RewrittenText {
  const { tool, format, options, fields, policy } = plan
  const isProjected = source !== document
  const whole = chooseFramed(source, isProjected ? Infinity : text.end - text.start + 2, null, plan)
  const isTooLarge = whole.framed.size > options.maxTextBytes
  const cut = isTooLarge ? cutToSize(source, options.maxTextBytes, whole.framed.size, (part, note) => chooseFramed(part, Infinity, note, plan)) : null
  if (isTooLarge && cut === null) return leaveText(text, tool, 'too-large')
  const { framed, codec, descent, decision: chosen, bytes } = cut?.choice ?? whole
  // A fence is there because it was asked for, whatever its size.
  const isChanged = isProjected || cut !== null || bytes !== source.bytes || format === 'markdown'
  const isObserved = policy.mode === 'observe'
  const decision: Decision = {
    ...chosen,
    outcome: isChanged && !isObserved ? 'encoded' : 'passthrough',
    reason: isObserved && codec !== 'json' ? 'observe-only' : chosen.reason,
    lossless: chosen.lossless && !isProjected && cut === null,
    bytesBefore: document.bytes.length,
    bytesAfter: framed.size,
    tokensAfter: addTokens(chosen.tokensAfter, framed, policy),
    tool,
    index: text.index,
    ...isProjected ? { fields } : {},
    ...cut === null ? {} : { cut: cut.count }
  }
  if (decision.outcome === 'passthrough') return { decision, framed: null, entry: null }
  // Minified JSON is still the JSON that it was: there is nothing to say about it.
  const isPlain = codec === 'json' && descent === null && format !== 'markdown' && !isProjected && cut === null
  return { decision, framed, entry: isPlain ? null : toEntry(decision, framed, descent, format === 'markdown' ? 'markdown' : codec) }
}

/** With the tokens of the lines before the text. */
function addTokens (tokens: number | null, { parts, preamble }: Framed, { tokenizer }: Policy): number | null {
  if (tokens === null) return null
  return parts.slice(0, preamble).reduce((sum, part) => sum + estimateTokens(part, tokenizer), tokens)
}

function toEntry ({ index, version, bytesBefore, bytesAfter, fields, cut }: Decision, { preamble }: Framed, descent: DescendedChoice['descent'], codec: FormatName): EncodingEntry {
  return {
    index: index as number,
    codec,
    version,
    bytesBefore,
    bytesAfter,
    ...preamble > 0 ? { preamble } : {},
    ...descent !== null && descent.coded.length > 0 ? { paths: descent.coded } : {},
    ...descent !== null && descent.minified.length > 0 ? { minified: descent.minified } : {},
    ...descent?.outer ? { outer: descent.outer } : {},
    ...fields === undefined ? {} : { fields },
    ...cut === undefined ? {} : { cut }
  }
}

/** @param literalBytes size of the string that stands in the message now, quotes included */
function chooseFramed (document: Document, literalBytes: number, note: Uint8Array | null, plan: TextPlan): FramedChoice {
  const { options, format } = plan
  const policy = shipPolicy(document, literalBytes, plan)
  const choice = options.descend ? chooseDescended(document, policy) : withoutDescent(chooseBytes(document, policy))
  const { bytes, codec, decision, descent } = choice
  return { bytes, codec, decision, descent, framed: frameText(bytes, codec, format, note, options) }
}

function withoutDescent ({ bytes, codec, decision }: Choice): DescendedChoice {
  return { bytes, codec, decision, descent: null }
}

/** Compares what ships: with the marker, and with the escapes that a text needs inside of a JSON string. */
function shipPolicy (document: Document, literalBytes: number, { policy, options }: TextPlan): Policy {
  const isFree = policy.mode === 'always' || policy.identityRefused === true
  const refuse = (text: Uint8Array, codec: CodecName): Reason | null => {
    const marker = codec === 'json' ? 0 : measureMarker(codec, options)
    // What a marker costs in escapes: the line feed.
    const size = measureLiteral([text]) + (marker > 0 ? marker + 1 : 0)
    if (size >= literalBytes || (size > document.minifiedBytes && size >= measureLiteral([minifyToBytes(document)]))) return 'not-smaller'
    if (policy.measure === 'bytes' || marker === 0) return null
    const { parts } = frameText(text, codec, undefined, null, options)
    return compareTokens(concat(parts), minifyToBytes(document), policy.tokenizer).isSaving ? null : 'not-smaller'
  }
  const { accepted, identityRefused, mode, minSavings, measure, tokenizer, tabularOnly, minBytes, verify, delimiter, spacing, flatten, rows, maxDepth, maxBytes, reportsTokens } = policy
  // Named one by one, since spreading an object of so many members takes many times as long.
  return {
    accepted,
    identityRefused,
    mode: mode === 'observe' ? 'adaptive' : mode,
    minSavings,
    measure,
    tokenizer,
    tabularOnly,
    minBytes,
    verify,
    delimiter,
    spacing,
    flatten,
    rows,
    maxDepth,
    reportsTokens,
    maxBytes,
    // A text in a message has no label of its own.
    isLabelSafe: undefined,
    overheadOf: (codec: CodingName) => measureMarker(codec, options),
    refuse: isFree ? undefined : refuse
  } satisfies Record<keyof Policy, unknown>
}
