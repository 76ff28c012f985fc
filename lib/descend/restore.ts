import { CODECS } from '../codec.js'
import type { CodecOptions, CodingName } from '../codec.js'
import { Document } from '../json/document.js'
import { KNOWN_UTF8 } from '../json/known-utf8.js'
import { replaceString, splice } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { unescapeString } from '../json/string-literal.js'
import { ARRAY, KIND_MASK, OBJECT, STRING, nextNode } from '../json/tape.js'
import { toText } from '../json/utf8.js'
import { readPointers } from './pointer.js'
import type { PathNode } from './pointer.js'

/** How a text is restored, and how many of the strings that pointers lead to were met. */
interface Restoring {
  codec: CodingName
  options: CodecOptions
  met: number
}

/**
 * Puts minified JSON back in the place of the encoded texts that stand in strings.
 *
 * @param json the minified document around the strings, in UTF-8
 * @param paths JSON Pointers of the strings; where a pointer goes on behind a string, it goes on in the document that
 * this string holds
 * @throws TypeError where a pointer leads to no string
 * @throws DecodeError where a string is no text of the codec
 * @throws JsonSyntaxError where the document, or a string on the way, is no JSON
 */
export function restorePaths (json: Uint8Array, paths: readonly string[], codec: CodingName, options: CodecOptions): Uint8Array {
  if (paths.length === 0) return json
  const restoring: Restoring = { codec, options, met: 0 }
  const restored = restore(json, readPointers(paths), restoring)
  const wanted = new Set(paths).size
  if (restoring.met < wanted) throw new TypeError(`${wanted - restoring.met} of ${wanted} paths lead to no string`)
  return restored
}

function restore (json: Uint8Array, root: PathNode, restoring: Restoring): Uint8Array {
  const document = Document.parse(json, KNOWN_UTF8)
  const edits: Edit[] = []
  const { tape } = document
  const nodes = [0]
  const targets = [root]
  while (nodes.length > 0) {
    const node = nodes.pop() as number
    const target = targets.pop() as PathNode
    const kind = tape[node] & KIND_MASK
    if (kind === STRING) {
      const start = tape[node + 1]
      const end = tape[node + 2]
      const text = unescapeString(document.bytes, document.view, start, end)
      if (text !== null) edits.push(replaceString(start - 1, end + 1, [restoreText(text, target, restoring)]))
    } else if (kind <= ARRAY && target.children.size > 0) {
      addChildren(document, node, target, nodes, targets)
    }
  }
  document.dispose()
  return splice(json, edits)
}

function restoreText (text: Uint8Array, target: PathNode, restoring: Restoring): Uint8Array {
  let inner = text
  if (target.isEnd) {
    restoring.met++
    inner = CODECS[restoring.codec].decode(text, restoring.options)
  }
  return target.children.size > 0 ? restore(inner, target, restoring) : inner
}

/** Adds the children of a container that some pointer leads to. */
function addChildren ({ tape, keys }: Document, container: number, target: PathNode, nodes: number[], targets: PathNode[]): void {
  const end = tape[container + 2]
  const isObject = (tape[container] & KIND_MASK) === OBJECT
  let index = 0
  for (let node = container + 6; node < end; node = nextNode(tape, node), index++) {
    let name = String(index)
    if (isObject) {
      const key = tape[node + 2]
      name = toText(keys.bytes.subarray(keys.starts[key], keys.starts[key + 1]))
      node += 3
    }
    const child = target.children.get(name)
    if (child === undefined) continue
    nodes.push(node)
    targets.push(child)
  }
}
