/*
 * Which strings stand without quotes in a line of values and are still read as these strings
 * (TOON 4.0 section 7.2). The scanner asks it for every string with the comma as delimiter, since
 * it touches each byte anyway; for other delimiters the encoder asks.
 */

/** Byte ends a plain run of a string: quote, backslash or a raw control character. */
export const STOP = 1
/** Byte needs quotes around the string whatever the delimiter: colon, brackets, braces. */
export const STRUCTURAL = 2
/** Byte is the comma, which needs quotes where it is the delimiter. */
export const COMMA = 4
/** Byte is the pipe. */
export const PIPE = 8

export const BYTE_CLASSES = new Uint8Array(256)
BYTE_CLASSES.fill(STOP, 0, 0x20)
for (const char of '"\\') BYTE_CLASSES[char.charCodeAt(0)] = STOP
for (const char of ':[]{}') BYTE_CLASSES[char.charCodeAt(0)] = STRUCTURAL
BYTE_CLASSES[0x2c] = COMMA
BYTE_CLASSES[0x7c] = PIPE

/** Classes of bytes where the comma is the delimiter: 0, STOP, or STRUCTURAL for all that needs quotes. */
export const COMMA_CLASSES = BYTE_CLASSES.map(cls => cls === COMMA ? STRUCTURAL : cls === PIPE ? 0 : cls)

/** In COMMA_PAIRS: the class is that of the second byte. */
export const SECOND = 1 << 7
/** For two bytes at once, read as a little-endian number: the class of the first that has one, or 0. */
export const COMMA_PAIRS = new Uint8Array(65536).map((_, pair) => {
  const second = COMMA_CLASSES[pair >> 8]
  return COMMA_CLASSES[pair & 255] || (second && SECOND | second)
})

/** For two bytes at once, read as a number: 1 where one of them ends a plain run of a string, else 0. */
export const STOP_PAIRS = new Uint8Array(65536).map((_, pair) => (BYTE_CLASSES[pair & 255] | BYTE_CLASSES[pair >> 8]) & STOP)

/** First byte needs quotes. */
const EDGE_NEVER = 2
/** First byte may begin a number or a literal. */
const EDGE_MAYBE = 1
/** By the first byte of a string: 0 where it leaves it a bare string. */
export const EDGES = new Uint8Array(256)
for (const char of ' -#') EDGES[char.charCodeAt(0)] = EDGE_NEVER
// The quote is what follows the opening quote of an empty string.
for (const char of '+0123456789tfn"') EDGES[char.charCodeAt(0)] = EDGE_MAYBE

/**
 * Whether a string's ends and its whole leave it a bare string: not empty, no blank at an end, no
 * leading - or #, no number, no literal. What stands in its middle is not looked at.
 */
export function hasPlainEdges (bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end || bytes[end - 1] === 0x20) return false
  const edge = EDGES[bytes[start]]
  if (edge === 0) return true
  return edge === EDGE_MAYBE && !isLiteral(bytes, start, end) && !isNumberLike(bytes, start, end)
}

function isLiteral (bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start === 4) return matches(bytes, start, TRUE_BYTES) || matches(bytes, start, NULL_BYTES)
  return end - start === 5 && matches(bytes, start, FALSE_BYTES)
}

export const TRUE_BYTES = new TextEncoder().encode('true')
export const FALSE_BYTES = new TextEncoder().encode('false')
export const NULL_BYTES = new TextEncoder().encode('null')

/** Whether `word` stands at `start`. */
export function matches (bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) {
    if (bytes[start + i] !== word[i]) return false
  }
  return true
}

/** ^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$ without regard to case. */
export function isNumberLike (bytes: Uint8Array, start: number, end: number): boolean {
  let i = start
  if (bytes[i] === 0x2b || bytes[i] === 0x2d) i++
  let from = i
  i = skipDigits(bytes, i, end)
  if (i === from) return false
  if (i < end && bytes[i] === 0x2e) {
    from = ++i
    i = skipDigits(bytes, i, end)
    if (i === from) return false
  }
  if (i < end && (bytes[i] | 0x20) === 0x65) {
    i++
    if (bytes[i] === 0x2b || bytes[i] === 0x2d) i++
    from = i
    i = skipDigits(bytes, i, end)
    if (i === from) return false
  }
  return i === end
}

/** Whether a byte is an ASCII digit; false behind the end of the bytes, where reading gives undefined. */
export function isDigit (byte: number): boolean {
  // What is no digit differs from 0 by more than 9 in its bits, and nothing read by 48.
  return (byte ^ 0x30) < 10
}

/** The position behind the digits at `i`. */
export function skipDigits (bytes: Uint8Array, i: number, end: number): number {
  while (i < end && isDigit(bytes[i])) i++
  return i
}

/** Whether the string spelled from `start` to `end` stands bare where `delimiter` (a byte) parts the values. */
export function isBare (bytes: Uint8Array, start: number, end: number, delimiter: number): boolean {
  const never = STOP | STRUCTURAL | (delimiter === 0x2c ? COMMA : delimiter === 0x7c ? PIPE : 0)
  for (let i = start; i < end; i++) {
    if (BYTE_CLASSES[bytes[i]] & never) return false
  }
  return hasPlainEdges(bytes, start, end)
}
