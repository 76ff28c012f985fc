import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describeError } from '../errors.js'
import { nameInput } from '../io.js'

const STDIN = '-'

/** A file to read, and how it is called in the report. */
export interface FoundFile {
  path: string
  name: string
}

/** A file or directory that could not be used. */
export interface Failure {
  file: string
  reason: string
}

/** What a list of arguments stands for, each list sorted by name. */
export interface Collected {
  files: FoundFile[]
  failures: Failure[]
}

/** By code units, not by locale: a report shall be the same on every machine. */
export function compareNames (a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/**
 * The files that are named, and all .json files in the directories that are and in those below. With one directory
 * alone the names are relative to it. Links to directories are not followed, and no file counts twice. `-` is standard input.
 */
export async function collectFiles (paths: readonly string[]): Promise<Collected> {
  const files = new Map<string, FoundFile>()
  const failures: Failure[] = []
  for (const path of paths) {
    try {
      if (path === STDIN) files.set(STDIN, { path, name: nameInput(path) })
      else if ((await stat(path)).isDirectory()) await collectBelow(path, paths.length === 1 ? '' : path, files, failures)
      else addFile(path, path, files)
    } catch (error) {
      failures.push({ file: path, reason: describeError(error) })
    }
  }
  return {
    files: [...files.values()].sort((a, b) => compareNames(a.name, b.name)),
    failures: failures.sort((a, b) => compareNames(a.file, b.file))
  }
}

async function collectBelow (folder: string, name: string, files: Map<string, FoundFile>, failures: Failure[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const entryName = join(name, entry.name)
    if (entry.isDirectory()) {
      try {
        await collectBelow(path, entryName, files, failures)
      } catch (error) {
        failures.push({ file: entryName, reason: describeError(error) })
      }
    } else if (/\.json$/i.test(entry.name) && (entry.isFile() || entry.isSymbolicLink())) {
      addFile(path, entryName, files)
    }
  }
}

function addFile (path: string, name: string, files: Map<string, FoundFile>): void {
  const key = resolve(path)
  if (!files.has(key)) files.set(key, { path, name })
}
