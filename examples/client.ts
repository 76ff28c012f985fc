// A client that asks for an encoding, decodes the answer and compares it with plain JSON.
// Run it: node dist/examples/client.js [URL]; without URL it starts a server of its own (PORT: any free port unless set).
import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import tokenEncoding from 'fastify-token-gateway'
import { decode, minify } from 'fastify-token-gateway/codecs'

const app = fastify()

async function startServer (): Promise<string> {
  await app.register(tokenEncoding, { stackCodings: true })
  app.get('/planes', async () => Array.from({ length: 30 }, (_, i) => ({ tail: `N${100 + i}X`, seats: 90 + i, active: i % 4 > 0 })))
  return `${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 0) })}/planes`
}

async function ask (url: string, acceptEncoding: string): Promise<{ coding: string, bytes: Buffer }> {
  // fetch leaves a body alone of whose codings it does not know one.
  const response = await fetch(url, { headers: { 'accept-encoding': acceptEncoding } })
  return { coding: response.headers.get('content-encoding') ?? 'identity', bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Undoes what Content-Encoding lists, the last applied first. */
function undo (bytes: Buffer, coding: string): string {
  const [ours, stacked] = coding.split(', ')
  return decode(stacked === 'gzip' ? gunzipSync(bytes) : bytes, ours as 'toon' | 'stc')
}

const url = process.argv[2] ?? await startServer()
const plain = await ask(url, 'identity')
console.log(`${url}: ${plain.bytes.length} bytes as JSON`)

for (const name of ['toon', 'stc', 'toon, gzip']) {
  const { coding, bytes } = await ask(url, name)
  if (coding !== name) {
    console.log(`${name}: the server sent ${coding === 'identity' ? 'JSON, which was smaller' : coding}`)
    continue
  }
  const saved = 100 - 100 * bytes.length / plain.bytes.length
  // STC keeps numbers digit for digit; TOON keeps their value and may write 1.0 as 1.
  const isSame = undo(bytes, coding) === minify(plain.bytes)
  console.log(`${name}: ${bytes.length} bytes, ${saved.toFixed(1)} % saved, same document: ${isSame}`)
}

await app.close()
