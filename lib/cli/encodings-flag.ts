import { CODING_NAMES, DEFAULT_CODINGS } from '../codec.js'
import type { CodingName } from '../codec.js'
import type { Policy } from '../choose.js'
import type { Flag, Switch } from './flags.js'

function parseEncodings (text: string): CodingName[] | undefined {
  const names = [...new Set(text.split(',').map(name => name.trim()))]
  const known = CODING_NAMES.filter(name => names.includes(name))
  return known.length === names.length ? names as CodingName[] : undefined
}

/** Which codings are on offer. */
export const encodings: Flag<CodingName[]> = {
  placeholder: 'LIST',
  about: `codings on offer, in the order of preference (default ${DEFAULT_CODINGS.join(',')})`,
  expected: `a comma-separated list of ${CODING_NAMES.join(', ')}`,
  parse: parseEncodings
}

/** Whether strings are looked into. */
export const descend: Switch = { about: 'encode JSON documents in strings, too' }

/** The codings of a list as the chooser wants them, each as welcome as the others. */
export function acceptAll (names: readonly CodingName[] = DEFAULT_CODINGS): Policy['accepted'] {
  return names.map(codec => ({ codec, q: 1 }))
}
