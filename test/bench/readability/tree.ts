import type { Reference } from '../../helpers/reference-json.js'
import type { Path } from './query.js'

export type ObjectNode = Extract<Reference, { kind: 'object' }>

/** A list or a map of objects, whose rows can be asked for. */
export interface Table {
  path: Path
  /** The key of each entry of a map; null for a list. */
  keys: string[] | null
  rows: ObjectNode[]
  /** Where in the rows primitives stand, and where lists do; through objects, in the order in which they are met. */
  fields: Path[]
  lists: Path[]
}

const LEAST_ROWS = 4

/** Names that need no quotes and cannot be taken for a path. */
const PLAIN_NAME = /^[A-Za-z_][\w-]*$/

export function isPrimitive ({ kind }: Reference): boolean {
  return kind !== 'object' && kind !== 'array'
}

/** What stands at a path; null where nothing does. */
export function resolve (root: Reference, path: Path): Reference | null {
  let node: Reference | null = root
  for (const step of path) {
    if (node?.kind === 'object') node = node.members.find(([key]) => key === step)?.[1] ?? null
    else if (node?.kind === 'array') node = node.elements[step as number] ?? null
    else return null
  }
  return node
}

/** The rows of the list or map at a path, which must be one of objects. */
export function rowsAt (root: Reference, path: Path): { keys: string[] | null, rows: ObjectNode[] } {
  const node = resolve(root, path)
  const table = node === null ? null : readRows(node)
  if (table === null) throw new Error(`there are no rows at ${JSON.stringify(path)}`)
  return table
}

function readRows (node: Reference): { keys: string[] | null, rows: ObjectNode[] } | null {
  if (isPrimitive(node)) return null
  const values = node.kind === 'array' ? node.elements : node.kind === 'object' ? node.members.map(([, value]) => value) : []
  if (values.length < LEAST_ROWS || !values.every(value => value.kind === 'object')) return null
  return { keys: node.kind === 'object' ? node.members.map(([key]) => key) : null, rows: values }
}

/** Whether entries of a map are of one kind: each has half of the keys that any of them has. */
function areAlike (rows: ObjectNode[]): boolean {
  const names = new Set(rows.flatMap(({ members }) => members.map(([key]) => key)))
  return rows.every(({ members }) => 2 * members.length >= names.size)
}

/** What of a document can be asked for: its tables, the primitives and the objects outside of these. */
export interface Outline {
  tables: Table[]
  leaves: Path[]
  objects: Path[]
}

/** Only names that need no quotes are followed, so that every path can be written in plain words. */
export function outline (root: Reference): Outline {
  const found: Outline = { tables: [], leaves: [], objects: [] }
  visit(root, [], found)
  return found
}

function visit (node: Reference, path: Path, found: Outline): void {
  const table = readRows(node)
  if (table !== null && (table.keys === null || areAlike(table.rows))) {
    found.tables.push({ path, ...table, ...readColumns(table.rows) })
  } else if (node.kind === 'object') {
    if (node.members.length > 0) found.objects.push(path)
    for (const [key, value] of node.members) if (PLAIN_NAME.test(key)) visit(value, [...path, key], found)
  } else if (node.kind === 'array') {
    node.elements.forEach((value, index) => visit(value, [...path, index], found))
  } else {
    found.leaves.push(path)
  }
}

function readColumns (rows: ObjectNode[]): Pick<Table, 'fields' | 'lists'> {
  const fields = new Map<string, Path>()
  const lists = new Map<string, Path>()
  const enter = (node: ObjectNode, path: Path): void => {
    for (const [key, value] of node.members) {
      if (!PLAIN_NAME.test(key)) continue
      const inner = [...path, key]
      if (value.kind === 'object') enter(value, inner)
      else (value.kind === 'array' ? lists : fields).set(inner.join('.'), inner)
    }
  }
  for (const row of rows) enter(row, [])
  return { fields: [...fields.values()], lists: [...lists.values()] }
}
