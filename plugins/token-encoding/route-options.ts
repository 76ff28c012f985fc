import { availableParallelism } from 'node:os'
import type { FastifyRequest } from 'fastify'
import type { FormatName } from '../../lib/codec-names.js'
import { resolveMcpOptions } from '../../lib/mcp/options.js'
import type { ResolvedMcpOptions } from '../../lib/mcp/options.js'
import { Negotiator } from '../../lib/negotiate.js'
import { resolveOptions } from '../../lib/options.js'
import type { ResolvedOptions } from '../../lib/options.js'
import { checkOptions } from './check-options.js'
import { InvalidOptionsError } from './errors.js'
import type { RouteOptions, TokenEncodingOptions } from './options.js'

export { InvalidOptionsError } from './errors.js'

/** What Fastify itself puts beside a plugin's options. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

const ROUTE_PATH = 'config.tokenEncoding'

const DEFAULT_WORKER_MIN_BYTES = 128 * 1024
const DEFAULT_MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))

/**
 * Checks the options given to the plugin.
 *
 * @param path of the options, for the message
 * @throws FST_TOKEN_INVALID_OPTIONS that names every wrong option by its path
 */
export function checkPluginOptions (options: TokenEncodingOptions & Record<string, unknown>, path = 'options'): TokenEncodingOptions {
  const own = Object.entries(options).filter(([name]) => !REGISTER_OPTIONS.includes(name))
  const checked = checkOptions(Object.fromEntries(own), path, 'plugin')
  const { mode, encodings } = resolveOptions(checked)
  if (mode !== 'off') {
    checkFormat(checked.defaultFormat, encodings, path)
    checkToolCodecs(checked, encodings, path)
  }
  return checked
}

/** Most worker threads at a time. */
export function resolveMaxThreads ({ workers }: TokenEncodingOptions): number {
  return (workers !== false && workers?.maxThreads) || DEFAULT_MAX_THREADS
}

/**
 * Checks a route's `config.tokenEncoding`.
 *
 * @returns false: the route is left alone
 * @throws FST_TOKEN_INVALID_OPTIONS where it is neither false nor a valid object
 */
function checkRouteConfig (config: unknown): TokenEncodingOptions | false {
  if (config === false || config === undefined) return config ?? {}
  if (config === null || typeof config !== 'object' || Array.isArray(config)) {
    throw new InvalidOptionsError(`${ROUTE_PATH} must be false or an object`)
  }
  return checkOptions(config, ROUTE_PATH, 'route')
}

/**
 * Finds the options of a request's route. They are resolved on first use and kept per route, since
 * onRoute never sees the routes that were there before the plugin.
 */
export class RouteOptionsCache {
  readonly #plugin: TokenEncodingOptions
  /** The options where a route says nothing; null where nothing is to be done then. */
  readonly default: RouteOptions | null
  readonly #routes = new WeakMap<object, RouteOptions | null>()

  constructor (plugin: TokenEncodingOptions) {
    this.#plugin = plugin
    this.default = this.#resolve({})
  }

  /**
   * The options for this request; null where nothing is to be done: the route says false, its mode is `off`,
   * or its config is wrong, which is logged once.
   */
  find (request: FastifyRequest): RouteOptions | null {
    const config = request.routeOptions.config
    if (config?.tokenEncoding === undefined) return this.default
    let options = this.#routes.get(config)
    if (options === undefined) {
      options = this.#resolveConfig(config.tokenEncoding, request)
      this.#routes.set(config, options)
    }
    return options
  }

  /**
   * Checks a route's config, by itself and together with the options of the plugin.
   *
   * @throws FST_TOKEN_INVALID_OPTIONS that names every wrong option by its path
   */
  check (config: unknown): void {
    this.#resolveRoute(config)
  }

  #resolveRoute (config: unknown): RouteOptions | null {
    const route = checkRouteConfig(config)
    if (route === false) return null
    const options = this.#resolve(route)
    if (options !== null) checkToolCodecs(route, options.encodings, ROUTE_PATH)
    return options
  }

  #resolveConfig (config: unknown, request: FastifyRequest): RouteOptions | null {
    try {
      return this.#resolveRoute(config)
    } catch (error) {
      request.log.error({ err: error }, 'this route is not re-encoded')
      return null
    }
  }

  #resolve (route: TokenEncodingOptions): RouteOptions | null {
    const { mode, ...options } = resolveOptions(route, this.#plugin)
    if (mode === 'off') return null
    const layers = [route, this.#plugin]
    return {
      ...options,
      mode,
      workerMinBytes: resolveWorkerMinBytes(...layers),
      mcp: resolveMcp(...layers),
      formatParameter: pick('formatParameter', layers) ?? false,
      fieldsParameter: pick('fieldsParameter', layers) ?? false,
      requestMeta: pick('requestMeta', layers) ?? false,
      defaultFormat: checkFormat(pick('defaultFormat', layers), options.encodings, ROUTE_PATH),
      negotiator: new Negotiator(options.encodings),
      onDecision: pick('onDecision', layers)
    }
  }
}

/** What the first layer has that has it. */
function pick<K extends keyof TokenEncodingOptions> (name: K, layers: readonly TokenEncodingOptions[]): TokenEncodingOptions[K] {
  return layers.find((layer) => layer[name] !== undefined)?.[name]
}

/** A false that is overruled by an object in a stronger layer says nothing about the options in that object. */
function resolveMcp (...layers: readonly TokenEncodingOptions[]): ResolvedMcpOptions | null {
  if (pick('mcp', layers) === false) return null
  return resolveMcpOptions(...layers.map(({ mcp }) => mcp || {}))
}

function checkFormat (format: FormatName | undefined, encodings: ResolvedOptions['encodings'], path: string): FormatName | undefined {
  if (format === undefined || format === 'json' || format === 'markdown' || encodings.includes(format)) return format
  throw new InvalidOptionsError(`${path}.defaultFormat must be one of the encodings, "json" or "markdown", not "${format}"`)
}

/** A tool's coding that is not on offer would never be used, and nothing would tell. */
function checkToolCodecs ({ mcp }: TokenEncodingOptions, encodings: ResolvedOptions['encodings'], path: string): void {
  for (const [pattern, { codec }] of Object.entries((mcp && mcp.tools?.options) || {})) {
    if (codec === undefined || encodings.includes(codec)) continue
    throw new InvalidOptionsError(`${path}.mcp.tools.options.${pattern}.codec must be one of the encodings, not "${codec}"`)
  }
}

function resolveWorkerMinBytes (...layers: readonly TokenEncodingOptions[]): number {
  for (const { workers } of layers) {
    if (workers === false) return Infinity
    if (workers?.minBytes !== undefined) return workers.minBytes
  }
  return DEFAULT_WORKER_MIN_BYTES
}
