import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { TokenEncodingOptions } from '../token-encoding/options.js'
import { checkPluginOptions, InvalidOptionsError } from '../token-encoding/route-options.js'

/** Options of `tokenGateway`. Times are in milliseconds. */
export interface TokenGatewayOptions {
  /**
   * URL of the upstream, http or https; its path, if any, is set before the path of every request. No
   * request can change or leave it.
   */
  upstream: string | URL
  /** Fastify's own: routes below this path are forwarded, without it; default all routes. */
  prefix?: string
  /** Options of the plugin `tokenEncoding`, which is registered for the forwarded routes; false: it is not. */
  tokenEncoding?: TokenEncodingOptions | false
  /** Options of the TLS connection to the upstream: ca, cert, key, servername ... Certificates are verified. */
  tls?: ConnectionOptions
  /** Most connections to the upstream at a time, 1 or more; requests beyond wait. Default: no limit. */
  connections?: number
  /** Time for a connection to the upstream, then 504; default 10000. */
  connectTimeout?: number
  /** Time for the upstream to begin its answer once it has the request, then 504; 0: no limit; default 60000. */
  headersTimeout?: number
  /**
   * Time without a byte of a body: of the request's, then 408; of the response's, then 504 or, where it has
   * begun, a broken connection. Event streams may be silent as long as they like. 0: no limit; default 60000.
   */
  bodyIdleTimeout?: number
  /** Time that requests have to finish when the server closes, then they are broken off; default 5000. */
  closeTimeout?: number
  /** Sends the client's Host to the upstream in place of the upstream's own; default false. */
  preserveHost?: boolean
  /** Sets X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host; default true. */
  forwardedHeaders?: boolean
  /** Name of the gateway in the Via field of requests, or false for none; default `token-gateway`. */
  via?: string | false
}

/** The options checked, with every default filled in. */
export interface GatewaySettings {
  origin: string
  /** Path of the upstream URL without a slash at its end; '' for the root. */
  base: string
  /** The name that the upstream's certificate must carry; undefined for an IP address. */
  servername: string | undefined
  tokenEncoding: TokenEncodingOptions | false
  tls: ConnectionOptions
  connections: number | null
  connectTimeout: number
  headersTimeout: number
  bodyIdleTimeout: number
  closeTimeout: number
  preserveHost: boolean
  forwardedHeaders: boolean
  via: string | false
}

/** What is wrong with a value, to be set after its path; null where nothing is. */
type Check = (value: unknown) => string | null

const MAX_TIMEOUT = 2 ** 31 - 1

/** The options that there are; `prefix` and the two log options are Fastify's own and checked by it. */
const CHECKS: Record<string, Check> = {
  upstream: () => null,
  prefix: () => null,
  logLevel: () => null,
  logSerializers: () => null,
  tokenEncoding: checkTokenEncoding,
  tls: (value) => isObject(value) ? null : 'must be an object',
  connections: (value) => isInteger(value, 1) ? null : `must be an integer from 1 to ${MAX_TIMEOUT}`,
  connectTimeout: (value) => isInteger(value, 1) ? null : `must be an integer from 1 to ${MAX_TIMEOUT}, in milliseconds`,
  headersTimeout: checkLimit,
  bodyIdleTimeout: checkLimit,
  closeTimeout: checkLimit,
  preserveHost: checkBoolean,
  forwardedHeaders: checkBoolean,
  via: (value) => value === false || isToken(value) ? null : 'must be a name without white space, or false'
}

/**
 * Checks the options and fills in the defaults; an option that is undefined counts as not given.
 *
 * @throws FST_TOKEN_INVALID_OPTIONS for an unknown or wrong option; its message starts with the option's path
 */
export function resolveGatewayOptions (options: TokenGatewayOptions): GatewaySettings {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) throw new InvalidOptionsError(`options.${name} is not an option`)
    const fault = value === undefined ? null : CHECKS[name](value)
    if (fault !== null) throw new InvalidOptionsError(`options.${name} ${fault}`)
  }
  const url = parseUpstream(options.upstream)
  const tls = options.tls ?? {}
  const preserveHost = options.preserveHost ?? false
  const servername = tls.servername ?? (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : undefined)
  if (preserveHost && url.protocol === 'https:' && servername === undefined) {
    // undici would take the name to verify from Host, which then is the client's to choose.
    throw new InvalidOptionsError('options.tls.servername must be given where preserveHost is set and the upstream is an IP address')
  }
  return {
    origin: url.origin,
    base: url.pathname.replace(/\/+$/, ''),
    servername,
    tokenEncoding: options.tokenEncoding ?? {},
    tls,
    connections: options.connections ?? null,
    connectTimeout: options.connectTimeout ?? 10_000,
    headersTimeout: options.headersTimeout ?? 60_000,
    bodyIdleTimeout: options.bodyIdleTimeout ?? 60_000,
    closeTimeout: options.closeTimeout ?? 5_000,
    preserveHost,
    forwardedHeaders: options.forwardedHeaders ?? true,
    via: options.via ?? 'token-gateway'
  }
}

function parseUpstream (upstream: unknown): URL {
  if (upstream === undefined) throw new InvalidOptionsError('options.upstream is required')
  const text = String(upstream)
  if (!URL.canParse(text)) throw new InvalidOptionsError('options.upstream must be an absolute URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidOptionsError(`options.upstream must be an http or https URL, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidOptionsError('options.upstream must not hold credentials')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidOptionsError('options.upstream must not hold a query or a fragment')
  }
  return url
}

function checkTokenEncoding (value: unknown): string | null {
  if (value === false) return null
  if (!isObject(value)) return 'must be an object or false'
  checkPluginOptions(value as TokenEncodingOptions & Record<string, unknown>, 'options.tokenEncoding')
  return null
}

function checkLimit (value: unknown): string | null {
  return isInteger(value, 0) ? null : `must be an integer from 0 to ${MAX_TIMEOUT}, in milliseconds`
}

function checkBoolean (value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'must be a boolean'
}

function isInteger (value: unknown, least: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX_TIMEOUT
}

function isObject (value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** RFC 9110 sections 5.6.2 and 7.6.3: a pseudonym is a token. */
function isToken (value: unknown): boolean {
  return typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
}
