import { CODING_NAMES } from '../codec.js'
import type { CodecName, CodecOptions } from '../codec.js'
import { toBytes } from '../json/utf8.js'
import { isPlainName } from '../rows/scalar.js'
import { CliError } from './errors.js'
import { choiceFlag } from './flags.js'
import type { Flag, Switch, Values } from './flags.js'

type Delimiter = ',' | '\t' | '|'

const DELIMITERS: Record<string, Delimiter> = { ',': ',', tab: '\t', pipe: '|' }

const delimiter: Flag<Delimiter> = {
  placeholder: ',|tab|pipe',
  about: 'what stands between the cells of a TOON row (default ,)',
  expected: '"," or "tab" or "pipe"',
  parse: text => Object.hasOwn(DELIMITERS, text) ? DELIMITERS[text] : undefined
}

const lossy: Switch = { about: 'rows: write what does not come back exactly, too' }

function parseObjectName (text: string): string | undefined {
  const bytes = toBytes(text)
  return isPlainName(bytes, 0, bytes.length) ? text : undefined
}

const objectName: Flag<string> = {
  placeholder: 'NAME',
  about: 'rows: name of the block that a root array makes (default data)',
  expected: 'a name without any of ,|[]\\()= and without # or blanks at its ends',
  parse: parseObjectName
}

/** The flags of `encode`. */
export const ENCODE_FLAGS = {
  to: choiceFlag(['auto', ...CODING_NAMES, 'json'] as const, 'format to write; auto takes what the gateway would (default auto)'),
  delimiter,
  spacing: choiceFlag(['dense', 'adr'], 'spacing of STC (default dense)'),
  dots: choiceFlag(['decline', 'underscore'], 'toon-flatten: keys that hold a dot; underscore cannot be undone (default decline)'),
  lossy,
  'object-name': objectName
}

/** Flags of codings that are never chosen but by name: a text that loses something has to be asked for. */
const BY_NAME_ONLY = { dots: 'toon-flatten', lossy: 'rows', 'object-name': 'rows' } as const

/**
 * What the flags say, as options of the codecs.
 * @throws CliError for a flag of another format than the one that is written
 */
export function resolveCodecOptions (values: Values<typeof ENCODE_FLAGS>): { to: 'auto' | CodecName, options: CodecOptions } {
  const { to = 'auto', delimiter, spacing, dots, lossy, 'object-name': objectName } = values
  for (const [name, owner] of Object.entries(BY_NAME_ONLY)) {
    if (name in values && to !== owner) throw new CliError(`--${name}: expected --to ${owner} with it, got --to ${to}`)
  }
  return { to, options: { delimiter, spacing, flatten: { dots }, rows: { lossy, objectName } } }
}
