import { Document } from '../json/document.js'
import type { NumberEquality } from '../json/equal.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { isSameNumber } from '../json/number.js'
import { unescapeString } from '../json/string-literal.js'
import { ARRAY, COUNT, KEY, KIND_MASK, NUMBER, STRING, WIDE, nextNode } from '../json/tape.js'
import { toText } from '../json/utf8.js'
import type { Embedded } from './find-embedded.js'

/**
 * Whether a document that was restored is the one that came: the same kinds, keys in their order, strings by code unit and
 * numbers by lexeme or by value, but that the strings with embedded documents hold the same documents, whatever their blanks.
 */
export function isSameButEmbedded (document: Document, embedded: readonly Embedded[], restored: Document, numbers: NumberEquality): boolean {
  const { tape, length } = document
  let next = 0
  let x = 0
  let y = 0
  while (x < length && y < restored.length) {
    const kind = tape[x] & KIND_MASK
    if (kind !== (restored.tape[y] & KIND_MASK)) return false
    const one = next < embedded.length && embedded[next].node === x ? embedded[next++] : null
    if (one !== null) {
      if (!isSameString(document, x, restored, y) && !isSameEmbedded(one, restored, y, numbers)) return false
    } else if (!isSameNode(document, x, restored, y, kind, numbers)) {
      return false
    }
    x = kind <= ARRAY ? x + 6 : nextNode(tape, x)
    y = kind <= ARRAY ? y + 6 : nextNode(restored.tape, y)
  }
  return x === length && y === restored.length
}

function isSameNode (a: Document, x: number, b: Document, y: number, kind: number, numbers: NumberEquality): boolean {
  if (kind <= ARRAY) return a.tape[x + COUNT] === b.tape[y + COUNT]
  if (kind === STRING) return isSameString(a, x, b, y)
  if (kind === KEY) return isSameSpan(keyOf(a, x), keyOf(b, y))
  if (kind !== NUMBER) return true
  const [left, right] = [spanOf(a, x), spanOf(b, y)]
  return isSameSpan(left, right) || (numbers === 'value' && isSameNumber(toText(left), toText(right)))
}

function isSameEmbedded ({ document, inner }: Embedded, restored: Document, node: number, numbers: NumberEquality): boolean {
  const { tape, bytes, view } = restored
  const text = unescapeString(bytes, view, tape[node + 1], tape[node + 2])
  // What was encoded comes back as minified JSON, so that it parses; if it does not, that must be seen.
  const other = Document.parse(text as Uint8Array, KNOWN_UTF8)
  const isSame = isSameButEmbedded(document, inner, other, numbers)
  other.dispose()
  return isSame
}

const isSameString = (a: Document, x: number, b: Document, y: number): boolean => isSameSpan(spanOf(a, x), spanOf(b, y))

/** The shortest spelling of a string, or the lexeme of a number. */
function spanOf ({ tape, bytes, arena }: Document, node: number): Uint8Array {
  return tape[node] & WIDE ? arena.subarray(tape[node + 3], tape[node + 4]) : bytes.subarray(tape[node + 1], tape[node + 2])
}

function keyOf ({ tape, keys }: Document, node: number): Uint8Array {
  const key = tape[node + 2]
  return keys.bytes.subarray(keys.starts[key], keys.starts[key + 1])
}

function isSameSpan (a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
  }
  return true
}
