const OTHER = 0
const LETTER = 1
const MARK = 2
const BLANK = 3

/**
 * Parts a text behind every `longest` UTF-16 units of letters, of marks or of blanks in a row, and returns the
 * parts; what is not ASCII counts as a letter. Surrogate pairs stay whole.
 */
export function cutRuns (text: string, longest: number): string[] {
  const parts: string[] = []
  let partStart = 0
  let runStart = 0
  let runKind = OTHER
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const kind = kindOf(unit)
    if (kind !== runKind) {
      runKind = kind
      runStart = i
    } else if (kind !== OTHER && i - runStart >= longest && (unit & 0xfc00) !== 0xdc00) {
      parts.push(text.slice(partStart, i))
      partStart = runStart = i
    }
  }
  parts.push(text.slice(partStart))
  return parts
}

function kindOf (unit: number): number {
  if (unit >= 0x80 || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return LETTER
  if (unit >= 0x30 && unit <= 0x39) return OTHER
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) ? BLANK : MARK
}
