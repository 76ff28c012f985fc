import { fieldLines } from '../../http/field-list.js'
import type { FieldValue } from '../../http/field-list.js'

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The tool that a request calls, by its fields Mcp-Method and Mcp-Name (MCP 2026-07-28, Streamable HTTP); a name
 * that is not plain ASCII travels as `=?base64?...?=`.
 *
 * @returns null where the fields do not name a tool
 */
export function readToolHeader (mcpMethod: FieldValue, mcpName: FieldValue): string | null {
  const names = fieldLines(mcpName)
  if (fieldLines(mcpMethod).join(',').trim() !== 'tools/call' || names.length !== 1) return null
  const name = names[0].trim()
  const encoded = ENCODED.exec(name)
  if (encoded !== null) return decodeName(encoded[1])
  return name === '' ? null : name
}

function decodeName (base64: string): string | null {
  try {
    const name = utf8.decode(Uint8Array.from(atob(base64), character => character.charCodeAt(0)))
    return name === '' ? null : name
  } catch {
    // Neither base64 nor UTF-8: it names nothing, and the server will refuse it.
    return null
  }
}
