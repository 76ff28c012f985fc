import type { Document } from '../json/document.js'
import { KIND_MASK, NUMBER, ODD_ESCAPES, PLAIN, RECORD, STRING, ARRAY, WIDE, WIDE_RECORD } from '../json/tape.js'
import { toCanonicalNumber } from '../json/number.js'
import { toText } from '../json/utf8.js'

/** By how many bytes the values that TOON spells in another way than JSON are longer in TOON. */
export function measureIrregularValues ({ tape, length, bytes, arena }: Document): number {
  let size = 0
  for (let at = 0; at < length;) {
    const head = tape[at]
    const kind = head & KIND_MASK
    if (kind === NUMBER && (head & PLAIN) === 0) {
      const lexeme = toText(bytes.subarray(tape[at + 1], tape[at + 2]))
      size += toCanonicalNumber(lexeme).length - lexeme.length
    } else if (kind === STRING && (head & ODD_ESCAPES) !== 0) {
      size += measureOddEscapes(arena, tape[at + 3], tape[at + 4])
    }
    at += kind <= ARRAY ? 2 * RECORD : head & WIDE ? WIDE_RECORD : RECORD
  }
  return size
}

/** TOON has no \b and no \f: they take four bytes more, as \u0008 and \u000c. */
export function measureOddEscapes (spelling: Uint8Array, start: number, end: number): number {
  let size = 0
  for (let i = start; i < end; i++) {
    if (spelling[i] !== 0x5c) continue
    i++
    if (spelling[i] === 0x62 || spelling[i] === 0x66) size += 4
  }
  return size
}
