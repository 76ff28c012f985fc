import { CODING_NAMES, decode as decodeText } from '../index.js'
import type { CodecName } from '../index.js'
import { toText } from '../json/utf8.js'
import { CliError } from './errors.js'
import { choiceFlag, formatFlags, parseFlags } from './flags.js'
import type { Flag } from './flags.js'
import type { Command } from './command.js'
import { writeDocument } from './io.js'
import { withInput } from './with-input.js'

const paths: Flag<string> = {
  placeholder: 'FILE',
  about: 'what encode --descend wrote to standard error; it names the format, too',
  expected: 'a file name',
  parse: text => text === '' || text.startsWith('-') ? undefined : text
}

const FLAGS = { from: choiceFlag(CODING_NAMES, 'format to read'), paths }

interface Descent { codec: CodecName, paths: string[], outer?: 'json' }

/** @throws TypeError where that is not what encode writes */
function readDescent (text: string): Descent {
  const descent = JSON.parse(text) as Partial<Descent> | null
  const isKnown = descent?.codec === 'json' || CODING_NAMES.some(name => name === descent?.codec)
  if (!isKnown || !Array.isArray(descent?.paths) || !descent.paths.every(path => typeof path === 'string')) throw new TypeError('expected {"codec":...,"paths":[...]}')
  return descent as Descent
}

/** `token-gateway decode`: back to JSON. */
export const decode: Command = {
  help: `Usage: token-gateway decode --from ${FLAGS.from.placeholder} | --paths FILE [FILE]

Writes the text of FILE, or of standard input, as minified JSON, numbers digit for digit.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    const descent = values.paths === undefined ? null : await withInput(values.paths, io, bytes => readDescent(toText(bytes)))
    const from = values.from ?? descent?.codec
    if (from === undefined) throw new CliError(`--from: expected ${FLAGS.from.expected}, got nothing`)
    const text = await withInput(file, io, bytes => decodeText(bytes, from, { paths: descent?.paths, outer: descent?.outer }))
    await writeDocument(text, io)
    return 0
  }
}
