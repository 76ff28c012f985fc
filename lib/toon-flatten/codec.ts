import { decodeWith, verifyWith } from '../codec-helpers.js'
import { DEFAULT_CODEC_DEPTH } from '../codec-interface.js'
import type { Codec, CodecOptions } from '../codec-interface.js'
import type { Reason } from '../decision.js'
import { Document } from '../json/document.js'
import type { Sink } from '../json/sink.js'
import { toon } from '../toon/codec.js'
import { readToon } from '../toon/decode.js'
import { flattenDocument } from './flatten.js'
import type { FlattenOptions } from './options.js'
import { UnflattenSink } from './unflatten-sink.js'

/**
 * TOON 4.0 of the flattened document, Apify's `toon-flatten` without its losses. Read as plain TOON it has
 * dotted keys, so no media type names it and it never travels as `toon`.
 */
export const toonFlatten: Codec = {
  name: 'toon-flatten',
  version: toon.version,
  mediaType: null,
  contentType: toon.contentType,
  ratioHeader: toon.ratioHeader,
  versionHeader: toon.versionHeader,
  isLossless,
  numbers: 'value',
  measure: (document: Document, options: CodecOptions) => {
    if (document.depth > (options.maxDepth ?? DEFAULT_CODEC_DEPTH)) return 'declined-depth'
    const flat = flattened(document, options)
    return typeof flat === 'string' ? flat : toon.measure(flat, options)
  },
  encode: (document: Document, options: CodecOptions, size: number) => toon.encode(flattened(document, options) as Document, options, size),
  verify: (text: Uint8Array, document: Document, options: CodecOptions) => {
    if (isLossless(options)) return verifyWith(readToonFlatten, text, document, options, 'value')
    const flat = flattened(document, options)
    return typeof flat !== 'string' && toon.verify(text, flat, options)
  },
  decode: (text: Uint8Array | string, options: CodecOptions) => decodeWith(readToonFlatten, 'TOON', text, options, true)
}

function isLossless ({ flatten }: CodecOptions): boolean {
  return flatten?.dots !== 'underscore'
}

function readToonFlatten (bytes: Uint8Array, maxDepth: number, sink: Sink): void {
  readToon(bytes, maxDepth, new UnflattenSink(sink, maxDepth))
}

/** The flattened form is asked for by `measure` and again by `encode`. */
const known = new WeakMap<Document, { dots: FlattenOptions['dots'], flat: Document | Reason }>()

function flattened (document: Document, { flatten = {} }: CodecOptions): Document | Reason {
  const before = known.get(document)
  if (before !== undefined && before.dots === flatten.dots) return before.flat
  const result = flattenDocument(document, flatten)
  const flat = typeof result === 'string' ? result : Document.parse(result, { isUtf8: () => true })
  known.set(document, { dots: flatten.dots, flat })
  return flat
}
