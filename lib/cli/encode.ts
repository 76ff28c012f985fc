import { choose, encode as encodeText } from '../index.js'
import { choiceFlag, formatFlags, parseFlags } from './flags.js'
import type { Flag } from './flags.js'
import type { Command } from './command.js'
import { writeDocument } from './io.js'
import { withInput } from './with-input.js'

type Delimiter = ',' | '\t' | '|'

const DELIMITERS: Record<string, Delimiter> = { ',': ',', tab: '\t', pipe: '|' }

const delimiter: Flag<Delimiter> = {
  placeholder: ',|tab|pipe',
  about: 'what stands between the cells of a TOON row (default ,)',
  expected: '"," or "tab" or "pipe"',
  parse: text => Object.hasOwn(DELIMITERS, text) ? DELIMITERS[text] : undefined
}

const FLAGS = {
  to: choiceFlag(['auto', 'toon', 'stc', 'json'], 'format to write; auto takes what the gateway would (default auto)'),
  delimiter,
  spacing: choiceFlag(['dense', 'adr'], 'spacing of STC (default dense)')
}

/** `token-gateway encode`: JSON to a smaller text. */
export const encode: Command = {
  help: `Usage: token-gateway encode [flags] [FILE]

Writes the JSON of FILE, or of standard input, in another format. Exit code 1 where the format
cannot hold the document exactly.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values: { to = 'auto', ...options }, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    const text = await withInput(file, io, bytes =>
      to === 'auto' ? choose(bytes, options).text : encodeText(bytes, to, options))
    await writeDocument(text, io)
    return 0
  }
}
