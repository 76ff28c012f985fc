import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { request } from 'undici'
import { Document, decode, encode, minify } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import type { TokenEncodingOptions } from '../../plugins/index.js'
import { makeSamples, makeStretching } from '../../plugins/token-encoding/warm-up-samples.js'

const ROWS = Array.from({ length: 30 }, (_, id) => ({ id, name: `name ${id}`, price: id / 4 }))

async function listen (options: TokenEncodingOptions): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(tokenEncoding, options)
  app.get('/', async () => ROWS)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

/** Whether a timer runs: nothing else here has one that keeps the process alive. */
function isWarmingUp (): boolean {
  return process.getActiveResourcesInfo().includes('Timeout')
}

/** How many turns of the event loop it takes. */
async function finishWarmUp (): Promise<number> {
  let turns = 0
  for (; isWarmingUp(); turns++) await nextTurn()
  return turns
}

/* The order of these matters: what one has warmed stays warm. */

t.test('a server that is told not to, or that has nothing to encode, does not warm up', async t => {
  for (const options of [{ warmUp: false }, { mode: 'off' }] as const) {
    const app = await listen(options)
    t.equal(isWarmingUp(), false)
    await app.close()
  }
})

t.test('nothing is warmed up where nothing listens', async t => {
  const app = Fastify()
  await app.register(tokenEncoding)
  await app.ready()
  t.equal(isWarmingUp(), false)
  await app.close()
})

t.test('a server that closes stops to warm up, and the next begins anew', async t => {
  const first = await listen({ encodings: ['stc'] })
  t.equal(isWarmingUp(), true)
  await first.close()
  t.equal(isWarmingUp(), false)
  const second = await listen({ encodings: ['stc'] })
  t.equal(isWarmingUp(), true)
  await second.close()
})

t.test('while it warms up a server answers', async t => {
  const app = await listen({ minBytes: 1e6, minSavings: 100, onDecision: () => t.fail('no decision is told of what nobody asked for') })
  const { port } = app.server.address() as AddressInfo
  t.equal(isWarmingUp(), true)
  const { body, headers } = await request(`http://127.0.0.1:${port}/`)
  t.same(await body.json(), ROWS)
  t.equal(headers['content-encoding'], undefined)
  await finishWarmUp()
  t.equal(isWarmingUp(), false)
  await app.close()
})

t.test('what one server has warmed up is warm for the next', async t => {
  const same = await listen({ encodings: ['stc', 'toon'] })
  t.equal(isWarmingUp(), false)
  const other = await listen({ encodings: ['stc', 'stc2'], verify: false, descend: true })
  t.ok(await finishWarmUp() > 1, 'in more steps than one')
  const { port } = other.server.address() as AddressInfo
  const { body, headers } = await request(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': 'stc2' } })
  t.equal(decode(Buffer.from(await body.arrayBuffer()), headers['content-encoding'] as 'stc2'), JSON.stringify(ROWS))
  await same.close()
  await other.close()
})

t.test('the bodies that are encoded are JSON, and what holds all kinds is declined by no coding', async t => {
  const samples = makeSamples()
  for (const sample of [...samples, ...makeStretching()]) t.ok(Document.parse(sample).containerCount > 0)
  for (const sample of samples.slice(0, 2)) {
    for (const coding of ['toon', 'stc', 'stc2'] as const) t.equal(decode(encode(sample, coding), coding), minify(sample))
  }
})

t.test('warmUp is true or false, and not on a route', async t => {
  await t.rejects(async () => await Fastify().register(tokenEncoding, { warmUp: 1 as unknown as boolean }), { code: 'FST_TOKEN_INVALID_OPTIONS', message: /options\.warmUp must be boolean/ })
  const app = Fastify()
  await app.register(tokenEncoding)
  t.throws(() => app.get('/', { config: { tokenEncoding: { warmUp: false } } }, async () => ROWS), { message: /config\.tokenEncoding\.warmUp is not an option/ })
})
