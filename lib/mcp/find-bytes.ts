import { toBytes } from '../json/utf8.js'

/** A short ASCII text that is looked for, with how far to go on behind each byte that may stand under its last. */
export interface Needle {
  bytes: Uint8Array
  skips: Uint8Array
}

export function makeNeedle (text: string): Needle {
  const bytes = toBytes(text)
  const skips = new Uint8Array(256).fill(bytes.length)
  for (let i = 0; i < bytes.length - 1; i++) skips[bytes[i]] = bytes.length - 1 - i
  return { bytes, skips }
}

/** Whether the text stands anywhere in the bytes (Horspool's search: most bytes are not looked at). */
export function hasNeedle (bytes: Uint8Array, { bytes: needle, skips }: Needle): boolean {
  const last = needle.length - 1
  const end = bytes.length
  let i = last
  while (i < end) {
    let k = last
    while (k >= 0 && bytes[i - last + k] === needle[k]) k--
    if (k < 0) return true
    i += skips[bytes[i]]
  }
  return false
}
