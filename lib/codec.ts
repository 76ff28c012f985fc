import type { Codec, CodingName } from './codec-interface.js'
import { stc } from './stc/codec.js'
import { toon } from './toon/codec.js'

export { CodecDeclinedError, DEFAULT_CODEC_DEPTH } from './codec-interface.js'
export type { Codec, CodecName, CodecOptions, CodingName } from './codec-interface.js'

/** All codecs: a new one is a folder and a line here. */
export const CODECS: Readonly<Record<CodingName, Codec>> = { toon, stc }

/** The names of all codings, in their default order of preference. */
export const CODING_NAMES: readonly CodingName[] = ['toon', 'stc']
