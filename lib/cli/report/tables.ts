import { formatShare } from '../format-share.js'
import { printable } from '../printable.js'
import type { FileRow, Sizes } from './measure-file.js'
import type { SavingsReport } from './measure-files.js'
import { shareOf } from './summarize.js'
import type { Summary, Total } from './summarize.js'

/** The cells of a table; the first row is the head. */
export type Table = readonly (readonly string[])[]

/** The tables of a report. The page and the terminal show these very cells, so that their figures are the same. */
export interface Tables {
  files: Table
  /** Its last row is all files together. */
  directories: Table
  failures: Table
}

const LEGEND = 'sent: the file as it is; chosen: what the gateway would send; share: chosen of minified JSON; mean: of the files\' shares'

/** What the heads of the columns mean. */
export function describeColumns ({ tokenizer }: SavingsReport): string {
  return tokenizer === null ? LEGEND : `${LEGEND}; tokens: ${tokenizer}`
}

/** Builds all tables. */
export function buildTables ({ tokenizer, files, directories, all, failures }: SavingsReport): Tables {
  const units = tokenizer === null ? ['bytes'] : ['bytes', 'tokens']
  const sizes = units.flatMap(unit => [`${unit} sent`, 'minified', 'chosen', 'share'])
  const totals = units.flatMap(unit => [`${unit} sent`, 'minified', 'chosen', 'share', 'mean'])
  const rows = directories.map(summary => formatSummary(summary.directory, summary))
  return {
    files: [['file', ...sizes, 'winner'], ...files.map(formatFile)],
    directories: [['directory', 'files', ...totals, 'winner'], ...rows, ...(all === null ? [] : [formatSummary('all', all)])],
    failures: [['not read', 'reason'], ...failures.map(({ file, reason }) => [printable(file), printable(reason)])]
  }
}

function formatFile ({ file, bytes, tokens, winner }: FileRow): string[] {
  return [printable(file), ...formatSizes(bytes), ...(tokens === null ? [] : formatSizes(tokens)), winner]
}

function formatSizes (sizes: Sizes): string[] {
  return [String(sizes.original), String(sizes.minified), String(sizes.chosen), formatShare(shareOf(sizes))]
}

function formatSummary (name: string, { files, bytes, tokens, winners }: Summary): string[] {
  const won = winners.map(({ winner, files }) => `${winner} ${files}`).join(', ')
  return [printable(name), String(files), ...formatTotal(bytes), ...(tokens === null ? [] : formatTotal(tokens)), won]
}

function formatTotal (total: Total): string[] {
  return [...formatSizes(total), formatShare(total.meanShare)]
}
