import { choose, encode as encodeText } from '../index.js'
import type { Command } from './command.js'
import { ENCODE_FLAGS, resolveCodecOptions } from './encode-flags.js'
import { formatFlags, parseFlags } from './flags.js'
import { writeDocument } from './io.js'
import { TOKEN_FLAGS } from './token-flags.js'
import { withInput } from './with-input.js'

const FLAGS = { ...ENCODE_FLAGS, ...TOKEN_FLAGS }

/** `token-gateway encode`: JSON to a smaller text. */
export const encode: Command = {
  help: `Usage: token-gateway encode [flags] [FILE]

Writes the JSON of FILE, or of standard input, in another format. Exit code 1 where the format
cannot hold the document exactly, unless --lossy or --dots underscore allows for that.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    const { to, options } = resolveCodecOptions(values)
    const text = await withInput(file, io, bytes =>
      to === 'auto' ? choose(bytes, { ...options, measure: values.measure, tokenizer: values.tokenizer }).text : encodeText(bytes, to, options))
    await writeDocument(text, io)
    return 0
  }
}
