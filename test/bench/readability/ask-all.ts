import { ask } from './ask.js'
import type { Limits } from './ask.js'
import type { Endpoint } from './endpoint.js'
import { isRight } from './judge.js'
import type { Plan } from './plan.js'
import type { Question } from './questions.js'
import type { Rendition } from './formats.js'
import { runBounded } from './run-bounded.js'
import type { Outcome } from './score.js'

/** What a model said to one question. */
export interface Answered extends Outcome {
  question: Question
  reply: string
  /** Whether the reply was cut off at the bound of its tokens. */
  isCut: boolean
  retries: number
}

/** How the questions are asked. */
export interface AskOptions {
  limits: Limits
  /** Questions at a time, 1 or more. */
  concurrency: number
  /** Told after each answer. */
  onAnswer: (answered: number, total: number) => void
}

/**
 * Asks every question of a plan once in each format; the order of the result is that of the plan.
 *
 * @throws EndpointError at the first question that got no reply
 */
export async function askAll (plan: Plan, endpoint: Endpoint, { limits, concurrency, onAnswer }: AskOptions): Promise<Answered[]> {
  const tasks = plan.parts.flatMap(({ questions, renditions }) => renditions.flatMap(rendition => questions.map(question => ({ question, rendition }))))
  const answers = new Array<Answered>(tasks.length)
  let answered = 0
  await runBounded([...tasks.keys()], concurrency, async (index, signal) => {
    const { question, rendition }: { question: Question, rendition: Rendition } = tasks[index]
    const { text, isCut, retries } = await ask(endpoint, { system: rendition.system, question: question.text }, limits, signal)
    answers[index] = { format: rendition.format, kind: question.kind, isRight: isRight(text, question.answer), question, reply: text, isCut, retries }
    onAnswer(++answered, tasks.length)
  })
  return answers
}
