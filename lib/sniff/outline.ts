/** A container that is still open where the bytes end. */
export interface OpenContainer {
  /** Position of its bracket. */
  start: number
  isObject: boolean
  /** Complete values that are followed by a comma. */
  children: number
  /** Those of them that are containers. */
  containers: number
  /** Position of the last comma of its own; -1 where there is none. */
  cut: number
}

/** What the first bytes of a JSON text leave open. */
export interface Outline {
  /** From the root inwards. */
  open: OpenContainer[]
  /** Whether the root has been closed. */
  isClosed: boolean
  /** Where the string that is a value and has no end yet starts, behind its quote; -1 where there is none. */
  stringStart: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Finds what is open at the end of the first bytes of a JSON text. Of other text it gives something or
 * other: whether it is JSON, a parser must tell.
 */
export function outline (bytes: Uint8Array): Outline {
  const open: OpenContainer[] = []
  let isClosed = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      const close = findQuote(bytes, i + 1)
      if (close < 0) {
        const isKey = open.length > 0 && open[open.length - 1].isObject && !followsColon(bytes, i)
        return { open, isClosed, stringStart: isKey ? -1 : i + 1 }
      }
      i = close
    } else if (byte === 0x2c) {
      if (open.length === 0) continue
      const innermost = open[open.length - 1]
      innermost.children++
      innermost.cut = i
    } else if (byte === 0x7b || byte === 0x5b) {
      open.push({ start: i, isObject: byte === 0x7b, children: 0, containers: 0, cut: -1 })
    } else if (byte === 0x7d || byte === 0x5d) {
      open.pop()
      if (open.length === 0) isClosed = true
      else open[open.length - 1].containers++
    }
  }
  return { open, isClosed, stringStart: -1 }
}

/**
 * The last position at which a string may be cut: not inside an escape, a character or a surrogate pair.
 *
 * @param start where the string starts, behind its quote; it has no end in these bytes
 */
export function findStringCut (bytes: Uint8Array, start: number): number {
  let cut = start
  for (let i = start; i < bytes.length;) {
    const length = bytes[i] === BACKSLASH ? (bytes[i + 1] === 0x75 ? 6 : 2) : characterLength(bytes[i])
    if (i + length > bytes.length) break
    const isHighSurrogate = length === 6 && (bytes[i + 2] | 0x20) === 0x64 && /[89ab]/i.test(String.fromCharCode(bytes[i + 3]))
    i += length
    if (!isHighSurrogate) cut = i
  }
  return cut
}

/** Bytes of a character by its first; what is no first byte of UTF-8 counts as one. */
function characterLength (byte: number): number {
  if (byte < 0xc0) return 1
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

/** Where the string ends that starts at `from`; -1 where it does not end. */
function findQuote (bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++
    else if (bytes[i] === QUOTE) return i
  }
  return -1
}

function followsColon (bytes: Uint8Array, quote: number): boolean {
  let i = quote - 1
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i--
  return bytes[i] === 0x3a
}
