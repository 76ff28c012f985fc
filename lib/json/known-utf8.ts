import type { ParseOptions } from './document.js'

/** For texts that were made of UTF-8, and so are. */
export const KNOWN_UTF8: ParseOptions = { isUtf8: () => true }
