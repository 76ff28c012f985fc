import type { Document } from './document.js'
import { isSameNumber } from './number.js'
import { ARRAY, COUNT, KEY, KIND_MASK, NUMBER, RECORD, STRING, WIDE, WIDE_RECORD } from './tape.js'
import { toText } from './utf8.js'

/** When two numbers are the same: if their lexemes are, or if their values are. */
export type NumberEquality = 'lexeme' | 'value'

/**
 * Whether two documents hold the same data: kinds, order and duplicates of keys, strings by code
 * unit, numbers by lexeme or exactly by value (-0 is 0 then). Blanks and the spelling of escapes do
 * not count.
 */
export function isEqual (a: Document, b: Document, numbers: NumberEquality = 'lexeme'): boolean {
  let x = 0
  let y = 0
  while (x < a.length && y < b.length) {
    const kind = a.tape[x] & KIND_MASK
    if (kind !== (b.tape[y] & KIND_MASK)) return false
    if (kind <= ARRAY) {
      if (a.tape[x + COUNT] !== b.tape[y + COUNT]) return false
      x += 2 * RECORD
      y += 2 * RECORD
      continue
    }
    if (kind === KEY) {
      if (!isSameSpan(keySpan(a, x), keySpan(b, y))) return false
    } else if (kind === STRING) {
      if (!isSameSpan(stringSpan(a, x), stringSpan(b, y))) return false
    } else if (kind === NUMBER) {
      const [left, right] = [lexeme(a, x), lexeme(b, y)]
      if (left !== right && (numbers === 'lexeme' || !isSameNumber(left, right))) return false
    }
    x += a.tape[x] & WIDE ? WIDE_RECORD : RECORD
    y += b.tape[y] & WIDE ? WIDE_RECORD : RECORD
  }
  return x === a.length && y === b.length
}

type Span = [bytes: Uint8Array, start: number, end: number]

function keySpan ({ tape, keys }: Document, node: number): Span {
  const key = tape[node + 2]
  return [keys.bytes, keys.starts[key], keys.starts[key + 1]]
}

function stringSpan ({ tape, bytes, arena }: Document, node: number): Span {
  return tape[node] & WIDE ? [arena, tape[node + 3], tape[node + 4]] : [bytes, tape[node + 1], tape[node + 2]]
}

function lexeme ({ tape, bytes }: Document, node: number): string {
  return toText(bytes.subarray(tape[node + 1], tape[node + 2]))
}

function isSameSpan ([a, aStart, aEnd]: Span, [b, bStart, bEnd]: Span): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false
  for (let i = aStart, k = bStart; i < aEnd; i++, k++) {
    if (a[i] !== b[k]) return false
  }
  return true
}
