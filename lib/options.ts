import { CODING_NAMES } from './codec.js'
import type { CodingName } from './codec.js'
import type { StatusRange } from './http/eligibility.js'

/** The options of encoding, the same on the plugin and on a route; a route's go before the plugin's. */
export interface EncodingOptions {
  /** The codings that may be used, in the order that breaks ties; default `['toon', 'stc']`. */
  encodings?: CodingName[]
  /**
   * `off`: nothing is done; `observe`: decided and reported, but the original ships; `adaptive` (default):
   * a coding ships only when it is smaller; `always`: the first coding accepted ships, even if larger.
   */
  mode?: 'off' | 'observe' | 'adaptive' | 'always'
  /** Percent, 0 to 100, that a coding must save against minified JSON; default 0. */
  minSavings?: number
  /** Bodies of fewer bytes stay as they are; default 0. */
  minBytes?: number
  /** Bodies of more bytes stay as they are, streamed on as they come; default 8 MiB. */
  maxBodyBytes?: number
  /** Nesting depth past which no coding takes a body; default that of the codecs. */
  maxDepth?: number
  /** Whether every encoded text is decoded and compared before it may ship; default true. */
  verify?: boolean
  /** The statuses whose bodies may be re-encoded, as codes or classes; default `['2xx']`. */
  statuses?: StatusRange[]
  /** Whether Cache-Control: no-transform keeps a body as it is; default `obey`. */
  noTransform?: 'obey' | 'ignore'
  /** STC: `dense` (default) or the spaced form of ADR-066. */
  spacing?: 'dense' | 'adr'
  /** TOON: the delimiter of rows and inline arrays; default `,`. */
  delimiter?: ',' | '\t' | '|'
  /** What a client gets that refuses plain JSON when no coding takes the body; default `json`. */
  notAcceptable?: 'json' | '406'
}

/** The options with every default filled in; `maxDepth` is absent where the codecs' own limit holds. */
export type ResolvedOptions = Required<Omit<EncodingOptions, 'maxDepth'>> & Pick<EncodingOptions, 'maxDepth'>

/** JSON Schema of `EncodingOptions`. */
export const encodingOptionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    encodings: { type: 'array', items: { type: 'string', enum: [...CODING_NAMES] }, minItems: 1, uniqueItems: true },
    mode: { type: 'string', enum: ['off', 'observe', 'adaptive', 'always'] },
    minSavings: { type: 'number', minimum: 0, maximum: 100 },
    minBytes: { type: 'integer', minimum: 0 },
    maxBodyBytes: { type: 'integer', minimum: 1 },
    maxDepth: { type: 'integer', minimum: 1 },
    verify: { type: 'boolean' },
    statuses: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'integer', minimum: 200, maximum: 599 },
          { type: 'string', enum: ['2xx', '3xx', '4xx', '5xx'] }
        ]
      }
    },
    noTransform: { type: 'string', enum: ['obey', 'ignore'] },
    spacing: { type: 'string', enum: ['dense', 'adr'] },
    delimiter: { type: 'string', enum: [',', '\t', '|'] },
    notAcceptable: { type: 'string', enum: ['json', '406'] }
  }
} as const

const DEFAULTS: ResolvedOptions = {
  encodings: ['toon', 'stc'],
  mode: 'adaptive',
  minSavings: 0,
  minBytes: 0,
  maxBodyBytes: 8 * 1024 * 1024,
  verify: true,
  statuses: ['2xx'],
  noTransform: 'obey',
  spacing: 'dense',
  delimiter: ',',
  notAcceptable: 'json'
}

/**
 * Fills in what is not given, layer by layer; a member that is undefined counts as not given.
 *
 * @param layers options that have been validated, the stronger first
 */
export function resolveOptions (...layers: readonly EncodingOptions[]): ResolvedOptions {
  const resolved: Record<string, unknown> = {}
  const names = Object.keys(encodingOptionsSchema.properties) as (keyof EncodingOptions)[]
  for (const name of names) {
    const value = layers.find((layer) => layer[name] !== undefined)?.[name] ?? DEFAULTS[name]
    if (value !== undefined) resolved[name] = value
  }
  return resolved as ResolvedOptions
}
