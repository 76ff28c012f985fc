import { getSystemErrorMap } from 'node:util'

/** A mistake in the command line's arguments or surroundings; the message is for the user. */
export class CliError extends Error {}

/** What the system says of an error, without paths and names of calls; null for errors of other origin. */
function describeSystemError (error: unknown): string | null {
  const { errno, code } = error as NodeJS.ErrnoException
  if (typeof errno !== 'number') return null
  const known = getSystemErrorMap().get(errno)
  return known === undefined ? String(code) : `${known[1]} (${known[0]})`
}

/** The text of an error in one line, since other programs read standard error line by line. */
export function describeError (error: unknown): string {
  const text = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
  return text.replace(/\s*[\r\n]+\s*/g, ' ')
}
