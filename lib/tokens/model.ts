import type { TokenEncoding } from './encodings.js'
import type { PackedWeights } from './packed-weights.js'
import { BASES, BUCKET_BITS } from './pieces.js'
import type { TokenModel } from './pieces.js'
import { warmUp } from './scan.js'
import { WEIGHTS as CL100K_WEIGHTS } from './weights-cl100k.js'
import { WEIGHTS as O200K_WEIGHTS } from './weights-o200k.js'

const models: Partial<Record<TokenEncoding, TokenModel>> = {}

/** The model of a tokenizer, unpacked at its first use. */
export function modelOf (encoding: TokenEncoding): TokenModel {
  let model = models[encoding]
  if (model === undefined) {
    model = encoding === 'o200k_base' ? unpack(O200K_WEIGHTS, true) : unpack(CL100K_WEIGHTS, false)
    models[encoding] = model
    warmUp(model)
  }
  return model
}

/** For fitting; others take modelOf. */
export function unpack (packed: PackedWeights, splitsCamelCase: boolean): TokenModel {
  const pieces = new DataView(fromBase64(packed.pieces).buffer)
  const bases = new DataView(fromBase64(packed.bases).buffer)
  return {
    splitsCamelCase,
    pieces: Int32Array.from({ length: 2 ** BUCKET_BITS }, (_, i) => pieces.getInt32(4 * i, true)),
    pairs: new Int8Array(fromBase64(packed.pairs).buffer),
    bases: Int16Array.from({ length: BASES }, (_, i) => bases.getInt16(2 * i, true))
  }
}

/** atob skips line breaks. */
function fromBase64 (text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), char => char.charCodeAt(0))
}
