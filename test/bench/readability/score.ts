import type { Format } from './formats.js'
import { KINDS } from './query.js'
import type { Kind } from './query.js'

/** What became of one question in one format. */
export interface Outcome {
  format: Format
  kind: Kind
  isRight: boolean
}

/** A share of right answers, and where the true one lies with a probability of 95 %; all from 0 to 1. */
export interface Accuracy {
  right: number
  asked: number
  share: number
  low: number
  high: number
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959963984540054

/**
 * Wilson's score interval (E. B. Wilson, 1927), which holds for few questions and shares near 1 too. It takes questions
 * as independent of each other.
 * @param asked 1 or more
 */
export function accuracyOf (right: number, asked: number): Accuracy {
  const share = right / asked
  const square = Z * Z / asked
  const centre = (share + square / 2) / (1 + square)
  // The ends are 0 and 1 exactly where no, or each, answer is right; rounding must not move them.
  const half = Z * Math.sqrt(share * (1 - share) / asked + square / (4 * asked)) / (1 + square)
  return { right, asked, share, low: right === 0 ? 0 : centre - half, high: right === asked ? 1 : centre + half }
}

/** How a format did. */
export interface Score {
  format: Format
  all: Accuracy
  kinds: Partial<Record<Kind, Accuracy>>
  /** Mean tokens of a document. */
  tokens: number
  /** Percent of right answers for each 1,000 of these. */
  perThousand: number
}

/** @param tokens mean tokens of a document in each format */
export function scoreAll (outcomes: readonly Outcome[], tokens: ReadonlyMap<Format, number>): Score[] {
  return [...tokens].map(([format, mean]) => {
    const own = outcomes.filter(outcome => outcome.format === format)
    const all = count(own)
    const kinds = Object.fromEntries(KINDS.flatMap(kind => {
      const some = own.filter(outcome => outcome.kind === kind)
      return some.length === 0 ? [] : [[kind, count(some)]]
    }))
    return { format, all, kinds, tokens: mean, perThousand: 100 * all.share / mean * 1000 }
  })
}

function count (outcomes: readonly Outcome[]): Accuracy {
  return accuracyOf(outcomes.filter(({ isRight }) => isRight).length, outcomes.length)
}
