import { parseArgs } from 'node:util'
import { CliError } from './errors.js'

/** A flag that takes a value. */
export interface Flag<T> {
  /** What `--help` shows in the place of the value. */
  placeholder: string
  /** One line for `--help`. */
  about: string
  /** What a right value looks like, for the message about a wrong one. */
  expected: string
  /** The value, or undefined for a wrong one. */
  parse (text: string): T | undefined
}

/** A flag without a value: given, it is true. */
export interface Switch {
  /** One line for `--help`. */
  about: string
}

/** The flags of a command by name, without the dashes. */
export type Flags = Record<string, Flag<unknown> | Switch>

/** The values of the flags that were given. */
export type Values<F extends Flags> = { [K in keyof F]?: F[K] extends Flag<infer T> ? T : true }

export interface Arguments<F extends Flags> {
  values: Values<F>
  positionals: string[]
}

/**
 * Reads a command's arguments. Where a flag comes twice the last one counts.
 * @param maxPositionals how many arguments may be no flag
 * @throws CliError naming the argument and what was expected
 */
export function parseFlags<F extends Flags> (argv: readonly string[], flags: F, maxPositionals: number): Arguments<F> {
  const options = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { type: takesValue(flag) ? 'string' as const : 'boolean' as const }]))
  // Not strict: node's own messages run over several lines and do not say what a value should be.
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
  const values: Record<string, unknown> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option') values[token.name] = readValue(flags, token.name, token.rawName, token.value)
    if (token.kind === 'positional') positionals.push(token.value)
  }
  if (positionals.length > maxPositionals) {
    const limit = maxPositionals === 0 ? 'no argument without dashes' : 'one FILE'
    throw new CliError(`unexpected argument ${JSON.stringify(positionals[maxPositionals])}: expected ${limit}`)
  }
  return { values: values as Values<F>, positionals }
}

function readValue (flags: Flags, name: string, rawName: string, text: string | undefined): unknown {
  if (!Object.hasOwn(flags, name)) {
    const known = Object.keys(flags).map(flag => `--${flag}`).join(', ')
    throw new CliError(`${rawName}: unknown flag; expected ${known === '' ? 'none' : known}`)
  }
  const flag = flags[name]
  if (takesValue(flag)) return parseValue(`--${name}`, flag, text)
  if (text !== undefined) throw new CliError(`--${name}: expected no value, got ${JSON.stringify(text)}`)
  return true
}

function takesValue (flag: Flag<unknown> | Switch): flag is Flag<unknown> {
  return 'parse' in flag
}

/**
 * Parses one value with a flag's own rule.
 * @param name what to call it in the message
 * @throws CliError
 */
export function parseValue<T> (name: string, flag: Flag<T>, text: string | undefined): T {
  const value = text === undefined ? undefined : flag.parse(text)
  if (value === undefined) {
    throw new CliError(`${name}: expected ${flag.expected}, got ${text === undefined ? 'nothing' : JSON.stringify(text)}`)
  }
  return value
}

/** A flag whose value is one of a list. */
export function choiceFlag<T extends string> (choices: readonly T[], about: string): Flag<T> {
  return {
    placeholder: choices.join('|'),
    about,
    expected: choices.map(choice => JSON.stringify(choice)).join(' or '),
    parse: text => choices.find(choice => choice === text)
  }
}

/** The flags of a command as lines for `--help`. */
export function formatFlags (flags: Flags): string {
  const rows = Object.entries(flags).map(([name, flag]) => [takesValue(flag) ? `--${name} ${flag.placeholder}` : `--${name}`, flag.about])
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}\n`).join('')
}
