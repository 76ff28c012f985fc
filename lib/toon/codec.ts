import { decodeWith, isShallow, measureWith, writeWith } from '../codec-helpers.js'
import type { Codec } from '../codec-interface.js'
import { readToon } from './decode.js'
import { writeToon } from './encode.js'
import { canMeasureToon, measureToon } from './measure.js'
import { verifyToon } from './verify.js'

/** Token-Oriented Object Notation, version 4.0. */
export const toon: Codec = {
  name: 'toon',
  version: '4.0',
  mediaType: 'text/toon',
  contentType: 'text/toon; charset=utf-8',
  ratioHeader: 'x-toon-ratio',
  versionHeader: 'x-toon-version',
  numbers: 'value',
  // With another delimiter a string is searched for what needs quotes, and a miniature has not all of it.
  isShownByMiniature: ({ delimiter = ',' }) => delimiter === ',',
  measure: (document, options) => {
    if (document.hasLoneSurrogate) return 'declined-lone-surrogate'
    if (document.hasDuplicateKeys) return 'declined-duplicate-keys'
    if (!canMeasureToon(document, options)) return measureWith(writeToon, document, options)
    return isShallow(document, options) ? measureToon(document) : 'declined-depth'
  },
  encode: (document, options, size) => writeWith(writeToon, document, options, size),
  verify: (text, document, options) => isShallow(document, options) && verifyToon(text, document),
  decode: (text, options) => decodeWith(readToon, 'TOON', text, options, true)
}
