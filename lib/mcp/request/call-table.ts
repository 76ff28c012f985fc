import type { Call } from '../message.js'

/** The calls that a response may answer; plain data, so that another thread can have it. */
export interface CallTable {
  /** The one request that every result of this response answers, whatever its id looks like; else null. */
  sole: Call | null
  /** The requests by their ids as JSON text. */
  byId: ReadonlyMap<string, Call>
}

export const UNKNOWN_CALL: Call = { tool: null }

/** The request that a result with this id answers. */
export function findCall ({ sole, byId }: CallTable, id: string): Call {
  return sole ?? byId.get(id) ?? UNKNOWN_CALL
}
