import { decodeWith, measureWith, verifyWith, writeWith } from '../codec-helpers.js'
import type { Codec, CodecOptions } from '../codec-interface.js'
import type { Document } from '../json/document.js'
import { DecodeError } from '../json/errors.js'
import { minifyToBytes } from '../json/minify.js'
import { ByteWriter } from '../json/output.js'
import type { Output } from '../json/output.js'
import type { Sink } from '../json/sink.js'
import { toText } from '../json/utf8.js'
import { readRows } from './decode.js'
import { writeRows } from './encode.js'
import { estimateTokenSavings, savingsFooter } from './savings.js'

/** Graph-It-Live's dialect. Its texts are text/plain, which no client means it by, so no media type names it. */
export const rows: Codec = {
  name: 'rows',
  version: '1',
  mediaType: null,
  contentType: 'text/plain; charset=utf-8',
  ratioHeader: 'x-rows-ratio',
  versionHeader: 'x-rows-version',
  isLossless: ({ rows }: CodecOptions) => rows?.lossy !== true,
  measure: (document: Document, options: CodecOptions) => {
    if (document.hasLoneSurrogate) return 'declined-lone-surrogate'
    if (document.hasDuplicateKeys) return 'declined-duplicate-keys'
    return measureWith(write, document, options)
  },
  encode: (document: Document, options: CodecOptions, size: number) => writeWith(write, document, options, size),
  verify: (text: Uint8Array, document: Document, options: CodecOptions) =>
    options.rows?.lossy === true ? isReadable(text, options) : verifyWith(readerOf(options), text, document, options, 'lexeme'),
  decode
}

function write (out: Output, document: Document, options: CodecOptions): void {
  const countTokens = options.rows?.countTokens
  if (countTokens === undefined) {
    writeRows(out, document, options)
    return
  }
  const body = new ByteWriter(document.minifiedBytes)
  writeRows(body, document, options)
  const bytes = body.finish()
  out.copy(bytes, 0, bytes.length)
  out.ascii(savingsFooter(estimateTokenSavings(toText(minifyToBytes(document)), toText(bytes), countTokens)))
}

function decode (text: Uint8Array | string, options: CodecOptions): Uint8Array {
  return decodeWith(readerOf(options), 'rows', text, options, true)
}

function readerOf ({ rows }: CodecOptions): (bytes: Uint8Array, maxDepth: number, sink: Sink) => void {
  return (bytes, maxDepth, sink) => readRows(bytes, maxDepth, sink, rows?.escapeValues ?? true)
}

/** All that can be asked of a text that is known to lose something. */
function isReadable (text: Uint8Array, options: CodecOptions): boolean {
  try {
    decode(text, options)
    return true
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return false
  }
}
