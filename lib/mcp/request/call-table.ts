import type { FormatName } from '../../codec-names.js'
import type { CodingName } from '../../codec.js'
import type { Call } from '../context.js'

/** The calls that a response may answer, and what is asked for all of them; plain data, so that another thread can have it. */
export interface CallTable {
  /** The one request that every result of this response answers, whatever its id looks like; else null. */
  sole: Call | null
  /** The requests by their ids as JSON text. */
  byId: ReadonlyMap<string, Call>
  /** A format, and fields, that go before those that a request names. */
  format?: FormatName
  fields?: readonly string[]
  /** A format that comes behind those. */
  defaultFormat?: FormatName
  /** The codings that a request may name; absent: all. */
  offered?: readonly CodingName[]
}

export const UNKNOWN_CALL: Call = { tool: null }

/** The request that a result with this id answers, with what holds for it. */
export function findCall (table: CallTable, id: string): Call {
  const call = table.sole ?? table.byId.get(id) ?? UNKNOWN_CALL
  const format = table.format ?? (isOffered(call.format, table) ? call.format : undefined) ?? table.defaultFormat
  const fields = table.fields ?? call.fields
  return { tool: call.tool, format, fields }
}

function isOffered (format: FormatName | undefined, { offered }: CallTable): boolean {
  return format === undefined || format === 'json' || format === 'markdown' || offered === undefined || offered.includes(format)
}
