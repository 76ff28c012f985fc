import { checkAccepted } from '../check-arguments.js'
import { chooseBytes } from '../choose.js'
import type { CodingName } from '../codec.js'
import { Document } from '../json/document.js'
import { toText } from '../json/utf8.js'
import { stringifyTable } from './stringify-table.js'

/** How the text is chosen. */
export interface StringifyCompactOptions {
  /** The codings that may be used beside JSON, in the order that breaks ties; default TOON and STC. */
  encodings?: readonly CodingName[]
  /** What makes a text the smallest: its bytes (default), or also its tokens, as far as they are estimated. */
  measure?: 'bytes' | 'tokens'
  /** Whether a text is decoded and compared before it is returned; default true. */
  verify?: boolean
}

const DEFAULT_ENCODINGS: readonly CodingName[] = ['toon', 'stc']

/**
 * What JSON.stringify(value) returns, or a smaller text in one of the codings that stands for the same.
 * Rows that all have the same members, of primitives or of objects that are alike in turn, are written straight
 * from the values; a getter in them may be called more than once, and a boxed primitive whose prototype was replaced by
 * that of plain objects, or by null, is taken for a plain object.
 *
 * @returns undefined where JSON.stringify returns it: for undefined, functions and symbols
 * @throws TypeError where JSON.stringify does: for cycles and BigInt; for a replacer, which there is none of here, and
 * for the name of no coding
 */
export function stringifyCompact (value: string | number | boolean | null | object, options?: StringifyCompactOptions): string
export function stringifyCompact (value: unknown, options?: StringifyCompactOptions): string | undefined
export function stringifyCompact (value: unknown, options?: StringifyCompactOptions | null): string | undefined {
  // In the place of JSON.stringify: what a replacer leaves out must not be written.
  if (typeof options === 'function' || Array.isArray(options)) throw new TypeError('options must be an object: there is no replacer')
  const { encodings = DEFAULT_ENCODINGS, measure = 'bytes', verify = true } = options ?? {}
  const text = measure === 'bytes' ? stringifyTable(value, encodings, verify) : null
  if (text !== null) return text
  const json = JSON.stringify(value) as string | undefined
  // A primitive stays JSON: there is next to nothing to save, and a bare string says little of what it is.
  if (json === undefined || !/^[[{]/.test(json)) return json
  const document = Document.parse(json)
  try {
    const policy = { accepted: encodings.map(codec => ({ codec, q: 1 })), measure, verify }
    checkAccepted(policy.accepted)
    const { bytes, codec } = chooseBytes(document, policy)
    return codec === 'json' ? json : toText(bytes)
  } finally {
    document.dispose()
  }
}
