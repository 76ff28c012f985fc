import { Ajv } from 'ajv'
import type { ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import type { Decision } from '../../lib/decision.js'
import { encodingOptionsSchema, resolveOptions } from '../../lib/options.js'
import type { EncodingOptions, ResolvedOptions } from '../../lib/options.js'
import { InvalidOptionsError } from './errors.js'

export { InvalidOptionsError } from './errors.js'

/** Called once for each body of a request that takes one of our codings, with what became of it. */
export type DecisionListener = (decision: Decision, request: FastifyRequest) => void

/** The options of the plugin `tokenEncoding`, and of a route in `config.tokenEncoding`. */
export interface TokenEncodingOptions extends EncodingOptions {
  /** Told of every decision; what it throws is logged and has no further effect. */
  onDecision?: DecisionListener
}

/** The options that hold for one route. */
export interface RouteOptions extends Omit<ResolvedOptions, 'mode'> {
  mode: Exclude<ResolvedOptions['mode'], 'off'>
  onDecision: DecisionListener | undefined
}

/** What Fastify itself puts beside a plugin's options. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

const validate = new Ajv({ allErrors: true }).compile({
  ...encodingOptionsSchema,
  // JSON Schema has no functions: the type is checked apart.
  properties: { ...encodingOptionsSchema.properties, onDecision: {} }
})

/**
 * Checks the options given to the plugin.
 *
 * @throws FST_TOKEN_INVALID_OPTIONS that names every wrong option by its path
 */
export function checkPluginOptions (options: TokenEncodingOptions & Record<string, unknown>): TokenEncodingOptions {
  const own = Object.entries(options).filter(([name]) => !REGISTER_OPTIONS.includes(name))
  return check(Object.fromEntries(own), 'options')
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
  return check(config, 'config.tokenEncoding')
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
    return mode === 'off' ? null : { ...options, mode, onDecision: route.onDecision ?? this.#plugin.onDecision }
  }
}

function check (options: object, path: string): TokenEncodingOptions {
  const faults = validate(options) ? [] : validate.errors!.filter(({ keyword }) => keyword !== 'anyOf').map((error) => describe(error, path))
  const { onDecision } = options as { onDecision?: unknown }
  if (onDecision !== undefined && typeof onDecision !== 'function') faults.push(`${path}.onDecision must be a function`)
  if (faults.length > 0) throw new InvalidOptionsError(faults.join('; '))
  return options
}

function describe ({ instancePath, keyword, params, message }: ErrorObject, path: string): string {
  const place = path + instancePath.replaceAll('/', '.')
  if (keyword === 'additionalProperties') return `${place}.${params.additionalProperty} is not an option`
  if (keyword === 'enum') return `${place} must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
  return `${place} ${message}`
}
