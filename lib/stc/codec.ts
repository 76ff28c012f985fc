import { decodeWith, isShallow, measureWith, writeWith } from '../codec-helpers.js'
import type { Codec } from '../codec-interface.js'
import { readStc } from './decode.js'
import { writeStc } from './encode.js'
import { measureStc } from './measure.js'
import { verifyStc } from './verify.js'

/** STOA Token Compression, version 1 (ADR-066; grammar in README.md beside this file). */
export const stc: Codec = {
  name: 'stc',
  version: '1',
  mediaType: 'application/stc+json',
  contentType: 'application/stc+json',
  ratioHeader: 'x-stc-ratio',
  versionHeader: 'x-stc-version',
  isShownByMiniature: () => true,
  measure: (document, options) => {
    if (options.spacing === 'adr') return measureWith(writeStc, document, options)
    return isShallow(document, options) ? measureStc(document) : 'declined-depth'
  },
  encode: (document, options, size) => writeWith(writeStc, document, options, size),
  verify: (text, document, options) => isShallow(document, options) && verifyStc(text, document),
  decode: (text, options) => decodeWith(readStc, 'STC', text, options, false)
}
