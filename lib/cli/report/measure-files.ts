import type { ChooseOptions } from '../../index.js'
import type { TokenEncoding } from '../../tokens/encodings.js'
import { describeError } from '../errors.js'
import { readInput } from '../io.js'
import type { Io } from '../io.js'
import { createProgress } from '../progress.js'
import { collectFiles, compareNames } from './collect-files.js'
import type { Failure } from './collect-files.js'
import { measureFile } from './measure-file.js'
import type { FileRow } from './measure-file.js'
import { summarize, summarizeDirectories } from './summarize.js'
import type { DirectorySummary, Summary } from './summarize.js'

/** All that a report shows; the same for the same files, and sorted by name throughout. */
export interface SavingsReport {
  /** Whose tokens are counted; null: none. */
  tokenizer: TokenEncoding | null
  files: FileRow[]
  directories: DirectorySummary[]
  /** All files together; null where none could be read. */
  all: Summary | null
  failures: Failure[]
}

/** Reads the files one after another, so that only one of them is in memory. What cannot be read is listed, and the rest goes on. */
export async function measureFiles (paths: readonly string[], tokenizer: TokenEncoding | null, policy: ChooseOptions, io: Io): Promise<SavingsReport> {
  const { files, failures } = await collectFiles(paths)
  const progress = createProgress(io)
  const rows: FileRow[] = []
  for (const [index, { path, name }] of files.entries()) {
    progress.show(`${index + 1} of ${files.length}: ${name}`)
    try {
      rows.push(await measureFile(name, await readInput(path, io), tokenizer, policy))
    } catch (error) {
      failures.push({ file: name, reason: describeError(error) })
    }
  }
  progress.clear()
  return {
    tokenizer,
    files: rows,
    directories: summarizeDirectories(rows),
    all: rows.length === 0 ? null : summarize(rows),
    failures: failures.sort((a, b) => compareNames(a.file, b.file))
  }
}
