import {
  BrokenError, ConnectError, ConnectTimeoutError, GatewayError, HeadersTimeoutError, InvalidResponseError, RequestLengthError
} from './errors.js'

/** Why a connection could not be made, by the code of the system or of TLS, in words for the client. */
const CONNECT_REASONS: Record<string, string> = {
  ECONNREFUSED: 'it refused the connection',
  ENOTFOUND: 'its host name cannot be resolved',
  EAI_AGAIN: 'its host name cannot be resolved',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network'
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$)/

/**
 * Turns what undici or the system reports into what the client is told: 502 for an upstream that cannot
 * be reached or breaks off, 504 for one that is silent (RFC 9110 sections 15.6.3 and 15.6.5).
 *
 * @returns the error itself where it is one of ours already
 */
export function toGatewayError (error: Error & { code?: string }): GatewayError {
  if (error instanceof GatewayError) return error
  const code = error.code ?? ''
  const cause = { cause: error }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return new ConnectTimeoutError(cause)
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return new HeadersTimeoutError(cause)
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return new RequestLengthError(cause)
  if (code in CONNECT_REASONS) return new ConnectError(CONNECT_REASONS[code], cause)
  if (TLS_CODE.test(code)) return new ConnectError('no trusted TLS connection could be made', cause)
  if (isParserError(error) || code === 'UND_ERR_HEADERS_OVERFLOW') return new InvalidResponseError(cause)
  return new BrokenError(cause)
}

/** undici reports a 100 or 101 that nobody asked for as a socket error and has no code for it. */
function isParserError ({ name, message }: Error): boolean {
  return name === 'HTTPParserError' || message === 'bad response' || message === 'bad upgrade'
}
