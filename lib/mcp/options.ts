import { CODING_NAMES } from '../codec.js'
import type { CodingName } from '../codec.js'

/** What may be set for one tool; the names are those of the plugin's options. */
export interface ToolOptions {
  /** The only coding for this tool's results; a client that does not take it gets JSON. */
  codec?: CodingName
  /** As the option of the plugin. */
  mode?: 'off' | 'observe' | 'adaptive' | 'always'
  /** Percent, 0 to 100, that a coding must save against minified JSON. */
  minSavings?: number
}

/** Which tools' results are re-encoded. `*` in a pattern stands for any characters, `?` for one. */
export interface ToolScope {
  /** Patterns of the names of the only tools whose results are re-encoded; default: all. */
  include?: readonly string[]
  /** Patterns of the tools whose results stay as they came; default: those that read files, see DEFAULT_EXCLUDE. */
  exclude?: readonly string[]
  /** Options of single tools by pattern; the first pattern that matches counts. */
  options?: Record<string, ToolOptions>
}

/** What a hook is told about a text block. */
export interface TextContext {
  /** The tool that the text came from; null where that is not known. */
  tool: string | null
  /** Index of the block in `content[]` (or `contents[]`). */
  index: number
}

/** What becomes of a text: another text, itself (`true` or undefined), or the whole result is withheld (`false`). */
export type Sanitized = string | boolean | undefined

/** Sees each text block before it is encoded; what it throws withholds the result, as `false` does. */
export type BeforeEncode = (text: string, context: TextContext) => Sanitized | Promise<Sanitized>

/** The options of MCP: `mcp` in the options of the plugin. */
export interface McpOptions {
  tools?: ToolScope
  /**
   * A line before every encoded text that names the format: `true` the standard one, a string as it is,
   * `false` none. Default: the codec's own, which most do not have.
   */
  marker?: boolean | string
  /** Whether the descriptions of the tools in tools/list say how results are encoded; default false. */
  describe?: boolean
  /** `keep` (default), or `drop` it where it equals the JSON of a text block, with `outputSchema` in tools/list. */
  structuredContent?: 'keep' | 'drop'
  /** Whether JSON documents inside of strings are re-encoded too; default true. */
  descend?: boolean
  /** Whether the texts of resources/read are re-encoded too; default false. */
  resources?: boolean
  /** Whether Cache-Control: no-transform keeps messages as they are; default `ignore`. */
  noTransform?: 'obey' | 'ignore'
  /** Texts of more bytes are cut at a row; default: no limit. */
  maxTextBytes?: number
  beforeEncode?: BeforeEncode
}

/** The options with every default filled in. */
export type ResolvedMcpOptions = Required<Omit<McpOptions, 'tools' | 'marker' | 'beforeEncode'>> & Pick<McpOptions, 'marker' | 'beforeEncode'> & {
  tools: Required<Pick<ToolScope, 'exclude' | 'options'>> & Pick<ToolScope, 'include'>
}

/** Tools that hand out files as they are; what they return is matched to the byte by later edits. */
export const DEFAULT_EXCLUDE: readonly string[] = [
  '*read_file', '*read_files', '*read_text_file', '*read_multiple_files', '*read_many_files', '*read_media_file', '*readFile',
  '*get_file_contents', '*get_file_content', '*view_file', '*open_file', 'Read', 'View', 'read', 'view', 'cat'
]

const PATTERNS = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true } as const

/** JSON Schema of `McpOptions`; that `beforeEncode` is a function is checked apart. */
export const mcpOptionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tools: {
      type: 'object',
      additionalProperties: false,
      properties: {
        include: PATTERNS,
        exclude: PATTERNS,
        options: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: false,
            properties: {
              codec: { type: 'string', enum: [...CODING_NAMES] },
              mode: { type: 'string', enum: ['off', 'observe', 'adaptive', 'always'] },
              minSavings: { type: 'number', minimum: 0, maximum: 100 }
            }
          }
        }
      }
    },
    // One line, or what follows it could not be told from the text.
    marker: { description: 'a boolean or a line of text', if: { type: 'string' }, then: { type: 'string', pattern: '^[^\\u0000-\\u001f]+$' }, else: { type: 'boolean' } },
    describe: { type: 'boolean' },
    structuredContent: { type: 'string', enum: ['keep', 'drop'] },
    descend: { type: 'boolean' },
    resources: { type: 'boolean' },
    noTransform: { type: 'string', enum: ['obey', 'ignore'] },
    maxTextBytes: { type: 'integer', minimum: 1 },
    beforeEncode: {}
  }
} as const

/**
 * Fills in what is not given, layer by layer; a member that is undefined counts as not given.
 *
 * @param layers options that have been validated, the stronger first
 */
export function resolveMcpOptions (...layers: readonly McpOptions[]): ResolvedMcpOptions {
  const find = <K extends keyof McpOptions>(name: K): McpOptions[K] => layers.find(layer => layer[name] !== undefined)?.[name]
  const tools = find('tools')
  return {
    tools: { include: tools?.include, exclude: tools?.exclude ?? [...DEFAULT_EXCLUDE], options: tools?.options ?? {} },
    marker: find('marker'),
    describe: find('describe') ?? false,
    structuredContent: find('structuredContent') ?? 'keep',
    descend: find('descend') ?? true,
    resources: find('resources') ?? false,
    noTransform: find('noTransform') ?? 'ignore',
    maxTextBytes: find('maxTextBytes') ?? Infinity,
    beforeEncode: find('beforeEncode')
  }
}
