import type { Decision, Reason } from '../../lib/decision.js'

/** The decision about a body or a text that ships as it came, without a look at its content. */
export function describePassthrough (reason: Reason, bytes: number, ms = 0): Decision {
  return {
    outcome: 'passthrough',
    codec: 'json',
    version: null,
    reason,
    lossless: true,
    bytesBefore: bytes,
    bytesAfter: bytes,
    tokensBefore: null,
    tokensAfter: null,
    ms,
    tool: null,
    index: null,
    paths: []
  }
}
