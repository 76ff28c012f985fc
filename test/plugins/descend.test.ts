import Fastify from 'fastify'
import t from 'tap'
import { decode, encode } from '../../lib/index.js'
import type { Decision } from '../../lib/index.js'
import { tokenEncoding } from '../../plugins/index.js'
import { PRETTY_ROWS, ROWS } from '../helpers/mcp-messages.js'

t.test('documents in strings of a whole body are re-encoded by option, and the decision says which', async t => {
  const decisions: Decision[] = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(tokenEncoding, { encodings: ['toon'], measure: 'bytes', onDecision: decision => { decisions.push(decision) } })
  const body = JSON.stringify({ ok: true, stdout: PRETTY_ROWS, big: 'x'.repeat(40_000) })
  // Around the string no coding takes it: half of a surrogate pair.
  const declined = `{"s":"\\ud800","stdout":${JSON.stringify(PRETTY_ROWS)}}`
  const send = (config: object, payload: string): void => {
    app.get(`/${config === ON ? 'on' : 'off'}/${payload === body ? 'body' : 'declined'}`, { config: { tokenEncoding: config } }, async (_request, reply) => reply.type('application/json').send(payload))
  }
  const ON = { descend: true }
  const OFF = {}
  for (const config of [ON, OFF]) for (const payload of [body, declined]) send(config, payload)
  const get = async (path: string): Promise<{ text: string, type: unknown }> => {
    const { body: text, headers } = await app.inject({ url: path, headers: { 'accept-encoding': 'toon' } })
    return { text, type: headers['content-encoding'] }
  }

  const on = await get('/on/body')
  t.equal(on.type, 'toon')
  t.strictSame(decisions.pop()?.paths, ['/stdout'])
  t.equal(decode(on.text, 'toon', { paths: ['/stdout'] }), body.replace(JSON.stringify(PRETTY_ROWS), () => JSON.stringify(ROWS)))

  const off = await get('/off/body')
  t.equal(off.text, encode(body, 'toon'), 'off by default')
  t.strictSame(decisions.pop()?.paths, [])

  const minified = await get('/on/declined')
  t.strictSame(minified, { text: `{"s":"\\ud800","stdout":${JSON.stringify(ROWS)}}`, type: undefined }, 'JSON with encoded strings has no label: it is minified')
  t.match(decisions.pop(), { codec: 'json', paths: ['/stdout'], reason: 'declined-lone-surrogate' })
})
