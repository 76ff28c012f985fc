import type { Document } from './json/document.js'
import { endOf, startOf } from './json/span.js'
import { ByteWriter } from './json/output.js'
import { replaceBytes, splice } from './json/splice.js'
import { unescapeString } from './json/string-literal.js'
import { ARRAY, KIND_MASK, OBJECT, nextNode } from './json/tape.js'
import { toText } from './json/utf8.js'
import { findRowArray } from './row-array.js'

/** What is kept of an object. */
interface Selection {
  /** Keys of the members that are kept whole. */
  whole: Set<string>
  /** Keys of the members of whose objects something is kept, and what. */
  parts: Map<string, Selection>
  /** The same by the ids of the keys, as far as they were met. */
  byKey: Map<number, Selection | 'whole' | null>
}

/** A path of more keys than this is not followed. */
const MAX_KEYS = 32

/**
 * Cuts the rows of a document down to the fields that are asked for. Rows are the objects of its longest list, be
 * it the document or in it. Where none of them has any of the fields, or there is no such list, and the document is an
 * object, that is the row.
 *
 * @param fields dotted paths; `b.c` keeps c of the object b, or of each object in the list b, or a member whose key is
 * "b.c" itself. Members stay in the order of the row; a row without any of them becomes `{}`
 * @returns JSON with the bytes of what is kept; null where none of the fields is there
 */
export function project (document: Document, fields: readonly string[]): Uint8Array | null {
  const selection = select(fields)
  const array = findRowArray(document, true)
  const projected = array < 0 ? null : cutDown(document, array, selection)
  if (projected !== null || (document.tape[0] & KIND_MASK) !== OBJECT) return projected
  return cutDown(document, 0, selection)
}

function cutDown (document: Document, node: number, selection: Selection): Uint8Array | null {
  const out = new ByteWriter(document.bytes.length >> 2, document)
  const kept = writeSelected(out, document, node, selection)
  return kept === 0 ? null : splice(document.bytes, [replaceBytes(startOf(document, node), endOf(document, node), out.finish())])
}

function select (fields: readonly string[]): Selection {
  const root = emptySelection()
  for (const field of fields) {
    const keys = field.split('.')
    if (keys.length > MAX_KEYS) continue
    let selection = root
    for (let i = 0; i < keys.length; i++) {
      selection.whole.add(keys.slice(i).join('.'))
      let next = selection.parts.get(keys[i])
      if (next === undefined) {
        next = emptySelection()
        selection.parts.set(keys[i], next)
      }
      selection = next
    }
  }
  return root
}

const emptySelection = (): Selection => ({ whole: new Set(), parts: new Map(), byKey: new Map() })

/** Writes what is kept of an object, or of the objects in a list, and returns how many members that are. */
function writeSelected (out: ByteWriter, document: Document, node: number, selection: Selection): number {
  if ((document.tape[node] & KIND_MASK) === OBJECT) return writeObject(out, document, node, selection)
  const { tape } = document
  const end = tape[node + 2]
  let kept = 0
  let isFirst = true
  out.byte(0x5b)
  for (let element = node + 6; element < end; element = nextNode(tape, element)) {
    if ((tape[element] & KIND_MASK) !== OBJECT) continue
    if (!isFirst) out.byte(0x2c)
    isFirst = false
    kept += writeObject(out, document, element, selection)
  }
  out.byte(0x5d)
  return kept
}

function writeObject (out: ByteWriter, document: Document, object: number, selection: Selection): number {
  const { tape, bytes } = document
  const end = tape[object + 2]
  let kept = 0
  out.byte(0x7b)
  for (let node = object + 6; node < end; node = nextNode(tape, node + 3)) {
    const part = partOf(document, tape[node + 2], selection)
    if (part === null) continue
    const before = out.at
    const value = node + 3
    const start = tape[node + 1] - 1
    if (kept > 0) out.byte(0x2c)
    if (part === 'whole') {
      out.copy(bytes, start, endOf(document, value))
      kept++
      continue
    }
    if ((tape[value] & KIND_MASK) > ARRAY) {
      out.at = before
      continue
    }
    out.copy(bytes, start, startOf(document, value))
    const inside = writeSelected(out, document, value, part)
    if (inside === 0) out.at = before
    else kept++
  }
  out.byte(0x7d)
  return kept
}

function partOf ({ keys }: Document, key: number, { whole, parts, byKey }: Selection): Selection | 'whole' | null {
  let part = byKey.get(key)
  if (part === undefined) {
    const text = unescapeString(keys.bytes, keys.view, keys.starts[key], keys.starts[key + 1])
    const name = text === null ? null : toText(text)
    part = name === null ? null : whole.has(name) ? 'whole' : parts.get(name) ?? null
    byKey.set(key, part)
  }
  return part
}
