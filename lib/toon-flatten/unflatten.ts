import { DEFAULT_CODEC_DEPTH } from '../codec-interface.js'
import { Document } from '../json/document.js'
import { DecodeError, Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { ARRAY, KEY, KIND_MASK, NUMBER, OBJECT, STRING, WIDE, nextNode } from '../json/tape.js'
import { DEFAULT_MAX_DECODED_BYTES, TextSink } from '../json/text-sink.js'
import { locate, toText } from '../json/utf8.js'
import { UnflattenSink } from './unflatten-sink.js'

/** Bounds of what dotted keys may grow into. */
export interface UnflattenOptions {
  /** Levels of the nested document; 1 or more, default 512. */
  maxDepth?: number
  /** More JSON than this, in bytes, is an error; default 256 MiB. */
  maxBytes?: number
}

/**
 * Takes `flatten` back: {"a.b":1,"a.c":2} becomes {"a":{"b":1,"c":2}}. Every dot parts a key. Lexemes,
 * strings and order are kept.
 *
 * @returns minified JSON
 * @throws JsonSyntaxError where the input is no JSON
 * @throws DecodeError where a key would stand twice, as in {"a.b":1,"c":2,"a.d":3}, and beyond the bounds
 */
export function unflatten (json: string | Uint8Array | Document, options: UnflattenOptions = {}): string {
  const document = json instanceof Document ? json : Document.parse(json)
  const { maxDepth = DEFAULT_CODEC_DEPTH, maxBytes = DEFAULT_MAX_DECODED_BYTES } = options
  const text = new TextSink(document.minifiedBytes, maxBytes, true)
  try {
    replay(document, new UnflattenSink(text, maxDepth))
    return toText(text.finish())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const source = { bytes: document.bytes, text: typeof json === 'string' ? json : null }
    throw new DecodeError('flattened JSON', error.expected, locate(source, error.at))
  }
}

/** Hands a document to a sink as a decoder would. Without recursion, so at any depth. */
function replay (document: Document, sink: Sink): void {
  const { tape, length, keys, bytes, arena } = document
  const open: number[] = []
  let node = 0
  while (node < length) {
    const head = tape[node]
    const kind = head & KIND_MASK
    if (kind <= ARRAY) {
      if (kind === OBJECT) sink.beginObject()
      else sink.beginArray()
      open.push(node)
      node += 6
    } else if (kind === KEY) {
      sink.position = tape[node + 1] - 1
      sink.key(keys.bytes, keys.starts[tape[node + 2]], keys.starts[tape[node + 2] + 1])
      node += 3
    } else {
      if (kind === STRING) {
        if (head & WIDE) sink.string(arena, tape[node + 3], tape[node + 4])
        else sink.string(bytes, tape[node + 1], tape[node + 2])
      } else if (kind === NUMBER) {
        sink.number(bytes, tape[node + 1], tape[node + 2])
      } else {
        sink.literal(kind)
      }
      node = nextNode(tape, node)
    }
    while (open.length > 0 && tape[open[open.length - 1] + 2] === node) {
      if ((tape[open.pop() as number] & KIND_MASK) === OBJECT) sink.endObject()
      else sink.endArray()
    }
  }
}
