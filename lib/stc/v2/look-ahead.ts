import { GROUP } from './layout.js'
import type { Layout } from './layout.js'

/**
 * Whether a template stands before a cell that it refers to.
 *
 * @param seen true for the slots of the cells before
 */
export function hasLookAhead ({ fields }: Layout, seen: boolean[]): boolean {
  for (let f = 0; f < fields.length; f++) {
    const { kind, slot, copy, template, layout } = fields[f]
    if (slot >= 0) seen[slot] = true
    else if (copy >= 0 && !seen[copy]) return true
    else if (template !== null && hasUnseen(template.parts, seen)) return true
    else if (kind === GROUP && hasLookAhead(layout as Layout, seen)) return true
  }
  return false
}

function hasUnseen (parts: number[], seen: boolean[]): boolean {
  for (let p = 0; p < parts.length; p++) if (parts[p] >= 0 && !seen[parts[p]]) return true
  return false
}
