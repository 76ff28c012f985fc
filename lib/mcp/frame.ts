import type { FormatName } from '../codec-names.js'
import type { CodecName, CodingName } from '../codec.js'
import { makeFence } from '../markdown.js'
import { makeMarker } from './marker.js'
import type { ResolvedMcpOptions } from './options.js'

/** A text as it ships: the encoded bytes and what stands around them. */
export interface Framed {
  /** One behind the other. */
  parts: Uint8Array[]
  /** Size of all parts in bytes. */
  size: number
  /** Lines before the encoded text. */
  preamble: number
}

/** Size in bytes of what stands before a text of this codec. */
export function measureMarker (codec: CodingName, options: ResolvedMcpOptions): number {
  return makeMarker(codec, options)?.length ?? 0
}

/** Puts marker, note and fence around a text. */
export function frameText (text: Uint8Array, codec: CodecName, format: FormatName | undefined, note: Uint8Array | null, options: ResolvedMcpOptions): Framed {
  const parts: Uint8Array[] = []
  const marker = codec === 'json' ? null : makeMarker(codec, options)
  if (marker !== null) parts.push(marker)
  if (note !== null) parts.push(note)
  const preamble = parts.length
  if (format === 'markdown') {
    const { before, after } = makeFence(text)
    parts.push(before, text, after)
  } else {
    parts.push(text)
  }
  return { parts, size: parts.reduce((size, { length }) => size + length, 0), preamble }
}

/** The parts as one text. */
export function concat (parts: readonly Uint8Array[]): Uint8Array {
  const text = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    text.set(part, at)
    at += part.length
  }
  return text
}
