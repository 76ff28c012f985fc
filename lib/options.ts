import { CODING_NAMES } from './codec.js'
import type { CodingName } from './codec.js'
import type { StatusRange } from './http/eligibility.js'
import type { RowsOptions } from './rows/options.js'
import type { TabularRule } from './tabular.js'
import { TOKEN_ENCODINGS } from './tokens/encodings.js'
import type { TokenEncoding } from './tokens/encodings.js'
import type { FlattenOptions } from './toon-flatten/options.js'

/** The options of encoding, the same on the plugin and on a route; a route's go before the plugin's. */
export interface EncodingOptions {
  /** The codings that may be used, in the order that breaks ties; default `['toon', 'stc']`. */
  encodings?: readonly CodingName[]
  /**
   * `off`: nothing is done; `observe`: decided and reported, but the original ships; `adaptive` (default):
   * a coding ships only when it is smaller; `always`: the first coding accepted ships, even if larger.
   */
  mode?: 'off' | 'observe' | 'adaptive' | 'always'
  /** What a coding must be less in: `bytes`, or also `tokens` (default), by an estimate and its margin of error. */
  measure?: 'tokens' | 'bytes'
  /** Whose tokens are meant; default `o200k_base`. */
  tokenizer?: TokenEncoding
  /** Re-encode nothing but tables; what is none stays as it came. Default: all kinds of documents. */
  tabularOnly?: TabularRule
  /** Percent, 0 to 100, that a coding must save against minified JSON; default 0. */
  minSavings?: number
  /** Bodies of fewer bytes stay as they are; default 256. */
  minBytes?: number
  /** Bodies of more bytes stay as they are, streamed on as they come; default 8 MiB. */
  maxBodyBytes?: number
  /** Events of more bytes, from their data on, pass as they come; default 8 MiB. */
  maxEventBytes?: number
  /** Nesting depth past which no coding takes a body; default that of the codecs. */
  maxDepth?: number
  /** Whether JSON documents in strings of a whole body are re-encoded too; default false. Of MCP texts, `mcp.descend` says it. */
  descend?: boolean
  /** Whether every encoded text is decoded and compared before it may ship; default true. */
  verify?: boolean
  /** The statuses whose bodies may be re-encoded, as codes or classes; default `['2xx']`. */
  statuses?: readonly StatusRange[]
  /** Whether Cache-Control: no-transform keeps a body as it is; default `obey`. */
  noTransform?: 'obey' | 'ignore'
  /** STC: `dense` (default) or the spaced form of ADR-066. */
  spacing?: 'dense' | 'adr'
  /** TOON: the delimiter of rows and inline arrays; default `,`. */
  delimiter?: ',' | '\t' | '|'
  /** toon-flatten: what becomes of keys that hold a dot. */
  flatten?: FlattenOptions
  /** rows: name of a block without one, escapes, losses. */
  rows?: Omit<RowsOptions, 'countTokens'>
  /** What a client gets that refuses plain JSON when no coding takes the body; default `json`. */
  notAcceptable?: 'json' | '406'
  /**
   * Whether a text that is asked for by Accept-Encoding is also compressed for clients that name gzip, br or zstd there:
   * `Content-Encoding: toon, gzip`; default false, since most clients, fetch among them, cannot undo both.
   */
  stackCodings?: boolean
}

/** The options whose default is that there is none, or the one of the codecs. */
type Unset = 'maxDepth' | 'tokenizer' | 'tabularOnly' | 'flatten' | 'rows'

/** The options with every default filled in. */
export type ResolvedOptions = Required<Omit<EncodingOptions, Unset>> & Pick<EncodingOptions, Unset>

/** JSON Schema of `EncodingOptions`. */
export const encodingOptionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    encodings: { type: 'array', items: { type: 'string', enum: [...CODING_NAMES] }, minItems: 1, uniqueItems: true },
    mode: { type: 'string', enum: ['off', 'observe', 'adaptive', 'always'] },
    measure: { type: 'string', enum: ['tokens', 'bytes'] },
    tokenizer: { type: 'string', enum: [...TOKEN_ENCODINGS] },
    tabularOnly: {
      type: 'object',
      additionalProperties: false,
      properties: { minRows: { type: 'integer', minimum: 1 }, presence: { type: 'number', minimum: 0, maximum: 1 } }
    },
    minSavings: { type: 'number', minimum: 0, maximum: 100 },
    minBytes: { type: 'integer', minimum: 0 },
    maxBodyBytes: { type: 'integer', minimum: 1 },
    maxEventBytes: { type: 'integer', minimum: 1 },
    maxDepth: { type: 'integer', minimum: 1 },
    descend: { type: 'boolean' },
    verify: { type: 'boolean' },
    statuses: {
      type: 'array',
      items: {
        description: 'a code from 200 to 599, or one of "2xx", "3xx", "4xx", "5xx"',
        anyOf: [
          { type: 'integer', minimum: 200, maximum: 599 },
          { type: 'string', enum: ['2xx', '3xx', '4xx', '5xx'] }
        ]
      }
    },
    noTransform: { type: 'string', enum: ['obey', 'ignore'] },
    spacing: { type: 'string', enum: ['dense', 'adr'] },
    delimiter: { type: 'string', enum: [',', '\t', '|'] },
    flatten: { type: 'object', additionalProperties: false, properties: { dots: { type: 'string', enum: ['decline', 'underscore'] } } },
    rows: {
      type: 'object',
      additionalProperties: false,
      properties: {
        // What would end a name, or be read as something else.
        objectName: { type: 'string', description: 'a name without any of ,|[]\\()=, and without # or blanks at its ends', pattern: '^[^\\s,|\\[\\]\\\\()=#][^,|\\[\\]\\\\()=\\u0000-\\u001f]*(?<!\\s)$' },
        escapeValues: { type: 'boolean' },
        lossy: { type: 'boolean' }
      }
    },
    notAcceptable: { type: 'string', enum: ['json', '406'] },
    stackCodings: { type: 'boolean' }
  }
} as const

/** What is smaller costs more to explain than it saves. */
export const DEFAULT_MIN_BYTES = 256

const DEFAULTS: ResolvedOptions = {
  encodings: ['toon', 'stc'],
  mode: 'adaptive',
  measure: 'tokens',
  minSavings: 0,
  minBytes: DEFAULT_MIN_BYTES,
  maxBodyBytes: 8 * 1024 * 1024,
  maxEventBytes: 8 * 1024 * 1024,
  descend: false,
  verify: true,
  statuses: ['2xx'],
  noTransform: 'obey',
  spacing: 'dense',
  delimiter: ',',
  notAcceptable: 'json',
  stackCodings: false
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
