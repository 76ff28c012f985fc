import { decodeWith, isShallow, verifyWith } from '../../codec-helpers.js'
import type { Codec } from '../../codec-interface.js'
import type { Document } from '../../json/document.js'
import { ByteCounter, ByteWriter } from '../../json/output.js'
import { DEFAULT_MAX_BYTES, readStc2 } from './decode.js'
import { writeStc2 } from './encode.js'
import { planTables } from './plan.js'
import type { Plan } from './plan.js'

/** Plans of documents that were measured and may be written next. */
const plans = new WeakMap<Document, Plan>()

/** STOA Token Compression, version 2 (grammar in ../README.md). */
export const stc2: Codec = {
  name: 'stc2',
  version: '2',
  mediaType: 'application/stc+json',
  isNamedWithVersion: true,
  contentType: 'application/stc+json; version=2',
  ratioHeader: 'x-stc-ratio',
  versionHeader: 'x-stc-version',
  measure (document, options) {
    if (!isShallow(document, options)) return 'declined-depth'
    const plan = planTables(document)
    plans.set(document, plan)
    const counter = new ByteCounter()
    writeStc2(counter, document, plan)
    return counter.at
  },
  encode (document, _options, size) {
    const plan = plans.get(document) ?? planTables(document)
    plans.delete(document)
    const writer = new ByteWriter(size, document)
    writeStc2(writer, document, plan)
    return writer.finish()
  },
  verify: (text, document, options) => isShallow(document, options) && verifyWith(readStc2, text, document, options, 'lexeme'),
  decode (text, options) {
    const { maxBytes = DEFAULT_MAX_BYTES } = options
    return decodeWith((bytes, maxDepth, sink) => readStc2(bytes, maxDepth, sink, maxBytes), 'STC 2', text, { ...options, maxBytes }, false)
  }
}
