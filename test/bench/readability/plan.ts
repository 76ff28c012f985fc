import { FORMATS, findDecline, makeRenditions } from './formats.js'
import type { Format, Rendition } from './formats.js'
import type { Payload } from './payloads.js'
import { makeQuestions } from './questions.js'
import type { Question } from './questions.js'

/** What is asked about one document, and its texts. */
export interface Part {
  payload: Payload
  questions: Question[]
  /** In the order of `formats`. */
  renditions: Rendition[]
}

/** All that is asked. */
export interface Plan {
  formats: readonly Format[]
  parts: Part[]
  /** Documents that are left out, each with the reason. */
  left: string[]
}

/** How a plan is made. */
export interface PlanOptions {
  formats: readonly Format[]
  /** Questions for each document, 1 or more. */
  questions: number
  seed: number
  /** Documents that have more tokens in one of the formats are left out. */
  maxDocument: number
}

/**
 * The same questions for every format. A document that one of the formats cannot hold, also one that is not asked
 * for, is left out for all, so that figures of several runs are about the same documents.
 */
export async function makePlan (payloads: readonly Payload[], { formats, questions: count, seed, maxDocument }: PlanOptions): Promise<Plan> {
  const parts: Part[] = []
  const left: string[] = []
  for (const payload of payloads) {
    const declined = findDecline(payload.json)
    const questions = declined === null ? makeQuestions(payload, count, seed) : []
    const all = declined === null && questions.length > 0 ? await makeRenditions(payload, FORMATS) : []
    const largest = Math.max(0, ...all.map(({ tokens }) => tokens))
    const reason = declined ?? (questions.length === 0 ? 'nothing to ask about' : largest > maxDocument ? `${largest} tokens` : null)
    if (reason !== null) left.push(`${payload.name}: ${reason}`)
    else parts.push({ payload, questions, renditions: formats.map(format => all[FORMATS.indexOf(format)]) })
  }
  return { formats, parts, left }
}

/** Mean tokens of a document in each format; the plan must have one. */
export function meanTokens ({ formats, parts }: Plan): Map<Format, number> {
  return new Map(formats.map((format, index) => [format, parts.reduce((sum, { renditions }) => sum + renditions[index].tokens, 0) / parts.length]))
}
