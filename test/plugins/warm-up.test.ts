import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { request } from 'undici'
import { decode, minify } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { makeSamples } from '../../plugins/token-encoding/warm-up-samples.js'

const ROWS = Array.from({ length: 30 }, (_, id) => ({ id, name: `name ${id}`, price: id / 4 }))

async function listen (options: TokenEncodingOptions): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(tokenEncoding, options)
  app.get('/', async () => ROWS)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

/** What waits for the next turn of the event loop, but for what a server that has just begun to listen has there itself. */
async function isWarmingUp (): Promise<boolean> {
  await nextTurn()
  return process.getActiveResourcesInfo().includes('Immediate')
}

/** How many more turns of the event loop it takes. */
async function finishWarmUp (): Promise<number> {
  let turns = 0
  while (await isWarmingUp()) turns++
  return turns
}

/* The order of these matters: what one has warmed stays warm. */

t.test('a server that is told not to, or that has nothing to encode, does not warm up', async t => {
  for (const options of [{ warmUp: false }, { mode: 'off' }] as const) {
    const app = await listen(options)
    t.equal(await isWarmingUp(), false)
    await app.close()
  }
})

t.test('nothing is warmed up where nothing listens', async t => {
  const app = Fastify()
  await app.register(tokenEncoding)
  await app.ready()
  t.equal(await isWarmingUp(), false)
  await app.close()
})

t.test('a server that closes stops to warm up, and the next begins anew', async t => {
  const first = await listen({ encodings: ['stc'] })
  t.equal(await isWarmingUp(), true)
  await first.close()
  t.equal(await isWarmingUp(), false)
  const second = await listen({ encodings: ['stc'] })
  t.equal(await isWarmingUp(), true)
  await second.close()
})

t.test('while it warms up a server answers', async t => {
  const app = await listen({ minBytes: 1e6, minSavings: 100, onDecision: () => t.fail('no decision is told of what nobody asked for') })
  const { port } = app.server.address() as AddressInfo
  t.equal(await isWarmingUp(), true)
  const { body, headers } = await request(`http://127.0.0.1:${port}/`)
  t.same(await body.json(), ROWS)
  t.equal(headers['content-encoding'], undefined)
  await finishWarmUp()
  t.equal(await isWarmingUp(), false)
  await app.close()
})

t.test('what one server has warmed up is warm for the next', async t => {
  const same = await listen({ encodings: ['stc', 'toon'] })
  t.equal(await isWarmingUp(), false)
  const other = await listen({ encodings: ['stc', 'stc2'], verify: false, descend: true })
  t.ok(await finishWarmUp() > 1, 'in more steps than one')
  const { port } = other.server.address() as AddressInfo
  const { body, headers } = await request(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': 'stc2' } })
  t.equal(decode(Buffer.from(await body.arrayBuffer()), headers['content-encoding'] as 'stc2'), JSON.stringify(ROWS))
  await same.close()
  await other.close()
})

t.test('the bodies that are encoded are JSON, most of them small', async t => {
  const samples = makeSamples()
  for (const sample of samples) t.equal(minify(sample), JSON.stringify(JSON.parse(Buffer.from(sample).toString())))
  t.equal(samples.filter(({ length }) => length > 256 && length < 2048).length, samples.length - 1)
})

t.test('warmUp is true or false, and not on a route', async t => {
  await t.rejects(async () => await Fastify().register(tokenEncoding, { warmUp: 1 as unknown as boolean }), { code: 'FST_TOKEN_INVALID_OPTIONS', message: /options\.warmUp must be boolean/ })
  const app = Fastify()
  await app.register(tokenEncoding)
  t.throws(() => app.get('/', { config: { tokenEncoding: { warmUp: false } } }, async () => ROWS), { message: /config\.tokenEncoding\.warmUp is not an option/ })
})
