/** A codec that a client can ask for by the name of its content coding. */
export type CodingName = 'toon' | 'stc' | 'stc2' | 'toon-flatten' | 'rows'
/** The form of a text: one of the codings, or JSON itself. */
export type CodecName = CodingName | 'json'
