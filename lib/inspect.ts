import { checkAccepted, checkCodecOptions } from './check-arguments.js'
import { ALL_ACCEPTED, chooseBytes } from './choose.js'
import type { Policy, Reason } from './choose.js'
import { CODECS } from './codec.js'
import type { CodecName } from './codec.js'
import { Document } from './json/document.js'
import { minifyToBytes } from './json/minify.js'

/** What became of one candidate. */
export interface CandidateReport {
  name: CodecName
  /** Size of its text in bytes; null where it declines. */
  bytes: number | null
  /** Why it declines; null where it does not. */
  reason: Reason | null
  /** Whether its text was decoded and found to be this document. */
  verified: boolean
  /** Milliseconds for encoding and verifying. */
  ms: number
  /** Whether it is what would ship. */
  winner: boolean
}

/** All that `choose` looks at, spelled out. */
export interface Inspection {
  original: { bytes: number, winner: boolean }
  minified: { bytes: number }
  /** Minified JSON, then the codings in the order of preference. */
  candidates: CandidateReport[]
}

/**
 * Encodes a document with every candidate, whether it can win or not.
 *
 * @throws JsonSyntaxError
 * @throws TypeError for an argument of another type, a name of no coding, a wrong delimiter or spacing
 */
export function inspect (json: string | Uint8Array | Document, options: Partial<Policy> = {}): Inspection {
  const document = json instanceof Document ? json : Document.parse(json)
  const policy = { ...options, accepted: options.accepted ?? ALL_ACCEPTED }
  checkAccepted(policy.accepted)
  checkCodecOptions(policy)
  const { codec: winner, decision } = chooseBytes(document, policy)
  const shipsOriginal = decision.outcome === 'passthrough'
  const candidates = [reportJson(document, !shipsOriginal && winner === 'json')]
  for (const { codec } of policy.accepted) {
    const started = performance.now()
    const size = CODECS[codec].measure(document, policy)
    if (typeof size === 'string') {
      candidates.push({ name: codec, bytes: null, reason: size, verified: false, ms: performance.now() - started, winner: false })
      continue
    }
    const text = CODECS[codec].encode(document, policy, size)
    const verified = CODECS[codec].verify(text, document, policy)
    candidates.push({ name: codec, bytes: text.length, reason: null, verified, ms: performance.now() - started, winner: !shipsOriginal && winner === codec })
  }
  return {
    original: { bytes: document.bytes.length, winner: shipsOriginal },
    minified: { bytes: document.minifiedBytes },
    candidates
  }
}

function reportJson (document: Document, winner: boolean): CandidateReport {
  const started = performance.now()
  const text = minifyToBytes(document)
  return { name: 'json', bytes: text.length, reason: null, verified: true, ms: performance.now() - started, winner }
}
