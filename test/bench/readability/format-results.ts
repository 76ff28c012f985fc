import { formatTable } from '../../../lib/cli/table.js'
import { writeReference } from '../../helpers/reference-json.js'
import type { Answer } from './answer.js'
import type { Answered } from './ask-all.js'
import { meanTokens } from './plan.js'
import type { Plan } from './plan.js'
import { KINDS } from './query.js'
import type { Accuracy, Score } from './score.js'

/** An answer as a model should give it. */
export function writeAnswer (answer: Answer): string {
  if (answer.type === 'null') return 'null'
  if (answer.type !== 'list') return String(answer.value)
  return `[${answer.items.map(item => item.type === 'string' ? writeReference({ kind: 'string', value: item.value }) : writeAnswer(item)).join()}]`
}

/** Tokens of each document in each format, and the mean. */
export function formatTokens (plan: Plan): string {
  const rows = plan.parts.map(({ payload, questions, renditions }) => [payload.name, String(questions.length), ...renditions.map(({ tokens }) => String(tokens))])
  const means = [...meanTokens(plan).values()].map(mean => mean.toFixed(0))
  return formatTable([['tokens of o200k_base', 'questions', ...plan.formats], ...rows, ['mean', '-', ...means]])
}

/** The questions with the answers that count as right. */
export function formatQuestions (plan: Plan): string {
  return plan.parts.flatMap(({ questions }) => questions).map(({ payload, kind, text, answer }) => `[${payload}, ${kind}] ${text}\n    ${writeAnswer(answer)}\n`).join('')
}

/** What each model is told, once for each document and format. */
export function formatPrompts (plan: Plan): string {
  return plan.parts.flatMap(({ renditions }) => renditions).map(({ payload, format, system }) => `--- ${payload} as ${format} ---\n${system}\n`).join('')
}

function formatAccuracy (accuracy: Accuracy | undefined): string {
  if (accuracy === undefined) return '-'
  const { share, low, high } = accuracy
  return `${percent(share)} (${percent(low)} to ${percent(high)})`
}

function percent (share: number): string {
  return (100 * share).toFixed(1)
}

/** Right answers in percent, with intervals of 95 %, and what a right answer takes. */
export function formatScores (scores: readonly Score[], answers: readonly Answered[]): string {
  const kinds = KINDS.filter(kind => scores.some(score => score.kinds[kind] !== undefined))
  const table = formatTable([
    ['right, percent', ...scores.map(({ format }) => format)],
    ['all', ...scores.map(({ all }) => formatAccuracy(all))],
    ...kinds.map(kind => [kind, ...scores.map(score => formatAccuracy(score.kinds[kind]))]),
    ['asked', ...scores.map(({ all }) => String(all.asked))],
    ['mean tokens of a document', ...scores.map(({ tokens }) => tokens.toFixed(0))],
    ['percent per 1,000 tokens', ...scores.map(({ perThousand }) => perThousand.toFixed(2))]
  ])
  const cut = answers.filter(({ isCut }) => isCut).length
  const retries = answers.reduce((sum, answer) => sum + answer.retries, 0)
  return `${table}retries: ${retries}\n${cut === 0 ? '' : `${cut} replies were cut off at --max-tokens, and judged as they are.\n`}`
}

/** The figures as one flat object of named ratios; those of tokens alone where nothing was asked. */
export function toRatios (plan: Plan, scores: readonly Score[]): Record<string, number> {
  const ratios: Record<string, number> = {}
  const tokens = meanTokens(plan)
  const [[base, baseTokens]] = tokens
  for (const [format, mean] of tokens) ratios[`${format}.tokens.of.${base}`] = mean / baseTokens
  for (const { format, all, kinds, perThousand } of scores) {
    ratios[`${format}.accuracy`] = all.share
    ratios[`${format}.accuracy.low`] = all.low
    ratios[`${format}.accuracy.high`] = all.high
    for (const [kind, { share }] of Object.entries(kinds)) ratios[`${format}.accuracy.${kind}`] = share
    ratios[`${format}.accuracy.per.thousand.tokens`] = perThousand / 100
  }
  return ratios
}

/** One line of JSON for each answer, so that wrong ones can be looked at. */
export function formatLog (answers: readonly Answered[]): string {
  return answers.map(({ format, question: { payload, kind, text, answer }, reply, isRight, isCut, retries }) =>
    `${JSON.stringify({ payload, format, kind, question: text, expected: writeAnswer(answer), reply, isRight, isCut, retries })}\n`).join('')
}
