/** A codec that a client can ask for by the name of its content coding. */
export type CodingName = 'toon' | 'stc' | 'stc2' | 'toon-flatten' | 'rows'
/** The form of a text: one of the codings, or JSON itself. */
export type CodecName = CodingName | 'json'
/** What a client can ask for by name: a codec, or JSON in a fenced block of Markdown. */
export type FormatName = CodecName | 'markdown'
