import t from 'tap'
import { decode } from '../../lib/index.js'
import type { Decision } from '../../lib/index.js'
import { exchangeBytes, send } from '../helpers/gateway-client.js'
import { setUpGateway } from '../helpers/gateway-setup.js'
import { isHonest } from '../helpers/honest-answer.js'

/* From the upstream to the client: which media types are re-encoded, and what becomes of all others. */

const ROWS = Array.from({ length: 30 }, (_, id) => ({ id, name: `näme ${id}` }))
const TABLE = JSON.stringify(ROWS)
const LINES = ROWS.map((row) => JSON.stringify(row) + '\n').join('')
const TOON = { 'accept-encoding': 'toon' }

interface Sample { type: string | string[], body: string | Buffer }

/** A gateway before an upstream that sends the sample with the number in the path, and what is decided. */
async function serve (t: Parameters<typeof setUpGateway>[0], samples: readonly Sample[]) {
  const decisions: Decision[] = []
  const { port } = await setUpGateway(t, (request, response) => {
    const { type, body } = samples[Number(request.url?.slice(1))]
    response.writeHead(200, { 'content-type': type }).end(body)
  }, { gateway: { tokenEncoding: { onDecision: (decision) => { decisions.push(decision) } } } })
  return { port, decisions }
}

t.test('JSON by every name of it is re-encoded, with parameters and in any letter case', async (t) => {
  const types = [
    'application/json', 'Application/JSON', 'application/json;charset=utf-8', 'application/json; charset="UTF-8"', 'application/json ; charset=utf8', 'application/json; profile="a, b; c"',
    'application/problem+json', 'application/ld+json', 'application/hal+json', 'application/geo+json; charset=utf-8', 'application/vnd.api+json; ext="https://example.com/x"', 'application/fhir+json; fhirVersion=4.0', 'model/gltf+json'
  ]
  const { port } = await serve(t, types.map((type) => ({ type, body: TABLE })))
  for (const [i, type] of types.entries()) {
    const answer = await send(port, { path: `/${i}`, headers: TOON })
    t.match(answer.headers, { 'content-type': 'text/toon; charset=utf-8', 'content-encoding': 'toon' }, type)
    t.ok(isHonest(t, answer, TABLE, type))
    const plain = await send(port, { path: `/${i}` })
    t.equal(plain.headers['content-type'], type, 'who asks for nothing gets the very field')
    t.equal(plain.body.toString(), TABLE, type)
  }
})

t.test('a UTF-8 byte order mark is no part of the document; who asks for nothing gets it', async (t) => {
  const { port } = await serve(t, [{ type: 'application/json', body: '\ufeff' + TABLE }])
  t.equal(decode((await send(port, { path: '/0', headers: TOON })).body, 'toon'), TABLE)
  t.equal((await send(port, { path: '/0' })).body.toString(), '\ufeff' + TABLE)
})

t.test('other encodings, sequences, lines and what only looks like JSON pass byte for byte', async (t) => {
  const utf16 = Buffer.from('\ufeff' + TABLE, 'utf16le')
  const samples: (Sample & { reason: string | null })[] = [
    { type: 'application/json; charset=utf-16', body: utf16, reason: 'not-eligible' },
    { type: 'application/json; charset=utf-16le', body: utf16, reason: 'not-eligible' },
    { type: 'application/json', body: utf16, reason: 'not-json' },
    { type: 'application/json', body: Buffer.from(utf16).swap16(), reason: 'not-json' },
    { type: 'application/json', body: Buffer.from(TABLE, 'latin1'), reason: 'not-json' },
    { type: 'application/json; charset=iso-8859-1', body: Buffer.from(TABLE, 'latin1'), reason: 'not-eligible' },
    { type: 'application/json', body: LINES, reason: 'not-json' },
    { type: 'application/x-ndjson', body: LINES, reason: 'not-eligible' },
    { type: 'application/jsonl', body: LINES, reason: 'not-eligible' },
    { type: 'application/json-seq', body: LINES.replaceAll(/^/gm, '\x1e'), reason: 'not-eligible' },
    { type: 'application/geo+json-seq', body: LINES.replaceAll(/^/gm, '\x1e'), reason: 'not-eligible' },
    { type: 'application/json', body: LINES.replaceAll(/^/gm, '\x1e'), reason: 'not-json' },
    { type: 'application/stc+json', body: '[1]{a}:1', reason: 'not-eligible' },
    { type: 'text/json', body: TABLE, reason: 'not-eligible' },
    { type: 'application/json5', body: TABLE, reason: 'not-eligible' },
    { type: 'text/plain', body: TABLE, reason: 'not-eligible' },
    { type: '', body: TABLE, reason: 'not-eligible' },
    { type: 'application/jsonx, application/json', body: TABLE, reason: 'not-eligible' }
  ]
  const { port, decisions } = await serve(t, samples)
  for (const [i, { type, body, reason }] of samples.entries()) {
    const name = `${String(type)}: ${reason}`
    const [asked, plain] = [await send(port, { path: `/${i}`, headers: TOON }), await send(port, { path: `/${i}` })]
    t.ok(asked.body.equals(Buffer.from(body)) && plain.body.equals(Buffer.from(body)), name)
    t.equal(asked.headers['content-type'], type, name)
    t.equal(asked.headers['content-encoding'], undefined, name)
    t.equal(asked.headers.etag, undefined, name)
    t.match(decisions.splice(0), [{ outcome: 'passthrough', reason }], name)
  }
})

t.test('Accept weighs our types against JSON, over one line or several, whatever stands beside them', async (t) => {
  const { port } = await serve(t, [{ type: 'application/json', body: TABLE }])
  const toon = 'text/toon; charset=utf-8'
  for (const [lines, expected] of [
    [['Accept: text/toon'], toon],
    [['Accept: text/toon;q=0.001'], toon],
    [['Accept: text/toon;q=0.5, application/json;q=0.4'], toon],
    [['Accept: text/toon;q=0.4, application/json;q=0.5'], 'application/json'],
    [['Accept: text/toon;q=0.4, application/stc+json;q=0.9, */*;q=0.1'], 'application/stc+json'],
    [['Accept: application/json', 'Accept: text/toon'], toon],
    [['Accept: text/toon;q=0'], 'application/json'],
    [['Accept: text/toon;q=1.1'], 'application/json'],
    [['Accept: text/*, */*'], 'application/json'],
    [['Accept:'], 'application/json'],
    [['Accept-Encoding:', 'Accept: text/toon'], toon],
    [['Accept-Encoding: gzip;q=1', 'Accept-Encoding: toon;q=0.2'], toon],
    [['Accept-Encoding: toon;q=0', 'Accept: text/toon'], toon],
    [['Accept-Encoding: toon;q=0.001, identity;q=0'], toon],
    [['Accept-Encoding: toon;q=abc'], 'application/json'],
    [['Accept-Encoding: *'], 'application/json'],
    [[`Accept-Encoding: ${',;q="'.repeat(1601)}, toon`], 'application/json'],
    [[`Accept-Encoding: ${', ;q=,'.repeat(1300)}, toon`], toon]
  ] as [string[], string][]) {
    const text = await exchangeBytes(port, `GET /0 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`)
    t.match(text, /^HTTP\/1.1 200 /, lines.join().slice(0, 60))
    t.equal(/^content-type: (.*)\r$/m.exec(text)?.[1], expected, lines.join().slice(0, 60))
  }
})
