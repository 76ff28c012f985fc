import type { Policy } from '../../lib/choose.js'
import { isLabelSafe } from '../../lib/http.js'
import type { Negotiation } from '../../lib/negotiate.js'
import type { BodyOptions } from './options.js'

/**
 * The rules by which the text of a body, or of a message, is chosen for a request. Every member is named, since to
 * spread the options takes thousands of times as long.
 *
 * @param negotiation null: for none of our codings
 * @param isWhole whether the text is the body itself, and not a part of it
 */
export function toPolicy (negotiation: Negotiation | null, options: BodyOptions, isWhole: boolean): Policy {
  const { mode, minSavings, measure, tokenizer, tabularOnly, minBytes, verify, delimiter, spacing, flatten, rows, maxDepth, reportsTokens } = options
  return {
    accepted: negotiation?.accepted ?? [],
    identityRefused: negotiation?.identityRefused ?? false,
    mode,
    minSavings,
    measure,
    tokenizer,
    tabularOnly,
    minBytes,
    verify,
    delimiter,
    spacing,
    flatten,
    rows,
    maxDepth,
    reportsTokens,
    // With a Content-Encoding a compressor leaves the body alone.
    isLabelSafe: isWhole && negotiation?.by === 'accept' ? isLabelSafe : undefined,
    maxBytes: undefined,
    overheadOf: undefined,
    refuse: undefined
  } satisfies Record<keyof Policy, unknown>
}
