import type { Codec } from './codec-interface.js'
import type { CodingName } from './codec-names.js'
import { rows } from './rows/codec.js'
import { stc } from './stc/codec.js'
import { stc2 } from './stc/v2/codec.js'
import { toonFlatten } from './toon-flatten/codec.js'
import { toon } from './toon/codec.js'

export { CodecDeclinedError, DEFAULT_CODEC_DEPTH } from './codec-interface.js'
export type { Codec, CodecOptions } from './codec-interface.js'
export type { CodecName, CodingName, FormatName } from './codec-names.js'

/** All codecs: a new one is a folder and a line here. */
export const CODECS: Readonly<Record<CodingName, Codec>> = { toon, stc, stc2, 'toon-flatten': toonFlatten, rows }

/** The names of all codings. */
export const CODING_NAMES = Object.keys(CODECS) as readonly CodingName[]

/** The codings that are offered unless others are named, in the order of preference. */
export const DEFAULT_CODINGS: readonly CodingName[] = ['toon', 'stc']
