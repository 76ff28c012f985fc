/**
 * Fields that belong to one connection and are never forwarded (RFC 9110 section 7.6.1), and those that
 * only the next hop may read: credentials and challenges between a client and its proxy (sections 11.7.1
 * and 11.7.2), HTTP2-Settings (RFC 7540 section 3.2.1), and Trailer, since trailers themselves are dropped (section 6.5.1).
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

const NONE: ReadonlySet<string> = new Set()

/** True for a field that is never forwarded, whatever Connection says. @param name in lower case */
export function isHopByHop (name: string): boolean {
  return HOP_BY_HOP.has(name)
}

/**
 * The fields that this message's Connection field declares to be hop-by-hop.
 *
 * @returns names in lower case; `close` and `keep-alive` are among them where they were listed
 */
export function connectionOptions (connection: string | string[] | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE
  const names = new Set<string>()
  for (const element of String(connection).split(',')) {
    const name = element.trim().toLowerCase()
    if (name !== '') names.add(name)
  }
  return names
}
