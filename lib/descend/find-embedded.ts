import { Document } from '../json/document.js'
import { JsonSyntaxError } from '../json/errors.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { unescapeString } from '../json/string-literal.js'
import { TextRooms } from '../json/text-rooms.js'
import { ARRAY, COUNT, KEY, KIND_MASK, STRING, WIDE, nextNode } from '../json/tape.js'
import { toToken } from './pointer.js'

/** A string that is one JSON document, an object or an array. */
export interface Embedded {
  /** Its node on the tape of the document around it. */
  node: number
  /** Its JSON Pointer in the document around it. */
  pointer: string
  document: Document
  /** The strings in it that are documents themselves. */
  inner: Embedded[]
  /** Its minified JSON, and the size of that as a string in JSON, once somebody has asked. */
  minified?: { text: Uint8Array, size: number }
}

/** Strings of fewer bytes are not looked into. */
export const MIN_EMBEDDED_BYTES = 64
const MAX_LEVELS = 2
/** So many strings may look like JSON and be none before the rest is taken to be like them; an exception is dear. */
const MAX_FAILURES = 64

interface Search {
  rooms: TextRooms
  maxDepth: number
  failures: number
}

/**
 * Finds the JSON documents in the strings of a document, and in the strings of these, in their order. A document
 * with duplicate keys, where a pointer would name two places, is not looked into, nor one deeper than `maxDepth`.
 *
 * @param rooms where the texts are; the documents must not be used after it has taken them back
 */
export function findEmbedded (document: Document, maxDepth: number, rooms = new TextRooms()): Embedded[] {
  return find(document, 1, { rooms, maxDepth, failures: 0 })
}

/** Ends the use of all documents that were found. */
export function disposeEmbedded (embedded: readonly Embedded[]): void {
  for (const { document, inner } of embedded) {
    disposeEmbedded(inner)
    document.dispose()
  }
}

function find (document: Document, level: number, search: Search): Embedded[] {
  const found: Embedded[] = []
  if (document.hasDuplicateKeys || document.depth > search.maxDepth) return found
  const { tape, length } = document
  // Containers that are open, and the key id or index of the child that is being read.
  const open: number[] = []
  const children: number[] = []
  let node = 0
  while (node < length) {
    const kind = tape[node] & KIND_MASK
    if (kind === KEY) {
      children[open.length - 1] = tape[node + 2]
      node += 3
      continue
    }
    if (open.length > 0 && (tape[open[open.length - 1]] & KIND_MASK) === ARRAY) children[open.length - 1]++
    if (kind <= ARRAY && tape[node + COUNT] > 0) {
      open.push(node)
      children.push(-1)
      node += 6
      continue
    }
    if (kind === STRING && mayBeJson(document, node)) {
      const embedded = read(document, node, level, search)
      const pointer = embedded === null ? null : pointerOf(document, open, children)
      if (embedded !== null && pointer !== null) found.push({ ...embedded, node, pointer })
    }
    node = nextNode(tape, node)
    while (open.length > 0 && tape[open[open.length - 1] + 2] === node) {
      open.pop()
      children.pop()
    }
  }
  return found
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
/** Behind the opening brace or bracket: a quote or the end; for an array the start of any value. */
const STARTS_OBJECT = new Set([0x22, 0x7d])
const STARTS_ARRAY = new Set(Array.from('"{[]-0123456789tfn', char => char.charCodeAt(0)))

/** A look at the ends of a string, since most are no JSON; it looks past the escapes of blanks. */
function mayBeJson ({ tape, bytes, arena }: Document, node: number): boolean {
  const isWide = (tape[node] & WIDE) !== 0
  const source = isWide ? arena : bytes
  const start = tape[node + (isWide ? 3 : 1)]
  const end = tape[node + (isWide ? 4 : 2)]
  if (end - start < MIN_EMBEDDED_BYTES) return false
  const first = source[start]
  if (first !== 0x7b && first !== 0x5b) return false
  let i = start + 1
  while (i < end && (isBlank(source[i]) || isEscapedBlank(source, i))) i += isBlank(source[i]) ? 1 : 2
  const second = source[i] === 0x5c ? source[i + 1] : source[i]
  if (!(first === 0x7b ? STARTS_OBJECT : STARTS_ARRAY).has(second)) return false
  let last = end - 1
  while (last > i && (isBlank(source[last]) || isEscapedBlank(source, last - 1))) last -= isBlank(source[last]) ? 1 : 2
  return source[last] === (first === 0x7b ? 0x7d : 0x5d)
}

function isEscapedBlank (source: Uint8Array, at: number): boolean {
  const letter = source[at + 1]
  return source[at] === 0x5c && (letter === 0x6e || letter === 0x72 || letter === 0x74)
}

function read (document: Document, node: number, level: number, search: Search): Pick<Embedded, 'document' | 'inner'> | null {
  const { tape, bytes, view } = document
  const text = search.failures < MAX_FAILURES ? unescapeString(bytes, view, tape[node + 1], tape[node + 2], search.rooms.take) : null
  if (text === null || text.length < MIN_EMBEDDED_BYTES) return null
  try {
    const embedded = Document.parse(text, KNOWN_UTF8)
    return { document: embedded, inner: level < MAX_LEVELS ? find(embedded, level + 1, search) : [] }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    search.failures++
    return null
  }
}

/** Null where a key is no Unicode, which a pointer cannot say. */
function pointerOf (document: Document, open: readonly number[], children: readonly number[]): string | null {
  let pointer = ''
  for (let depth = 0; depth < open.length; depth++) {
    const isArray = (document.tape[open[depth]] & KIND_MASK) === ARRAY
    const token = isArray ? String(children[depth]) : toToken(document.keys, children[depth])
    if (token === null) return null
    pointer += `/${token}`
  }
  return pointer
}
