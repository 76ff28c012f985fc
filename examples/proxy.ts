// The reverse proxy before an upstream that knows nothing of it.
// Run it: node dist/examples/proxy.js [UPSTREAM] (PORT: 3000 unless set); without UPSTREAM it brings a small one.
import fastify from 'fastify'
import { tokenGateway } from 'fastify-token-gateway'

const weather = fastify()
weather.get('/stations', async () => ['Oslo', 'Lima', 'Cairo', 'Hanoi', 'Quito', 'Perth', 'Dakar', 'Osaka'].map((name, i) => ({ id: i + 1, name, celsius: 4.5 * i, wind: null })))

async function startWeather (): Promise<string> {
  return weather.listen({ host: '127.0.0.1', port: 0 })
}

const upstream = process.argv[2] ?? await startWeather()
const gateway = fastify()
await gateway.register(tokenGateway, { upstream, tokenEncoding: { encodings: ['toon', 'stc'] } })

const origin = await gateway.listen({ host: '127.0.0.1', port: Number(process.env.PORT || 3000) })
console.log(`Proxy example on ${origin}, before ${upstream}`)
console.log(`  curl -sD- -H 'Accept-Encoding: toon' ${origin}/stations`)

async function stop (): Promise<void> {
  await gateway.close()
  await weather.close()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
