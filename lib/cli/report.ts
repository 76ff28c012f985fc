import { writeFile } from 'node:fs/promises'
import type { Command } from './command.js'
import { acceptAll, descend, encodings } from './encodings-flag.js'
import { CliError, describeError } from './errors.js'
import { formatFlags, parseFlags } from './flags.js'
import type { Flag, Switch } from './flags.js'
import { write } from './io.js'
import { formatHtml } from './report/format-html.js'
import { formatText } from './report/format-text.js'
import { measureFiles } from './report/measure-files.js'
import { DEFAULT_TOKENIZER, TOKEN_FLAGS } from './token-flags.js'

const html: Flag<string> = {
  placeholder: 'FILE',
  about: 'also write the report as one self-contained page, with a chart',
  expected: 'a file name',
  parse: text => text === '' || text.startsWith('-') ? undefined : text
}
const json: Switch = { about: 'write the rows as JSON instead of tables' }
const noTokens: Switch = { about: 'bytes only, which is faster' }

const FLAGS = { html, json, encodings, descend, ...TOKEN_FLAGS, 'no-tokens': noTokens }

async function writePage (file: string, page: string): Promise<void> {
  try {
    await writeFile(file, page)
  } catch (error) {
    throw new CliError(`--html: ${file}: ${describeError(error)}`)
  }
}

/** `token-gateway report`: what the gateway would save over many files. */
export const report: Command = {
  help: `Usage: token-gateway report [flags] FILE|DIR...

Shows what the gateway would save on the JSON of each FILE (- is standard input), and of all .json
files in each DIR and below, whatever their size: bytes and tokens (counted, not estimated) as sent,
as minified JSON and as chosen, the winner by file and by directory, sums and the mean of the
shares. A file that is no JSON is listed with the reason; exit code 1 only where none could be read.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values, positionals } = parseFlags(argv, FLAGS, Infinity)
    if (positionals.length === 0) throw new CliError('expected FILE or DIR, got nothing')
    const tokenizer = values['no-tokens'] ? null : values.tokenizer ?? DEFAULT_TOKENIZER
    const savings = await measureFiles(positionals, tokenizer, { measure: values.measure, tokenizer: values.tokenizer, accepted: acceptAll(values.encodings), descend: values.descend }, io)
    await write(values.json ? `${JSON.stringify(savings, null, 2)}\n` : formatText(savings), io)
    if (savings.all === null) throw new CliError('no JSON file could be read')
    if (values.html !== undefined) await writePage(values.html, formatHtml(savings, savings.all))
    return 0
  }
}
