import type { KeyTable } from '../json/key-table.js'
import { unescapeString } from '../json/string-literal.js'
import { toText } from '../json/utf8.js'

/** A key as a reference token of a JSON Pointer (RFC 6901 section 3); null where it is no Unicode. */
export function toToken (keys: KeyTable, key: number): string | null {
  const text = unescapeString(keys.bytes, keys.view, keys.starts[key], keys.starts[key + 1])
  return text === null ? null : toText(text).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Where pointers lead: a tree of their tokens. */
export interface PathNode {
  /** Whether a pointer ends here. */
  isEnd: boolean
  /** By the shortest JSON spelling of the token, as keys are kept. */
  children: Map<string, PathNode>
}

/** @throws TypeError where a text is no JSON Pointer to a place inside of a document */
export function readPointers (pointers: readonly string[]): PathNode {
  const root: PathNode = { isEnd: false, children: new Map() }
  for (const pointer of pointers) {
    if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) throw new TypeError(`${JSON.stringify(pointer)} is no JSON Pointer`)
    let node = root
    for (const token of pointer.slice(1).split('/')) {
      const spelling = JSON.stringify(token.replaceAll('~1', '/').replaceAll('~0', '~')).slice(1, -1)
      let child = node.children.get(spelling)
      if (child === undefined) {
        child = { isEnd: false, children: new Map() }
        node.children.set(spelling, child)
      }
      node = child
    }
    node.isEnd = true
  }
  return root
}
