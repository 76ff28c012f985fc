import type { FastifyRequest } from 'fastify'

const FORWARDED_FIELDS: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])

/** True for a field that the gateway writes itself. @param name in lower case */
export function isForwardedField (name: string): boolean {
  return FORWARDED_FIELDS.has(name)
}

/**
 * Tells the upstream who asked and under which address. What the client itself claims counts only where
 * Fastify's `trustProxy` says that it comes from a proxy that is trusted.
 *
 * @param headers names and values in turn; the fields are added to it
 * @param host host and port under which the client reached the gateway
 */
export function appendForwarded (headers: string[], request: FastifyRequest, host: string): void {
  const trusted = request.ips !== undefined
  const chain = trusted ? request.headers['x-forwarded-for'] : undefined
  // On a Unix socket a peer has no address.
  const path = [chain, request.socket.remoteAddress].filter((part) => part !== undefined)
  if (path.length > 0) headers.push('x-forwarded-for', path.join(', '))
  headers.push('x-forwarded-proto', request.protocol)
  const forwardedHost = trusted ? request.host : host
  // HTTP/1.0 clients need not name one.
  if (forwardedHost !== '') headers.push('x-forwarded-host', forwardedHost)
}
