import t from 'tap'
import { CODING_NAMES, DEFAULT_CODINGS, Document, encode, inspect, minify } from '../../lib/index.js'
import type { CodecName } from '../../lib/index.js'
import { TOKEN_ENCODINGS } from '../../lib/tokens/encodings.js'
import { countTokens } from '../../lib/tokens/exact.js'
import { createIo, runCli } from '../helpers/cli-io.js'

const NESTED = '[{"id":1,"by":{"name":"Ada","at":"x"}},{"id":2,"by":{"name":"Bo","at":"y"}},{"id":3,"by":{"name":"Chi","at":"z"}}]'
const FLAT = '[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"},{"id":3,"name":"Chi"}]'
const DOTTED = '[{"a.b":1},{"a.b":2}]'
const WITH_NULL = '[{"id":1,"name":null},{"id":2,"name":null}]'

async function encodeOf (json: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(['encode', ...argv], createIo(json))
  t.same([code, stderr], [0, ''], argv.join(' '))
  return stdout
}

t.test('every coding can be written and read by name', async t => {
  for (const name of CODING_NAMES) {
    const text = await encodeOf(FLAT, '--to', name)
    t.equal(text, encode(FLAT, name))
    t.same(await runCli(['decode', '--from', name], createIo(text)), { code: 0, stdout: FLAT, stderr: '' }, name)
  }
  const flat = await encodeOf(NESTED, '--to', 'toon-flatten')
  t.match(flat, /by\.name/)
  t.equal((await runCli(['decode', '--from', 'toon-flatten'], createIo(flat))).stdout, NESTED)
})

t.test('--delimiter holds for toon-flatten too', async t => {
  t.match(await encodeOf(NESTED, '--to', 'toon-flatten', '--delimiter', 'pipe'), '[3|]{id|')
})

t.test('--object-name names the block of a root array', async t => {
  t.match(await encodeOf(FLAT, '--to', 'rows'), /^data\(id,name\)/)
  const named = await encodeOf(FLAT, '--to', 'rows', '--object-name', 'people')
  t.match(named, /^people\(id,name\)/)
  t.equal((await runCli(['decode', '--from', 'rows'], createIo(named))).stdout, FLAT)
})

t.test('what a coding cannot hold is declined unless the loss is asked for', async t => {
  const cases: [string, string[], string[], string][] = [
    [DOTTED, ['--to', 'toon-flatten'], ['--dots', 'underscore'], 'declined-dotted-key'],
    [DOTTED, ['--to', 'toon-flatten', '--dots', 'decline'], ['--dots', 'underscore'], 'declined-dotted-key'],
    [WITH_NULL, ['--to', 'rows'], ['--lossy'], 'declined-inexact-value']
  ]
  for (const [json, argv, loss, reason] of cases) {
    const { code, stdout, stderr } = await runCli(['encode', ...argv], createIo(json))
    t.same([code, stdout], [1, ''])
    t.match(stderr, reason)
    t.not(await encodeOf(json, ...argv, ...loss), '')
  }
  t.match(await encodeOf(DOTTED, '--to', 'toon-flatten', '--dots', 'underscore'), /a_b/)
})

t.test('a text that loses something is written only for --to with its name', async t => {
  for (const [flag, owner] of [[['--dots', 'underscore'], 'toon-flatten'], [['--lossy'], 'rows'], [['--object-name', 'x'], 'rows']] as const) {
    for (const to of [[], ['--to', 'auto'], ['--to', 'json'], ['--to', 'stc'], ['--to', owner === 'rows' ? 'toon-flatten' : 'rows']]) {
      const { code, stdout, stderr } = await runCli(['encode', ...to, ...flag], createIo(FLAT))
      t.same([code, stdout], [1, ''])
      t.equal(stderr, `token-gateway: ${flag[0]}: expected --to ${owner} with it, got --to ${to[1] ?? 'auto'}\n`)
    }
  }
})

/** Candidate, bytes, tokens and the tokens' share of each line that `inspect` prints. */
function readInspection (stdout: string): Record<string, { bytes: number, tokens: number, share: string }> {
  const lines = [...stdout.matchAll(/^[ *] +([\w-]+) +(\d+) +[\d.]+ % +[\d.]+ % +(\d+) +([\d.]+ %) /gm)]
  return Object.fromEntries(lines.map(([, name, bytes, tokens, share]) => [name, { bytes: Number(bytes), tokens: Number(tokens), share }]))
}

t.test('inspect counts the tokens of every text, and their share of those of minified JSON', async t => {
  const pretty = JSON.stringify(JSON.parse(NESTED), null, 2)
  for (const tokenizer of TOKEN_ENCODINGS) {
    for (const isAll of [false, true]) {
      const { stdout } = await runCli(['inspect', '--tokenizer', tokenizer, ...isAll ? ['--all'] : []], createIo(pretty))
      const shown = readInspection(stdout)
      const minifiedTokens = await countTokens(minify(NESTED), tokenizer)
      const texts = new Map<string, string>([['original', pretty]])
      for (const name of ['json', ...DEFAULT_CODINGS, ...isAll ? ['stc2', 'toon-flatten'] as const : []] satisfies CodecName[]) texts.set(name, encode(NESTED, name))
      t.same(Object.keys(shown), [...texts.keys()])
      for (const [name, text] of texts) {
        const tokens = await countTokens(text, tokenizer)
        t.same(shown[name], { bytes: Buffer.byteLength(text), tokens, share: `${(tokens / minifiedTokens * 100).toFixed(1)} %` }, name)
      }
      t.equal(/^ +rows +- +- +- +- +- +not-uniform-object-array/m.test(stdout) || /^ +rows +- .*declined/m.test(stdout), isAll)
      t.equal(stdout.split('\n').filter(line => line.startsWith('*')).length, 1)
    }
  }
})

t.test('inspect counts o200k_base unless told otherwise', async t => {
  const text = '["日本語のテキストはトークンの数が違う"]'
  const { stdout } = await runCli(['inspect'], createIo(text))
  t.equal(readInspection(stdout).original.tokens, await countTokens(text, 'o200k_base'))
  t.not(await countTokens(text, 'cl100k_base'), await countTokens(text, 'o200k_base'))
})

t.test('inspect of the library takes text, bytes or a document', t => {
  const strip = (json: Parameters<typeof inspect>[0]): unknown => JSON.stringify(inspect(json), (name, value) => name === 'ms' ? 0 : value)
  const expected = strip(NESTED)
  t.equal(strip(Buffer.from(NESTED)), expected)
  t.equal(strip(Document.parse(NESTED)), expected)
  t.end()
})
