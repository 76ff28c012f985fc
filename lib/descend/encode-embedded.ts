import { CODECS } from '../codec.js'
import type { CodecOptions, CodingName } from '../codec.js'
import { Document } from '../json/document.js'
import { minifyToBytes } from '../json/minify.js'
import { splice } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { measureLiteral, toLiteral } from '../json/string-literal.js'
import { isTabular } from '../tabular.js'
import type { TabularRule } from '../tabular.js'
import type { Embedded } from './find-embedded.js'

/** By which rules embedded documents are encoded. */
export interface EmbeddedPolicy extends CodecOptions {
  tabularOnly?: TabularRule
}

/** A document whose embedded documents are written anew. */
export interface Rewritten {
  /** The document's bytes with other strings in them, all else as it was. */
  bytes: Uint8Array
  /** Pointers of the strings that are texts of the codec now. */
  coded: string[]
  /** Pointers of the strings that are minified JSON now. */
  minified: string[]
  /** Pointers of both, in the order of the document, that of an outer string first. */
  paths: string[]
}

/**
 * Writes the embedded documents as texts of a codec, or as minified JSON where that is no longer (and always where
 * there is no codec). A string stays as it is where naming it in a list of pointers would cost what it saves.
 *
 * @returns null where nothing is saved
 */
export function encodeEmbedded (document: Document, embedded: readonly Embedded[], codec: CodingName | null, policy: EmbeddedPolicy, prefix = ''): Rewritten | null {
  const edits: Edit[] = []
  const rewritten: Omit<Rewritten, 'bytes'> = { coded: [], minified: [], paths: [] }
  const { tape } = document
  for (const one of embedded) {
    const pointer = prefix + one.pointer
    const start = tape[one.node + 1] - 1
    const end = tape[one.node + 2] + 1
    const inner = encodeEmbedded(one.document, one.inner, codec, policy, pointer)
    const { text, isCoded } = encodeDocument(inner?.bytes ?? one.document, codec, policy)
    const literal = toLiteral(text)
    // A pointer is listed as a string with a comma; those that are in it have been weighed already.
    if (end - start - literal.length <= pointer.length + 3) continue
    edits.push({ start, end, bytes: literal })
    rewritten.paths.push(pointer)
    rewritten[isCoded ? 'coded' : 'minified'].push(pointer)
    if (inner !== null) append(rewritten, inner)
  }
  return edits.length === 0 ? null : { bytes: splice(document.bytes, edits), ...rewritten }
}

/** Not by spreading: there may be more pointers than a call takes arguments. */
function append (to: Omit<Rewritten, 'bytes'>, from: Rewritten): void {
  for (const path of from.paths) to.paths.push(path)
  for (const path of from.coded) to.coded.push(path)
  for (const path of from.minified) to.minified.push(path)
}

function encodeDocument (source: Document | Uint8Array, codec: CodingName | null, policy: EmbeddedPolicy): { text: Uint8Array, isCoded: boolean } {
  const document = source instanceof Document ? source : Document.parse(source)
  const minified = minifyToBytes(document)
  const coded = codec === null ? null : encodeSmaller(document, codec, policy, minified)
  if (document !== source) document.dispose()
  return coded === null ? { text: minified, isCoded: false } : { text: coded, isCoded: true }
}

/** The text of the codec if it is smaller than minified JSON, by itself and inside of a string. */
function encodeSmaller (document: Document, codec: CodingName, policy: EmbeddedPolicy, minified: Uint8Array): Uint8Array | null {
  if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) return null
  const size = CODECS[codec].measure(document, policy)
  if (typeof size === 'string' || size >= minified.length) return null
  const text = CODECS[codec].encode(document, policy, size)
  return measureLiteral(text) < measureLiteral(minified) && CODECS[codec].verify(text, document, policy) ? text : null
}
