import { compareNames } from './collect-files.js'
import type { FileRow, Sizes } from './measure-file.js'

/** Sizes of several files together. */
export interface Total extends Sizes {
  /** The sum of what is chosen by the sum of minified JSON: what the bill does. */
  share: number
  /** The mean of the files' own shares: every file counts the same, however large. */
  meanShare: number
}

/** Several files together. */
export interface Summary {
  files: number
  /** How many files each winner won; the most frequent first, then by name. */
  winners: { winner: FileRow['winner'], files: number }[]
  bytes: Total
  /** Null where they were not counted. */
  tokens: Total | null
}

/** The files of one directory, those below it not among them. */
export interface DirectorySummary extends Summary {
  directory: string
}

/** What is chosen by minified JSON. */
export function shareOf ({ chosen, minified }: Sizes): number {
  return chosen / minified
}

/** @param rows one or more, all with tokens or all without */
export function summarize (rows: readonly FileRow[]): Summary {
  const tokens = rows.flatMap(row => row.tokens ?? [])
  return {
    files: rows.length,
    winners: countWinners(rows),
    bytes: addUp(rows.map(row => row.bytes)),
    tokens: tokens.length === 0 ? null : addUp(tokens)
  }
}

/** A summary for each directory, sorted by name. */
export function summarizeDirectories (rows: readonly FileRow[]): DirectorySummary[] {
  const groups = new Map<string, FileRow[]>()
  for (const row of rows) {
    const group = groups.get(row.directory)
    if (group === undefined) groups.set(row.directory, [row])
    else group.push(row)
  }
  return [...groups].sort(([a], [b]) => compareNames(a, b)).map(([directory, group]) => ({ directory, ...summarize(group) }))
}

function countWinners (rows: readonly FileRow[]): Summary['winners'] {
  const counts = new Map<FileRow['winner'], number>()
  for (const { winner } of rows) counts.set(winner, (counts.get(winner) ?? 0) + 1)
  return [...counts].map(([winner, files]) => ({ winner, files }))
    .sort((a, b) => b.files - a.files || compareNames(a.winner, b.winner))
}

function addUp (sizes: readonly Sizes[]): Total {
  const sum = (read: (size: Sizes) => number): number => sizes.reduce((total, size) => total + read(size), 0)
  const total = { original: sum(size => size.original), minified: sum(size => size.minified), chosen: sum(size => size.chosen) }
  return { ...total, share: shareOf(total), meanShare: sum(shareOf) / sizes.length }
}
