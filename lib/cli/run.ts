import { createRequire } from 'node:module'
import type { Command } from './command.js'
import { CliError, describeError } from './errors.js'
import { write } from './io.js'
import type { Io } from './io.js'

interface Entry {
  summary: string
  load (): Promise<Command>
}

// Loaded on use: encode and decode in a pipe shall not wait for a web server's modules.
const COMMANDS: Record<string, Entry> = {
  demo: { summary: 'run it before a built-in sample API and MCP endpoint', load: async () => (await import('./demo.js')).demo },
  encode: { summary: 'write JSON as TOON, STC or another coding', load: async () => (await import('./encode.js')).encode },
  decode: { summary: 'write such a text as minified JSON', load: async () => (await import('./decode.js')).decode },
  inspect: { summary: 'compare the formats for a JSON document', load: async () => (await import('./inspect.js')).inspect },
  report: { summary: 'show the savings over many JSON files', load: async () => (await import('./report.js')).report }
}
const loadServe = async (): Promise<Command> => (await import('./serve.js')).serve
const HELP = ['--help', '-h']
const HINT = 'see token-gateway --help'

function formatHelp (serve: Command): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  token-gateway ${name.padEnd(8)} ${summary}\n`)
  return `${serve.help}
Other commands, each with a --help of its own:

${rows.join('')}
  token-gateway --version   show the version
`
}

function readVersion (): string {
  // By the package's own name: the path differs between the sources and dist.
  return createRequire(import.meta.url)('fastify-token-gateway/package.json').version
}

async function loadCommand (name: string): Promise<Command> {
  if (!Object.hasOwn(COMMANDS, name)) throw new CliError(`unknown command ${JSON.stringify(name)}; ${HINT}`)
  return COMMANDS[name].load()
}

function asksFor (flags: readonly string[], argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some(argument => flags.includes(argument))
}

async function dispatch (argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 0) throw new CliError(`expected --upstream URL or a command; ${HINT}`)
  if (argv[0].startsWith('-')) return dispatchServe(argv, io)
  const command = await loadCommand(argv[0])
  return asksFor(HELP, argv) ? show(command.help, io) : command.run(argv.slice(1), io)
}

/** Without a command's name: the gateway itself, or what there is to know of the whole. */
async function dispatchServe (argv: readonly string[], io: Io): Promise<number> {
  if (asksFor(['--version'], argv)) return show(`${readVersion()}\n`, io)
  const serve = await loadServe()
  return asksFor(HELP, argv) ? show(formatHelp(serve), io) : serve.run(argv, io)
}

async function show (text: string, io: Io): Promise<number> {
  await write(text, io)
  return 0
}

/**
 * The command line. Never throws: what goes wrong is one line on standard error.
 * @param argv the arguments, without node and the script
 * @returns the exit code: 0, 1 for any error, 130 or 143 for a server that was forced to stop
 */
export async function run (argv: readonly string[], io: Io): Promise<number> {
  // Without a listener a stream's error ends the process; write() has told of it already.
  io.stdout.on('error', () => {})
  io.stderr.on('error', () => {})
  try {
    return await dispatch(argv, io)
  } catch (error) {
    io.stderr.write(`token-gateway: ${describeError(error)}\n`)
    return 1
  }
}
