// A client of the MCP SDK whose one change is a header. It asks with and without it and compares what it gets.
// Run it: node dist/examples/mcp-client.js [URL] (http://127.0.0.1:3000/mcp unless given)
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { decode, minify } from 'fastify-token-gateway/codecs'
import type { CodingName } from 'fastify-token-gateway/codecs'

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

/** The first text of a tool's result, and what the gateway says of it. */
async function call (name: string, headers: Record<string, string>) {
  const client = new Client({ name: 'example', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  const { content, _meta } = await client.callTool({ name })
  await client.close()
  const [{ text }] = content as { text: string }[]
  const [entry] = (_meta?.['fastify-token-gateway/encoding'] ?? []) as { codec: CodingName }[]
  return { text, entry }
}

for (const name of ['list_orders', 'read_file']) {
  const plain = await call(name, {})
  const { text, entry } = await call(name, { 'accept-encoding': 'toon' })
  const bytes = Buffer.byteLength(plain.text)
  if (entry === undefined) {
    console.log(`${name}: ${bytes} bytes as they were: ${text === plain.text}`)
    continue
  }
  const saved = 100 - 100 * Buffer.byteLength(text) / bytes
  // What `_meta` says of a text is what is needed to read it.
  const { codec, ...options } = entry
  console.log(`${name}: ${bytes} bytes, as ${codec} ${Buffer.byteLength(text)}, ${saved.toFixed(1)} % saved, same document: ${decode(text, codec, options) === minify(plain.text)}`)
}
