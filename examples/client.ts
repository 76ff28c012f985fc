// A client that asks for an encoding, decodes the answer and compares it with plain JSON.
// Run it: node dist/examples/client.js [URL]; without URL it starts a server of its own (PORT: any free port unless set).
import fastify from 'fastify'
import tokenEncoding from 'fastify-token-gateway'
import { decode, minify } from 'fastify-token-gateway/codecs'

const app = fastify()

async function startServer (): Promise<string> {
  await app.register(tokenEncoding)
  app.get('/planes', async () => Array.from({ length: 30 }, (_, i) => ({ tail: `N${100 + i}X`, seats: 90 + i, active: i % 4 > 0 })))
  return `${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 0) })}/planes`
}

async function ask (url: string, acceptEncoding: string): Promise<{ coding: string | null, text: string }> {
  // fetch leaves a body alone whose coding it does not know.
  const response = await fetch(url, { headers: { 'accept-encoding': acceptEncoding } })
  return { coding: response.headers.get('content-encoding'), text: await response.text() }
}

const url = process.argv[2] ?? await startServer()
const plain = await ask(url, 'identity')
console.log(`${url}: ${Buffer.byteLength(plain.text)} bytes as JSON`)

for (const name of ['toon', 'stc'] as const) {
  const { coding, text } = await ask(url, name)
  if (coding !== name) {
    console.log(`${name}: the server sent JSON, which was smaller`)
    continue
  }
  const saved = 100 - 100 * Buffer.byteLength(text) / Buffer.byteLength(plain.text)
  // STC keeps numbers digit for digit; TOON keeps their value and may write 1.0 as 1.
  const isSame = decode(text, name) === minify(plain.text)
  console.log(`${name}: ${Buffer.byteLength(text)} bytes, ${saved.toFixed(1)} % saved, same document: ${isSame}`)
}

await app.close()
