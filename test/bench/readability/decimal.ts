/** A decimal number, exactly: digits / 10^scale. */
export interface Decimal {
  digits: bigint
  /** 0 or more. */
  scale: number
}

const NUMBER = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,4}))?$/

/** Larger exponents are no numbers that anyone is asked for, and would take long to write out. */
const LARGEST_EXPONENT = 1000

/** The value of a number as JSON or a person writes it (`.5`, `5.`, `+1`); null where it is none. */
export function parseDecimal (text: string): Decimal | null {
  const match = NUMBER.exec(text)
  if (match === null) return null
  const [, sign, integer, fraction = '', exponent = '0'] = match
  const power = Number(exponent) - fraction.length
  if (integer + fraction === '' || Math.abs(power) > LARGEST_EXPONENT) return null
  const digits = BigInt(`${integer}${fraction}`) * (sign === '-' ? -1n : 1n)
  return power < 0 ? { digits, scale: -power } : { digits: digits * 10n ** BigInt(power), scale: 0 }
}

/** Negative, 0 or positive, as for Array.prototype.sort. */
export function compareDecimals (a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = rescale(a, scale) - rescale(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function addDecimals (a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: rescale(a, scale) + rescale(b, scale), scale }
}

/**
 * A quotient rounded to a number of decimal places; halves go away from zero.
 * @param divisor 1 or more
 */
export function divideDecimal ({ digits, scale }: Decimal, divisor: number, places: number): Decimal {
  const up = Math.max(0, places - scale)
  const numerator = digits * 10n ** BigInt(up)
  const denominator = BigInt(divisor) * 10n ** BigInt(scale + up - places)
  const size = numerator < 0n ? -numerator : numerator
  const rounded = (2n * size + denominator) / (2n * denominator)
  return { digits: numerator < 0n ? -rounded : rounded, scale: places }
}

/** Without an exponent and without zeros that say nothing. */
export function formatDecimal ({ digits, scale }: Decimal): string {
  const size = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const integer = size.slice(0, size.length - scale)
  const fraction = size.slice(size.length - scale).replace(/0+$/, '')
  return `${digits < 0n ? '-' : ''}${integer}${fraction === '' ? '' : `.${fraction}`}`
}

function rescale ({ digits, scale }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale)
}
