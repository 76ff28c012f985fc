/** Finds quotes and backslashes in a text of ASCII, where V8 looks for them; each part of the text is searched once. */
export class TextStops {
  private quote = -1
  private backslash = -1

  constructor (private readonly text: string) {}

  /** The first of either at or behind `from`, which is never less than before; the text's length where there is none. */
  next (from: number): number {
    if (this.quote < from) this.quote = this.find('"', from)
    if (this.backslash < from) this.backslash = this.find('\\', from)
    return Math.min(this.quote, this.backslash)
  }

  private find (character: string, from: number): number {
    const at = this.text.indexOf(character, from)
    return at < 0 ? this.text.length : at
  }
}

/** Whether a control character stands in some bytes; `view` is a view of the same bytes. */
export function hasControl (bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
  let i = start
  let found = 0
  for (const last = end - 8; i <= last; i += 8) {
    const first = view.getInt32(i, true)
    const second = view.getInt32(i + 4, true)
    // The top bit of a byte that is less than a blank, and of none where there is no such byte.
    found |= (first - 0x20202020 & ~first) | (second - 0x20202020 & ~second)
  }
  if ((found & 0x80808080) !== 0) return true
  for (; i < end; i++) {
    if (bytes[i] < 0x20) return true
  }
  return false
}
