import { join } from 'node:path'
import t from 'tap'
import { minify } from '../../lib/index.js'
import { run } from '../../lib/cli/run.js'
import { createIo, runCli } from '../helpers/cli-io.js'

const ROWS = JSON.stringify(Array.from({ length: 30 }, (_, id) => ({ id, name: `name ${id}`, price: id / 4 })), null, 2)
const ENVELOPE = JSON.stringify({ ok: true, code: 0, stdout: ROWS, stderr: '' })
const MINIFIED = JSON.stringify({ ok: true, code: 0, stdout: minify(ROWS), stderr: '' })

/** What encode writes to both outputs. */
async function encode (json: string, ...flags: string[]): Promise<{ code: number, text: string, descent: string }> {
  const io = createIo(json)
  const code = await run(['encode', ...flags], io)
  return { code, text: io.stdout.text, descent: io.stderr.text }
}

t.test('encode --descend encodes documents in strings, and decode --paths brings them back, minified', async t => {
  for (const list of ['toon', 'stc', 'stc2', 'toon,stc,stc2']) {
    const { code, text, descent } = await encode(ENVELOPE, '--descend', '--encodings', list)
    t.equal(code, 0)
    t.match(JSON.parse(descent), { codec: list.includes(',') ? String : list, paths: ['/stdout'] })
    t.ok(text.length < MINIFIED.length * 0.6, `${list}: ${text.length} of ${MINIFIED.length} bytes`)
    const dir = t.testdir({ 'paths.json': descent })
    const back = createIo(text)
    t.equal(await run(['decode', '--paths', join(dir, 'paths.json')], back), 0)
    t.equal(back.stdout.text, MINIFIED)
  }
  const without = await encode(ENVELOPE, '--encodings', 'stc')
  t.equal(without.descent, '')
  t.ok(without.text.includes('\\"price\\"'), 'off by default')
})

t.test('a text that stays JSON around encoded strings, and one without any, come back too', async t => {
  for (const [json, wanted, back] of [
    [`{"s":"\\ud800","stdout":${JSON.stringify(ROWS)}}`, { codec: 'toon', paths: ['/stdout'], outer: 'json' }, `{"s":"\\ud800","stdout":${JSON.stringify(minify(ROWS))}}`],
    ['[1, 2]', { codec: 'json', paths: [] }, '[1,2]']
  ] as const) {
    const { text, descent } = await encode(json, '--descend', '--encodings', 'toon', '--measure', 'bytes')
    t.strictSame(JSON.parse(descent), wanted)
    const io = createIo(text)
    t.equal(await run(['decode', '--paths', join(t.testdir({ p: descent }), 'p')], io), 0)
    t.equal(io.stdout.text, back)
  }
})

t.test('report --descend counts what is in strings, with the codings that are named', async t => {
  const dir = t.testdir({ 'a.json': ENVELOPE })
  const chosen = async (...flags: string[]): Promise<{ winner: string, tokens: { chosen: number, minified: number } }> => {
    const io = createIo()
    t.equal(await run(['report', '--json', ...flags, dir], io), 0)
    return JSON.parse(io.stdout.text).files[0]
  }
  const plain = await chosen('--encodings', 'stc2')
  const descended = await chosen('--encodings', 'stc2', '--descend')
  t.equal(descended.winner, 'stc2')
  t.ok(descended.tokens.chosen < plain.tokens.chosen * 0.7 && descended.tokens.chosen < descended.tokens.minified)
})

t.test('flags that do not go together, and paths that are none, are named', async t => {
  const dir = t.testdir({ broken: '{', other: '{"codec":"xml","paths":[]}', list: '{"codec":"stc","paths":[1]}' })
  for (const [argv, message] of [
    [['encode', '--to', 'stc', '--descend'], '--descend: expected --to auto with it, got --to stc'],
    [['encode', '--to', 'toon', '--encodings', 'stc'], '--encodings: expected --to auto with it, got --to toon'],
    [['report', '--encodings', 'xml', dir], '--encodings: expected a comma-separated list of'],
    [['decode', '--paths', ''], '--paths: expected a file name, got ""'],
    [['decode', '--paths', join(dir, 'missing')], 'missing: '],
    [['decode', '--paths', join(dir, 'broken')], 'broken: '],
    [['decode', '--paths', join(dir, 'other')], 'other: expected {"codec":...,"paths":[...]}'],
    [['decode', '--paths', join(dir, 'list')], 'list: expected {"codec":...,"paths":[...]}']
  ] as const) {
    const { code, stdout, stderr } = await runCli(argv)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.ok(stderr.includes(message), `${argv.join(' ')}: ${stderr}`)
  }
})
