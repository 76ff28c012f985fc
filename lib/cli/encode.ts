import { choose, encode as encodeText } from '../index.js'
import type { Command } from './command.js'
import { ENCODE_FLAGS, resolveCodecOptions } from './encode-flags.js'
import { acceptAll, descend, encodings } from './encodings-flag.js'
import { CliError } from './errors.js'
import { formatFlags, parseFlags } from './flags.js'
import { writeDocument, writeError } from './io.js'
import { TOKEN_FLAGS } from './token-flags.js'
import { withInput } from './with-input.js'

const FLAGS = { ...ENCODE_FLAGS, ...TOKEN_FLAGS, encodings, descend }

/** `token-gateway encode`: JSON to a smaller text. */
export const encode: Command = {
  help: `Usage: token-gateway encode [flags] [FILE]

Writes the JSON of FILE, or of standard input, in another format. Exit code 1 where the format
cannot hold the document exactly, unless --lossy or --dots underscore allows for that. With --descend
standard error gets what decode --paths needs, as JSON.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    const { to, options } = resolveCodecOptions(values)
    for (const name of ['descend', 'encodings'] as const) {
      if (name in values && to !== 'auto') throw new CliError(`--${name}: expected --to auto with it, got --to ${to}`)
    }
    const { measure, tokenizer } = values
    const { text, codec, descent } = await withInput(file, io, bytes => to === 'auto'
      ? choose(bytes, { ...options, measure, tokenizer, accepted: acceptAll(values.encodings), descend: values.descend })
      : { text: encodeText(bytes, to, options), codec: to, descent: null })
    if (values.descend) await writeError(`${JSON.stringify({ codec, ...(descent ?? { paths: [] }) })}\n`, io)
    await writeDocument(text, io)
    return 0
  }
}
