import type { Document } from '../json/document.js'
import type { KeyTable } from '../json/key-table.js'
import { endOf } from '../json/span.js'
import { unescapeString } from '../json/string-literal.js'
import { KIND_MASK, OBJECT, STRING, WIDE, nextNode } from '../json/tape.js'
import { toBytes, toText } from '../json/utf8.js'

/** The member of a result's `_meta` that lists what was re-encoded. */
export const ENCODING_KEY = 'fastify-token-gateway/encoding'

const NAMES = ['jsonrpc', 'id', 'method', 'error', 'result', 'content', 'contents', 'structuredContent', 'isError', 'resultType', '_meta', 'type',
  'text', 'annotations', 'audience', 'tools', 'name', 'description', 'outputSchema', ENCODING_KEY] as const

/** A member that means something to this project. */
export type MemberName = typeof NAMES[number]

/** Nodes of the values of the members that are known by name; what is not there is not set. */
export interface Members extends Partial<Record<MemberName, number>> {
  /** The node of the last value; -1 where the object is empty. */
  last: number
}

const idsByTable = new WeakMap<KeyTable, Map<number, MemberName>>()
const spellings = NAMES.map(name => [name, toBytes(name)] as const)

/** The names by the ids that a table gives them; it gets those that it does not have yet. */
function namesOf (table: KeyTable): Map<number, MemberName> {
  let names = idsByTable.get(table)
  if (names === undefined) {
    names = new Map()
    for (const [name, spelling] of spellings) names.set(table.intern(spelling, 0, spelling.length, 0), name)
    idsByTable.set(table, names)
  }
  return names
}

/** The members of an object; null where it is no object, or holds one of the names twice. */
export function readMembers ({ tape, keys }: Document, object: number): Members | null {
  if ((tape[object] & KIND_MASK) !== OBJECT) return null
  const names = namesOf(keys)
  const members: Members = { last: -1 }
  const end = tape[object + 2]
  for (let node = object + 6; node < end; node = nextNode(tape, node + 3)) {
    members.last = node + 3
    const name = names.get(tape[node + 2])
    if (name === undefined) continue
    if (members[name] !== undefined) return null
    members[name] = node + 3
  }
  return members
}

/** The kind of a node, 0 where there is none. */
export function kindOf ({ tape }: Document, node: number | undefined): number {
  return node === undefined ? 0 : tape[node] & KIND_MASK
}

/** The shortest spelling of a string of the tape, without quotes. */
export function spellingOf (document: Document, node: number): Uint8Array {
  const { tape } = document
  return tape[node] & WIDE ? document.arena.subarray(tape[node + 3], tape[node + 4]) : document.bytes.subarray(tape[node + 1], tape[node + 2])
}

/** The text of a string; null where it is no Unicode. */
export function readText ({ bytes, view, tape }: Document, node: number): string | null {
  const text = unescapeString(bytes, view, tape[node + 1], tape[node + 2])
  return text === null ? null : toText(text)
}

/** Whether a node is the string of these ASCII characters. */
export function isString (document: Document, node: number | undefined, text: string): boolean {
  if (node === undefined || kindOf(document, node) !== STRING) return false
  const spelling = spellingOf(document, node)
  if (spelling.length !== text.length) return false
  for (let i = 0; i < text.length; i++) {
    if (spelling[i] !== text.charCodeAt(i)) return false
  }
  return true
}

/** The bytes to take out for a member to be gone with one of the commas beside it. */
export function findMemberSpan (document: Document, object: number, value: number): { start: number, end: number } {
  const { tape } = document
  let before = -1
  for (let node = object + 6; node + 3 !== value; node = nextNode(tape, node + 3)) before = node + 3
  if (before >= 0) return { start: endOf(document, before), end: endOf(document, value) }
  const key = value - 3
  const next = nextNode(tape, value)
  // The start of a key's record is behind its quote.
  return { start: tape[key + 1] - 1, end: next < tape[object + 2] ? tape[next + 1] - 1 : endOf(document, value) }
}
