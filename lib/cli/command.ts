import type { Io } from './io.js'

/** A sub-command. */
export interface Command {
  /** The whole text of `--help`, with its last line end. */
  help: string
  /**
   * Does the work.
   * @param argv what stands after the sub-command
   * @returns the exit code
   * @throws CliError, or anything else: it becomes one line on standard error and exit code 1
   */
  run (argv: readonly string[], io: Io): Promise<number>
}
