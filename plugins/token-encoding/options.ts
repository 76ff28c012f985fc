import type { FastifyRequest } from 'fastify'
import type { FormatName } from '../../lib/codec-names.js'
import type { Decision } from '../../lib/decision.js'
import type { McpOptions, ResolvedMcpOptions } from '../../lib/mcp/options.js'
import type { Negotiator } from '../../lib/negotiate.js'
import type { EncodingOptions, ResolvedOptions } from '../../lib/options.js'

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
  /**
   * Whether some bodies are encoded once the server listens, so that the first responses do not wait for the engine to compile; default
   * true. Not on a route.
   */
  warmUp?: boolean
  /** How the tool results of MCP servers are re-encoded, in JSON and in event streams; false: not at all. */
  mcp?: McpOptions | false
  /** Name of the query parameter by which a client may ask for a format, `format` say; false (default): none. */
  formatParameter?: string | false
  /** Name of the query parameter by which a client may ask for some fields of each row; false (default): none. */
  fieldsParameter?: string | false
  /** Whether a client may ask for both in `params._meta` of a tools/call request; default false. */
  requestMeta?: boolean
  /** What those get that have not asked for anything, nor refused it; default: what came. */
  defaultFormat?: FormatName
  /** Told of every decision; what it throws is logged and has no further effect. */
  onDecision?: DecisionListener
}

/** The options that hold for one route. */
export interface RouteOptions extends Omit<ResolvedOptions, 'mode'> {
  mode: Exclude<ResolvedOptions['mode'], 'off'>
  /** Bodies of this many bytes and more go to a worker thread. */
  workerMinBytes: number
  /** Null: MCP messages stay as they came. */
  mcp: ResolvedMcpOptions | null
  formatParameter: string | false
  fieldsParameter: string | false
  requestMeta: boolean
  defaultFormat: FormatName | undefined
  /** Of the encodings. */
  negotiator: Negotiator
  onDecision: DecisionListener | undefined
}

/** The options that bear on a single body: all but those that are functions, so that a thread can have them. */
export interface BodyOptions extends Omit<RouteOptions, 'onDecision' | 'negotiator'> {
  /** Whether decisions tell tokens that had not to be estimated to decide; absent: they do. */
  reportsTokens?: boolean
}
