import { hasToJson } from './group.js'
import { layoutOf } from './layout.js'
import type { Layout } from './layout.js'

/** Rows that all have the same members in the same order, which is known of the first row only. */
export interface Table {
  rows: readonly unknown[]
  /** How many rows there were at first, one or more: a getter may add some, which do not count. */
  count: number
  layout: Layout
}

/** Thrown where a value turns out to be one that only JSON.stringify deals with. */
export const NOT_PLAIN = new Error('not a plain table')

/** The value as a table, as far as its first row tells; else null. */
export function asTable (value: unknown): Table | null {
  if (!Array.isArray(value) || value.length === 0 || hasToJson(value)) return null
  const count = value.length
  const layout = layoutOf(value[0], count)
  return layout === null ? null : { rows: value, count, layout }
}
