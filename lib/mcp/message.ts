import type { Decision, Reason } from '../decision.js'
import { Document } from '../json/document.js'
import type { ParseOptions } from '../json/document.js'
import { isEqual } from '../json/equal.js'
import { JsonSyntaxError } from '../json/errors.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { replaceBytes, replaceString, splice } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { TextRooms } from '../json/text-rooms.js'
import { findAccepted, findCall, planTexts } from './apply-call.js'
import type { MessageContext } from './context.js'
import { insertEntries } from './entry.js'
import type { EncodingEntry } from './entry.js'
import { hasNeedle, makeNeedle } from './find-bytes.js'
import { CONTENT, findResults } from './find-results.js'
import type { FoundResult } from './find-results.js'
import { editListing } from './listing.js'
import { leaveText, readDocument, rewriteText } from './rewrite-text.js'

/** What became of a message. */
export interface RewrittenMessage {
  /** The very same array where nothing changed. */
  bytes: Uint8Array
  /** One for each text block that was looked at, in the order of the message. */
  decisions: Decision[]
  /** Bytes of all texts that were rewritten, before; 0 where none was. X-Token-Ratio is after / before. */
  textBytesBefore: number
  /** Bytes of the same texts, after. */
  textBytesAfter: number
}

const NOTHING = new Uint8Array(0)
const TOOLS = makeNeedle('"tools"')

/**
 * Rewrites the tool results in one JSON-RPC message, or a batch (MCP 2025-03-26): new string literals are spliced
 * into the bytes that came, and all else stays as it is. The same input gives the same bytes.
 *
 * It does not run `beforeEncode`; where that option is set, `sanitizeMessage` comes first and its bytes are
 * what ships if anything fails after it.
 */
export function rewriteMessage (bytes: Uint8Array, context: MessageContext): RewrittenMessage {
  const rewritten: RewrittenMessage = { bytes, decisions: [], textBytesBefore: 0, textBytesAfter: 0 }
  const { options, policy, session, isUtf8 } = context
  const editsListings = options.describe || (options.structuredContent === 'drop' && session !== undefined)
  const wanted = { resources: options.resources, listings: editsListings && policy.mode !== 'observe' }
  // Most messages have neither, and then there is no need to read them.
  const plain = toPlainBytes(bytes)
  if (!hasNeedle(plain, CONTENT) && !(wanted.listings && hasNeedle(plain, TOOLS))) return rewritten
  const document = readMessage(plain, isUtf8)
  if (document === null) return { ...rewritten, decisions: [leaveText({ index: 0, start: 0, end: bytes.length }, null, 'not-json').decision] }
  const { results, listings } = findResults(document, wanted)
  const edits: Edit[] = []
  for (const { id, node } of listings) {
    const codings = findAccepted(policy, findCall(context, id)).map(({ codec }) => codec)
    for (const edit of editListing(document, node, codings, options, session)) edits.push(edit)
  }
  const { view } = document
  // Only places are kept, so that the tape can serve the texts.
  document.dispose()
  const rooms = new TextRooms()
  for (const result of results) rewriteResult(plain, view, result, context, rewritten, edits, rooms)
  if (edits.length > 0) rewritten.bytes = splice(plain, edits)
  rooms.giveBack()
  return rewritten
}

/** A Buffer is another class to the engine: code that has seen both runs at half the speed. */
function toPlainBytes (bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The message as a document; null where it is no JSON. */
export function readMessage (bytes: Uint8Array, isUtf8: ParseOptions['isUtf8']): Document | null {
  try {
    return Document.parse(bytes, { isUtf8 })
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return null
  }
}

function rewriteResult (bytes: Uint8Array, view: DataView, result: FoundResult, context: MessageContext, rewritten: RewrittenMessage, edits: Edit[], rooms: TextRooms): void {
  const call = findCall(context, result.id)
  const { meta, texts, structured } = result
  const plan = typeof meta === 'string' ? meta : planTexts(context, call, result.isResource)
  if (typeof plan === 'string' || typeof meta === 'string') {
    for (const text of texts) rewritten.decisions.push(leaveText(text, call.tool, plan as Reason).decision)
    return
  }
  const isDroppable = structured !== null && context.options.structuredContent === 'drop' && call.tool !== null && context.session?.has(call.tool) === true && plan.policy.mode !== 'observe'
  const copy = isDroppable ? Document.parse(bytes.subarray(structured.value.start, structured.value.end), KNOWN_UTF8) : null
  const entries: EncodingEntry[] = []
  let isCopied = false
  for (const text of texts) {
    const document = readDocument(bytes, view, text, rooms)
    const { decision, framed, entry } = typeof document === 'string' ? leaveText(text, plan.tool, document) : rewriteText(document, text, plan)
    rewritten.decisions.push(decision)
    if (typeof document !== 'string') {
      isCopied ||= copy !== null && isEqual(copy, document, 'value')
      document.dispose()
    }
    if (framed === null) continue
    rewritten.textBytesBefore += decision.bytesBefore
    rewritten.textBytesAfter += decision.bytesAfter
    edits.push(replaceString(text.start - 1, text.end + 1, framed.parts))
    if (entry !== null) entries.push(entry)
  }
  copy?.dispose()
  if (isCopied && structured !== null) edits.push(replaceBytes(structured.member.start, structured.member.end, NOTHING))
  if (entries.length > 0) edits.push(insertEntries(entries, meta))
}
