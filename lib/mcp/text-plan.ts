import type { Policy } from '../choose.js'
import type { FormatName } from '../codec-names.js'
import type { DescendedChoice } from '../descend.js'
import type { Framed } from './frame.js'
import type { ResolvedMcpOptions } from './options.js'

/** How the texts of one result are rewritten. */
export interface TextPlan {
  policy: Policy
  options: ResolvedMcpOptions
  tool: string | null
  format: FormatName | undefined
  fields: readonly string[]
}

/** A choice for a document that may be shorter than the one that came. */
export interface FramedChoice extends DescendedChoice {
  framed: Framed
}
