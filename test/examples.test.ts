import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Test } from 'tap'
import { decode } from '../lib/index.js'

interface Example { child: ChildProcess, output: () => string, closed: Promise<unknown[]> }

function startExample (t: Test, name: string, argv: readonly string[] = []): Example {
  const file = fileURLToPath(new URL(`../dist/examples/${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [file, ...argv], { env: { ...process.env, PORT: '0' } })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', chunk => { output += chunk })
  child.stderr.on('data', chunk => { output += chunk })
  return { child, output: () => output, closed: once(child, 'close') }
}

/** Waits for text on standard output and returns the first URL in it. */
async function findOrigin ({ child, output, closed }: Example, text: string): Promise<string> {
  while (!output().includes(text)) {
    const [event] = await Promise.race([once(child.stdout!, 'data'), closed.then(() => [null])])
    if (event === null) throw new Error(`the example ended: ${output()}`)
  }
  return /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0] ?? ''
}

async function get (url: string, acceptEncoding: string): Promise<{ headers: IncomingHttpHeaders, text: string }> {
  const [response] = await once(http.get(url, { headers: { 'accept-encoding': acceptEncoding }, agent: false }), 'response')
  return { headers: response.headers, text: (await response.setEncoding('utf8').toArray()).join('') }
}

t.test('plugin: a route is encoded, another by its options is not', async t => {
  const example = startExample(t, 'plugin')
  const origin = await findOrigin(example, '/books/plain\n')
  t.equal(example.output().match(/^ {2}curl -sD- -H 'Accept-Encoding: toon' http:\S+$/gm)?.length, 3)
  const plain = await get(`${origin}/books`, 'identity')
  const encoded = await get(`${origin}/books`, 'toon')
  t.equal(encoded.headers['content-encoding'], 'toon')
  t.ok(encoded.text.length < plain.text.length)
  t.equal(decode(encoded.text, 'toon'), plain.text)
  for (const path of ['/books/picky', '/books/plain']) {
    const { headers, text } = await get(origin + path, 'toon')
    t.same([headers['content-encoding'], text], [undefined, plain.text], path)
  }
  example.child.kill('SIGTERM')
  t.same(await example.closed, [0, null])
})

t.test('proxy: the answers of an upstream are encoded, its own or one that is given', async t => {
  const own = startExample(t, 'proxy')
  const origin = await findOrigin(own, '/stations\n')
  const plain = await get(`${origin}/stations`, 'identity')
  const encoded = await get(`${origin}/stations`, 'stc')
  t.equal(encoded.headers['content-encoding'], 'stc')
  t.equal(decode(encoded.text, 'stc'), plain.text)

  const before = startExample(t, 'proxy', [origin])
  const outer = await findOrigin(before, '/stations\n')
  t.match(before.output(), `, before ${origin}\n`)
  t.equal((await get(`${outer}/stations`, 'identity')).text, plain.text)
  for (const { child, closed } of [before, own]) {
    child.kill('SIGINT')
    t.same(await closed, [0, null])
  }
})

t.test('client: shows what each coding saves, and that the document is the same', async t => {
  const { output, closed } = startExample(t, 'client')
  t.same(await closed, [0, null], output())
  t.match(output(), /^http:\/\/127\.0\.0\.1:\d+\/planes: \d+ bytes as JSON$/m)
  for (const name of ['toon', 'stc', 'toon, gzip']) {
    t.match(output(), new RegExp(`^${name}: \\d+ bytes, \\d+\\.\\d % saved, same document: true$`, 'm'))
  }
})

t.test('client: says so where the server sends JSON', async t => {
  const server = http.createServer((_request, response) => response.end('{"a":1}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { output, closed } = startExample(t, 'client', [`http://127.0.0.1:${port}/`])
  t.same(await closed, [0, null], output())
  t.match(output(), 'toon: the server sent JSON, which was smaller\nstc: the server sent JSON, which was smaller\ntoon, gzip: the server sent JSON, which was smaller\n')
})

t.test('mcp-server and mcp-client: one header more, and the results of tools are smaller, but for files', async t => {
  const server = startExample(t, 'mcp-server')
  const origin = await findOrigin(server, '/mcp\n  node')
  const { output, closed } = startExample(t, 'mcp-client', [`${origin}/mcp`])
  t.same(await closed, [0, null], output())
  t.match(output(), /^list_orders: \d+ bytes, as toon \d+, \d+\.\d % saved, same document: true$/m)
  t.match(output(), /^read_file: \d+ bytes as they were: true$/m)
  server.child.kill('SIGTERM')
  t.same(await server.closed, [0, null])
})
