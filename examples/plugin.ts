// The plugin on a server of your own: every JSON route, one route with an option, one without.
// Run it: node dist/examples/plugin.js (PORT: 3000 unless set)
import fastify from 'fastify'
import tokenEncoding from 'fastify-token-gateway'

const books = Array.from({ length: 20 }, (_, i) => ({ id: i + 1, title: `Volume ${i + 1}`, pages: 120 + i * 7, inPrint: i % 3 > 0 }))

const app = fastify()
await app.register(tokenEncoding, { encodings: ['toon', 'stc'] })

app.get('/books', async () => books)
// Here a coding must save at least 90 percent, else the client gets JSON.
app.get('/books/picky', { config: { tokenEncoding: { minSavings: 90 } } }, async () => books)
app.get('/books/plain', { config: { tokenEncoding: false } }, async () => books)

const origin = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 3000) })
console.log(`Plugin example on ${origin}`)
console.log(`  curl -sD- -H 'Accept-Encoding: toon' ${origin}/books`)
console.log(`  curl -sD- -H 'Accept-Encoding: toon' ${origin}/books/picky`)
console.log(`  curl -sD- -H 'Accept-Encoding: toon' ${origin}/books/plain`)

process.once('SIGTERM', () => app.close())
process.once('SIGINT', () => app.close())
