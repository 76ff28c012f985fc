import type { CodingName } from '../codec.js'
import type { Document } from '../json/document.js'
import { replaceBytes } from '../json/splice.js'
import type { Edit } from '../json/splice.js'
import { endOf } from '../json/span.js'
import { STRING, nextNode } from '../json/tape.js'
import { toBytes } from '../json/utf8.js'
import { findMemberSpan, kindOf, readMembers, readText } from './members.js'
import { makeDescription } from './marker.js'
import type { ResolvedMcpOptions, ToolOptions } from './options.js'
import type { SessionTools } from './session-tools.js'
import { excludeTool, findToolOptions } from './tool-scope.js'

const NOTHING = new Uint8Array(0)

/** What changes in tools/list: descriptions say how results are encoded, output schemas go where structuredContent will. */
export function editListing (document: Document, tools: number, codings: readonly CodingName[], options: ResolvedMcpOptions, session: SessionTools | undefined): Edit[] {
  const edits: Edit[] = []
  const { tape } = document
  const end = tape[tools + 2]
  const sentence = options.describe && codings.length > 0 ? makeDescription(codings) : null
  for (let node = tools + 6; node < end; node = nextNode(tape, node)) {
    const tool = readMembers(document, node)
    if (tool === null || kindOf(document, tool.name) !== STRING) continue
    const name = readText(document, tool.name as number)
    // What says how results are encoded is said only of tools whose results are.
    if (name === null || excludeTool(name, options.tools) !== null || isLeftAlone(findToolOptions(name, options.tools)?.mode)) continue
    if (sentence !== null) {
      const edit = describe(document, tool.last, tool.description, sentence)
      if (edit !== null) edits.push(edit)
    }
    if (options.structuredContent === 'drop' && session?.add(name) === true && tool.outputSchema !== undefined) {
      const { start, end } = findMemberSpan(document, node, tool.outputSchema)
      edits.push(replaceBytes(start, end, NOTHING))
    }
  }
  return edits
}

const isLeftAlone = (mode: ToolOptions['mode']): boolean => mode === 'off' || mode === 'observe'

function describe (document: Document, last: number, description: number | undefined, sentence: string): Edit | null {
  if (description === undefined) {
    const at = endOf(document, last)
    return replaceBytes(at, at, toBytes(`,"description":"${sentence}"`))
  }
  // What is no string stays; so does what another gateway has said already.
  if (kindOf(document, description) !== STRING || readText(document, description)?.endsWith(sentence) !== false) return null
  const at = endOf(document, description) - 1
  // The sentence holds nothing that a string would escape.
  return replaceBytes(at, at, toBytes(` ${sentence}`))
}
