import { CodecDeclinedError, DEFAULT_CODEC_DEPTH } from './codec-interface.js'
import type { CodecOptions } from './codec-interface.js'
import type { Reason } from './decision.js'
import type { Document } from './json/document.js'
import { DecodeError, Failure } from './json/errors.js'
import type { NumberEquality } from './json/equal.js'
import { ByteCounter, ByteWriter } from './json/output.js'
import type { Output } from './json/output.js'
import type { Sink } from './json/sink.js'
import { TapeSink } from './json/tape-sink.js'
import { DEFAULT_MAX_DECODED_BYTES, TextSink } from './json/text-sink.js'
import { findInvalidUtf8, locate, toBytes } from './json/utf8.js'

type Write = (out: Output, document: Document, options: CodecOptions) => void
type Read = (bytes: Uint8Array, maxDepth: number, sink: Sink) => void

/** Whether a document nests no deeper than may be encoded. */
export function isShallow (document: Document, options: CodecOptions): boolean {
  return document.depth <= (options.maxDepth ?? DEFAULT_CODEC_DEPTH)
}

/** Size in bytes of what an encoder writes, or why it declines. */
export function measureWith (write: Write, document: Document, options: CodecOptions): number | Reason {
  if (!isShallow(document, options)) return 'declined-depth'
  const counter = new ByteCounter()
  try {
    write(counter, document, options)
  } catch (error) {
    if (error instanceof CodecDeclinedError) return error.reason
    throw error
  }
  return counter.at
}

/** What an encoder writes. */
export function writeWith (write: Write, document: Document, options: CodecOptions, size: number): Uint8Array {
  const writer = new ByteWriter(size, document)
  write(writer, document, options)
  return writer.finish()
}

/** Whether a decoder reads exactly this document. */
export function verifyWith (read: Read, text: Uint8Array, document: Document, options: CodecOptions, numbers: NumberEquality): boolean {
  const sink = new TapeSink(document, text, numbers)
  try {
    read(text, options.maxDepth ?? DEFAULT_CODEC_DEPTH, sink)
    sink.finish()
    return true
  } catch (error) {
    // A Failure is the answer "no"; anything else is a defect of ours and must be seen.
    if (error instanceof Failure) return false
    throw error
  }
}

/** What a decoder reads, as minified JSON. */
export function decodeWith (read: Read, format: string, text: Uint8Array | string, options: CodecOptions, uniqueKeys: boolean): Uint8Array {
  const source = typeof text === 'string' ? { bytes: toBytes(text), text } : { bytes: text, text: null }
  const invalid = findInvalidText(text)
  if (invalid >= 0) throw new DecodeError(format, 'well-formed Unicode', locate(source, invalid))
  const { maxDepth = DEFAULT_CODEC_DEPTH, maxBytes = DEFAULT_MAX_DECODED_BYTES } = options
  const sink = new TextSink(source.bytes.length * 2, maxBytes, uniqueKeys)
  try {
    read(source.bytes, maxDepth, sink)
    return sink.finish()
  } catch (error) {
    if (error instanceof Failure) throw new DecodeError(format, error.expected, locate(source, error.at))
    throw error
  }
}

/** The byte, or for a string the byte of its UTF-8 form, where the text is no Unicode; -1 where it is. */
function findInvalidText (text: Uint8Array | string): number {
  if (typeof text !== 'string') return findInvalidUtf8(text)
  if (text.isWellFormed()) return -1
  // Every code unit before the first lone surrogate stands for itself.
  return toBytes(text.slice(0, text.search(/\p{Surrogate}/u))).length
}
