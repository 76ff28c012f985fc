import { parseArgs } from 'node:util'
import { FORMATS } from './formats.js'
import type { Format } from './formats.js'

export const HELP = `Usage: npm run bench:readability -- [flags]

Asks a model the same questions about the same documents in several formats, and counts the right answers. Without
the environment variables below it prints the questions, their answers and the tokens of each format.

  --questions N       questions for each document (default 20)
  --formats LIST      of ${FORMATS.join(',')} (default all)
  --payloads LIST     documents by name (default all)
  --corpus DIR        the .json files of a folder in the place of the bench's own documents
  --max-document N    leave out documents of more tokens (default 50000)
  --seed N            other questions (default 1)
  --print             print what a model is told, and ask nothing
  --concurrency N     questions at a time (default 4)
  --timeout MS        for one try (default 120000)
  --retries N         tries after a failed one (default 5)
  --backoff MS        pause before the first retry; each further one is twice as long (default 1000)
  --max-tokens N      of a reply (default 512)
  --json FILE         write the figures as one flat object of named ratios
  --log FILE          write each reply as a line of JSON
`

/** A flag that cannot be understood. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

export interface Flags {
  questions: number
  formats: Format[]
  payloads: string[] | null
  corpus: string | null
  maxDocument: number
  seed: number
  isPrinting: boolean
  isHelp: boolean
  concurrency: number
  timeout: number
  retries: number
  backoff: number
  maxTokens: number
  json: string | null
  log: string | null
}

const STRING = { type: 'string' } as const
const BOOLEAN = { type: 'boolean', default: false } as const

/** @throws FlagError */
export function readFlags (argv: string[]): Flags {
  const values = parse(argv)
  const formats = FORMATS.filter(format => values.formats === undefined || values.formats.split(',').includes(format))
  const unknown = values.formats?.split(',').filter(name => !FORMATS.some(format => format === name)) ?? []
  if (unknown.length > 0 || formats.length === 0) throw new FlagError(`--formats must be a list of ${FORMATS.join(',')}`)
  return {
    questions: whole('questions', values.questions, 20, 1),
    formats,
    payloads: values.payloads?.split(',') ?? null,
    corpus: values.corpus ?? null,
    maxDocument: whole('max-document', values['max-document'], 50_000, 1),
    seed: whole('seed', values.seed, 1, 0),
    isPrinting: values.print,
    isHelp: values.help,
    concurrency: whole('concurrency', values.concurrency, 4, 1),
    timeout: whole('timeout', values.timeout, 120_000, 1),
    retries: whole('retries', values.retries, 5, 0),
    backoff: whole('backoff', values.backoff, 1000, 0),
    maxTokens: whole('max-tokens', values['max-tokens'], 512, 1),
    json: values.json ?? null,
    log: values.log ?? null
  }
}

function parse (args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        questions: STRING,
        formats: STRING,
        payloads: STRING,
        corpus: STRING,
        'max-document': STRING,
        seed: STRING,
        print: BOOLEAN,
        help: BOOLEAN,
        concurrency: STRING,
        timeout: STRING,
        retries: STRING,
        backoff: STRING,
        'max-tokens': STRING,
        json: STRING,
        log: STRING
      }
    }).values
  } catch (error) {
    throw new FlagError((error as Error).message)
  }
}

function whole (name: string, text: string | undefined, standard: number, least: number): number {
  const value = text === undefined ? standard : /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (!(value >= least)) throw new FlagError(`--${name} must be a whole number of ${least} or more`)
  return value
}
