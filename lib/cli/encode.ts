import { choose, encode as encodeText } from '../index.js'
import type { Command } from './command.js'
import { ENCODE_FLAGS, resolveCodecOptions } from './encode-flags.js'
import { formatFlags, parseFlags } from './flags.js'
import { writeDocument } from './io.js'
import { withInput } from './with-input.js'

/** `token-gateway encode`: JSON to a smaller text. */
export const encode: Command = {
  help: `Usage: token-gateway encode [flags] [FILE]

Writes the JSON of FILE, or of standard input, in another format. Exit code 1 where the format
cannot hold the document exactly, unless --lossy or --dots underscore allows for that.

${formatFlags(ENCODE_FLAGS)}`,
  async run (argv, io) {
    const { values, positionals: [file] } = parseFlags(argv, ENCODE_FLAGS, 1)
    const { to, options } = resolveCodecOptions(values)
    const text = await withInput(file, io, bytes =>
      to === 'auto' ? choose(bytes, options).text : encodeText(bytes, to, options))
    await writeDocument(text, io)
    return 0
  }
}
