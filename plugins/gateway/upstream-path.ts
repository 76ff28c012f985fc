import { PathEscapeError, RequestTargetError } from './errors.js'

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i
/** What an upstream may take for a slash, beside the slash itself, and a fragment, which ends a path. */
const DISGUISED_SEPARATOR = /%2f|%5c|\\|#/i
const DOT_DOT = /^(?:\.|%2e){2}$/i
/** More often than so, beside the reading itself, no server is known to decode a path. */
const MAX_DECODINGS = 2

/** A request target taken apart (RFC 9112 section 3.2). */
export interface RequestTarget {
  /** Host and port that an absolute-form target names; null for the origin form. */
  authority: string | null
  /** Path and query, byte for byte; it starts with a slash. */
  path: string
}

/**
 * Takes a request target apart.
 *
 * @throws RequestTargetError for `*` and all else that has no path
 */
export function parseTarget (target: string): RequestTarget {
  if (target.startsWith('/')) return { authority: null, path: target }
  const match = ABSOLUTE_FORM.exec(target)
  if (match === null) throw new RequestTargetError()
  const rest = target.slice(match[0].length)
  // Credentials do not belong to an http URL (RFC 9110 section 4.2.4).
  const authority = match[1].slice(match[1].lastIndexOf('@') + 1)
  return { authority, path: rest.startsWith('/') ? rest : '/' + rest }
}

/**
 * Makes the path for the upstream: the route prefix is taken off and the upstream's base path set before
 * what is left, which stays byte for byte. An absolute-form target cannot change the upstream: only its
 * path is used.
 *
 * @param path path and query of the request target
 * @param prefixSegments number of path segments of the route prefix
 * @param base path of the upstream URL without a slash at its end; '' for the root
 * @throws PathEscapeError where dot segments could lead out of the base path
 */
export function toUpstreamPath (path: string, prefixSegments: number, base: string): string {
  const rest = dropSegments(path, prefixSegments)
  // Out of the root nothing leads (RFC 3986 section 5.2.4).
  if (base === '') return rest
  if (mayClimb(rest) || mayClimbDecoded(rest)) throw new PathEscapeError()
  return base + rest
}

/** Number of segments of a route prefix. */
export function countSegments (prefix: string): number {
  return prefix.split('/').filter((segment) => segment !== '').length
}

/**
 * Segments are counted and not compared, since the router matches prefixes after percent-decoding and
 * maybe without regard to case or doubled slashes.
 */
function dropSegments (path: string, count: number): string {
  let end = 0
  for (let dropped = 0; dropped < count; dropped++) {
    while (path[end] === '/') end++
    while (end < path.length && path[end] !== '/' && path[end] !== '?') end++
  }
  const rest = path.slice(end)
  return rest.startsWith('/') ? rest : '/' + rest
}

/**
 * True where, for some way of reading the path that servers are known to have, its dot segments climb
 * above its start: `..` plain or percent-encoded, after a slash, an encoded slash or a backslash, with
 * parameters (`..;x`). Where readings differ the shallowest counts, so that some odd but harmless path
 * may be refused, and a harmful one never passes.
 */
function mayClimb (path: string): boolean {
  let depth = 0
  const end = path.indexOf('?')
  for (const segment of (end === -1 ? path : path.slice(0, end)).split('/')) {
    const parts = segment.split(DISGUISED_SEPARATOR)
    const ups = parts.filter(isDotDot).length
    depth -= ups
    if (depth < 0) return true
    if (ups === 0 && parts.length === 1 && deepens(segment)) depth++
  }
  return false
}

/** For servers that decode what they have decoded: a path means the same to them with its percent signs encoded. */
function mayClimbDecoded (path: string): boolean {
  if (!path.includes('%25')) return false
  const end = path.indexOf('?')
  let text = end === -1 ? path : path.slice(0, end)
  for (let i = 0; i < MAX_DECODINGS; i++) {
    // A question mark that was encoded is part of the path.
    text = text.replace(/%([2-7][\da-f])/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16))).replaceAll('?', '_')
    if (mayClimb(text)) return true
  }
  return false
}

function isDotDot (segment: string): boolean {
  return DOT_DOT.test(segment.split(';', 1)[0])
}

/** Empty segments do not count: some servers merge doubled slashes. */
function deepens (segment: string): boolean {
  return !/^(?:\.|%2e)?(?:;|$)/i.test(segment)
}
