import { isUtf8 } from 'node:buffer'
import { CODING_NAMES, DEFAULT_CODINGS, Document, encode, inspect as inspectDocument } from '../index.js'
import type { CandidateReport, Policy } from '../index.js'
import { toText } from '../json/utf8.js'
import type { TokenEncoding } from '../tokens/encodings.js'
import { countTokens } from '../tokens/exact.js'
import type { Command } from './command.js'
import { formatFlags, parseFlags } from './flags.js'
import type { Switch } from './flags.js'
import { formatShare } from './format-share.js'
import { write } from './io.js'
import { formatTable } from './table.js'
import { DEFAULT_TOKENIZER, TOKEN_FLAGS } from './token-flags.js'
import { withInput } from './with-input.js'

const all: Switch = { about: 'also the codings that are not offered by default, as if they were' }
const FLAGS = { all, ...TOKEN_FLAGS }

const HEAD = ['', 'candidate', 'bytes', 'of minified', 'of original', 'tokens', 'of minified', 'verified', 'ms']

async function formatInspection (bytes: Uint8Array, isAll: boolean, measure: Policy['measure'], tokenizer: TokenEncoding): Promise<string> {
  const document = Document.parse(bytes, { isUtf8 })
  const accepted = (isAll ? CODING_NAMES : DEFAULT_CODINGS).map(codec => ({ codec, q: 1 }))
  const { original, minified, candidates } = inspectDocument(document, { accepted, measure, tokenizer })
  const minifiedTokens = await countTokens(encode(document, 'json'), tokenizer)

  function formatRow (name: string, winner: boolean, size: number, tokens: number, verified: string, ms: string): string[] {
    return [
      winner ? '*' : '', name,
      String(size), formatShare(size / minified.bytes), formatShare(size / original.bytes),
      String(tokens), formatShare(tokens / minifiedTokens), verified, ms
    ]
  }
  async function formatCandidate ({ name, bytes, reason, verified, ms, winner }: CandidateReport): Promise<string[]> {
    if (bytes === null) return ['', name, '-', '-', '-', '-', '-', String(reason), ms.toFixed(2)]
    // Written once more: to keep all texts until here would take several times the document's memory.
    const tokens = name === 'json' ? minifiedTokens : await countTokens(encode(document, name), tokenizer)
    return formatRow(name, winner, bytes, tokens, verified ? 'yes' : 'no', ms.toFixed(2))
  }

  const rows = [HEAD, formatRow('original', original.winner, original.bytes, await countTokens(toText(bytes), tokenizer), '-', '-')]
  for (const candidate of candidates) rows.push(await formatCandidate(candidate))
  return formatTable(rows)
}

/** `token-gateway inspect`: what each format would bring. */
export const inspect: Command = {
  help: `Usage: token-gateway inspect [flags] [FILE]

Shows what each format makes of the JSON of FILE, or of standard input: its size in bytes and in
tokens (counted, not estimated), whether it decodes to the same document (or why the format declines
it), and the time it took. * marks what the gateway would send to a client that takes them all.

${formatFlags(FLAGS)}`,
  async run (argv, io) {
    const { values: { all = false, measure, tokenizer = DEFAULT_TOKENIZER }, positionals: [file] } = parseFlags(argv, FLAGS, 1)
    await write(await withInput(file, io, bytes => formatInspection(bytes, all, measure, tokenizer)), io)
    return 0
  }
}
