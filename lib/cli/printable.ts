/** Control and format characters, bidirectional overrides among them, line separators and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** A file name or message for a terminal or a page: characters that would steer it stand there as `\u{...}`. */
export function printable (text: string): string {
  return text.replace(UNPRINTABLE, char => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}
