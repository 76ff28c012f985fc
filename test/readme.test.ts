import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Test } from 'tap'
import ts from 'typescript'
import { REASONS } from '../lib/index.js'

/* What a new user reads is what happens: commands with their output, code, links, and types in other projects than this one. */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PAGES = ['README.md', 'lib/stc/README.md', 'lib/toon/README.md', 'lib/mcp/README.md']
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')
const isShellThere = ['bash', 'curl', 'gunzip', 'cmp'].every((name) => spawnSync(name, ['--version']).status === 0)
const README_ORIGIN = 'http://127.0.0.1:8080'

/** Servers that run on, and what asks them; examples.test.ts and cli-server.test.ts start these. */
const RUNS_ON = /^(?:node dist\/examples\/(?:plugin|mcp-server|mcp-client)|token-gateway --upstream|curl -si http:\/\/127\.0\.0\.1:8081|node try\.mjs)/

/** Starts the demo on a free port and gives its origin. */
async function startDemo (t: Test): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/lib/cli/main.js'), 'demo', '--port', '0'])
  t.teardown(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  let output = ''
  while (!output.includes('/ledger\n')) output += (await once(child.stdout, 'data')).join('')
  return /http:\/\/127\.0\.0\.1:\d+/.exec(output)![0]
}

/** What differs from run to run: dates, times and the width of their column, sizes that zlib decides. */
const settle = (line: string): string => line.replace(/^(date|Date): .*/, '$1')
  .replace(/^(\*? +(?:candidate|original|json|toon|stc) .*?) +(?:ms|-|\d+\.\d\d)$/, '$1')
  .replace(/^toon, gzip: \d+ bytes, \d+\.\d/, 'toon, gzip')

/** Whether a line of output is the one of the page, where `…` stands for any text. */
function isLine (shown: string, line = ''): boolean {
  const [start, ...rest] = settle(shown).split('…')
  const end = rest.pop()
  const found = settle(line)
  return end === undefined ? found === start : found.length >= start.length + end.length && found.startsWith(start) && found.endsWith(end)
}

t.test('commands print what the pages say', { skip: !isShellThere && 'no bash or curl' }, async (t) => {
  const origin = await startDemo(t)
  const folder = t.testdir({})
  const shell = `token-gateway () { "${process.execPath}" "${ROOT}dist/lib/cli/main.js" "$@"; }; node () { "${process.execPath}" "$@"; }\n`
  let count = 0
  for (const page of PAGES) {
    for (const [, block] of read(page).matchAll(/^ *```console\n([^]*?)^ *```/gm)) {
      for (const step of block.replace(/^ +(?=\$ )/gm, '').split(/^\$ /m).slice(1)) {
        const [command, ...shown] = step.trimEnd().split('\n')
        if (RUNS_ON.test(command)) continue
        count++
        const line = command.replaceAll(README_ORIGIN, origin).replace('node dist/', `node ${ROOT}dist/`)
        const { stdout, stderr } = spawnSync('bash', ['-c', shell + line], { cwd: folder, encoding: 'utf8' })
        const lines = (stdout + stderr).replaceAll(origin, README_ORIGIN).replaceAll('\r', '').trimEnd().split('\n')
        const expected = page === 'README.md' ? shown : shown.map((text) => text.trimStart() === '' ? '' : text.replace(/^ {2}(?=\d+$)/, ''))
        const wrong = expected.filter((text, i) => text !== '…' && !isLine(text, lines[i])).map((text) => `${text} | ${lines[expected.indexOf(text)]}`)
        t.same(wrong, [], `${page}: ${command}`)
        if (!step.includes('…')) t.equal(lines.length, Math.max(expected.length, 1), `${page}: ${command}: no more lines`)
      }
    }
  }
  t.ok(count > 40, `${count} commands`)
  for (const [start, output] of [['import { decode }', /running this prints `(.*?)`/], ['import { choose,', /^\$ node try\.mjs\n([^]*?)\n```/m]] as const) {
    const code = read('README.md').split('```js\n').find((text) => text.startsWith(start))!.split('\n```')[0].replaceAll(README_ORIGIN, origin)
    t.equal(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' }).trim(), output.exec(read('README.md'))![1], start)
  }
})

t.test('links lead somewhere, in the package too', async (t) => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  for (const page of PAGES) {
    const text = read(page)
    for (const [, path, anchor] of text.matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = path === '' ? page : join(dirname(page), path)
      t.ok(existsSync(join(ROOT, target)), `${page}: ${target}`)
      t.ok(target === 'README.md' || files.some((file) => target === file || target.startsWith(`${file}/`)), `${page}: ${target} is in the package`)
      if (anchor === undefined) continue
      const anchors = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'))
      t.ok(anchors.includes(anchor), `${page}: #${anchor}`)
    }
  }
})

t.test('the table of reasons is the closed list', async (t) => {
  const [, table] = /^\| reason \| meaning \|\n([^]*?)\n\n/m.exec(read('README.md'))!
  t.same([...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, reason]) => reason).sort(), [...REASONS].sort())
})

t.test('in CommonJS both entries can be required', async (t) => {
  const code = `const { tokenEncoding, tokenGateway, default: plugin } = require('fastify-token-gateway')
    const { decode, encode } = require('fastify-token-gateway/codecs')
    console.log(plugin === tokenEncoding, typeof tokenGateway, decode(encode('[1.0]', 'stc'), 'stc'))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', code], { cwd: ROOT, encoding: 'utf8' })
  t.equal(stdout, 'true function [1.0]\n', stderr)
})

t.test('the declarations are sound where a project checks its libraries, however it resolves modules', async (t) => {
  for (const [name, how] of Object.entries({
    NodeNext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    Bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
  })) {
    const entries = ['dist/plugins/index.d.ts', 'dist/lib/index.d.ts'].map((file) => join(ROOT, file))
    const program = ts.createProgram(entries, { ...how, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: false, noEmit: true, types: ['node'] })
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(ROOT, 'dist/')))
    t.ok(ours.length > 20, `${name}: ${ours.length} files`)
    const found = ours.flatMap((file) => [...program.getSemanticDiagnostics(file), ...program.getSyntacticDiagnostics(file)])
    t.same(found.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`), [], name)
  }
})
