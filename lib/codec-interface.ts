import type { CodecName, CodingName } from './codec-names.js'
import type { Document } from './json/document.js'
import type { Reason } from './decision.js'
import type { NumberEquality } from './json/equal.js'
import type { RowsOptions } from './rows/options.js'
import type { FlattenOptions } from './toon-flatten/options.js'

/** What can be set about the text of a codec; each codec takes what concerns it. */
export interface CodecOptions {
  /** TOON: what parts the values of a line; default the comma. */
  delimiter?: ',' | '\t' | '|'
  /** STC: `dense` (default) has no blanks, `adr` those of ADR-066. */
  spacing?: 'dense' | 'adr'
  /** toon-flatten: what becomes of keys that hold a dot. */
  flatten?: FlattenOptions
  /** rows: names, escapes and losses of the dialect. */
  rows?: RowsOptions
  /** Decoding: more JSON than this, in bytes, is an error; default 256 MiB. */
  maxBytes?: number
  /** How deep a document may nest that is encoded, and a text that is decoded; 1 or more, default 512. */
  maxDepth?: number
}

export const DEFAULT_CODEC_DEPTH = 512

/** One format: how it is written, read and proved, and under which names it travels. */
export interface Codec {
  readonly name: CodingName
  /** The version of the format, as the version header states it. */
  readonly version: string
  /** The media type without parameters, as a client names it in Accept; null where there is none. */
  readonly mediaType: string | null
  /** Whether the media type means this codec only with its version as a parameter; without one it means an older one. */
  readonly isNamedWithVersion?: boolean
  /** The value of Content-Type. */
  readonly contentType: string
  /** When a number that comes back is the one that was there: absent or `lexeme`, if its lexeme is; `value`, if its value is. */
  readonly numbers?: NumberEquality
  /** A line that says to a reader what the text is, put before a text block of MCP unless an option says otherwise. */
  readonly marker?: string
  /** Name of the response header that holds encoded bytes / original bytes. */
  readonly ratioHeader: string
  /** Name of the response header that holds the version. */
  readonly versionHeader: string
  /** Whether its texts bring the document back with these options; absent: always. */
  isLossless? (options: CodecOptions): boolean
  /**
   * Whether it writes a value by what that is and the marks of its container on the tape, and by nothing else, so that
   * a miniature of a document shows what it makes of the document; absent: it does not.
   */
  isShownByMiniature? (options: CodecOptions): boolean
  /** Size in bytes of what `encode` would return, or why the document cannot be held exactly. */
  measure (document: Document, options: CodecOptions): number | Reason
  /** The text. `size` comes from `measure`, which must not have declined. */
  encode (document: Document, options: CodecOptions, size: number): Uint8Array
  /** Whether the text decodes to exactly this document; decodes it in lock-step with the tape. */
  verify (text: Uint8Array, document: Document, options: CodecOptions): boolean
  /** The minified JSON that the text stands for. @throws DecodeError */
  decode (text: Uint8Array | string, options: CodecOptions): Uint8Array
}

/** A document that a codec cannot hold exactly. */
export class CodecDeclinedError extends Error {
  readonly code = 'ERR_CODEC_DECLINED'

  constructor (readonly codec: CodecName, readonly reason: Reason) {
    super(`${codec} cannot hold this document exactly: ${reason}`)
    this.name = 'CodecDeclinedError'
  }
}
