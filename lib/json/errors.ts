/** Where in a text something went wrong. */
export interface Position {
  /** From 0; bytes where the text came as bytes, UTF-16 code units where it came as a string. */
  offset: number
  /** From 1; a line ends with LF, CR LF or CR. */
  line: number
  /** From 1; UTF-16 code units. */
  column: number
}

/** A text that is not what its format allows. The message names what was expected and where. */
export class TextError extends SyntaxError implements Position {
  readonly code: string
  readonly offset: number
  readonly line: number
  readonly column: number
  /** What should have stood there. */
  readonly expected: string

  constructor (code: string, format: string, expected: string, position: Position) {
    const { offset, line, column } = position
    super(`${format}: expected ${expected} at offset ${offset} (line ${line}, column ${column})`)
    this.name = new.target.name
    this.code = code
    this.expected = expected
    this.offset = offset
    this.line = line
    this.column = column
  }
}

/** The text is no JSON (RFC 8259), or no UTF-8; code ERR_JSON_SYNTAX. */
export class JsonSyntaxError extends TextError {
  constructor (expected: string, position: Position) {
    super('ERR_JSON_SYNTAX', 'JSON', expected, position)
  }
}

/** The text is no valid text of an encoded format; code ERR_DECODE. */
export class DecodeError extends TextError {
  constructor (format: string, expected: string, position: Position) {
    super('ERR_DECODE', format, expected, position)
  }
}

/** Thrown inside of readers: what was expected at which byte. Their entry points turn it into a TextError. */
export class Failure extends Error {
  constructor (readonly at: number, readonly expected: string) {
    super(expected)
  }
}
