import { createSeed } from '../../../lib/cli/sample/seed.js'
import { readReference } from '../../helpers/reference-json.js'
import { answer } from './answer.js'
import type { Answer } from './answer.js'
import type { Payload } from './payloads.js'
import { phrase } from './phrase.js'
import { pickQuery } from './pick-query.js'
import { KINDS } from './query.js'
import type { Kind, Query } from './query.js'
import { outline } from './tree.js'

/** One question about a document, whatever the document is written in. */
export interface Question {
  payload: string
  kind: Kind
  query: Query
  text: string
  answer: Answer
}

/** How often a kind of question may come to nothing before it is left out. */
const MOST_MISSES = 200

/**
 * Questions about a document, its kinds in turn; fewer where it does not give so many. The same for the same seed.
 * @param count how many, 1 or more
 */
export function makeQuestions ({ name, json }: Payload, count: number, seed: number): Question[] {
  const root = readReference(json)
  const source = { root, outline: outline(root), seed: createSeed(hash(`${seed}/${name}`)) }
  const questions = new Map<string, Question>()
  const kinds = new Set<Kind>(KINDS)
  while (kinds.size > 0 && questions.size < count) {
    for (const kind of kinds) {
      if (questions.size === count) break
      let misses = 0
      while (misses < MOST_MISSES) {
        const query = pickQuery(kind, source)
        const text = query === null ? null : phrase(query, isMap(query, source.outline.tables))
        if (query !== null && text !== null && !questions.has(text)) {
          questions.set(text, { payload: name, kind, query, text, answer: answer(query, root) })
          break
        }
        misses++
      }
      if (misses === MOST_MISSES) kinds.delete(kind)
    }
  }
  return [...questions.values()]
}

function isMap (query: Query, tables: ReturnType<typeof outline>['tables']): boolean {
  return 'table' in query && tables.some(({ path, keys }) => path === query.table && keys !== null)
}

/** FNV-1a of 32 bits, never 0. */
function hash (text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash === 0 ? 1 : hash
}
