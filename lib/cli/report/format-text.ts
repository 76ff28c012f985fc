import { formatTable } from '../table.js'
import type { SavingsReport } from './measure-files.js'
import { buildTables, describeColumns } from './tables.js'

/** A report for a terminal: a table of the files, one of the directories, one of what could not be read. */
export function formatText (report: SavingsReport): string {
  const { files, directories, failures } = buildTables(report)
  const parts = report.all === null ? [] : [formatTable(files), formatTable(directories), `${describeColumns(report)}\n`]
  if (report.failures.length > 0) parts.push(formatTable(failures))
  return parts.join('\n')
}
