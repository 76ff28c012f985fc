import { readReference, withComparableNumbers } from './reference-json.js'
import type { Reference } from './reference-json.js'

/** A tree in which the strings that are JSON documents are trees, two levels deep; it shares no code with what is tested. */
export function expand (text: string, level = 0): Reference {
  const walk = (node: Reference): Reference => {
    if (node.kind === 'object') return { kind: 'object', members: node.members.map(([key, value]) => [key, walk(value)]) }
    if (node.kind === 'array') return { kind: 'array', elements: node.elements.map(walk) }
    if (node.kind !== 'string' || level === 2 || !/^[[{]/.test(node.value)) return node
    try {
      return { kind: 'array', elements: [{ kind: 'literal', text: 'embedded' }, expand(node.value, level + 1)] }
    } catch {
      return node
    }
  }
  return walk(withComparableNumbers(readReference(text)))
}
