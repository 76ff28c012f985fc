import { decodeWith, isShallow } from '../../codec-helpers.js'
import { DEFAULT_CODEC_DEPTH } from '../../codec-interface.js'
import type { Codec } from '../../codec-interface.js'
import type { Document } from '../../json/document.js'
import { DEFAULT_MAX_BYTES, readStc2 } from './decode.js'
import { writeStc2 } from './encode.js'
import { STC2_MARKER } from './marker.js'
import { Plan } from './plan.js'
import { verifyStc2 } from './verify.js'

/*
 * To plan a document and to find each row's cells is most of the work, so the text is made when its size is asked for,
 * and kept until it is taken: of small documents the last one, which costs less than a map of all.
 */
const MOST_KEPT = 1 << 16
let last: Document | null = null
let lastText: Uint8Array = new Uint8Array(0)
const texts = new WeakMap<Document, Uint8Array>()

/** What a decoder counts of constants, defaults and templates is less than twice the JSON that they stand for. */
const MOST_BYTES = DEFAULT_MAX_BYTES / 2

function write (document: Document): Uint8Array {
  const plan = new Plan(document)
  const text = writeStc2(document, plan)
  plan.nodes.dispose()
  return text
}

function keep (document: Document, text: Uint8Array): void {
  if (document.bytes.length > MOST_KEPT) {
    texts.set(document, text)
  } else {
    last = document
    lastText = text
  }
}

/** The text that was kept of a document, or a new one. */
function take (document: Document): Uint8Array {
  if (document !== last) {
    const text = texts.get(document) ?? write(document)
    texts.delete(document)
    return text
  }
  last = null
  return lastText
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
    keep(document, text)
    return text.length
  },
  encode: document => take(document),
  verify: (text, document, options) => isShallow(document, options) && verifyStc2(text, document, options.maxDepth ?? DEFAULT_CODEC_DEPTH),
  decode (text, options) {
    const { maxBytes = DEFAULT_MAX_BYTES } = options
    return decodeWith((bytes, maxDepth, sink) => readStc2(bytes, maxDepth, sink, maxBytes), 'STC 2', text, { ...options, maxBytes }, false)
  }
}
