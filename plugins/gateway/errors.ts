import { createError } from '@fastify/error'

/**
 * A failure that the client is told about as a problem document (RFC 9457): its message is the
 * `detail`, so it names what failed and nothing of the inside; the inside is its `cause`, for the log.
 */
export class GatewayError extends Error {
  declare readonly statusCode: number
  declare readonly code: string
}

// @fastify/error types its base class as the Error constructor itself.
const Base = GatewayError as unknown as ErrorConstructor

export const RequestTargetError = createError('FST_TOKEN_REQUEST_TARGET', 'The request target has no path.', 400, Base)
export const PathEscapeError = createError('FST_TOKEN_PATH_ESCAPE', 'The dot segments of the path may lead out of the part of the upstream that is served here.', 400, Base)
export const HostError = createError('FST_TOKEN_HOST', 'The request names more than one Host.', 400, Base)
export const RequestLengthError = createError('FST_TOKEN_REQUEST_LENGTH', 'The request body is not as long as its Content-Length says.', 400, Base)
export const RequestIdleError = createError('FST_TOKEN_REQUEST_IDLE', 'The request body stopped coming.', 408, Base)
export const HeaderCountError = createError('FST_TOKEN_HEADER_COUNT', 'The request has more header fields than can be read.', 431, Base)
export const TransferCodingError = createError('FST_TOKEN_TRANSFER_CODING', 'Of transfer codings only chunked is understood.', 501, Base)
export const UpgradeError = createError('FST_TOKEN_UPGRADE', 'WebSocket connections are not forwarded.', 501, Base)
export const LastHopError = createError('FST_TOKEN_LAST_HOP', 'The request may go no further than to the gateway, which does not answer TRACE.', 501, Base)
export const ClosingError = createError('FST_TOKEN_CLOSING', 'The gateway is shutting down.', 503, Base)

export const ConnectError = createError<'FST_TOKEN_UPSTREAM_CONNECT', 502, [string, object]>('FST_TOKEN_UPSTREAM_CONNECT', 'The upstream cannot be reached: %s.', 502, Base)
export const ConnectTimeoutError = createError('FST_TOKEN_UPSTREAM_CONNECT_TIMEOUT', 'The upstream did not accept a connection in time.', 504, Base)
export const HeadersTimeoutError = createError('FST_TOKEN_UPSTREAM_HEADERS_TIMEOUT', 'The upstream did not answer in time.', 504, Base)
export const ResponseIdleError = createError('FST_TOKEN_UPSTREAM_IDLE', 'The upstream stopped sending its response.', 504, Base)
export const InvalidResponseError = createError('FST_TOKEN_UPSTREAM_INVALID', 'The upstream sent a response that is not valid HTTP.', 502, Base)
export const BrokenError = createError('FST_TOKEN_UPSTREAM_BROKEN', 'The connection to the upstream broke before its response was complete.', 502, Base)

/** The client is gone, so nobody is told: it ends the exchange with the upstream. */
export const ClientGoneError = createError('FST_TOKEN_CLIENT_GONE', 'The client went away.', 499, Base)
