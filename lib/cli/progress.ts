import type { Io } from './io.js'
import { printable } from './printable.js'

/** To the start of the line, and all of it away. */
const CLEAR = '\r\u001b[K'
const DEFAULT_COLUMNS = 80

/** One line that says what is being done. */
export interface Progress {
  show (text: string): void
  clear (): void
}

/** Progress on standard error where that is a terminal; elsewhere nothing, since logs keep every line. */
export function createProgress ({ stderr }: Io): Progress {
  if (stderr.isTTY !== true) return { show () {}, clear () {} }
  return {
    show (text) {
      // A line that wraps could not be rewritten.
      stderr.write(CLEAR + printable(text).slice(0, (stderr.columns ?? DEFAULT_COLUMNS) - 1))
    },
    clear () {
      stderr.write(CLEAR)
    }
  }
}
