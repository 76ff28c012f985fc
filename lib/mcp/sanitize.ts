import type { Decision } from '../decision.js'
import { Document } from '../json/document.js'
import { isEqual } from '../json/equal.js'
import { minifyToBytes } from '../json/minify.js'
import { replaceBytes, splice } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { toBytes, toText } from '../json/utf8.js'
import { findCall, planTexts } from './apply-call.js'
import type { MessageContext } from './context.js'
import { findResults } from './find-results.js'
import type { FoundResult, FoundText } from './find-results.js'
import { readMessage } from './message.js'
import type { BeforeEncode, Sanitized } from './options.js'
import { leaveText } from './rewrite-text.js'

/** A message that `beforeEncode` has seen. */
export interface SanitizedMessage {
  /** The very same array where nothing changed. */
  bytes: Uint8Array
  /** One for each result that was withheld. */
  decisions: Decision[]
}

/** A text that the hook is asked about. */
interface Question {
  result: FoundResult
  tool: string | null
  text: FoundText
  /** The string; a lone surrogate is itself. */
  value: string
}

/** What the reader of a withheld result is told. */
const WITHHELD = 'The gateway has withheld this result.'

/**
 * Gives the texts of tool results to `options.beforeEncode` and puts in what it returns. To be called before
 * `rewriteMessage`, and only where that option is set. It is asked about every text block that may be re-encoded, JSON or not.
 *
 * A result of which it returns `false`, or throws, becomes an error result, since what has not been looked at must not
 * pass. Where it changes a text, structuredContent must not tell what the text does not any more: it is replaced
 * where it was the same JSON and the new text is JSON, else taken out.
 *
 * It sees what may be re-encoded, and is no border for secrets: clients that do not ask for a coding, errors, excluded tools
 * and results that say something twice pass without it.
 *
 * @returns a promise only where the hook returned one
 */
export function sanitizeMessage (bytes: Uint8Array, context: MessageContext): SanitizedMessage | Promise<SanitizedMessage> {
  const unchanged = { bytes, decisions: [] }
  const { options, isUtf8 } = context
  if (options.beforeEncode === undefined) return unchanged
  const document = readMessage(bytes, isUtf8)
  if (document === null) return unchanged
  const { results } = findResults(document, { resources: options.resources, listings: false })
  document.dispose()
  const questions = findQuestions(bytes, results, context)
  const answers = questions.map(question => ask(options.beforeEncode as BeforeEncode, question))
  if (!answers.some(isPromise)) return settle(bytes, questions, answers as Sanitized[])
  return Promise.all(answers).then(settled => settle(bytes, questions, settled))
}

function findQuestions (bytes: Uint8Array, results: readonly FoundResult[], context: MessageContext): Question[] {
  const questions: Question[] = []
  for (const result of results) {
    const call = findCall(context, result.id)
    if (typeof planTexts(context, call, result.isResource) === 'string') continue
    for (const text of result.texts) {
      const value = JSON.parse(toText(bytes.subarray(text.start - 1, text.end + 1))) as string
      questions.push({ result, tool: call.tool, text, value })
    }
  }
  return questions
}

function ask (hook: BeforeEncode, { tool, text, value }: Question): Sanitized | Promise<Sanitized> {
  try {
    const answer = hook(value, { tool, index: text.index })
    return isPromise(answer) ? answer.then(checkAnswer, withholdOnError) : checkAnswer(answer)
  } catch {
    return withholdOnError()
  }
}

function isPromise (answer: unknown): answer is Promise<Sanitized> {
  return typeof (answer as Promise<Sanitized> | undefined)?.then === 'function'
}

/** What is no answer withholds: the hook may be JavaScript that nothing has checked. */
function checkAnswer (answer: Sanitized): Sanitized {
  return typeof answer === 'string' || answer === undefined || answer === null || answer === true ? answer : false
}

/** An error is not hidden: the result is withheld, and counted as such. */
function withholdOnError (): false {
  return false
}

function settle (bytes: Uint8Array, questions: readonly Question[], answers: readonly Sanitized[]): SanitizedMessage {
  const edits: Edit[] = []
  const decisions: Decision[] = []
  const withheld = new Set<FoundResult>()
  for (let i = 0; i < questions.length; i++) {
    const { result, text, tool } = questions[i]
    if (answers[i] !== false || withheld.has(result)) continue
    withheld.add(result)
    edits.push(replaceBytes(result.holder.start, result.holder.end, toBytes(withhold(result))))
    decisions.push({ ...leaveText(text, tool, 'withheld').decision, outcome: 'encoded', lossless: false })
  }
  const followed = new Set<FoundResult>()
  for (let i = 0; i < questions.length; i++) {
    const { result, text, value } = questions[i]
    const answer = answers[i]
    if (typeof answer !== 'string' || answer === value || withheld.has(result)) continue
    edits.push(replaceBytes(text.start - 1, text.end + 1, toBytes(JSON.stringify(answer))))
    if (followed.has(result) || result.structured === null) continue
    followed.add(result)
    edits.push(follow(bytes, result.structured, value, answer))
  }
  return { bytes: splice(bytes, edits), decisions }
}

function withhold ({ isResource, hasResultType }: FoundResult): string {
  if (isResource) return hasResultType ? '{"contents":[],"resultType":"complete"}' : '{"contents":[]}'
  return `{"content":[{"type":"text","text":"${WITHHELD}"}],"isError":true${hasResultType ? ',"resultType":"complete"' : ''}}`
}

/** What becomes of structuredContent where a text changed. */
function follow (bytes: Uint8Array, { value, member }: NonNullable<FoundResult['structured']>, before: string, after: string): Edit {
  const old = readMessage(toBytes(before), undefined)
  const next = readMessage(toBytes(after), undefined)
  const structured = Document.parse(bytes.subarray(value.start, value.end))
  const isCopy = old !== null && next !== null && isEqual(structured, old, 'value')
  return isCopy ? replaceBytes(value.start, value.end, minifyToBytes(next)) : replaceBytes(member.start, member.end, new Uint8Array(0))
}
