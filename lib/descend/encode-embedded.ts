import { CODECS } from '../codec.js'
import type { CodecOptions, CodingName } from '../codec.js'
import { Document } from '../json/document.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { minifyToBytes } from '../json/minify.js'
import { splice } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { measureLiteral } from '../json/string-literal.js'
import { WIDE } from '../json/tape.js'
import { isTabular } from '../tabular.js'
import type { TabularRule } from '../tabular.js'
import type { Embedded } from './find-embedded.js'

/** By which rules embedded documents are encoded. */
export interface EmbeddedPolicy extends CodecOptions {
  tabularOnly?: TabularRule
}

/** A document whose embedded documents are written anew. */
export interface Rewritten {
  /** What changes in the document's bytes: other strings, all else stays. */
  edits: Edit[]
  /** By how many bytes the strings are shorter than the old ones in their shortest spelling. */
  saved: number
  /** Pointers of the strings that are texts of the codec now. */
  coded: string[]
  /** Pointers of the strings that are minified JSON now. */
  minified: string[]
  /** Pointers of both, in the order of the document, that of an outer string first. */
  paths: string[]
}

/** A text, and its size as a string in JSON. */
interface Sized {
  text: Uint8Array
  size: number
}

/**
 * Writes the embedded documents as texts of a codec, or as minified JSON where that is no longer (and always where
 * there is no codec). A string stays as it is where naming it in a list of pointers would cost what it saves.
 *
 * @returns null where nothing is saved
 */
export function encodeEmbedded ({ tape }: Document, embedded: readonly Embedded[], codec: CodingName | null, policy: EmbeddedPolicy, prefix = ''): Rewritten | null {
  const rewritten: Rewritten = { edits: [], saved: 0, coded: [], minified: [], paths: [] }
  for (const one of embedded) {
    const { node } = one
    const pointer = prefix + one.pointer
    const start = tape[node + 1] - 1
    const end = tape[node + 2] + 1
    const inner = encodeEmbedded(one.document, one.inner, codec, policy, pointer)
    const { sized, isCoded } = inner === null ? encodeDocument(one, codec, policy) : encodeAgain(one, inner, codec, policy)
    // A pointer is listed as a string with a comma; those that are in it have been weighed already.
    if (end - start - sized.size <= pointer.length + 3) continue
    rewritten.edits.push({ start, end, parts: [sized.text], isString: true, size: sized.size })
    rewritten.saved += (tape[node] & WIDE ? tape[node + 4] - tape[node + 3] + 2 : end - start) - sized.size
    rewritten.paths.push(pointer)
    rewritten[isCoded ? 'coded' : 'minified'].push(pointer)
    if (inner !== null) append(rewritten, inner)
  }
  return rewritten.edits.length === 0 ? null : rewritten
}

/** Not by spreading: there may be more pointers than a call takes arguments. */
function append (to: Rewritten, from: Rewritten): void {
  for (const path of from.paths) to.paths.push(path)
  for (const path of from.coded) to.coded.push(path)
  for (const path of from.minified) to.minified.push(path)
}

/** Encodes a document whose own strings have changed. */
function encodeAgain ({ document }: Embedded, { edits }: Rewritten, codec: CodingName | null, policy: EmbeddedPolicy): { sized: Sized, isCoded: boolean } {
  const changed = Document.parse(splice(document.bytes, edits), KNOWN_UTF8)
  const encoded = encodeDocument({ document: changed }, codec, policy)
  changed.dispose()
  return encoded
}

function encodeDocument (one: Pick<Embedded, 'document' | 'minified'>, codec: CodingName | null, policy: EmbeddedPolicy): { sized: Sized, isCoded: boolean } {
  const minified = one.minified ??= toSized(minifyToBytes(one.document))
  const coded = codec === null ? null : encodeSmaller(one.document, codec, policy, minified)
  return coded === null ? { sized: minified, isCoded: false } : { sized: coded, isCoded: true }
}

/** The text of the codec if it is smaller than minified JSON, by itself and inside of a string. */
function encodeSmaller (document: Document, codec: CodingName, policy: EmbeddedPolicy, minified: Sized): Sized | null {
  if (policy.tabularOnly !== undefined && !isTabular(document, policy.tabularOnly)) return null
  const size = CODECS[codec].measure(document, policy)
  if (typeof size === 'string' || size >= minified.text.length) return null
  const coded = toSized(CODECS[codec].encode(document, policy, size))
  return coded.size < minified.size ? coded : null
}

const toSized = (text: Uint8Array): Sized => ({ text, size: measureLiteral([text]) })
