import { isDigit } from '../json/bare.js'
import { scanNumber, scannedNumber } from '../json/number.js'
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

/**
 * Whether a JSON number (RFC 8259 section 6) starts here that JSON.parse reads as this value; 0 and -0 are the same.
 *
 * @returns the position behind it, or -1
 */
export function skipSameNumber (bytes: Uint8Array, start: number, end: number, value: number): number {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  let i = first
  let digits = 0
  for (; i < end && isDigit(bytes[i]); i++) digits = digits * 10 + bytes[i] - ZERO
  if (i === first || (bytes[first] === ZERO && i > first + 1)) return -1
  let places = 0
  if (bytes[i] === POINT && i < end) {
    const fraction = ++i
    for (; i < end && isDigit(bytes[i]); i++) digits = digits * 10 + bytes[i] - ZERO
    places = i - fraction
    if (places === 0) return -1
  }
  // An exponent, or more than what is divided exactly.
  if (digits >= MAX_EXACT || places >= POWERS.length || (i < end && (bytes[i] | 0x20) === 0x65)) return skipSameLongNumber(bytes, start, end, value)
  const magnitude = places > 0 ? digits / POWERS[places] : digits
  return (isNegative ? -magnitude : magnitude) === value ? i : -1
}

function skipSameLongNumber (bytes: Uint8Array, start: number, end: number, value: number): number {
  const behind = scanNumber(bytes, start, end)
  return scannedNumber.error === null && Number(toText(bytes.subarray(start, behind))) === value ? behind : -1
}
