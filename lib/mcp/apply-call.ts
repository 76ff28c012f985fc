import type { Policy, Reason } from '../choose.js'
import type { CodingName } from '../codec.js'
import type { Call, MessageContext } from './context.js'
import type { TextPlan } from './text-plan.js'
import { excludeTool, findToolOptions } from './tool-scope.js'

const UNKNOWN: Call = { tool: null }

/** The request that an answer belongs to. */
export function findCall ({ call }: MessageContext, id: string | null): Call {
  if (typeof call !== 'function') return call
  return id === null ? UNKNOWN : call(id)
}

/** The codings that may be used for an answer: those that the client takes, or the one that the request names. */
export function findAccepted (policy: Policy, { format }: Call): Policy['accepted'] {
  if (format === undefined) return policy.accepted
  return format === 'json' || format === 'markdown' ? [] : [{ codec: format, q: 1 }]
}

/** How the texts of an answer are rewritten, or why they are not. */
export function planTexts ({ policy, options }: MessageContext, call: Call, isResource: boolean): TextPlan | Reason {
  const { tool, format, fields = [] } = call
  // What resources/read answers comes from no tool.
  const excluded = isResource ? null : excludeTool(tool, options.tools)
  if (excluded !== null) return excluded
  const own = isResource ? undefined : findToolOptions(tool, options.tools)
  const { codec, mode = policy.mode, minSavings = policy.minSavings } = own ?? {}
  if (mode === 'off') return 'excluded-tool'
  if (own === undefined && format === undefined) return { policy, options, tool, format, fields }
  const accepted = onlyCodec(findAccepted(policy, call), codec)
  return { policy: { ...policy, accepted, mode, minSavings }, options, tool, format, fields }
}

function onlyCodec (accepted: Policy['accepted'], only: CodingName | undefined): Policy['accepted'] {
  return only === undefined ? accepted : accepted.filter(({ codec }) => codec === only)
}
