/**
 * What becomes of an event's data: null, or a promise of null, where the event stays as it came. It must
 * neither throw nor reject.
 *
 * @param data valid as long as the chunk is from which it came
 */
export type RewriteData = (data: Uint8Array) => Uint8Array | null | Promise<Uint8Array | null>

/** Bytes to be sent on; where they are promised, what follows them waits. */
export type Piece = Uint8Array | Promise<Uint8Array>

/** How events are rewritten. */
export interface EventStreamOptions {
  /** Most bytes of an event, from its first data line on, that are held; a larger one passes as it comes. */
  maxEventBytes: number
  /** Told of each event that is too large. */
  onTooLarge?: (bytes: number) => void
}
