/** The members that like objects have. */
export interface Group {
  /** One or more, without lone surrogates. */
  keys: readonly string[]
  /** For each key the members of the objects below it, or null where primitives stand. */
  groups: readonly (Group | null)[]
}

/** Objects in a row beyond which it is left to the codecs: a cycle has more, and TOON's limit of 512 levels is not met. */
const MAX_OBJECTS = 256

/**
 * The members of a row that holds nothing but primitives and, recursively, such objects; null for any other, or
 * one with too many keys. What is no primitive of JSON is not told.
 */
export function groupOf (row: unknown, maxKeys: number): Group | null {
  return findGroup(row, { objects: 0, keys: 0, maxKeys })
}

function findGroup (row: unknown, seen: { objects: number, keys: number, readonly maxKeys: number }): Group | null {
  if (!isPlainRow(row) || seen.objects++ === MAX_OBJECTS) return null
  const keys = Object.keys(row)
  seen.keys += keys.length
  if (keys.length === 0 || seen.keys > seen.maxKeys || isRawJson(keys)) return null
  const groups: (Group | null)[] = []
  for (const key of keys) {
    if (!key.isWellFormed()) return null
    const value = row[key]
    const group = isObject(value) ? findGroup(value, seen) : null
    if (group === null && isObject(value)) return null
    groups.push(group)
  }
  return { keys, groups }
}

/** Whether a row looks as if it had the members of a group; nothing is said about what its primitives are. */
export function fitsGroup (row: unknown, { keys, groups }: Group): boolean {
  if (!isObject(row)) return false
  let column = 0
  for (const key in row) {
    if (column === keys.length || key !== keys[column]) return false
    const value = row[key]
    const group = groups[column++]
    if (group === null ? isObject(value) : !fitsGroup(value, group)) return false
  }
  return column === keys.length
}

/** Whether JSON.stringify takes the value as its own enumerable members and nothing else. */
export function isPlainRow (row: unknown): row is Record<string, unknown> {
  if (!isObject(row) || Array.isArray(row)) return false
  const prototype: unknown = Object.getPrototypeOf(row)
  return (prototype === Object.prototype || prototype === null) && !hasToJson(row)
}

export function hasToJson (value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** JSON.rawJSON gives objects with this sole member, which JSON.stringify writes in their place. */
function isRawJson (keys: readonly string[]): boolean {
  return keys.length === 1 && keys[0] === 'rawJSON'
}
