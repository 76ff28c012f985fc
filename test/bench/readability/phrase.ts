import { writeReference } from '../../helpers/reference-json.js'
import { AVERAGE_PLACES } from './answer.js'
import type { Condition, Path, Query, RowPick } from './query.js'

/** How answers have to look and paths are written; the same for every format. */
export const ANSWER_RULES = [
  'Answer with the value alone, on one line, without words around it, units or an explanation.',
  'Write numbers in digits without separators, strings as they are without quotes, and true, false or null as such.',
  'Write a list as a JSON array on one line, in any order.',
  'In the questions `a.b` is the member b of the object a, and `a[0]` the first element of the list a. A field whose value is null is there; a field that a row does not have is not.'
].join('\n')

/**
 * A question in words. It speaks of the data alone, never of how they are written.
 * @param isMap whether the table is a map, whose rows are entries with a key
 */
export function phrase (query: Query, isMap: boolean): string {
  if (query.op === 'value') return `What is the value at ${quote(query.path)}?`
  if (query.op === 'keys') return `Which keys does ${query.path.length === 0 ? 'the outermost object' : `the object ${quote(query.path)}`} have?`
  const noun = isMap ? 'entry' : 'row'
  const nouns = isMap ? 'entries' : 'rows'
  const table = `${isMap ? 'the map' : 'the list'} ${query.table.length === 0 ? 'that is the whole document' : quote(query.table)}`
  switch (query.op) {
    case 'cell': return `In ${table}, what is ${quote(query.field)} of ${pick(query.row, noun)}?`
    case 'inner-cell': return `In ${table}, what is ${quote([...query.list, query.index, ...query.field])} of ${pick(query.row, noun)}?`
    case 'length': return `In ${table}, how many elements does ${quote(query.list)} of ${pick(query.row, noun)} have?`
    case 'having': return `In ${table}, how many ${nouns} have the field ${quote(query.field)}, whatever its value?`
    case 'nulls': return `In ${table}, in how many ${nouns} is ${quote(query.field)} null?`
    case 'distinct': return `In ${table}, how many different values other than null does ${quote(query.field)} have?`
    case 'matching': return `In ${table}, how many ${nouns} are there where ${all(query.conditions)}?`
    case 'list': return `In ${table}, list ${query.field === null ? 'the keys' : quote(query.field)} of all ${nouns} where ${all(query.conditions)}.`
    case 'rows': return `How many ${nouns} does ${table} have?`
    case 'fields': return `In ${table}, which fields does ${pick(query.row, noun)} have? Name those of the ${noun} itself, not those within them.`
    default: return `In ${table}, what is ${NAMES[query.op]} of ${quote(query.field)} over all ${nouns}${query.conditions.length === 0 ? '' : ` where ${all(query.conditions)}`}?` +
      (query.op === 'average' ? ` Round to ${AVERAGE_PLACES} decimal places, halves away from zero.` : '')
  }
}

const NAMES = { sum: 'the sum', min: 'the smallest value', max: 'the largest value', average: 'the average' }

function quote (path: Path): string {
  return `\`${path.map((step, index) => typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`).join('')}\``
}

function pick (row: RowPick, noun: string): string {
  switch (row.by) {
    case 'key': return `the ${noun} with the key ${JSON.stringify(row.key)}`
    case 'place': return row.isLast ? `the last ${noun}` : `${noun} number ${row.index + 1} (the first has number 1)`
    default: return `the ${noun} whose ${quote(row.field)} is ${writeReference(row.value)}`
  }
}

const WORDS = { '=': 'is', '>': 'is greater than', '<': 'is less than' }

function all (conditions: readonly Condition[]): string {
  return conditions.map(({ field, is, value }) => `${quote(field)} ${WORDS[is]} ${writeReference(value)}`).join(' and ')
}
