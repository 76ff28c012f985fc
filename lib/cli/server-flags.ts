import { encodings } from './encodings-flag.js'
import { choiceFlag, parseValue } from './flags.js'
import type { Flag, Switch, Values } from './flags.js'

const DEFAULT_PORT = 8080
const DEFAULT_HOST = '127.0.0.1'

function parsePort (text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined
}

function parseUpstream (text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, search, hash, username, password } = new URL(text)
  const isBare = search === '' && hash === '' && username === '' && password === ''
  return isBare && (protocol === 'http:' || protocol === 'https:') ? text : undefined
}

function parsePercent (text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) && Number(text) <= 100 ? Number(text) : undefined
}

const port: Flag<number> = {
  placeholder: 'PORT',
  about: `port to listen on, 0 for any free one (default: PORT of the environment, else ${DEFAULT_PORT})`,
  expected: 'a port number from 0 to 65535',
  parse: parsePort
}

const host: Flag<string> = {
  placeholder: 'HOST',
  about: `address to listen on (default ${DEFAULT_HOST})`,
  expected: 'a host name or an address',
  parse: text => /^[\w.:%-]+$/.test(text) && !text.startsWith('-') ? text : undefined
}

/** Where to listen. */
export const LISTEN_FLAGS = { port, host }

const upstream: Flag<string> = {
  placeholder: 'URL',
  about: 'the server whose responses are re-encoded',
  expected: 'an http: or https: URL without user, query and fragment',
  parse: parseUpstream
}

const minSavings: Flag<number> = {
  placeholder: 'PERCENT',
  about: 'least saving against minified JSON (default 0)',
  expected: 'a number from 0 to 100',
  parse: parsePercent
}

const compress: Switch = { about: 'compress answers (gzip, br, zstd) for clients that accept it; event streams never' }

const stackCodings: Switch = { about: 'compress toon and stc too (Content-Encoding: toon, gzip) for clients that name both' }

/** The flags of the gateway. */
export const GATEWAY_FLAGS = {
  upstream,
  ...LISTEN_FLAGS,
  encodings,
  mode: choiceFlag(['adaptive', 'always', 'off'], 'when to re-encode: where it is smaller, whenever asked, never'),
  'min-savings': minSavings,
  measure: choiceFlag(['bytes', 'tokens'], 'what a coding must be less in (default tokens)'),
  compress,
  'stack-codings': stackCodings
}

/**
 * Where to listen: the flag, else PORT of the environment, else the default.
 * @throws CliError for a PORT that is no port
 */
export function resolveAddress (values: Values<typeof LISTEN_FLAGS>, env: Record<string, string | undefined>): { port: number, host: string } {
  const readEnv = (): number => env.PORT ? parseValue('PORT (environment)', port, env.PORT) : DEFAULT_PORT
  return { port: values.port ?? readEnv(), host: values.host ?? DEFAULT_HOST }
}
