import { strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Document, isEqual, minify } from '../../lib/index.js'
import { rows } from '../../lib/rows/codec.js'
import { jsonToRows, rowsToJson } from '../../lib/rows/convert.js'
import type { RowsOptions } from '../../lib/rows/options.js'
import { estimateTokenSavings } from '../../lib/rows/savings.js'
import { jsonText, numberLexeme } from '../helpers/nasty-json.js'
import { readReference, writeReference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

const LOSSY = { lossy: true }
const countTokens = (text: string): number => Math.ceil(text.length / 4)

function encode (json: string, options: RowsOptions = {}): string {
  const document = Document.parse(json)
  const size = rows.measure(document, { rows: options })
  if (typeof size === 'string') throw new Error(size)
  const text = rows.encode(document, { rows: options }, size)
  strictEqual(text.length, size)
  return Buffer.from(text).toString()
}

const decode = (text: string, options: RowsOptions = {}): string => Buffer.from(rows.decode(text, { rows: options })).toString()

const oddString = fc.oneof(
  fc.constantFrom('', ' ', ' x ', 'a,b', 'a|b', '[x]', 'C:\\tmp', '\\,', 'true', 'null', '42', '1e5', '05', '-', 'a b', 'k=v', '# x', '"q"', '\t', '\b\f\u0001', '\n', '\r', 'é😀', '\ufeff', '(', ')', 'x)'),
  fc.string({ maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 4 }), fc.constant('plain'))
const stringLiteral = oddString.map(value => JSON.stringify(value))
const scalar = fc.oneof(stringLiteral, stringLiteral, numberLexeme, fc.constantFrom('true', 'false', 'true', 'null'))
const cell = fc.oneof({ weight: 6, arbitrary: scalar }, fc.array(scalar, { maxLength: 3 }).map(values => `[${values.join()}]`), fc.constant('{"x":[1,"y]"]}'))
const names = fc.uniqueArray(fc.constantFrom('id', 'name', 'a b', 'é', 'x.y', 'deps', 'q"t', 'a,b', '#', '_'), { maxLength: 3 })
const table = names.chain(keys => fc.array(fc.tuple(...keys.map(() => cell)), { maxLength: 3 })
  .map(values => `[${values.map(cells => `{${keys.map((key, i) => `${JSON.stringify(key)}:${cells[i]}`).join()}}`).join()}]`))
const blocks = fc.uniqueArray(fc.constantFrom('nodes', 'edges', 'count', 'fresh', 'a b', 'k=v', 'x('), { maxLength: 4 })
  .chain(keys => fc.tuple(...keys.map(() => fc.oneof(table, scalar))).map(values => `{${keys.map((key, i) => `${JSON.stringify(key)}:${values[i]}`).join()}}`))
const rowsText = fc.oneof({ weight: 3, arbitrary: table }, { weight: 3, arbitrary: blocks }, { weight: 1, arbitrary: jsonText })

t.test('every document that is written comes back exactly, lexemes and order included', async t => {
  const reasons = new Set<string>()
  let held = 0
  fc.assert(fc.property(rowsText, fc.boolean(), (json, escapeValues) => {
    const document = Document.parse(json)
    const options = { rows: { escapeValues } }
    const size = rows.measure(document, options)
    if (typeof size === 'string') {
      reasons.add(size)
      return
    }
    held++
    const text = rows.encode(document, options, size)
    strictEqual(text.length, size)
    strictEqual(rows.verify(text, document, options), true)
    strictEqual(decode(Buffer.from(text).toString(), { escapeValues }), writeReference(readReference(json)))
  }), { numRuns: 8000 })
  t.ok(held > 800, `${held} documents were held`)
  t.strictSame([...reasons].sort(), ['declined-duplicate-keys', 'declined-inexact-value', 'declined-lone-surrogate', 'not-uniform-object-array'])
})

t.test('a lossy text can be read, and is the strict one where nothing is lost', async t => {
  let lost = 0
  let held = 0
  fc.assert(fc.property(rowsText, json => {
    const document = Document.parse(json)
    const strict = rows.measure(document, {})
    const size = rows.measure(document, { rows: LOSSY })
    if (typeof size === 'string') {
      strictEqual(typeof strict, 'string')
      return
    }
    const text = rows.encode(document, { rows: LOSSY }, size)
    if (typeof strict === 'string') lost++
    else {
      held++
      strictEqual(Buffer.from(text).toString(), encode(json))
    }
    rows.verify(text, document, { rows: LOSSY })
  }), { numRuns: 4000 })
  t.ok(lost > 400 && held > 400, `${lost} lose something, ${held} do not`)
})

t.test('the grammar: header, rows, arrays, escapes, meta lines, blocks', async t => {
  for (const [name, json, text] of [
    ['a block', '[{"file":"main.ts","deps":["fs","path"],"line":10},{"file":"utils.ts","deps":["os","crypto"],"line":20}]', 'data(file,deps,line)\n[main.ts,fs|path,10]\n[utils.ts,os|crypto,20]'],
    ['escapes', '[{"a":"x,y|[z]\\\\","b":["p|q","r,s"]}]', 'data(a,b)\n[x\\,y\\|\\[z\\]\\\\,p\\|q|r\\,s]'],
    ['types', '[{"n":-1.50e3,"t":true,"f":false,"s":"","m":[1,true,"",""]}]', 'data(n,t,f,s,m)\n[-1.50e3,true,false,,1|true||]'],
    ['quotes, tabs and controls stand as they are', '[{"a":"\\"\\t\\u0001\\b\\f"}]', 'data(a)\n["\t\u0001\b\f]'],
    ['no rows', '[]', 'data()'],
    ['rows without fields', '[{},{}]', 'data()\n[]\n[]'],
    ['a string of nothing', '[{"a":""}]', 'data(a)\n[]'],
    ['meta line and blocks', '{"nodeCount":1,"next":"a,b","truncated":false,"none":"","nodes":[{"id":"a"}],"edges":[]}',
      '# nodeCount=1 next=a\\,b truncated=false none=\nnodes(id)\n[a]\nedges()'],
    ['meta lines stand where the document has their members', '{"nodes":[{"id":1}],"total":2,"edges":[{"s":1}],"x":1,"y":"k=v"}', 'nodes(id)\n[1]\n# total=2\nedges(s)\n[1]\n# x=1 y=k=v'],
    ['names', '{"a b":[{"x y":1,"é":2}],"__proto__":[{"constructor":1}]}', 'a b(x y,é)\n[1,2]\n__proto__(constructor)\n[1]'],
    ['blanks in cells are data', '[{"a":" x ","b":" "}]', 'data(a,b)\n[ x , ]']
  ]) {
    t.equal(encode(json), text, name)
    t.equal(decode(text), minify(json), `${name}: and back`)
  }
  t.equal(encode('[{"a":1}]', { objectName: 'files' }), 'files(a)\n[1]')
  t.equal(encode('[{"a":"C:\\\\tmp"}]', { escapeValues: false }), 'data(a)\n[C:\\tmp]')
  t.equal(decode('data(a)\n[C:\\tmp]', { escapeValues: false }), '[{"a":"C:\\\\tmp"}]')
  throwsLike(t, () => encode('[]', { objectName: 'a(b' }), { name: 'RangeError', message: '"a(b" is no name of a block' })
})

t.test('strict, what would come back as something else is declined with its reason', async t => {
  const declines = (json: string, reason: string, options: RowsOptions = {}, more = {}): void => {
    t.equal(rows.measure(Document.parse(json), { rows: options, ...more }), reason, `${json}: ${reason}`)
  }
  for (const value of ['null', '["os"]', '[]', '"42"', '"-1.5e3"', '"true"', '"false"', '{"b":1}', '{}', '[[1,2],[3,4]]', '[1,null]', '["a",{"b":1}]', '"a\\nb"', '"a\\rb"', '["1","x"]']) {
    declines(`[{"a":${value}}]`, 'declined-inexact-value')
  }
  for (const key of ['', ' a', 'a ', '#a', 'a,b', 'a|b', 'a(', 'a)', 'a[0]', 'a\\\\b', 'a=b', 'a\\nb', 'a\\"b', '\\ufeffa']) {
    declines(`[{"${key}":1}]`, 'declined-inexact-value')
    declines(`{"x":[],"${key}":[]}`, 'declined-inexact-value')
  }
  declines('{"a b":1}', 'declined-inexact-value')
  declines('{"a":"x y"}', 'declined-inexact-value')
  declines('{"a":null}', 'declined-inexact-value')
  for (const json of ['1', '"x"', 'null', '{}', '{"a":[{"b":1}]}', '{"a":{"b":1},"c":1}', '[1]', '[{"a":1},2]', '[{"a":1},{"b":1}]', '[{"a":1},{"a":1,"b":2}]', '[{"a":1,"b":2},{"b":1,"a":2}]', '[{"a":1},{}]', '{"x":1,"y":[1,2]}']) {
    declines(json, 'not-uniform-object-array')
  }
  declines('[{"a":1,"a":2}]', 'declined-duplicate-keys')
  declines('[{"a":"\\ud800"}]', 'declined-lone-surrogate')
  declines('[{"a":[1,2]}]', 'declined-depth', {}, { maxDepth: 2 })
  declines('[{"a":"x,y"}]', 'declined-inexact-value', { escapeValues: false })
  throwsLike(t, () => jsonToRows([{ a: null }]), { name: 'CodecDeclinedError', codec: 'rows', reason: 'declined-inexact-value' })
})

t.test('lossy, it loses what the dialect loses, and says so', async t => {
  for (const [name, json, text, back] of [
    ['null', '[{"a":null,"b":1}]', 'data(a,b)\n[,1]', '[{"a":"","b":1}]'],
    ['arrays of one and of none', '[{"a":["os"],"b":[]}]', 'data(a,b)\n[os,]', '[{"a":"os","b":""}]'],
    ['strings of digits', '[{"a":"42"}]', 'data(a)\n[42]', '[{"a":42}]'],
    ['nested values', '[{"a":{"b":[1,{}],"c":null,"d":"x\\ny"}}]', 'data(a)\n[{"b":\\[1\\,{}\\]\\,"c":null\\,"d":"x\\\\ny"}]', '[{"a":"{\\"b\\":[1,{}],\\"c\\":null,\\"d\\":\\"x\\\\ny\\"}"}]'],
    ['arrays in arrays', '[{"a":[[1,2],"x"]}]', 'data(a)\n[\\[1\\,2\\]|x]', '[{"a":["[1,2]","x"]}]'],
    ['line breaks', '[{"a":"x\\r\\ny"}]', 'data(a)\n[x  y]', '[{"a":"x  y"}]'],
    ['ragged rows keep every field (report R09)', '[{"a":1},{"b":2,"a":3}]', 'data(a,b)\n[1,]\n[3,2]', '[{"a":1,"b":""},{"a":3,"b":2}]'],
    ['a single block loses its name', '{"rows":[{"a":1}]}', 'rows(a)\n[1]', '[{"a":1}]'],
    ['an object is a row', '{"n":1,"o":{"x":"y"}}', '# n=1\no(x)\n[y]', '{"n":1,"o":[{"x":"y"}]}'],
    ['values that are no objects', '{"n":null,"o":[1,"x",{"y":2}]}', '# n=\no(value)\n[1]\n[x]\n[{"y":2}]', '{"n":"","o":[{"value":1},{"value":"x"},{"value":"{\\"y\\":2}"}]}'],
    ['meta values with blanks', '{"title":"a big  world","n":2}', '# title=a big  world n=2', null],
    ['meta values of words', '{"title":"a big world","n":2,"t":"x y"}', '# title=a big world n=2 t=x y', '{"title":"a big world","n":2,"t":"x y"}']
  ] as const) {
    t.equal(encode(json, LOSSY), text, name)
    if (back === null) throwsLike(t, () => decode(text), { name: 'DecodeError' })
    else t.equal(decode(text), back, `${name}: what comes back`)
    t.equal(rows.verify(Buffer.from(text), Document.parse(json), { rows: LOSSY }), back !== null, `${name}: verified`)
  }
  t.equal(encode('[{"a":"x,[y]"}]', { lossy: true, escapeValues: false }), 'data(a)\n[x,[y]]')
  t.equal(rows.isLossless?.({ rows: LOSSY }), false)
  t.equal(rows.isLossless?.({}), true)
  t.equal(rows.measure(Document.parse('{}'), { rows: LOSSY }), 'not-uniform-object-array')
  const distinct = `[${Array.from({ length: 2000 }, (_, i) => `{"k${i}":1}`).join()}]`
  t.equal(rows.measure(Document.parse(distinct), { rows: LOSSY }), 'not-uniform-object-array', 'rows that share no key do not grow by their square')
})

t.test('the functions of the dialect on values', async t => {
  const data = [{ file: 'main.ts', line: 10 }, { file: 'utils.ts', line: 20 }]
  const text = jsonToRows(data, { objectName: 'files' })
  t.equal(text, 'files(file,line)\n[main.ts,10]\n[utils.ts,20]')
  t.strictSame(rowsToJson(text), data)
  t.strictSame(rowsToJson('nodes(id)\n[1]\nedges()'), { nodes: [{ id: 1 }], edges: [] })
  t.equal(jsonToRows([{ deps: ['os'], at: null }], LOSSY), 'data(deps,at)\n[os,]')
  throwsLike(t, () => jsonToRows(undefined), { reason: 'not-uniform-object-array' })
  t.strictSame(estimateTokenSavings('x'.repeat(500), 'y'.repeat(190), countTokens), { jsonTokens: 125, toonTokens: 48, savings: 77, savingsPercent: 61.6 })
  t.strictSame(estimateTokenSavings('', 'abcd', countTokens), { jsonTokens: 0, toonTokens: 1, savings: -1, savingsPercent: 0 })
})

t.test('the footer is written by option and read over', async t => {
  const json = '[{"file":"main.ts","line":10},{"file":"utils.ts","line":20}]'
  const text = encode(json, { objectName: 'files', countTokens })
  t.equal(text, 'files(file,line)\n[main.ts,10]\n[utils.ts,20]\n\n# Token Savings\nJSON: 15 tokens\nTOON: 11 tokens\nSavings: 4 tokens (26.7%)')
  t.equal(decode(text), json)
  t.equal(decode(`${text}\n`), json)
  t.equal(rows.verify(Buffer.from(text), Document.parse(json), {}), true)
  throwsLike(t, () => decode(`${text}\nx`), { line: 9, expected: 'the end of the text' })
  throwsLike(t, () => decode(text.replace('TOON', 'TOOL')), { line: 7, column: 1 })
  throwsLike(t, () => decode(text.slice(0, text.indexOf('\nSavings'))), { name: 'DecodeError' })
  throwsLike(t, () => decode('# Token Savings\nJSON: 1 tokens\nTOON: 1 tokens\nSavings: 0 tokens (0.0%)'), { line: 1, expected: 'a header or a meta line' })
})

t.test('an error names line, column and what was expected', async t => {
  const fails = (text: string, expected: Record<string, unknown>, options = {}): void =>
    throwsLike(t, () => rows.decode(text, options), { name: 'DecodeError', code: 'ERR_DECODE', ...expected }, JSON.stringify(text))
  fails('', { expected: 'a header or a meta line' })
  fails('\n\n', { expected: 'a header or a meta line' })
  fails('[1]', { line: 1, expected: 'a header' })
  fails('x', { line: 1, expected: 'a header' })
  fails('(a)\n[1]', { expected: 'a header' })
  fails('x\ny(a)', { line: 1, expected: 'a header' })
  fails('d(a', { column: 4, expected: ')' })
  fails('d(a,)', { column: 5, expected: 'the name of a field' })
  fails('d(,a)', { column: 3, expected: 'the name of a field' })
  fails('d(a,a)', { column: 5, expected: 'no field twice' })
  fails('d(a,b)\n[1]', { line: 2, column: 3, expected: 'a comma and 1 more of 2 values' })
  fails('d(a)\n[1,2]', { line: 2, column: 3, expected: '] at the end of the line' })
  fails('d(a)\n[1', { line: 2, column: 3, expected: '] at the end of the line' })
  fails('d(a)\n[1\\', { line: 2, expected: '] at the end of the line' })
  fails('d(a)\n[1] ', { line: 2, column: 3, expected: '] at the end of the line' })
  fails('d()\n[1]', { line: 2, column: 2, expected: '] at the end of the line' })
  fails('d(a)\n[x[1]]', { line: 2, column: 3, expected: 'a backslash before this bracket' })
  fails('d(a)\n[x\\ny]', { line: 2, column: 3, expected: 'one of the escapes \\, \\| \\[ \\] \\\\' })
  fails('#a=1', { column: 2, expected: 'a blank behind #' })
  fails('#', { column: 2, expected: 'a blank behind #' })
  fails('# a', { column: 3, expected: 'key=value' })
  fails('# =1', { column: 3, expected: 'key=value' })
  fails('# a=x\\', { expected: 'one of the escapes \\, \\| \\[ \\] \\\\' })
  fails('# a=1 a=2', { column: 7, expected: 'no second key "a" in the same object' })
  fails('a(x)\na(x)', { line: 2, column: 1, expected: 'no second key "a" in the same object' })
  fails('d(a)\n[1|2]', { line: 2, expected: 'no array at this depth' }, { maxDepth: 2 })
  fails('d(a)\n[1]', { line: 2, expected: 'no more than 1 levels' }, { maxDepth: 1 })
  fails('d(aaaa)\n[1]\n[2]', { expected: 'no more than 10 bytes of JSON' }, { maxBytes: 10 })
})

t.test('CR LF, blank lines, a BOM and meta lines of several blanks are read', async t => {
  t.equal(decode('\ufeffd(a)\r\n[1]\r\n\r\n[2]\r\n'), '[{"a":1},{"a":2}]')
  t.equal(decode('#  a=1   b= '), '{"a":1,"b":""}')
  t.equal(decode('# a=\nd(q"t,x\u0001)\n[1,"]'), '{"a":"","d":[{"q\\"t":1,"x\\u0001":"\\""}]}')
  t.equal(decode('#'.concat(' a=x,y|z[0]')), '{"a":"x,y|z[0]"}', 'specials need no escape in a meta line')
  t.equal(decode('seeds(id,kind)\nnodes(id)\n[a]'), '{"seeds":[],"nodes":[{"id":"a"}]}')
})

t.test('no changed byte, cell, row or key gets past the verifier', async t => {
  let caught = 0
  for (const json of [
    '{"n":1,"fresh":true,"nodes":[{"id":"a","deps":["x,y","2|"]},{"id":"b","deps":[1,false]}],"end":"\\\\"}',
    '[{"id":10,"s":"p: q"},{"id":-2.50,"s":""}]'
  ]) {
    const document = Document.parse(json)
    const text = encode(json)
    const lines = text.split('\n')
    const mutants = lines.slice(1).map((line, i) => [...lines.slice(0, i), line, lines[i], ...lines.slice(i + 2)].join('\n'))
    for (let i = 0; i < text.length; i++) {
      for (const char of '01,|[]()\\# \n=abx"') mutants.push(text.slice(0, i) + char + text.slice(i + 1), text.slice(0, i) + char + text.slice(i))
      mutants.push(text.slice(0, i) + text.slice(i + 1), text.slice(0, i))
    }
    for (const mutant of mutants) {
      let decoded: string | null = null
      try {
        decoded = decode(mutant)
      } catch {
        // What cannot be decoded must not be verified either.
      }
      const isSame = decoded !== null && isEqual(Document.parse(decoded), document)
      const isAccepted = rows.verify(Buffer.from(mutant), document, {})
      if (isAccepted !== isSame) t.fail(`${JSON.stringify(mutant)} was ${isAccepted ? 'accepted' : 'refused'}`)
      if (!isAccepted) caught++
    }
  }
  t.ok(caught > 3000, `${caught} mutants were caught`)
})

t.test('eight times the text takes about eight times the time, whatever its form', async t => {
  const time = (text: string): number => {
    let best = Infinity
    // The time of this process alone: on a busy machine the other passes while others run.
    for (let n = 0; n < 5; n++) {
      const started = process.cpuUsage()
      decode(text)
      const { user, system } = process.cpuUsage(started)
      best = Math.min(best, user + system)
    }
    return best
  }
  for (const [name, make] of [
    ['blocks of one field', (n: number) => Array.from({ length: n }, (_, i) => `b${i}(x)`).join('\n')],
    ['fields', (n: number) => `b(${Array.from({ length: n }, (_, i) => `f${i}`).join()})`],
    ['meta values of many words', (n: number) => `# a=${'x '.repeat(n)}b=1`],
    ['blank lines', (n: number) => `b(x)\n[1]${'\n'.repeat(n)}[2]`],
    ['escapes', (n: number) => `b(x)\n[${'\\,'.repeat(n)}]`]
  ] as const) {
    const ratio = time(make(80_000)) / time(make(10_000))
    t.ok(ratio < 40, `${name}: eight times the text took ${ratio.toFixed(1)} times as long`)
  }
})
