/** A header field as Node gives it: absent, one line (repeated lines joined), or several lines. */
export type FieldValue = string | readonly string[] | undefined

/** One element of a comma-separated field such as Accept or Accept-Encoding. */
export interface Element {
  /** Lowercase: a content coding, a media range such as `text/toon`, or `*`; empty where there is none. */
  name: string
  /** Parameters but `q`, names in lowercase, quotes taken off the values; the first of a name counts. */
  parameters: ReadonlyMap<string, string>
  /** 0 to 1, 1 where it is not given; null where the weight does not follow the grammar. */
  q: number | null
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

// qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )
const QVALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Splits one field line at a separator that stands outside of quoted strings, in one pass. A quoted
 * string without an end takes the rest of the line.
 *
 * @returns the pieces as they stand, white space included; joined by the separator they give the line
 */
export function splitOutsideQuotes (line: string, separator: ',' | ';'): string[] {
  if (!line.includes('"')) return line.split(separator)
  const pieces: string[] = []
  let start = 0
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const character = line[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') {
      quoted = true
    } else if (character === separator) {
      pieces.push(line.slice(start, i))
      start = i + 1
    }
  }
  pieces.push(line.slice(start))
  return pieces
}

/**
 * Reads one list element: a name, then `;`-separated parameters, of which `q` is the weight (RFC 9110
 * section 12.4.2). White space around the parts is optional, letter case of names has no meaning.
 *
 * @returns the element; a weight outside the grammar, or given twice, makes `q` null
 */
export function parseElement (text: string): Element {
  if (!text.includes(';')) return { name: text.trim().toLowerCase(), parameters: NO_PARAMETERS, q: 1 }
  const pieces = splitOutsideQuotes(text, ';')
  const parameters = new Map<string, string>()
  let q: number | null | undefined
  for (let i = 1; i < pieces.length; i++) {
    const piece = pieces[i].trim()
    const equals = piece.indexOf('=')
    const name = (equals < 0 ? piece : piece.slice(0, equals)).toLowerCase()
    const value = equals < 0 ? '' : piece.slice(equals + 1)
    if (name.trimEnd() === 'q') q = q === undefined && name === 'q' && QVALUE.test(value) ? Number(value) : null
    else if (name !== '' && !parameters.has(name)) parameters.set(name, unquote(value))
  }
  return { name: pieces[0].trim().toLowerCase(), parameters, q: q === undefined ? 1 : q }
}

/**
 * Reads all elements of a field, over repeated lines (RFC 9110 section 5.3), in order.
 *
 * @returns the elements that have a name and a valid weight; one that has not is as good as not there
 */
export function parseFieldList (value: FieldValue): (Element & { q: number })[] {
  const elements: (Element & { q: number })[] = []
  for (const line of fieldLines(value)) {
    for (const piece of splitOutsideQuotes(line, ',')) {
      const element = parseElement(piece)
      if (element.name !== '' && element.q !== null) elements.push({ ...element, q: element.q })
    }
  }
  return elements
}

/** The lines of a field, none where it is absent. */
export function fieldLines (value: FieldValue): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}

function unquote (value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  return value.slice(1, -1).replace(/\\(.)/g, '$1')
}
