import type { IncomingHttpHeaders } from 'node:http'

/**
 * True where a message has a transfer coding beside chunked, say `gzip, chunked` (RFC 9112 section 6.1). Nobody undoes it
 * here, and Transfer-Encoding goes no further, so that the body would arrive coded without a word of it.
 *
 * @param transferEncoding the field of a message whose chunks have been read
 */
export function hasOtherTransferCoding (transferEncoding: string | string[] | undefined): boolean {
  if (transferEncoding === undefined || transferEncoding === 'chunked') return false
  // Identity was a name for none (RFC 2616 section 3.6), which old servers still use.
  return String(transferEncoding).split(',').some((coding) => !/^\s*(?:chunked|identity)?\s*$/i.test(coding))
}

/**
 * The same of a request, where chunked comes last. Without that its body has no end, and Node refuses it by itself (RFC
 * 9112 section 6.3).
 */
export function isCodedInTransfer ({ 'transfer-encoding': transferEncoding }: IncomingHttpHeaders): boolean {
  return hasOtherTransferCoding(transferEncoding) && /\bchunked\s*$/i.test(String(transferEncoding))
}
