import { skipDigits } from './bare.js'

/** Where `scanNumber` stopped; valid until the next call. */
export const scannedNumber = {
  /** What was expected at the position returned; null where a number stands. */
  error: null as string | null,
  /** The lexeme is what the number looks like in plain decimal form, see `isPlainDecimal`. */
  plain: false
}

/** Plain decimal form ends here; above it TOON may use exponents (TOON 4.0 section 2). */
const MAX_PLAIN_DIGITS = 21

/**
 * Reads a number (RFC 8259 section 6) that starts at `start`.
 *
 * @returns the position behind it, or of the byte that is wrong where `scannedNumber.error` is set
 */
export function scanNumber (bytes: Uint8Array, start: number, end: number): number {
  scannedNumber.error = null
  let i = bytes[start] === 0x2d ? start + 1 : start
  const integerStart = i
  i = skipDigits(bytes, i, end)
  const integerEnd = i
  const leadingZero = bytes[integerStart] === 0x30
  if (integerEnd === integerStart) return fail(i, 'a digit')
  if (leadingZero && integerEnd - integerStart > 1) return fail(integerStart + 1, 'no digit behind a leading zero')
  let plain = integerEnd - integerStart <= MAX_PLAIN_DIGITS
  if (i < end && bytes[i] === 0x2e) {
    const fractionStart = ++i
    i = skipDigits(bytes, i, end)
    if (i === fractionStart) return fail(i, 'a digit behind the decimal point')
    // Trailing zeros go, and below 1e-6 an exponent takes over.
    if (bytes[i - 1] === 0x30 || (leadingZero && startsWithSixZeros(bytes, fractionStart))) plain = false
  } else if (leadingZero && integerStart !== start) {
    plain = false
  }
  if (i < end && (bytes[i] | 0x20) === 0x65) {
    plain = false
    i++
    if (i < end && (bytes[i] === 0x2b || bytes[i] === 0x2d)) i++
    const exponentStart = i
    i = skipDigits(bytes, i, end)
    if (i === exponentStart) return fail(i, 'a digit of the exponent')
  }
  scannedNumber.plain = plain
  return i
}

function fail (at: number, expected: string): number {
  scannedNumber.error = expected
  return at
}

function startsWithSixZeros (bytes: Uint8Array, start: number): boolean {
  for (let i = start; i < start + 6; i++) {
    if (bytes[i] !== 0x30) return false
  }
  return true
}

/** A decimal number without loss: sign, digits without zeros at either end, and where the point stands. */
interface Decimal {
  negative: boolean
  /** Empty for zero. */
  digits: string
  /** The value is 0.DIGITS times ten to this power; 0 for zero. */
  point: number
}

/** Exponents of more digits than this leave the integers that a double holds exactly. */
const MAX_EXPONENT_DIGITS = 15

/** The exact value of a JSON number; null where its exponent has more than 15 digits. */
function readDecimal (lexeme: string): Decimal | null {
  const negative = lexeme.startsWith('-')
  const [mantissa, exponent = '0'] = lexeme.slice(negative ? 1 : 0).split(/e/i)
  const [integer, fraction = ''] = mantissa.split('.')
  const all = integer + fraction
  let first = 0
  while (first < all.length && all[first] === '0') first++
  let last = all.length
  while (last > first && all[last - 1] === '0') last--
  const digits = all.slice(first, last)
  if (digits === '') return { negative: false, digits, point: 0 }
  if (exponent.replace(/^[+-]?0*/, '').length > MAX_EXPONENT_DIGITS) return null
  return { negative, digits, point: Number(exponent) + integer.length - first }
}

/**
 * Whether two JSON numbers are the same number; -0 is 0. Numbers with an exponent of more than 15
 * digits are the same only if they are written alike.
 */
export function isSameNumber (a: string, b: string): boolean {
  if (a === b) return true
  const x = readDecimal(a)
  const y = readDecimal(b)
  return x !== null && y !== null && x.negative === y.negative && x.digits === y.digits && x.point === y.point
}

/**
 * The number as TOON 4.0 section 2 wants it, for any number of digits: as Number.prototype.toString
 * would write it if it were exact. Plain decimal from 1e-6 up to 1e21, else with an exponent; one
 * with an exponent of more than 15 digits stays as it is, which is valid TOON too.
 */
export function toCanonicalNumber (lexeme: string): string {
  const decimal = readDecimal(lexeme)
  if (decimal === null) return lexeme
  const { negative, digits, point } = decimal
  if (digits === '') return '0'
  return (negative ? '-' : '') + spellMagnitude(digits, point)
}

function spellMagnitude (digits: string, point: number): string {
  if (point > 0 && point <= MAX_PLAIN_DIGITS) {
    if (digits.length <= point) return digits.padEnd(point, '0')
    return `${digits.slice(0, point)}.${digits.slice(point)}`
  }
  if (point > -6 && point <= 0) return `0.${'0'.repeat(-point)}${digits}`
  const exponent = point - 1
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${digits[0]}${fraction}e${exponent < 0 ? '' : '+'}${exponent}`
}
