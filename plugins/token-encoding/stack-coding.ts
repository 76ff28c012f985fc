import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { STACKED_CODINGS } from '../../lib/http.js'
import type { StackedCoding } from '../../lib/http.js'
import { toBuffer } from './response.js'

/** Brotli's own default takes some 50 times as long for a few percent. */
const BROTLI_QUALITY = 4

// Node has it from 22.15 on.
const { zstdCompress } = zlib as { zstdCompress?: typeof zlib.gzip }

const gzip = promisify(zlib.gzip) as (bytes: Uint8Array) => Promise<Buffer>
const brotli = promisify(zlib.brotliCompress) as (bytes: Uint8Array, options: zlib.BrotliOptions) => Promise<Buffer>
const zstd = zstdCompress && promisify(zstdCompress) as (bytes: Uint8Array) => Promise<Buffer>

const COMPRESS: Readonly<Record<StackedCoding, ((bytes: Uint8Array) => Promise<Buffer>) | undefined>> = {
  gzip: (bytes) => gzip(bytes),
  br: (bytes) => brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  zstd: zstd && ((bytes) => zstd(bytes))
}

/** What this version of Node can apply. */
export const OFFERED_STACKED: readonly StackedCoding[] = STACKED_CODINGS.filter((coding) => COMPRESS[coding] !== undefined)

/**
 * Applies a content coding to a text, in a thread of libuv.
 *
 * @param coding one of `OFFERED_STACKED`
 * @returns null where that makes it no smaller
 */
export async function compressText (text: Uint8Array, coding: StackedCoding): Promise<Buffer | null> {
  const packed = await COMPRESS[coding]!(text)
  return packed.length < text.length ? toBuffer(packed) : null
}
