import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { ContentCoding } from '../../lib/http.js'

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

// Node has it from 22.15 on.
const { zstdDecompress: zstd } = zlib as { zstdDecompress?: typeof zlib.brotliDecompress }

const DECOMPRESS: Readonly<Record<ContentCoding, Decompress | null>> = {
  gzip: promisify(zlib.gunzip) as Decompress,
  deflate: promisify(zlib.inflate) as Decompress,
  br: promisify(zlib.brotliDecompress) as Decompress,
  zstd: zstd === undefined ? null : promisify(zstd) as Decompress
}
/** Some servers send deflate without the frame of zlib that RFC 9110 section 8.4.1.2 asks for. */
const inflateRaw = promisify(zlib.inflateRaw) as Decompress

/** A body that unpacks to more than this is looked at for its ratio, in bytes. */
const LARGE = 1024 * 1024
/** Rows of equal JSON come to some 100; gzip gets as far as 1,032, brotli much further. */
const MAX_RATIO = 250

/** Whether this version of Node can undo all of these. */
export function canUndo (codings: readonly ContentCoding[]): boolean {
  return codings.every(coding => DECOMPRESS[coding] !== null)
}

/**
 * Undoes the content codings of a body, the last applied first.
 *
 * @param maxBytes the most that any step may give
 * @returns null where it is broken, cut off, larger than that, or more than 250 times its size and above 1 MiB
 */
export async function undoCodings (bytes: Uint8Array, codings: readonly ContentCoding[], maxBytes: number): Promise<Buffer | null> {
  let body: Uint8Array = bytes
  for (const coding of codings.toReversed()) {
    const maxOutputLength = Math.min(maxBytes, Math.max(LARGE, body.length * MAX_RATIO))
    const decompress = coding === 'deflate' && !isZlib(body) ? inflateRaw : DECOMPRESS[coding]
    if (decompress === null) return null
    try {
      body = await decompress(body, { maxOutputLength })
    } catch (error) {
      // What is wrong with the bytes comes with a code of zlib's; anything else is a defect of ours.
      if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error
      return null
    }
  }
  return Buffer.from(body.buffer, body.byteOffset, body.length)
}

/** CMF and FLG of RFC 1950 section 2.2: deflate, and a multiple of 31. */
function isZlib (body: Uint8Array): boolean {
  return body.length >= 2 && (body[0] & 15) === 8 && (body[0] << 8 | body[1]) % 31 === 0
}
