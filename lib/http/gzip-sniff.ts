/**
 * True where a text may go out without a Content-Encoding beside a compressor that looks for data which
 * is compressed already. Such a sniffer (the one of @fastify/compress, for one) takes every text whose
 * first two bytes form a zlib header (RFC 1950 section 2.2) for compressed, sends it as it is and labels
 * it gzip all the same: nobody could read it.
 */
export function isLabelSafe (bytes: Uint8Array): boolean {
  if (bytes.length < 2) return true
  const isDeflate = (bytes[0] & 0x0f) === 8 && bytes[0] >> 4 <= 7
  return !isDeflate || (bytes[0] * 256 + bytes[1]) % 31 !== 0
}
