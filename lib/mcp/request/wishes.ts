import type { FormatName } from '../../codec-names.js'
import { CODING_NAMES } from '../../codec.js'

const FORMATS: ReadonlySet<string> = new Set<FormatName>([...CODING_NAMES, 'json', 'markdown'])

/** The format of that name, letter case aside; undefined where there is none. */
export function parseFormat (text: string): FormatName | undefined {
  const name = text.trim().toLowerCase()
  return FORMATS.has(name) ? name as FormatName : undefined
}

/** Dotted paths from a list with commas; undefined where it names none. */
export function parseFields (text: string): string[] | undefined {
  const fields = text.split(',').map(field => field.trim()).filter(field => field !== '')
  return fields.length > 0 ? fields : undefined
}
