import { availableParallelism } from 'node:os'
import { Ajv } from 'ajv'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import type { Decision } from '../../lib/decision.js'
import { encodingOptionsSchema, resolveOptions } from '../../lib/options.js'
import type { EncodingOptions, ResolvedOptions } from '../../lib/options.js'
import { InvalidOptionsError } from './errors.js'

export { InvalidOptionsError } from './errors.js'

/** Called once for each body of a request that takes one of our codings, with what became of it. */
export type DecisionListener = (decision: Decision, request: FastifyRequest) => void

/** How large bodies are encoded in worker threads. */
export interface WorkerOptions {
  /** Bodies of this many bytes and more go to a thread; 0 or more, default 128 KiB. */
  minBytes?: number
  /** Most threads at a time; 1 or more, default one less than there are processors, at most 4. Not on a route. */
  maxThreads?: number
}

/** The options of the plugin `tokenEncoding`, and of a route in `config.tokenEncoding`. */
export interface TokenEncodingOptions extends EncodingOptions {
  /** Worker threads for large bodies, so that these do not hold up other requests; false: none. */
  workers?: WorkerOptions | false
  /** Told of every decision; what it throws is logged and has no further effect. */
  onDecision?: DecisionListener
}

/** The options that hold for one route. */
export interface RouteOptions extends Omit<ResolvedOptions, 'mode'> {
  mode: Exclude<ResolvedOptions['mode'], 'off'>
  /** Bodies of this many bytes and more go to a worker thread. */
  workerMinBytes: number
  onDecision: DecisionListener | undefined
}

/** What Fastify itself puts beside a plugin's options. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

const DEFAULT_WORKER_MIN_BYTES = 128 * 1024
const DEFAULT_MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))

const ajv = new Ajv({ allErrors: true })
const MIN_BYTES = { type: 'integer', minimum: 0 }
const validatePlugin = compile({ minBytes: MIN_BYTES, maxThreads: { type: 'integer', minimum: 1 } })
// The threads are those of the plugin.
const validateRoute = compile({ minBytes: MIN_BYTES })

/**
 * Checks the options given to the plugin.
 *
 * @throws FST_TOKEN_INVALID_OPTIONS that names every wrong option by its path
 */
export function checkPluginOptions (options: TokenEncodingOptions & Record<string, unknown>): TokenEncodingOptions {
  const own = Object.entries(options).filter(([name]) => !REGISTER_OPTIONS.includes(name))
  return check(Object.fromEntries(own), 'options', validatePlugin)
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
export function checkRouteConfig (config: unknown): TokenEncodingOptions | false {
  if (config === false || config === undefined) return config ?? {}
  if (config === null || typeof config !== 'object') {
    throw new InvalidOptionsError('config.tokenEncoding must be false or an object')
  }
  return check(config, 'config.tokenEncoding', validateRoute)
}

/**
 * Finds the options of a request's route. They are resolved on first use and kept per route, since
 * onRoute never sees the routes that were there before the plugin.
 */
export class RouteOptionsCache {
  readonly #plugin: TokenEncodingOptions
  readonly #default: RouteOptions | null
  readonly #routes = new WeakMap<object, RouteOptions | null>()

  constructor (plugin: TokenEncodingOptions) {
    this.#plugin = plugin
    this.#default = this.#resolve({})
  }

  /**
   * The options for this request; null where nothing is to be done: the route says false, its mode is `off`,
   * or its config is wrong, which is logged once.
   */
  find (request: FastifyRequest): RouteOptions | null {
    const config = request.routeOptions.config
    if (config?.tokenEncoding === undefined) return this.#default
    let options = this.#routes.get(config)
    if (options === undefined) {
      options = this.#resolveConfig(config.tokenEncoding, request)
      this.#routes.set(config, options)
    }
    return options
  }

  #resolveConfig (config: unknown, request: FastifyRequest): RouteOptions | null {
    try {
      const route = checkRouteConfig(config)
      return route === false ? null : this.#resolve(route)
    } catch (error) {
      request.log.error({ err: error }, 'this route is not re-encoded')
      return null
    }
  }

  #resolve (route: TokenEncodingOptions): RouteOptions | null {
    const { mode, ...options } = resolveOptions(route, this.#plugin)
    if (mode === 'off') return null
    const workerMinBytes = resolveWorkerMinBytes(route, this.#plugin)
    return { ...options, mode, workerMinBytes, onDecision: route.onDecision ?? this.#plugin.onDecision }
  }
}

function resolveWorkerMinBytes (...layers: readonly TokenEncodingOptions[]): number {
  for (const { workers } of layers) {
    if (workers === false) return Infinity
    if (workers?.minBytes !== undefined) return workers.minBytes
  }
  return DEFAULT_WORKER_MIN_BYTES
}

function compile (workers: object): ValidateFunction {
  return ajv.compile({
    ...encodingOptionsSchema,
    properties: {
      ...encodingOptionsSchema.properties,
      workers: { if: { type: 'object' }, then: { type: 'object', additionalProperties: false, properties: workers }, else: { const: false } },
      // JSON Schema has no functions: the type is checked apart.
      onDecision: {}
    }
  })
}

function check (options: object, path: string, validate: ValidateFunction): TokenEncodingOptions {
  // Of alternatives, what is wrong inside of them says more.
  const faults = validate(options) ? [] : validate.errors!.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').map((error) => describe(error, path))
  const { onDecision } = options as { onDecision?: unknown }
  if (onDecision !== undefined && typeof onDecision !== 'function') faults.push(`${path}.onDecision must be a function`)
  if (faults.length > 0) throw new InvalidOptionsError(faults.join('; '))
  return options
}

function describe ({ instancePath, keyword, params, message }: ErrorObject, path: string): string {
  const place = path + instancePath.replaceAll('/', '.')
  if (keyword === 'additionalProperties') return `${place}.${params.additionalProperty} is not an option`
  if (keyword === 'const') return `${place} must be false or an object`
  if (keyword === 'enum') return `${place} must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
  return `${place} ${message}`
}
