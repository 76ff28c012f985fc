import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Writable } from 'node:stream'
import t from 'tap'
import { run } from '../../lib/cli/run.js'
import { describeError } from '../../lib/cli/errors.js'
import { formatTable } from '../../lib/cli/table.js'
import { listResources } from '../../lib/cli/sample/rest.js'
import { createIo, runCli } from '../helpers/cli-io.js'

const MAIN = fileURLToPath(new URL('../../dist/lib/cli/main.js', import.meta.url))
const ROWS = '[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"},{"id":3,"name":"Chi"}]'
const ROWS_AS_STC = '[3]{id,name}:1,"Ada"/2,"Bo"/3,"Chi"'
const ROWS_AS_TOON = '[3]{id,name}:\n  1,Ada\n  2,Bo\n  3,Chi'

async function spawnMain (argv: readonly string[], input: string | Uint8Array): Promise<{ code: number | null, stdout: string, stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...argv])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => { stdout += chunk })
  child.stderr.on('data', chunk => { stderr += chunk })
  child.stdin.end(input)
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, stdout, stderr }
}

/** One line, no more and no less. */
const ONE_LINE = /^token-gateway: [^\n]+\n$/

t.test('--help names every command and flag', async t => {
  for (const argv of [['--help'], ['-h'], ['--upstream', '--help']]) {
    const { code, stdout, stderr } = await runCli(argv)
    t.equal(code, 0)
    t.equal(stderr, '')
    for (const word of ['--upstream URL', '--port', '--host', '--encodings', '--mode adaptive|always|off', '--min-savings',
      'demo', 'encode', 'decode', 'inspect', 'report', '--version']) t.ok(stdout.includes(word), word)
  }
})

t.test('each command has a --help of its own', async t => {
  for (const name of ['demo', 'encode', 'decode', 'inspect', 'report']) {
    const { code, stdout, stderr } = await runCli([name, '--help'])
    t.same([code, stderr], [0, ''])
    t.match(stdout, new RegExp(`^Usage: token-gateway ${name} .+\n`))
    t.ok(stdout.endsWith('\n'))
  }
})

t.test('--version shows the version of the package', async t => {
  const { version } = createRequire(import.meta.url)('fastify-token-gateway/package.json')
  t.same(await runCli(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' })
})

t.test('wrong arguments: exit code 1 and one line with the flag and what was expected', async t => {
  const cases: [string[], string][] = [
    [[], 'expected --upstream URL or a command; see token-gateway --help'],
    [['nope'], 'unknown command "nope"; see token-gateway --help'],
    [['__proto__'], 'unknown command "__proto__"; see token-gateway --help'],
    [['--port', '1'], '--upstream: expected an http: or https: URL without user, query and fragment, got nothing'],
    [['--upstream'], '--upstream: expected an http: or https: URL without user, query and fragment, got nothing'],
    [['--upstream', 'localhost'], '--upstream: expected an http: or https: URL without user, query and fragment, got "localhost"'],
    [['--upstream', 'ftp://a/'], 'got "ftp://a/"'],
    [['--upstream', 'http://a/?b'], 'got "http://a/?b"'],
    [['--upstream', 'http://a/#b'], 'got "http://a/#b"'],
    [['--upstream', 'http://u@a/'], 'got "http://u@a/"'],
    [['--upstream', 'http://u:p@a/'], 'got "http://u:p@a/"'],
    [['--upstream', 'http://a', '--port', '65536'], '--port: expected a port number from 0 to 65535, got "65536"'],
    [['--upstream', 'http://a', '--port', '-1'], '--port: expected a port number from 0 to 65535, got "-1"'],
    [['--upstream', 'http://a', '--port=8e3'], '--port: expected a port number from 0 to 65535, got "8e3"'],
    [['--upstream', 'http://a', '--host', '--port'], '--host: expected a host name or an address, got "--port"'],
    [['--upstream', 'http://a', '--host', ''], '--host: expected a host name or an address, got ""'],
    [['--upstream', 'http://a', '--encodings', 'toon,gzip'], '--encodings: expected a comma-separated list of toon, stc, stc2, toon-flatten, rows, got "toon,gzip"'],
    [['--upstream', 'http://a', '--encodings', ''], '--encodings: expected a comma-separated list of toon, stc, stc2, toon-flatten, rows, got ""'],
    [['--upstream', 'http://a', '--mode', 'maybe'], '--mode: expected "adaptive" or "always" or "off", got "maybe"'],
    [['--upstream', 'http://a', '--min-savings', '101'], '--min-savings: expected a number from 0 to 100, got "101"'],
    [['--upstream', 'http://a', '--min-savings', '5%'], '--min-savings: expected a number from 0 to 100, got "5%"'],
    [['--upstream', 'http://a', 'demo'], 'unexpected argument "demo": expected no argument without dashes'],
    [['--upstream', 'http://a', '--colour'], '--colour: unknown flag; expected --upstream, --port,'],
    [['demo', '-x'], '-x: unknown flag; expected --port, --host'],
    [['demo', '--port', ''], '--port: expected a port number from 0 to 65535, got ""'],
    [['encode', '--to', 'xml'], '--to: expected "auto" or "toon" or "stc" or "stc2" or "toon-flatten" or "rows" or "json", got "xml"'],
    [['encode', '--delimiter', ';'], '--delimiter: expected "," or "tab" or "pipe", got ";"'],
    [['encode', '--delimiter', 'toString'], '--delimiter: expected'],
    [['encode', '--spacing', 'wide'], '--spacing: expected "dense" or "adr", got "wide"'],
    [['encode', 'a.json', 'b.json'], 'unexpected argument "b.json": expected one FILE'],
    [['decode'], '--from: expected "toon" or "stc" or "stc2" or "toon-flatten" or "rows", got nothing'],
    [['decode', '--from', 'json'], '--from: expected "toon" or "stc" or "stc2" or "toon-flatten" or "rows", got "json"'],
    [['inspect', '--to', 'stc'], '--to: unknown flag; expected --all, --measure, --tokenizer'],
    [['inspect', '--all=yes'], '--all: expected no value, got "yes"'],
    [['inspect', '--tokenizer', 'gpt2'], '--tokenizer: expected "o200k_base" or "cl100k_base", got "gpt2"'],
    [['encode', '--dots', 'drop', '--to', 'toon-flatten'], '--dots: expected "decline" or "underscore", got "drop"'],
    [['encode', '--object-name', 'a,b', '--to', 'rows'], '--object-name: expected a name without any of ,|[]\\()= and'],
    [['report'], 'expected FILE or DIR, got nothing'],
    [['report', '--html', '--json', 'a'], '--html: expected a file name, got "--json"'],
    [['report', '--html=', 'a'], '--html: expected a file name, got ""']
  ]
  for (const [argv, expected] of cases) {
    const { code, stdout, stderr } = await runCli(argv)
    t.same([code, stdout], [1, ''], argv.join(' '))
    t.match(stderr, ONE_LINE)
    t.ok(stderr.includes(expected), `${stderr.trim()} | ${expected}`)
  }
})

t.test('a wrong PORT of the environment is named as such', async t => {
  const { code, stderr } = await runCli(['demo'], createIo('', { PORT: 'http' }))
  t.equal(code, 1)
  t.equal(stderr, 'token-gateway: PORT (environment): expected a port number from 0 to 65535, got "http"\n')
})

t.test('encode writes exactly the text', async t => {
  const cases: [string[], string][] = [
    [['--to', 'stc'], ROWS_AS_STC],
    [['--to', 'stc', '--spacing', 'dense'], ROWS_AS_STC],
    [['--to=stc', '--spacing=adr'], '[3]{id,name}: 1,"Ada" / 2,"Bo" / 3,"Chi"'],
    [['--to', 'toon'], ROWS_AS_TOON],
    [['--to', 'toon', '--delimiter', ','], ROWS_AS_TOON],
    [['--to', 'toon', '--delimiter', 'pipe'], '[3|]{id|name}:\n  1|Ada\n  2|Bo\n  3|Chi'],
    [['--to', 'toon', '--delimiter', 'tab'], '[3\t]{id\tname}:\n  1\tAda\n  2\tBo\n  3\tChi'],
    [['--to', 'json'], ROWS]
  ]
  const pretty = JSON.stringify(JSON.parse(ROWS), null, 2)
  for (const [argv, expected] of cases) {
    t.same(await runCli(['encode', ...argv], createIo(pretty)), { code: 0, stdout: expected, stderr: '' }, argv.join(' '))
  }
})

t.test('encode --to auto writes what the gateway would send', async t => {
  t.equal((await runCli(['encode'], createIo(ROWS))).stdout, ROWS_AS_TOON.length < ROWS_AS_STC.length ? ROWS_AS_TOON : ROWS_AS_STC)
  t.equal((await runCli(['encode', '--to', 'auto'], createIo('[ 1 ]'))).stdout, '[1]')
})

t.test('a terminal gets a line end after the document, nothing else does', async t => {
  for (const argv of [['encode', '--to', 'json'], ['decode', '--from', 'stc']]) {
    const io = createIo('[1]')
    io.stdout.isTTY = true
    t.equal((await runCli(argv, io)).stdout, '[1]\n')
    t.equal((await runCli(argv, createIo('[1]'))).stdout, '[1]')
  }
})

t.test('decode gives minified JSON, numbers digit for digit in STC and equal in TOON', async t => {
  t.equal((await runCli(['decode', '--from', 'toon'], createIo(ROWS_AS_TOON))).stdout, ROWS)
  const text = '{"a":12345678901234567890,"b":1e400,"c":-0,"d":1.0,"d":[],"__proto__":{"2":0,"1":0}}'
  const { stdout } = await runCli(['encode', '--to', 'stc'], createIo(text))
  t.same(await runCli(['decode', '--from', 'stc'], createIo(stdout)), { code: 0, stdout: text, stderr: '' })
})

t.test('every sample document makes the way there and back', async t => {
  for (const { path, text } of listResources()) {
    const minified = (await runCli(['encode', '--to', 'json'], createIo(text))).stdout
    for (const format of ['toon', 'stc']) {
      const { stdout } = await runCli(['encode', '--to', format], createIo(text))
      const back = await runCli(['decode', '--from', format], createIo(stdout))
      t.same([back.code, back.stderr], [0, ''], `${path} ${format}`)
      // TOON may write a number in another way: there the ledger is compared through its own TOON text.
      if (format === 'stc' || path !== '/ledger') t.equal(back.stdout, minified)
      else t.equal((await runCli(['encode', '--to', 'toon'], createIo(back.stdout))).stdout, stdout)
    }
  }
})

t.test('standard input comes as bytes in chunks, cut anywhere', async t => {
  const bytes = Buffer.from('["Malmö","京都"]')
  const chunks = [...bytes].map(byte => Uint8Array.of(byte))
  for (const argv of [['encode', '--to', 'stc'], ['encode', '--to', 'stc', '-']]) {
    t.equal((await runCli(argv, createIo(chunks))).stdout, '["Malmö","京都"]')
  }
})

t.test('FILE is read; one that cannot be read is named with the reason', async t => {
  const folder = t.testdir({ 'rows.json': ROWS })
  t.equal((await runCli(['encode', '--to', 'stc', join(folder, 'rows.json')])).stdout, ROWS_AS_STC)
  const missing = join(folder, 'missing.json')
  t.same(await runCli(['inspect', missing]), {
    code: 1, stdout: '', stderr: `token-gateway: ${missing}: no such file or directory (ENOENT)\n`
  })
  t.match((await runCli(['inspect', '--', '--help'])).stderr, /: --help: no such file or directory \(ENOENT\)\n$/)
  t.match((await runCli(['decode', '--from', 'stc', folder])).stderr, /: illegal operation on a directory \(EISDIR\)\n$/)
})

t.test('bad input: one line with file, offset, line, column and reason', async t => {
  const file = join(t.testdir({ 'bad.json': '{"a":1,\n "b" 2}' }), 'bad.json')
  for (const argv of [['encode', file], ['encode', '--to', 'toon', file], ['inspect', file]]) {
    const { code, stdout, stderr } = await runCli(argv)
    t.same([code, stdout], [1, ''])
    t.match(stderr, ONE_LINE)
    t.ok(stderr.startsWith(`token-gateway: ${file}: `))
    t.match(stderr, /offset 13 \(line 2, column 6\)/)
  }
  const decoded = await runCli(['decode', '--from', 'toon'], createIo('[2]: 1'))
  t.equal(decoded.code, 1)
  t.match(decoded.stderr, /^token-gateway: <stdin>: [^\n]*offset \d+ \(line 1, column \d+\)[^\n]*\n$/)
  t.match((await runCli(['decode', '--from', 'stc'], createIo('[1,'))).stderr, /offset 3 \(line 1, column 4\)/)
  t.match((await runCli(['encode'], createIo(''))).stderr, /offset 0 \(line 1, column 1\)/)
  t.match((await runCli(['encode'], createIo(Uint8Array.of(0x22, 0xff, 0x22)))).stderr, /offset 1 /)
})

t.test('a document that the format cannot hold: exit code 1 and the reason', async t => {
  const { code, stdout, stderr } = await runCli(['encode', '--to', 'toon'], createIo('{"a":1,"a":2}'))
  t.same([code, stdout], [1, ''])
  t.match(stderr, ONE_LINE)
  t.match(stderr, /<stdin>: .*declined-duplicate-keys/)
})

t.test('inspect shows every candidate and marks the winner', async t => {
  const { code, stdout, stderr } = await runCli(['inspect'], createIo(JSON.stringify(JSON.parse(ROWS), null, 2)))
  t.same([code, stderr], [0, ''])
  const lines = stdout.split('\n')
  t.match(lines[0], /candidate +bytes +of minified +of original +tokens +of minified +verified +ms$/)
  t.equal(lines.filter(line => line.startsWith('*')).length, 1)
  t.match(lines.find(line => line.startsWith('*')), /^\* +(toon|stc) /)
  t.match(stdout, /^ +original +\d+ +[\d.]+ % +100\.0 % +\d+ +[\d.]+ % +- +-$/m)
  t.match(stdout, /^ +json +66 +100\.0 % +[\d.]+ % +/m)
  t.match(stdout, new RegExp(`^[ *] +stc +${ROWS_AS_STC.length} +[\\d.]+ % +[\\d.]+ % +\\d+ +[\\d.]+ % +yes +[\\d.]+$`, 'm'))
})

t.test('inspect shows why a candidate declined', async t => {
  const { stdout } = await runCli(['inspect'], createIo('{"a":1,"a":2}'))
  t.match(stdout, /^ +toon +- +- +- +- +- +declined-duplicate-keys +[\d.]+$/m)
})

t.test('a table keeps names to the left even where some begin with a digit', async t => {
  t.equal(formatTable([['file', 'share'], ['2024.json', '9.5 %'], ['a', '-'], ['7', '100.0 %']]),
    'file         share\n2024.json    9.5 %\na                -\n7          100.0 %\n')
})

t.test('a table has its numbers to the right and no spaces at line ends', async t => {
  t.equal(formatTable([['name', 'n', 'note'], ['a', '5', 'x'], ['longer', '1000', '']]),
    'name       n  note\na          5  x\nlonger  1000\n')
})

t.test('a reader that goes away is no error, any other failure of standard output is', async t => {
  const failing = (code: string): Writable => new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code }))
  })
  const gone = createIo(ROWS)
  t.equal(await run(['encode'], { ...gone, stdout: failing('EPIPE') }), 0)
  t.equal(gone.stderr.text, '')
  const full = createIo(ROWS)
  t.equal(await run(['encode'], { ...full, stdout: failing('ENOSPC') }), 1)
  t.equal(full.stderr.text, 'token-gateway: write ENOSPC\n')
})

t.test('errors of any kind become one line', async t => {
  t.equal(describeError(new Error('one\n  two\r\nthree')), 'one two three')
  t.equal(describeError('text'), 'text')
  t.equal(describeError(Object.assign(new Error('?'), { errno: 1e6, code: 'EODD' })), 'EODD')
})

t.test('compiled: exit codes, exact output, a closed pipe', async t => {
  t.same(await spawnMain(['encode', '--to', 'toon'], ROWS), { code: 0, stdout: ROWS_AS_TOON, stderr: '' })
  t.same(await spawnMain(['decode', '--from', 'toon'], ROWS_AS_TOON), { code: 0, stdout: ROWS, stderr: '' })
  const bad = await spawnMain(['encode', '--to', 'stc'], '{')
  t.equal(bad.code, 1)
  t.match(bad.stderr, ONE_LINE)

  const child = spawn(process.execPath, [MAIN, 'encode', '--to', 'json'])
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', chunk => { stderr += chunk })
  child.stdin.end(JSON.stringify(Array.from({ length: 200_000 }, (_, i) => i)))
  t.equal(await new Promise(resolve => child.on('close', resolve)), 0)
  t.equal(stderr, '')
})
