import { inspect as inspectDocument } from '../index.js'
import type { CandidateReport, Inspection } from '../index.js'
import { parseFlags } from './flags.js'
import type { Command } from './command.js'
import { write } from './io.js'
import { formatTable } from './table.js'
import { withInput } from './with-input.js'

const HEAD = ['', 'candidate', 'bytes', 'of minified', 'of original', 'verified', 'ms']

function formatShare (part: number, whole: number): string {
  return `${(part / whole * 100).toFixed(1)} %`
}

function formatReport ({ original, minified, candidates }: Inspection): string {
  function formatRow (name: string, bytes: number, winner: boolean, verified: string, ms: string): string[] {
    return [winner ? '*' : '', name, String(bytes), formatShare(bytes, minified.bytes), formatShare(bytes, original.bytes), verified, ms]
  }
  function formatCandidate ({ name, bytes, reason, verified, ms, winner }: CandidateReport): string[] {
    if (bytes === null) return ['', name, '-', '-', '-', String(reason), ms.toFixed(2)]
    return formatRow(name, bytes, winner, verified ? 'yes' : 'no', ms.toFixed(2))
  }
  return formatTable([HEAD, formatRow('original', original.bytes, original.winner, '-', '-'), ...candidates.map(formatCandidate)])
}

/** `token-gateway inspect`: what each format would bring. */
export const inspect: Command = {
  help: `Usage: token-gateway inspect [FILE]

Shows what each format makes of the JSON of FILE, or of standard input: its size, whether it decodes
to the same document (or why the format declines it), and the time it took. * marks what the gateway
would send to a client that takes them all.
`,
  async run (argv, io) {
    const { positionals: [file] } = parseFlags(argv, {}, 1)
    const report = await withInput(file, io, bytes => inspectDocument(bytes))
    await write(formatReport(report), io)
    return 0
  }
}
