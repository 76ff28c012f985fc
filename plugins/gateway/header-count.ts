import type { IncomingMessage, Server } from 'node:http'

/** Node's own limit where a server's `maxHeadersCount` is not set. */
const DEFAULT_MAX_HEADERS_COUNT = 1000

/**
 * Whether fields of an HTTP/1 request may be missing: Node keeps the first `maxHeadersCount` and drops the rest without
 * a word. Authorization may be among these, or the field that says that there is a body.
 */
export function mayLackFields ({ httpVersionMajor, rawHeaders }: IncomingMessage, { maxHeadersCount }: Server): boolean {
  const limit = maxHeadersCount ?? DEFAULT_MAX_HEADERS_COUNT
  return httpVersionMajor === 1 && limit > 0 && rawHeaders.length >= 2 * limit
}
