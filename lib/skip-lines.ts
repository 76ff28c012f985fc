const LINE_FEED = 0x0a

/**
 * What stands behind the first lines of a text, the text itself where `count` is 0; nothing where it has no more lines
 * than that. A line ends with LF.
 */
export function skipLines<T extends string | Uint8Array> (text: T, count: number): T {
  let at = 0
  for (let line = 0; line < count; line++) {
    const end = typeof text === 'string' ? text.indexOf('\n', at) : text.indexOf(LINE_FEED, at)
    if (end < 0) return cut(text, text.length)
    at = end + 1
  }
  return at === 0 ? text : cut(text, at)
}

function cut<T extends string | Uint8Array> (text: T, at: number): T {
  return (typeof text === 'string' ? text.slice(at) : text.subarray(at)) as T
}
