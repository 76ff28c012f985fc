/** What a stream has under this name gives its body at once where all of it has come, and null where it has not. */
export const TAKE_WHOLE = Symbol('takeWhole')

/** A stream whose source tells it in one go of all that came in one packet. */
export interface WholeBody {
  /**
   * @param maxBytes a larger body is not given, and stays to be read
   * @returns the bytes, which are out of the stream from then on
   */
  [TAKE_WHOLE]: (maxBytes: number) => Buffer | null
}

export function mayBeWhole (payload: unknown): payload is WholeBody {
  return typeof (payload as Partial<WholeBody> | null)?.[TAKE_WHOLE] === 'function'
}
