import { FALSE_BYTES, NULL_BYTES, TRUE_BYTES, isDigit, matches } from '../json/bare.js'
import { Failure } from '../json/errors.js'
import { scanNumber, scannedNumber } from '../json/number.js'
import type { Sink } from '../json/sink.js'
import type { StringReader } from '../json/string-reader.js'
import { FALSE, NULL, TRUE } from '../json/tape.js'

/**
 * Reads the primitive at `i`, which both versions of STC spell as JSON does, and returns the position behind it.
 *
 * @param strings reads strings of the same text
 * @throws Failure where none stands there
 */
export function readPrimitive (text: Uint8Array, i: number, strings: StringReader, sink: Sink): number {
  const byte = text[i]
  if (byte === 0x22) {
    const next = strings.readJson(i)
    sink.string(strings.bytes, strings.start, strings.end)
    return next
  }
  if (byte === 0x2d || isDigit(byte)) {
    const next = scanNumber(text, i, text.length)
    if (scannedNumber.error !== null) throw new Failure(next, scannedNumber.error)
    sink.number(text, i, next)
    return next
  }
  if (matches(text, i, TRUE_BYTES)) return readLiteral(TRUE, i + 4, sink)
  if (matches(text, i, FALSE_BYTES)) return readLiteral(FALSE, i + 5, sink)
  if (matches(text, i, NULL_BYTES)) return readLiteral(NULL, i + 4, sink)
  throw new Failure(i, 'a value')
}

function readLiteral (kind: number, next: number, sink: Sink): number {
  sink.literal(kind)
  return next
}
