/**
 * Who takes the values that a decoder reads, in the order of the document. Strings and keys come as
 * spans that hold their shortest JSON spelling without quotes, numbers as their lexeme.
 */
export interface Sink {
  /** Where in the text the latest key stands; set by the decoder, for messages. */
  position: number
  beginObject (): void
  endObject (): void
  beginArray (): void
  endArray (): void
  /** A key of the innermost object; its value comes next. */
  key (bytes: Uint8Array, start: number, end: number): void
  /** Makes a key known that many objects will have, and returns a handle for it; the same key has the same. */
  defineKey (bytes: Uint8Array, start: number, end: number): number
  /** The same as `key` for a key that was made known. */
  definedKey (handle: number): void
  string (bytes: Uint8Array, start: number, end: number): void
  number (bytes: Uint8Array, start: number, end: number): void
  /** TRUE, FALSE or NULL of tape.ts. */
  literal (kind: number): void
}
