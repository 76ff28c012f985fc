/* eslint-disable no-template-curly-in-string -- gaps of templates, as text */
import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, CODING_NAMES, Document, STC2_MARKER, choose, countTokens, decode, encode, isEqual, minify } from '../../lib/index.js'
import { Nodes } from '../../lib/stc/v2/nodes.js'
import { SAMPLES, assertMutantsAreCaught, assertNeighboursAreRefused, assertNothingBehindIsRead, mutantsOf } from '../helpers/mutants.js'
import { jsonText } from '../helpers/nasty-json.js'
import { relatedRows } from '../helpers/nasty-rows.js'
import { readReference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

interface Vectors {
  roundTrip: { name: string, json: string, stc2: string }[]
  reject: { name: string, stc2: string }[]
}
const [vectors, extensions] = ['stc2-vectors', 'stc2-extensions'].map(name => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as Vectors)

t.test('every vector is read, proved, and comes back from what is written', async t => {
  t.ok(vectors.roundTrip.length > 30)
  t.ok(extensions.roundTrip.length > 20)
  for (const { name, json, stc2 } of [...vectors.roundTrip, ...extensions.roundTrip]) {
    t.equal(decode(stc2, 'stc2'), minify(json), name)
    t.ok(CODECS.stc2.verify(Buffer.from(stc2), Document.parse(json), {}), `${name}: verified`)
    t.equal(decode(encode(json, 'stc2'), 'stc2'), minify(json), `${name}: back`)
  }
})

t.test('every reject vector is refused with a position', async t => {
  t.ok(vectors.reject.length > 25)
  t.ok(extensions.reject.length > 20)
  for (const { name, stc2 } of [...vectors.reject, ...extensions.reject]) {
    throwsLike(t, () => decode(stc2, 'stc2'), { name: 'DecodeError', code: 'ERR_DECODE', offset: Number, expected: String }, name)
  }
})

function assertComesBack (json: string): boolean {
  const text = encode(json, 'stc2')
  deepStrictEqual(readReference(decode(text, 'stc2')), readReference(json))
  const document = Document.parse(json)
  const bytes = Buffer.from(text)
  return CODECS.stc2.measure(document, {}) === bytes.length && CODECS.stc2.verify(bytes, document, {})
}

t.test('every document comes back as it was: keys, duplicates, code units, lexemes', async () => {
  fc.assert(fc.property(jsonText, assertComesBack), { numRuns: 3000 })
})

t.test('rows that depend on each other come back as they were', async () => {
  fc.assert(fc.property(relatedRows, assertComesBack), { numRuns: 3000 })
})

const RELATED = [
  '[{"id":10,"n":"ann","u":"https://x.io/ann/10","t":"user","ok":true,"o":{"l":"p"}},{"id":11,"n":"bob","u":"https://x.io/bob/11","t":"user","ok":true,"o":{"l":"q"}},{"id":12,"n":"cyd","u":"https://x.io/cyd/12","t":"user","ok":false,"o":{"l":"r"}}]',
  '{"m":{"a":{"l":[{"n":"p","c":1},{"n":"q","c":2}],"s":"sha:aa.txt"},"b":{"l":[],"s":"sha:bb.txt"},"c":{"l":[{"n":"r","c":3}],"s":"sha:cc.txt"}}}',
  '[{"k":"aa","p":{"x":1,"y":"/r/aa/1"}},{"k":"bb","p":null},{"k":"cc","p":{"x":3,"y":"/r/cc/3"}},{"k":"dd","p":{"x":4,"y":"/r/dd/4"}}]',
  '[{"u":"/a","n":"a","e":null},{"u":"/b","n":"b","e":"/b/e"},{"u":"/c","n":"c","e":"/c/e"},{"u":"/d","n":"d","e":"/d/e"}]'
]

t.test('no changed byte, cell, row or key gets past the verifier', async t => {
  assertMutantsAreCaught(t, 'stc2', [...SAMPLES, ...RELATED])
})

t.test('the verifier reads nothing behind the end of a text', async t => {
  assertNothingBehindIsRead(t, 'stc2')
})

t.test('the verifier tells a document from all that are nearly the same', async t => {
  assertNeighboursAreRefused(t, 'stc2', [...SAMPLES, ...RELATED])
})

t.test('what is repeated or copied is not taken for a number that it begins with', async t => {
  for (const [json, ...others] of [
    ['["x",12345,12345,12345,12345]', '["x",12345,12345,1234,12345]', '["x",12345,12345,12345,1]'],
    ['[[12],[12],[12],[12],[12]]', '[[12],[12],[12],[12],[1]]'],
    ['[{"a":1000,"b":1000},{"a":1037,"b":1037},{"a":1074,"b":1074},{"a":1111,"b":1111}]', '[{"a":1000,"b":1000},{"a":1037,"b":1037},{"a":1074,"b":107},{"a":1111,"b":1111}]'],
    ['[{"o":{"b":1.50},"a":1.50},{"o":{"b":1.51},"a":1.51},{"o":{"b":1.5},"a":1.5}]', '[{"o":{"b":1.50},"a":1.5},{"o":{"b":1.51},"a":1.51},{"o":{"b":1.5},"a":1.5}]']
  ]) {
    const text = Buffer.from(encode(json, 'stc2'))
    t.match(text.toString(), /\*|=\$/, 'it is repeated or copied')
    t.ok(CODECS.stc2.verify(text, Document.parse(json), {}))
    for (const other of others) t.notOk(CODECS.stc2.verify(text, Document.parse(other), {}), other)
  }
})

t.test('the verifier accepts exactly the texts that the decoder reads as the document', async () => {
  fc.assert(fc.property(fc.oneof(relatedRows, jsonText), fc.nat(), (json, pick) => {
    const document = Document.parse(json)
    const text = Buffer.from(encode(json, 'stc2'))
    if (text.length > 300) return true
    const mutants = [...mutantsOf(text)]
    for (let n = 0; n < 40; n++) {
      const mutant = mutants[(pick + n * 7919) % mutants.length]
      let decoded: string | null = null
      try {
        decoded = decode(mutant, 'stc2')
      } catch {
        // A text that is none must not be verified.
      }
      const isSame = decoded !== null && isEqual(Document.parse(decoded), document)
      if (CODECS.stc2.verify(mutant, document, {}) !== isSame) throw new Error(`${mutant.toString()} is ${isSame ? 'the same but refused' : 'another but accepted'}`)
    }
    return true
  }), { numRuns: 1500 })
})

/** Rows made from an index, as JSON. */
const rows = (count: number, make: (index: number) => unknown): string => JSON.stringify(Array.from({ length: count }, (_, index) => make(index)))

t.test('the encoder chooses shapes by what they save', async t => {
  const names = ['ada', 'bob', 'cyd', 'dee', 'eve', 'fay', 'gus', 'hal']
  for (const [name, json, text] of [
    ['two rows make a table', '[{"a":1,"b":2},{"a":3,"b":4}]', '[2]{a,b}:\n1,2\n3,4\n'],
    ['one does not', '[{"a":1,"b":2}]', '[{a:1,b:2}]'],
    ['rows with nothing in common do not', '[{"a":1},{"b":2},{"c":3},{"d":4}]', '[{a:1},{b:2},{c:3},{d:4}]'],
    ['rows of empty objects do not', '[{},{}]', '[{},{}]'],
    ['a map of like objects is a keyed table', '{"x":{"a":1},"y":{"a":2},"z":{"a":3}}', '{3}{a}:\nx:1\ny:2\nz:3\n'],
    ['constants, defaults, templates', rows(8, i => ({ id: i + 10, kind: 'page', ok: i !== 3, name: names[i], url: `https://x.io/${names[i]}/${i + 10}` })),
      `[8]{id,kind="page",ok~true,name,url="https://x.io/\${name}/\${id}"}:\n${names.map((name, i) => `${i + 10},${i === 3 ? 'false' : ''},"${name}"\n`).join('')}`],
    ['an own cell, cut between words', rows(4, i => ({ n: i, image: `registry.example.com/${names[i]}${i}:latest` })),
      `[4]{n,image="registry.example.com/\${}:latest"}:\n${[0, 1, 2, 3].map(i => `${i},"${names[i]}${i}"\n`).join('')}`],
    ['a template as a default', rows(6, i => ({ n: names[i], u: i === 2 ? 'none' : `/users/${names[i]}` })),
      `[6]{n,u~="/users/\${n}"}:\n${[0, 1, 2, 3, 4, 5].map(i => `"${names[i]}",${i === 2 ? '"none"' : ''}\n`).join('')}`],
    ['a number in the middle of another is no source', rows(4, i => ({ id: i, sku: `SKU-100${i}` })), '[4]{id,sku="SKU-${}"}:\n0,"1000"\n1,"1001"\n2,"1002"\n3,"1003"\n'],
    ['groups and column tables', rows(2, i => ({ o: { x: i, y: i }, l: [{ n: 1, m: i }, { n: 2, m: i }] })), '[2]{o{x,y=$o.x},l[]{n,m}}:\n0,[1,0/2,0]\n1,[1,1/2,1]\n'],
    ['a group that not every row has', rows(4, i => ({ i, lic: i % 2 ? null : { key: `k${i}`, name: `N${i}` } })), '[4]{i,lic~null{key,name}}:\n0,{"k0","N0"}\n1,\n2,{"k2","N2"}\n3,\n'],
    ['maps of many keys in cells', rows(3, i => ({ d: { [`a${i}`]: { v: 1, w: 2 }, [`b${i}`]: { v: 3, w: 4 } } })), '[3]{d{}{v~1,w~2}}:\n{a0:,/b0:3,4}\n{a1:,/b1:3,4}\n{a2:,/b2:3,4}\n'],
    ['keys in two orders', `[${'{"id":1,"name":"a","size":2},'.repeat(3)}{"name":"b","id":2,"size":3}]`, '[4]{id,name~"a",id^,size~2}:\n1,,,\n1,,,\n1,,,\n,"b",2,3\n'],
    ['like members among others', '{"at":"now","cpu0.a":{"value":1,"unit":"s"},"cpu0.b":{"value":2,"unit":"s"},"cpu0.d":{"value":3,"unit":"s"},"cpu0.e":{"value":3,"unit":"s"}}', '{at:"now",{4}"cpu0.${}"{value,unit="s"}:\na:1\nb:2\nd:3\ne:3\n}'],
    ['like elements among others', '[{"value":1,"unit":"s"},{"value":2,"unit":"s"},null]', '[+[2]{value,unit="s"}:\n1\n2\n,null]'],
    ['runs', '{"a":[0,0,0,0,0,0],"b":[1,1],"c":[null,null,null]}', '{a:[0*6],b:[1,1],c:[null*3]}'],
    ['an optional template', rows(5, i => ({ i, u: i === 1 ? null : `https://x.io/pages/${names[i]}` })), '[5]{i,u~null="https://x.io/pages/${}"}:\n0,"ada"\n1,\n2,"cyd"\n3,"dee"\n4,"eve"\n']
  ]) {
    t.equal(encode(json, 'stc2'), text, name)
    t.equal(decode(text, 'stc2'), json, name)
  }
})

t.test('the hazards of templates: what looks like a gap, escapes, halves of pairs, lexemes, keys of prototypes', async t => {
  for (const json of [
    rows(3, i => ({ k: `a${i}`, t: '${k}' })),
    rows(3, i => ({ k: `a${i}`, t: `\${k}a${i}` })),
    rows(3, i => ({ k: `a${i}`, t: `$a${i}` })),
    rows(3, i => ({ k: '${t}', t: `x\${t} ${i}` })),
    rows(3, i => ({ k: `q${i}"\\\n`, t: `pre-q${i}"\\\n-post` })),
    rows(3, i => ({ k: `\\${i}`, t: `\\\\${i}` })),
    '[{"a":"x\\ud83d","b":"\\ude00y","c":"-x\\ud83d\\ude00y-"},{"a":"z\\ud83d","b":"\\ude00w","c":"-z\\ud83d\\ude00w-"}]',
    '[{"a":"\\ud83d","c":"/\\ud83d/"},{"a":"\\ude00","c":"/\\ude00/"}]',
    rows(3, i => ({ k: '😀'.repeat(i + 1), t: `see 😀 ${'😀'.repeat(i + 1)} 😀` })),
    '[{"n":-0,"u":"v-0"},{"n":1e3,"u":"v1e3"},{"n":1E3,"u":"v1E3"},{"n":1.0,"u":"v1.0"}]',
    '[{"__proto__":1,"constructor":"c1","u":"/c1"},{"__proto__":2,"constructor":"c2","u":"/c2"}]',
    '{"__proto__":{"a":1,"u":"__proto__"},"constructor":{"a":2,"u":"constructor"}}',
    '[{"a":null,"b":1},{"b":2},{"a":null,"b":3}]',
    '[{"l":[]},{"l":[]},{"l":[{"a":1},{"a":1}]}]',
    '[{"l":[{"a":1}]},{"l":[{"a":1}]},{"l":[]}]',
    '[{"l":[{}]},{"l":[{"a":1}]},{"l":[{"a":1},{}]}]',
    '[{"l":[{"a":1,"b":"x"},{"b":"x"}]},{"l":[{"b":"x"}]}]',
    '[{"a":"line\\nend","b":"\\r\\n"},{"a":"line\\nend","b":"\\n"}]',
    '{"a":{"x":1},"a":{"x":2},"a":{"x":3}}',
    '[{"x":1,"x":2},{"x":1,"x":2}]',
    '[{"a":"\\u001fx.json"},{"a":"\\u001fy.json"},{"a":"\\u001f.json"}]',
    '[{"a":"\\u0041b/1","b":"\\/c"},{"a":"Ab/2","b":"/c"}]'
  ]) {
    t.ok(assertComesBack(json), json)
    t.same(readReference(decode(encode(json, 'stc2'), 'stc2')), readReference(json), json)
  }
  t.equal(({} as Record<string, unknown>).a, undefined)
})

t.test('halves of a surrogate pair that a template brings together are the pair', async t => {
  const text = '[1]{a,b,c="${a}${b}"}:\n"\\ud83d","\\ude00"\n'
  t.equal(decode(text, 'stc2'), '[{"a":"\\ud83d","b":"\\ude00","c":"😀"}]')
  t.ok(CODECS.stc2.verify(Buffer.from(text), Document.parse('[{"a":"\\ud83d","b":"\\ude00","c":"😀"}]'), {}))
})

t.test('an error names what was expected and where, in UTF-16 code units', async t => {
  const fails = (text: string | Uint8Array, expected: Record<string, unknown>, options = {}): void => {
    throwsLike(t, () => decode(text, 'stc2', options), expected, JSON.stringify(text))
  }
  fails('{"é😀":x}', { offset: 7, expected: 'a value', message: 'STC 2: expected a value at offset 7 (line 1, column 8)' })
  fails('[2]{a,b}:\n1,2\n3\n', { offset: 15, expected: 'a comma and one more cell', line: 3, column: 2 })
  fails('[1]{a,u="${b}"}:\n1\n', { offset: 11, expected: 'the path of a plain column' })
  fails('[1]{a,u="x${a b}"}:\n1\n', { offset: 13, expected: 'a dot or }' })
  fails('[1]{a,u="x${1}"}:\n1\n', { offset: 12, expected: 'a path of identifiers' })
  fails('[1]{a,b{c},u="${b.c.d}"}:\n1,2\n', { expected: 'the path of a plain column' })
  fails('[2]{a}:\n1\n', { offset: 10, expected: 'a line feed behind the row' })
  fails('{2}{a}:\nk:1\n', { offset: 12, expected: 'a key' })
  fails('[1]{a}', { expected: 'a colon' })
  fails('[1]{}:\n\n', { expected: 'a key' })
  fails('[1]{a,a}:\n1,\n', { offset: 6, expected: 'a key that is not yet there' })
  fails('[1]{l[}:\n1\n', { expected: ']' })
  fails('[1]{l[]}:\n1\n', { expected: '{' })
  fails('[9999999999999999]{a}:\n1\n', { expected: 'a count of 1 or more' })
  fails('{a:1.}', { expected: 'a digit behind the decimal point' })
  fails('{a:"\\q"}', { offset: 4 })
  fails('{a 1}', { expected: 'a colon' })
  fails('[1', { expected: 'a comma or ]' })
  fails('{a:1', { expected: 'a comma or }' })
  fails(Buffer.from([0x22, 0xff, 0x22]), { offset: 1, expected: 'well-formed Unicode' })
  for (const text of ['[[1]]', '[1]{a}:\n1\n', '{1}{a}:\nk:1\n', '{a:{}}', '[1]{a{b}}:\n1\n', '[1]{a[]{b}}:\n[]\n', '[1]{a{}{b}}:\n{}\n', '[+[1]{a}:\n1\n]', '{{1}{a}:\nk:1\n}']) {
    fails(text, { expected: 'no more than 1 levels' }, { maxDepth: 1 })
  }
})

t.test('a short text cannot stand for more than the bound', async t => {
  const wide = 'k'.repeat(1000)
  const lines = (text: string, count: number): string => `${text}\n`.repeat(count)
  for (const [name, text] of [
    ['a constant', `[2000]{a="${wide}"}:\n${lines('', 2000)}`],
    ['a default', `[2000]{a~"${wide}"}:\n${lines('', 2000)}`],
    ['a template', `[2000]{a,u="${wide}\${a}"}:\n${lines('1', 2000)}`],
    ['a long cell, often inserted', `[1]{a,u="${'${a}'.repeat(2000)}"}:\n"${wide}"\n`],
    ['empty cells, often inserted', `[2000]{a,u="${'${a}'.repeat(1000)}"}:\n${lines('""', 2000)}`],
    ['a copy', `[1]{a,${Array.from({ length: 2000 }, (_, i) => `b${i}=$a`).join()}}:\n"${wide}"\n`],
    ['a constant without rows within', `[2000]{c=[1]{l[]{n="${wide}"}}:[]}:\n${lines('', 2000)}`],
    ['a key', `[2000]{${wide},b=1}:\n${lines('1', 2000)}`],
    ['what row keys have in common', `{2000}"${wide}\${}"{a}:\n${lines('x:1', 2000)}`],
    ['the key of a row', `{1}{u="${'${@}'.repeat(2000)}"}:\n"${wide}":\n`],
    ['a repeated element', `["${wide}"*2000]`],
    ['repetitions within each other', '[[[[0*1000]*1000]*1000]*1000]'],
    ['a large count', '[0*999999999999999]']
  ]) {
    throwsLike(t, () => decode(text, 'stc2', { maxBytes: 1_000_000 }), { code: 'ERR_DECODE', expected: /^no more than 1000000 bytes/ }, name)
  }
  throwsLike(t, () => decode('[0*999999999]', 'stc2'), { code: 'ERR_DECODE', expected: /^no more than 67108864 bytes/ }, 'the default bound')
  throwsLike(t, () => decode('[999999999999999]{a}:\n', 'stc2'), { code: 'ERR_DECODE', offset: 22 }, 'nothing is made room for by a count')
})

t.test('cells are looked up once, however deep rows that look ahead nest', async t => {
  const depth = 100
  const text = `[1]{u="\${n}",n,c}:\n1,${'[1]{u="${n}",n,c}:1,'.repeat(depth)}0\n`
  t.equal(decode(text, 'stc2').length, '[{"u":"1","n":1,"c":'.length * (depth + 1) + 1 + 2 * (depth + 1))
})

t.test('a document too deep or too large to read back is declined', async t => {
  const deep = '['.repeat(513) + ']'.repeat(513)
  throwsLike(t, () => encode(deep, 'stc2'), { code: 'ERR_CODEC_DECLINED', reason: 'declined-depth', codec: 'stc2' })
  t.equal(decode(encode(deep.slice(1, -1), 'stc2'), 'stc2'), deep.slice(1, -1))
  t.notOk(CODECS.stc2.verify(Buffer.from(deep), Document.parse(deep), {}))
  const large = Buffer.alloc(2 ** 25 + 1, 0x61)
  large[0] = large[large.length - 1] = 0x22
  throwsLike(t, () => encode(large, 'stc2'), { code: 'ERR_CODEC_DECLINED', reason: 'too-large' })
})

t.test('measuring and writing are the same in whatever order they come, and for every run', async t => {
  const json = rows(20, i => ({ id: i, url: `/x/${i}` }))
  const document = Document.parse(json)
  const size = CODECS.stc2.measure(document, {}) as number
  const first = CODECS.stc2.encode(document, {}, size)
  t.same(CODECS.stc2.encode(document, {}, size), first, 'also where it was taken already')
  t.equal(first.length, size)
  t.equal(Buffer.from(first).toString(), encode(json, 'stc2'))
})

t.test('wide and long tables: many columns, copies and templates, sparse rows', async t => {
  const wide = rows(90, i => Object.fromEntries([['n', `name${i}`], ...Array.from({ length: 60 }, (_, c) => [`u${c}`, `https://x.io/${c}/name${i}`]),
    ...Array.from({ length: 30 }, (_, c) => [`v${c}`, c % 3 === 0 ? i : i * (c + 1)]), ...(i % 9 === 0 ? [[`rare${i}`, { a: i, b: 1 }]] : [])]))
  const text = encode(wide, 'stc2')
  t.ok(wide.length > 1 << 16 && text.length < wide.length / 4)
  t.match(text, /u59="https:\/\/x.io\/59\/\$\{n\}"/)
  t.match(text, /v3=\$v0/)
  t.ok(assertComesBack(wide))
  const many = `[1]{${Array.from({ length: 80 }, (_, c) => `a${c}`).join()},${Array.from({ length: 80 }, (_, c) => `b${c}=$a${c}`).join()}}:\n${Array.from({ length: 80 }, (_, c) => c).join()}\n`
  t.ok(CODECS.stc2.verify(Buffer.from(many), Document.parse(decode(many, 'stc2')), {}))
})

t.test('tables that are given up do not cost more the deeper they nest', async t => {
  let inner = '1'
  for (let depth = 0; depth < 120; depth++) inner = `[{"l":${inner}},{"l":[{}]},{}]`
  t.ok(assertComesBack(inner))
})

t.test('equal values that the source spells in several ways may stand as one', async t => {
  for (const [text, json] of [
    ['["A"*3]', '["A","\\u0041","A"]'],
    ['[2]{a="A/b",b}:\n1\n2\n', '[{"a":"A\\/b","b":1},{"a":"\\u0041/b","b":2}]'],
    ['[2]{a,b=$a}:\n"A"\n"B"\n', '[{"a":"\\u0041","b":"A"},{"a":"B","b":"\\u0042"}]'],
    ['[1]{a,b="x${a}"}:\n"A"\n', '[{"a":"\\u0041","b":"\\u0078A"}]'],
    ['{1}"k${}"{a="${@}"}:\nA:\n', '{"\\u006bA":{"a":"k\\u0041"}}']
  ]) {
    t.ok(CODECS.stc2.verify(Buffer.from(text), Document.parse(json), {}), text)
    t.notOk(CODECS.stc2.verify(Buffer.from(text), Document.parse(json.replace('u0041', 'u0043').replace('\\u006b', 'l')), {}), `${text} is not another`)
  }
})

t.test('a constant or a default may be a table itself, which is read again for each row', async t => {
  t.equal(decode('[2]{k=[2]{a,b}:1,2/3,4,c}:\n1\n2\n', 'stc2'), '[{"k":[{"a":1,"b":2},{"a":3,"b":4}],"c":1},{"k":[{"a":1,"b":2},{"a":3,"b":4}],"c":2}]')
  t.equal(decode('[2]{c~[2]{a}:1/2}:\n1\n\n', 'stc2'), '[{"c":1},{"c":[{"a":1},{"a":2}]}]')
})

t.test('lists of nodes grow and keep what they hold', async t => {
  const nodes = new Nodes(4)
  const first = nodes.take(3)
  nodes.words.set([1, 2, 3], first)
  const second = nodes.take(100_000)
  t.same([...nodes.words.subarray(first, first + 3)], [1, 2, 3])
  t.equal(second, 3)
  t.ok(nodes.words.length >= 100_003 && nodes.words.subarray(second, second + 100_000).every(word => word === 0))
  nodes.dispose()
})

t.test('the codec is chosen by its name, and described as STC 2', async t => {
  t.ok(CODING_NAMES.includes('stc2'))
  t.match(CODECS.stc2, { name: 'stc2', version: '2', mediaType: 'application/stc+json', contentType: 'application/stc+json; version=2', ratioHeader: 'x-stc-ratio', versionHeader: 'x-stc-version' })
  const json = rows(9, i => ({ id: i, url: `/x/${i}` }))
  t.match(choose(json, { accepted: [{ codec: 'stc', q: 1 }, { codec: 'stc2', q: 1 }] }), { codec: 'stc2', decision: { version: '2', lossless: true } })
})

t.test('the marker is that of the codec, and has at most 40 tokens', async t => {
  t.equal(CODECS.stc2.marker, STC2_MARKER)
  t.ok(await countTokens(STC2_MARKER) <= 40)
})
