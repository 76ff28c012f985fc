import { toText } from '../json/utf8.js'

const POINT = 0x2e
const MINUS = 0x2d
const ZERO = 0x30
/** Below it, decimals of any 15 digits are different doubles (IEEE 754), so that the one found is the shortest. */
const MAX_EXACT = 1e15
/** Decimal places that are tried before V8 is asked. */
const PLACES = [2, 6]
/** Powers of ten that a double holds exactly. */
const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power)

/**
 * Writes a number as JSON.stringify does, null for one that is not finite. At most 25 bytes.
 *
 * @returns the position behind it
 */
export function writeNumber (bytes: Uint8Array, at: number, value: number): number {
  if ((value | 0) === value) {
    if (value >= 0) return writeDigits(bytes, at, value, 1)
    if (value === -0x80000000) return writeAscii(bytes, at, '-2147483648')
    bytes[at] = MINUS
    return writeDigits(bytes, at + 1, -value, 1)
  }
  const magnitude = Math.abs(value)
  if (magnitude < 1e9 && magnitude >= 1e-6) {
    for (const places of PLACES) {
      const scaled = Math.round(magnitude * POWERS[places])
      if (scaled >= MAX_EXACT || scaled / POWERS[places] !== magnitude) continue
      if (value < 0) bytes[at++] = MINUS
      return writeDecimal(bytes, at, scaled, places)
    }
  }
  return writeAscii(bytes, at, Number.isFinite(value) ? `${value}` : 'null')
}

/** ASCII text; returns the position behind it. */
export function writeAscii (bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
  return at
}

/** Writes scaled / 10 ** places without zeros at its end; it is no integer. */
function writeDecimal (bytes: Uint8Array, at: number, scaled: number, places: number): number {
  const whole = Math.floor(scaled / POWERS[places])
  at = writeDigits(bytes, at, whole, 1)
  bytes[at] = POINT
  at = writeDigits(bytes, at + 1, scaled - whole * POWERS[places], places)
  while (bytes[at - 1] === ZERO) at--
  return at
}

/** Writes an integer from 0 to 2 ** 31 - 1 with at least `least` digits. */
function writeDigits (bytes: Uint8Array, at: number, value: number, least: number): number {
  let digits = 1
  for (let rest = value; rest > 9; digits++) rest = rest / 10 | 0
  const end = at + Math.max(digits, least)
  for (let i = end - 1; i >= at; i--) {
    const tens = value / 10 | 0
    bytes[i] = ZERO + value - tens * 10
    value = tens
  }
  return end
}

/** Whether a span, which holds a JSON number, is read as this value by JSON.parse; 0 and -0 are the same. */
export function isSameNumber (bytes: Uint8Array, start: number, end: number, value: number): boolean {
  const isNegative = bytes[start] === MINUS
  let digits = 0
  let places = -1
  for (let i = isNegative ? start + 1 : start; i < end; i++) {
    const byte = bytes[i]
    if (byte === POINT) {
      places = 0
      continue
    }
    // An exponent, or more than what is divided exactly.
    if (byte > 0x39 || digits >= MAX_EXACT / 10 || places === POWERS.length - 1) return Number(toText(bytes.subarray(start, end))) === value
    digits = digits * 10 + byte - ZERO
    if (places >= 0) places++
  }
  const magnitude = places > 0 ? digits / POWERS[places] : digits
  return (isNegative ? -magnitude : magnitude) === value
}
