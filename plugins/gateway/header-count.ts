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

/** Whether an HTTP/1 request names several hosts, of which Node takes the first, and whoever stands before us maybe another (RFC 9112 section 3.2). */
export function hasSeveralHosts ({ httpVersionMajor, rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') count++
  }
  return httpVersionMajor === 1 && count > 1
}
