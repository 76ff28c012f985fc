import type { Reason } from '../decision.js'
import type { ResolvedMcpOptions, ToolOptions } from './options.js'

/** Whether a name matches a pattern in which `*` stands for any characters and `?` for one. */
export function matchesPattern (name: string, pattern: string): boolean {
  let i = 0
  let k = 0
  // Where to go on when what follows the latest star does not fit: the star takes one character more.
  let star = -1
  let taken = 0
  while (i < name.length) {
    if (pattern[k] === '*') {
      star = k++
      taken = i
    } else if (pattern[k] === '?' || pattern[k] === name[i]) {
      i++
      k++
    } else if (star >= 0) {
      k = star + 1
      i = ++taken
    } else {
      return false
    }
  }
  while (pattern[k] === '*') k++
  return k === pattern.length
}

const matchesAny = (name: string, patterns: readonly string[]): boolean => patterns.some(pattern => matchesPattern(name, pattern))

/** Why the results of a tool stay as they came; null where they may be rewritten. */
export function excludeTool (tool: string | null, { include, exclude }: ResolvedMcpOptions['tools']): Reason | null {
  if (tool === null) return include === undefined && exclude.length === 0 ? null : 'unknown-tool'
  if (include !== undefined && !matchesAny(tool, include)) return 'excluded-tool'
  return matchesAny(tool, exclude) ? 'excluded-tool' : null
}

/** The options of a tool: those of the first pattern that matches. */
export function findToolOptions (tool: string | null, { options }: ResolvedMcpOptions['tools']): ToolOptions | undefined {
  if (tool === null) return undefined
  for (const pattern of Object.keys(options)) {
    if (matchesPattern(tool, pattern)) return options[pattern]
  }
  return undefined
}
