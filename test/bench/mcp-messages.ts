/*
 * node dist/test/bench/mcp-messages.js [--json FILE]
 *
 * What rewriting one MCP message costs, as a share of JSON.parse and JSON.stringify of it, which would not even
 * keep its numbers; and what reading the message once costs.
 */
import { isUtf8 } from 'node:buffer'
import { Document } from '../../lib/index.js'
import { ALL_ACCEPTED } from '../../lib/choose.js'
import { rewriteMessage } from '../../lib/mcp/message.js'
import { resolveMcpOptions } from '../../lib/mcp/options.js'
import { compare, writeJson } from './helpers/compare.js'
import { SHAPES } from './helpers/payloads.js'

const answer = (text: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })
const tools = Array.from({ length: 20 }, (_, i) => ({ name: `tool_${i}`, description: 'Does one thing, and does it well.'.repeat(5), inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }))
const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

const MESSAGES: Record<string, string> = {
  progress: '{"method":"notifications/progress","params":{"progress":1,"total":3,"progressToken":"tok-1"},"jsonrpc":"2.0"}',
  'tools/list': JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } }),
  'plain text': answer('Some text with "quotes"\nand lines. '.repeat(1500))
}
for (const [name, make] of Object.entries(SHAPES)) {
  MESSAGES[name] = answer(make(50_000))
  MESSAGES[`${name}, pretty`] = answer(pretty(make(50_000)))
  MESSAGES[`${name}, in a string`] = answer(JSON.stringify({ ok: true, exitCode: 0, stdout: pretty(make(50_000)) }))
}

const options = { policy: { accepted: ALL_ACCEPTED }, call: { tool: 'tool_1' }, isUtf8 }
const on = { ...options, options: resolveMcpOptions() }
const off = { ...options, options: resolveMcpOptions({ descend: false }) }
const all: Record<string, number> = {}
console.log(`${'message'.padEnd(30)}   bytes      us    read   rewrite  without descent   (as shares of JSON.parse and JSON.stringify)`)
for (const [name, text] of Object.entries(MESSAGES)) {
  const bytes = Buffer.from(text)
  const { ratios, baseNs } = compare([
    { name: 'json', run: () => JSON.stringify(JSON.parse(bytes.toString())) },
    { name: 'read', run: () => { Document.parse(bytes, { isUtf8 }).dispose() } },
    { name: 'rewrite', run: () => rewriteMessage(bytes, on) },
    { name: 'without descent', run: () => rewriteMessage(bytes, off) }
  ])
  for (const [contender, ratio] of Object.entries(ratios)) all[`${name} ${contender}`] = ratio
  const columns = Object.values(ratios).map(ratio => ratio.toFixed(2).padStart(8)).join(' ')
  console.log(`${name.padEnd(30)} ${String(bytes.length).padStart(7)} ${(baseNs / 1000).toFixed(1).padStart(7)} ${columns}`)
}
writeJson(all)
