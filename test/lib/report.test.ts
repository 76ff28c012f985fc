import fsPromises, { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { choose, minify } from '../../lib/index.js'
import type { SavingsReport } from '../../lib/cli/report/measure-files.js'
import { formatHtml } from '../../lib/cli/report/format-html.js'
import { summarize } from '../../lib/cli/report/summarize.js'
import type { FileRow } from '../../lib/cli/report/measure-file.js'
import { countTokens } from '../../lib/tokens/exact.js'
import type { TokenEncoding } from '../../lib/tokens/encodings.js'
import { createIo, runCli } from '../helpers/cli-io.js'

const ROWS = JSON.stringify(Array.from({ length: 30 }, (_, i) => ({ id: i, name: `name ${i}`, ok: i % 2 === 0 })), null, 2)
const NESTED = '{"a":[{"b":1,"c":{"d":[1,2,{"e":"f"}]}},{"b":[]}],"g":{"h":"i","j":[[],{}]}}'
const PRETTY_ATOM = ' [ "日本語" ] '
const ATOM = '7'

const FOLDER = {
  'rows.json': ROWS,
  'Upper.JSON': ATOM,
  'notes.txt': 'not read',
  'bad.json': '{"a":1,\n "b" 2}',
  deep: { 'nested.json': NESTED, 'atom.json': PRETTY_ATOM, 'broken.json': Buffer.of(0x22, 0xff, 0x22), er: { 'rows.json': ROWS } }
}
const TEXTS: Record<string, string> = { 'Upper.JSON': ATOM, 'deep/atom.json': PRETTY_ATOM, 'deep/er/rows.json': ROWS, 'deep/nested.json': NESTED, 'rows.json': ROWS }

async function reportOf (...argv: string[]): Promise<SavingsReport> {
  const { code, stdout, stderr } = await runCli(['report', '--json', ...argv])
  t.same([code, stderr], [0, ''], argv.join(' '))
  return JSON.parse(stdout)
}

const NO_SIZES = { original: 0, minified: 0, chosen: 0 }
const NO_TOTAL = { ...NO_SIZES, share: 0, meanShare: 0 }

/** The cells of the lines of a table, by two or more blanks. */
function readCells (text: string): string[][] {
  return text.trim().split('\n').map(line => line.split(/ {2,}/))
}

function percent (share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

t.test('each file has its bytes and tokens as sent, minified and chosen, and its winner', async t => {
  const folder = t.testdir(FOLDER)
  for (const tokenizer of ['o200k_base', 'cl100k_base'] satisfies TokenEncoding[]) {
    const report = await reportOf(folder, '--tokenizer', tokenizer)
    t.equal(report.tokenizer, tokenizer)
    t.same(report.files.map(row => row.file), Object.keys(TEXTS))
    for (const row of report.files) {
      const original = TEXTS[row.file]
      const { text, codec, decision } = choose(original)
      const texts = { original, minified: minify(original), chosen: text }
      for (const [name, text] of Object.entries(texts)) {
        t.equal(row.bytes[name as keyof typeof texts], Buffer.byteLength(text), `${row.file} ${name}`)
        t.equal(row.tokens?.[name as keyof typeof texts], await countTokens(text, tokenizer), `${row.file} ${name}`)
      }
      t.equal(row.winner, decision.outcome === 'passthrough' ? 'original' : codec)
      t.equal(row.reason, decision.reason)
    }
    t.equal(report.files[0].winner, 'original')
    t.equal(report.files[1].winner, 'json')
  }
  t.equal((await reportOf(folder)).tokenizer, 'o200k_base')
})

t.test('- is standard input, beside files and by itself', async t => {
  const folder = t.testdir({ 'nested.json': NESTED })
  for (const argv of [['-'], ['-', '-'], [join(folder, 'nested.json'), '-']]) {
    const { code, stdout, stderr } = await runCli(['report', '--json', ...argv], createIo(ROWS))
    t.same([code, stderr], [0, ''], argv.join(' '))
    const { files, failures }: SavingsReport = JSON.parse(stdout)
    t.same(failures, [])
    t.same(files.map(({ file }) => file), [...new Set(argv)].map(name => name === '-' ? '<stdin>' : name))
    t.equal(files.at(-1)?.bytes.original, Buffer.byteLength(ROWS))
  }
  t.match(await runCli(['report', '-'], createIo('{')), { code: 1, stdout: /^<stdin> +JSON: expected /m, stderr: 'token-gateway: no JSON file could be read\n' })
})

t.test('sums, means and winners, by directory and of all', async t => {
  const { files, directories, all } = await reportOf(t.testdir(FOLDER))
  t.same(directories.map(({ directory, files }) => [directory, files]), [['.', 2], ['deep', 2], ['deep/er', 1]])
  for (const [summary, rows] of [
    [all, files], ...directories.map(summary => [summary, files.filter(row => row.directory === summary.directory)] as const)
  ] as const) {
    for (const unit of ['bytes', 'tokens'] as const) {
      const sizes = rows.map(row => row[unit] ?? NO_SIZES)
      const sum = { original: 0, minified: 0, chosen: 0 }
      for (const name of ['original', 'minified', 'chosen'] as const) for (const size of sizes) sum[name] += size[name]
      const meanShare = sizes.reduce((total, { chosen, minified }) => total + chosen / minified, 0) / rows.length
      t.same(summary?.[unit], { ...sum, share: sum.chosen / sum.minified, meanShare })
    }
    t.equal(summary?.winners.reduce((total, { files }) => total + files, 0), rows.length)
  }
})

t.test('the most frequent winner comes first, then the order of the names', t => {
  const row = (winner: FileRow['winner']): FileRow => ({
    file: 'f', directory: '.', winner, reason: null, bytes: { original: 1, minified: 1, chosen: 1 }, tokens: null
  })
  const { winners, tokens } = summarize([row('toon'), row('stc'), row('original'), row('stc'), row('json')])
  t.same(winners, [{ winner: 'stc', files: 2 }, { winner: 'json', files: 1 }, { winner: 'original', files: 1 }, { winner: 'toon', files: 1 }])
  t.equal(tokens, null)
  t.end()
})

t.test('the tables show what --json does', async t => {
  const folder = t.testdir(FOLDER)
  for (const flags of [[], ['--no-tokens']]) {
    const report = await reportOf(folder, ...flags)
    const { code, stdout, stderr } = await runCli(['report', folder, ...flags])
    t.same([code, stderr], [0, ''])
    const [fileTable, directoryTable, legend, failureTable, ...more] = stdout.split('\n\n')
    t.same(more, [])
    const units = flags.length === 0 ? ['bytes', 'tokens'] as const : ['bytes'] as const
    t.same(readCells(fileTable)[0], ['file', ...units.flatMap(unit => [`${unit} sent`, 'minified', 'chosen', 'share']), 'winner'])
    t.same(readCells(fileTable).slice(1), report.files.map(row => [row.file, ...units.flatMap(unit => {
      const { original, minified, chosen } = row[unit] ?? NO_SIZES
      return [String(original), String(minified), String(chosen), percent(chosen / minified)]
    }), row.winner]))
    t.same(readCells(directoryTable).slice(1), [...report.directories, { ...report.all, directory: 'all' }].map(summary => [summary.directory, String(summary.files), ...units.flatMap(unit => {
      const { original, minified, chosen, share, meanShare } = summary[unit] ?? NO_TOTAL
      return [String(original), String(minified), String(chosen), percent(share), percent(meanShare)]
    }), summary.winners?.map(({ winner, files }) => `${winner} ${files}`).join(', ')]))
    t.equal(legend.includes('tokens: o200k_base'), flags.length === 0)
    t.same(readCells(failureTable), [['not read', 'reason'], ...report.failures.map(({ file, reason }) => [file, reason])])
  }
})

t.test('--no-tokens leaves the tokens out', async t => {
  const report = await reportOf(t.testdir(FOLDER), '--no-tokens')
  t.equal(report.tokenizer, null)
  for (const row of [...report.files, ...report.directories, report.all]) t.equal(row?.tokens, null)
})

t.test('what is no JSON is listed with its reason and stops nothing', async t => {
  const folder = t.testdir(FOLDER)
  const missing = join(folder, 'missing.json')
  const { files, failures } = await reportOf(folder, missing, join(folder, 'notes.txt'))
  t.equal(files.length, 5)
  t.same(failures.map(({ file }) => file), ['bad.json', 'deep/broken.json', 'missing.json', 'notes.txt'].map(name => join(folder, name)))
  t.match(failures[0].reason, /offset 13 \(line 2, column 6\)/)
  t.match(failures[1].reason, /offset 1 /)
  t.equal(failures[2].reason, 'no such file or directory (ENOENT)')
  t.match(failures[3].reason, /offset 0 /)
})

t.test('where no file could be read the exit code is 1', async t => {
  const folder = t.testdir({ 'bad.json': '{', empty: {} })
  const page = join(folder, 'page.html')
  const bad = await runCli(['report', folder, '--html', page])
  t.equal(bad.code, 1)
  t.match(bad.stdout, /^not read +reason\nbad\.json +[^\n]+offset 1[^\n]+\n$/)
  t.equal(bad.stderr, 'token-gateway: no JSON file could be read\n')
  await t.rejects(readFile(page), { code: 'ENOENT' })
  t.same(await runCli(['report', join(folder, 'empty')]), { code: 1, stdout: '', stderr: 'token-gateway: no JSON file could be read\n' })
  const json = await runCli(['report', '--json', join(folder, 'empty')])
  t.equal(json.code, 1)
  t.match(JSON.parse(json.stdout), { files: [], directories: [], all: null, failures: [] })
})

t.test('names are relative to a directory that stands alone; no file counts twice', async t => {
  const folder = t.testdir(FOLDER)
  const deep = join(folder, 'deep')
  t.same((await reportOf(deep)).files.map(({ file }) => file), ['atom.json', 'er/rows.json', 'nested.json'])
  const rows = join(folder, 'rows.json')
  const { files, failures } = await reportOf(rows, deep, `${deep}/../rows.json`, join(deep, 'er'))
  t.same(files.map(({ file }) => file), [join(deep, 'atom.json'), join(deep, 'er/rows.json'), join(deep, 'nested.json'), rows])
  t.same(files.map(({ directory }) => directory), [deep, join(deep, 'er'), deep, folder])
  t.equal(failures.length, 1)
  t.same((await reportOf(rows)).files.map(({ file, directory }) => [file, directory]), [[rows, folder]])
})

t.test('a file that is named needs no extension', async t => {
  const folder = t.testdir({ body: '[1]' })
  t.equal((await reportOf(join(folder, 'body'))).files.length, 1)
})

t.test('links to files are read, links to directories are not followed', async t => {
  const folder = t.testdir({ 'rows.json': ROWS, other: { 'atom.json': ATOM } })
  await symlink(join(folder, 'rows.json'), join(folder, 'other', 'link.json'))
  await symlink(folder, join(folder, 'other', 'loop'))
  await symlink(join(folder, 'gone'), join(folder, 'dangling.json'))
  const { files, failures } = await reportOf(folder)
  t.same(files.map(({ file }) => file), ['other/atom.json', 'other/link.json', 'rows.json'])
  t.same(failures, [{ file: 'dangling.json', reason: 'no such file or directory (ENOENT)' }])
})

t.test('a directory that cannot be read is listed and stops nothing', async t => {
  const folder = t.testdir({ 'a.json': '[1]', locked: { 'b.json': '[2]' }, open: { 'c.json': '[3]' } })
  // Rights would not do: root may read everything.
  const { collectFiles } = await t.mockImport<typeof import('../../lib/cli/report/collect-files.js')>('../../lib/cli/report/collect-files.js', {
    'node:fs/promises': t.createMock(fsPromises, {
      readdir: async (path: string, options: { withFileTypes: true }) => {
        if (path.endsWith('locked')) throw Object.assign(new Error('?'), { errno: -13, code: 'EACCES' })
        return fsPromises.readdir(path, options)
      }
    })
  })
  t.same(await collectFiles([folder]), {
    files: ['a.json', 'open/c.json'].map(name => ({ path: join(folder, name), name })),
    failures: [{ file: 'locked', reason: 'permission denied (EACCES)' }]
  })
})

t.test('the report is the same on every run', async t => {
  const folder = t.testdir(FOLDER)
  for (const flags of [[], ['--json']]) {
    t.same(await runCli(['report', folder, ...flags]), await runCli(['report', folder, ...flags]))
  }
})

t.test('progress is one rewritten line, on a terminal only', async t => {
  const folder = t.testdir({ 'a.json': '[1]', [`b${'x'.repeat(100)}.json`]: '[2]' })
  for (const [columns, width] of [[undefined, 79], [20, 19]] as const) {
    const io = Object.assign(createIo())
    io.stderr.isTTY = true
    io.stderr.columns = columns
    const { code, stdout, stderr } = await runCli(['report', folder], io)
    t.equal(code, 0)
    t.notMatch(stdout, '\u001b')
    t.notMatch(stderr, '\n')
    const lines = stderr.split('\r\u001b[K')
    t.same(lines, ['', '1 of 2: a.json', `2 of 2: b${'x'.repeat(100)}`.slice(0, width), ''])
  }
  t.equal((await runCli(['report', folder])).stderr, '')
})

t.test('a file name cannot steer the terminal', async t => {
  const folder = t.testdir({ 'a\u001b[2J\n\u202e.json': '[1]' })
  const io = createIo()
  io.stderr.isTTY = true
  const { stdout, stderr } = await runCli(['report', folder], io)
  for (const text of [stdout, stderr]) t.match(text, 'a\\u{1b}[2J\\u{a}\\u{202e}.json')
  const shown = stdout + stderr.replaceAll('\r\u001b[K', '')
  t.notOk(shown.includes('\u001b') || shown.includes('\u202e'))
  t.equal((await reportOf(folder)).files[0].file, 'a\u001b[2J\n\u202e.json')
})

/** The cells of all tables of a page, as text. */
function readTables (page: string): string[][][] {
  const unescape = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) =>
    ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'amp'])
  return [...page.matchAll(/<table>(.*?)<\/table>/gs)].map(([, table]) => [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => unescape(cell))))
}

t.test('--html: the figures of the page are those of the tables, and the chart shows the shares of each file', async t => {
  const folder = t.testdir(FOLDER)
  for (const flags of [[], ['--no-tokens']]) {
    const file = join(folder, `page${flags.length}.html`)
    const { code, stdout } = await runCli(['report', folder, '--html', file, ...flags])
    t.equal(code, 0)
    const page = await readFile(file, 'utf8')
    const [fileTable, directoryTable, , failureTable] = stdout.split('\n\n')
    t.same(readTables(page), [directoryTable, fileTable, failureTable].map(readCells))

    const { files, all } = await reportOf(folder, ...flags)
    const shares = [...page.matchAll(/<li><span class="name">(.*?)<\/span>(.*?)<\/li>/gs)].map(([, name, bars]) =>
      [name, ...[...bars.matchAll(/style="width:([\d.]+)%".*?title="(\w+)">([\d.]+ %)</g)].flat().filter((_, i) => i % 4 !== 0)])
    const sizes = files.flatMap(({ bytes, tokens }) => tokens === null ? [bytes] : [bytes, tokens])
    const scale = Math.max(1, ...sizes.map(({ chosen, minified }) => chosen / minified))
    t.same(shares, files.map(({ file, ...row }) => [file, ...(flags.length === 0 ? ['bytes', 'tokens'] as const : ['bytes'] as const).flatMap(unit => {
      const { chosen, minified } = row[unit] ?? NO_SIZES
      return [(chosen / minified / scale * 100).toFixed(2), unit, percent(chosen / minified)]
    })]))
    t.match(page, `<p>5 files: what is sent has ${percent(all?.bytes.share ?? 0)} of the bytes`)
    t.equal(page.includes('of the tokens'), flags.length === 0)
    t.equal(page.includes('class="key tokens"'), flags.length === 0)
  }
})

t.test('--html: a page that needs nothing else and can do nothing', async t => {
  const folder = t.testdir({ 'a.json': ROWS })
  const file = join(folder, 'page.html')
  t.equal((await runCli(['report', join(folder, 'a.json'), '--json', '--html', file])).code, 0)
  const page = await readFile(file, 'utf8')
  t.notMatch(page, /<(script|link|img|iframe|object|embed|base|form)|https?:|url\(|@import|\bon\w+=|\bsrc=|\bhref=/i)
  t.match(page, "default-src 'none'; style-src 'unsafe-inline'")
  t.match(page, /prefers-color-scheme: dark/)
  t.match(page, '<p>1 file: ')
  t.notMatch(page, 'Not read')
  for (const tag of ['html', 'head', 'body', 'style', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'ol', 'li', 'p', 'span', 'h1', 'h2']) {
    t.equal(page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length, page.match(new RegExp(`</${tag}>`, 'g'))?.length, tag)
  }
})

t.test('--html: names and reasons are escaped', async t => {
  const folder = t.testdir({ empty: {} })
  const evil = '<img src=x onerror="alert(1)">&\'\u202e.json'
  await writeFile(join(folder, evil), '[1]')
  await writeFile(join(folder, `bad${evil}`), '{')
  const file = join(folder, 'empty', 'page.html')
  t.equal((await runCli(['report', folder, '--html', file])).code, 0)
  const page = await readFile(file, 'utf8')
  const escaped = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;\\u{202e}.json'
  t.equal(page.split(escaped).length - 1, 3, 'in the chart, among the files, among those not read')
  t.notMatch(page, /<img|\u202e/)
})

t.test('--html: where a text has more tokens than minified JSON the grey of 100 % ends before the bar', t => {
  const rows: FileRow[] = [{
    file: 'f', directory: '.', winner: 'stc', reason: null, bytes: { original: 10, minified: 10, chosen: 5 }, tokens: { original: 10, minified: 10, chosen: 20 }
  }]
  const all = summarize(rows)
  const page = formatHtml({ tokenizer: 'o200k_base', files: rows, directories: [{ directory: '.', ...all }], all, failures: [] }, all)
  t.match(page, 'style="--track:50.00%"')
  t.match(page, /class="bar bytes" style="width:25\.00%".*?>50\.0 %</)
  t.match(page, /class="bar tokens" style="width:100\.00%".*?>200\.0 %</)
  t.end()
})

t.test('--html: a page that cannot be written is told of, after the tables', async t => {
  const folder = t.testdir({ 'a.json': ROWS })
  const { code, stdout, stderr } = await runCli(['report', folder, '--html', folder])
  t.equal(code, 1)
  t.match(stdout, /^file /)
  t.equal(stderr, `token-gateway: --html: ${folder}: illegal operation on a directory (EISDIR)\n`)
})
