import type { Reason } from '../decision.js'
import type { Document } from '../json/document.js'
import { endOf, startOf } from '../json/span.js'
import { ARRAY, COUNT, FALSE, KIND_MASK, NULL, NUMBER, OBJECT, STRING, nextNode } from '../json/tape.js'
import { toText } from '../json/utf8.js'
import { makeNeedle } from './find-bytes.js'
import { ENCODING_KEY, findMemberSpan, isString, kindOf, readMembers, spellingOf } from './members.js'
import type { Members } from './members.js'

/** What every message with a tool result, or with the contents of a resource, holds. */
export const CONTENT = makeNeedle('"content')

/** A part of the message's bytes. */
export interface Span {
  start: number
  end: number
}

/** A text block; the span is that of its string, without the quotes. */
export interface FoundText extends Span {
  /** Index in `content[]` or `contents[]`. */
  index: number
}

/** Where an answer has texts, as places in its bytes. */
export interface FoundResult {
  /** The id as JSON text; null where there is none that is a number or a string. */
  id: string | null
  /** Whether it answers resources/read; else a tool was called. */
  isResource: boolean
  /** The object that holds them. */
  holder: Span
  /** Whether that says what type of result it is (2026-07-28). */
  hasResultType: boolean
  texts: FoundText[]
  /** Where members are added to `_meta`, or where `_meta` is added; or why it is left alone. */
  meta: { at: number, isNew: boolean, isEmpty: boolean } | Reason
  /** The value of structuredContent, and what to take out for that member to be gone; null where there is none. */
  structured: { value: Span, member: Span } | null
}

/** What a message, or a batch, holds that may be rewritten. */
export interface Found {
  results: FoundResult[]
  /** The nodes of `tools[]` in answers to tools/list, with the ids of these. */
  listings: { id: string | null, node: number }[]
}

/** What is looked for beside tool results. */
export interface Wanted {
  resources: boolean
  listings: boolean
}

/**
 * Finds tool results by their shape. A duplicate of a member that matters, on the way to the text, keeps the
 * message as it is.
 */
export function findResults (document: Document, wanted: Wanted): Found {
  const found: Found = { results: [], listings: [] }
  const { tape } = document
  if ((tape[0] & KIND_MASK) !== ARRAY) {
    readMessage(document, 0, wanted, found)
    return found
  }
  const end = tape[2]
  for (let node = 6; node < end; node = nextNode(tape, node)) readMessage(document, node, wanted, found)
  return found
}

function readMessage (document: Document, node: number, wanted: Wanted, found: Found): void {
  const message = readMembers(document, node)
  // A request has a method, and an answer that failed an error.
  if (message === null || !isString(document, message.jsonrpc, '2.0') || message.method !== undefined || message.error !== undefined) return
  if (message.result === undefined) return
  const id = readId(document, message.id)
  const result = readMembers(document, message.result)
  if (result === null || isUnfinished(document, result)) return
  if (kindOf(document, result.content) === ARRAY) {
    addResult(document, message.result, result, id, result.content as number, false, found)
  } else if (kindOf(document, result.result) === OBJECT) {
    // The answer to tasks/get holds the result of the task.
    const inner = readMembers(document, result.result as number)
    if (inner === null || kindOf(document, inner.content) !== ARRAY || isUnfinished(document, inner)) return
    addResult(document, result.result as number, inner, id, inner.content as number, false, found)
  } else if (wanted.resources && kindOf(document, result.contents) === ARRAY) {
    addResult(document, message.result, result, id, result.contents as number, true, found)
  } else if (wanted.listings && kindOf(document, result.tools) === ARRAY) {
    found.listings.push({ id, node: result.tools as number })
  }
}

/** Whether the result is an error, or asks for input (2026-07-28). */
function isUnfinished (document: Document, result: Members): boolean {
  const error = kindOf(document, result.isError)
  const isFine = error === 0 || error === FALSE || error === NULL
  return !isFine || isString(document, result.resultType, 'input_required')
}

function readId (document: Document, node: number | undefined): string | null {
  const kind = kindOf(document, node)
  if (node === undefined || (kind !== NUMBER && kind !== STRING)) return null
  const text = toText(spellingOf(document, node))
  return kind === STRING ? `"${text}"` : text
}

function addResult (document: Document, node: number, holder: Members, id: string | null, list: number, isResource: boolean, found: Found): void {
  const texts = readTexts(document, list, isResource)
  if (texts === null || texts.length === 0) return
  const { structuredContent } = holder
  found.results.push({
    id,
    isResource,
    holder: spanOf(document, node),
    hasResultType: holder.resultType !== undefined,
    texts,
    meta: readMeta(document, holder),
    structured: structuredContent === undefined ? null : readStructured(document, node, structuredContent)
  })
}

function readStructured (document: Document, holder: number, node: number): FoundResult['structured'] {
  return { value: spanOf(document, node), member: findMemberSpan(document, holder, node) }
}

function spanOf (document: Document, node: number): Span {
  return { start: startOf(document, node), end: endOf(document, node) }
}

/** The text blocks that may be rewritten; null where one of the blocks says two things at once. */
function readTexts (document: Document, list: number, isResource: boolean): FoundText[] | null {
  const { tape } = document
  const texts: FoundText[] = []
  const end = tape[list + 2]
  let index = 0
  for (let node = list + 6; node < end; node = nextNode(tape, node), index++) {
    if (kindOf(document, node) !== OBJECT) continue
    const block = readMembers(document, node)
    if (block === null) return null
    if (kindOf(document, block.text) !== STRING || !(isResource || isString(document, block.type, 'text'))) continue
    if (kindOf(document, block.annotations) === OBJECT) {
      const annotations = readMembers(document, block.annotations as number)
      if (annotations === null) return null
      if (isForUserOnly(document, annotations.audience)) continue
    }
    const text = block.text as number
    texts.push({ index, start: tape[text + 1], end: tape[text + 2] })
  }
  return texts
}

function isForUserOnly (document: Document, audience: number | undefined): boolean {
  if (audience === undefined || kindOf(document, audience) !== ARRAY || document.tape[audience + COUNT] === 0) return false
  const { tape } = document
  const end = tape[audience + 2]
  for (let node = audience + 6; node < end; node = nextNode(tape, node)) {
    if (!isString(document, node, 'user')) return false
  }
  return true
}

function readMeta (document: Document, holder: Members): FoundResult['meta'] {
  if (holder._meta === undefined) return { at: endOf(document, holder.last), isNew: true, isEmpty: false }
  const meta = readMembers(document, holder._meta)
  if (meta === null) return 'not-eligible'
  if (meta[ENCODING_KEY] !== undefined) return 'encoded-upstream'
  const isEmpty = meta.last < 0
  return { at: isEmpty ? endOf(document, holder._meta) - 1 : endOf(document, meta.last), isNew: false, isEmpty }
}
