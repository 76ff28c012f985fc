import { decodeWith, isShallow } from '../../codec-helpers.js'
import { DEFAULT_CODEC_DEPTH } from '../../codec-interface.js'
import type { Codec } from '../../codec-interface.js'
import type { Document } from '../../json/document.js'
import { ByteWriter } from '../../json/output.js'
import { DEFAULT_MAX_BYTES, readStc2 } from './decode.js'
import { writeStc2 } from './encode.js'
import { STC2_MARKER } from './marker.js'
import { Plan } from './plan.js'
import { verifyStc2 } from './verify.js'

/**
 * Texts of documents that were measured and not yet taken. To plan a document and to find each row's cells is most of
 * the work, so the text is made when its size is asked for.
 */
const texts = new WeakMap<Document, Uint8Array>()

/** What a decoder counts of constants, defaults and templates is less than twice the JSON that they stand for. */
const MOST_BYTES = DEFAULT_MAX_BYTES / 2

function write (document: Document): Uint8Array {
  const plan = new Plan(document)
  const writer = new ByteWriter(document.minifiedBytes, document)
  writeStc2(writer, document, plan)
  plan.nodes.dispose()
  return writer.finish()
}

/** STOA Token Compression, version 2 (grammar in ../README.md). */
export const stc2: Codec = {
  name: 'stc2',
  version: '2',
  mediaType: 'application/stc+json',
  isNamedWithVersion: true,
  contentType: 'application/stc+json; version=2',
  marker: STC2_MARKER,
  ratioHeader: 'x-stc-ratio',
  versionHeader: 'x-stc-version',
  measure (document, options) {
    if (!isShallow(document, options)) return 'declined-depth'
    if (document.minifiedBytes > MOST_BYTES) return 'too-large'
    const text = write(document)
    texts.set(document, text)
    return text.length
  },
  encode (document) {
    const text = texts.get(document) ?? write(document)
    texts.delete(document)
    return text
  },
  verify: (text, document, options) => isShallow(document, options) && verifyStc2(text, document, options.maxDepth ?? DEFAULT_CODEC_DEPTH),
  decode (text, options) {
    const { maxBytes = DEFAULT_MAX_BYTES } = options
    return decodeWith((bytes, maxDepth, sink) => readStc2(bytes, maxDepth, sink, maxBytes), 'STC 2', text, { ...options, maxBytes }, false)
  }
}
