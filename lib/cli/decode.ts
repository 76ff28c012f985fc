import { CODING_NAMES, decode as decodeText } from '../index.js'
import { CliError } from './errors.js'
import { choiceFlag, formatFlags, parseFlags } from './flags.js'
import type { Command } from './command.js'
import { writeDocument } from './io.js'
import { withInput } from './with-input.js'

const FLAGS = { from: choiceFlag(CODING_NAMES, 'format to read') }

/** `token-gateway decode`: back to JSON. */
export const decode: Command = {
  help: `Usage: token-gateway decode --from ${FLAGS.from.placeholder} [FILE]

Writes the text of FILE, or of standard input, as minified JSON, numbers digit for digit.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values: { from }, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    if (from === undefined) throw new CliError(`--from: expected ${FLAGS.from.expected}, got nothing`)
    const text = await withInput(file, io, bytes => decodeText(bytes, from))
    await writeDocument(text, io)
    return 0
  }
}
