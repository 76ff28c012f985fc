import t from 'tap'
import { CODECS, Document, decode, encode, minify } from '../../lib/index.js'
import { escapeAll } from '../helpers/escape-all.js'

const { verify } = CODECS.stc2
const bytesOf = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map(part => Buffer.from(part as string)))

t.test('a text that is no UTF-8 is no text, whatever its bytes could be taken for', async t => {
  for (const [name, json, text] of [
    ['a byte of Latin-1', '["\\u00e9x"]', bytesOf('["', [0xe9], 'x"]')],
    ['one byte in two', '["\\u0041"]', bytesOf('["', [0xc1, 0x81], '"]')],
    ['a quote in two', '["\\""]', bytesOf('["', [0xc0, 0xa2], '"]')],
    ['two bytes in three', '["\\u00e9"]', bytesOf('["', [0xe0, 0x83, 0xa9], '"]')],
    ['continuation bytes alone', '["\\u0269"]', bytesOf('["', [0xa9, 0xa9], '"]')],
    ['half of a pair', '["\\ud83d"]', bytesOf('["', [0xed, 0xa0, 0xbd], '"]')],
    ['a pair as two', '["\\ud83d\\ude00"]', bytesOf('["', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"]')],
    ['a lead of six bytes', '["\\udbc0\\udc00"]', bytesOf('["', [0xfc, 0x80, 0x80, 0x80], '"]')],
    ['beyond the last character', '["\\udbff\\udfff"]', bytesOf('["', [0xf4, 0x90, 0x80, 0x80], '"]')],
    ['cut off', '["\\u540d"]', bytesOf('["', [0xe5, 0x90], '"]')],
    ['an escape within a character', '["\u3a69"]', bytesOf('["', [0xe3], '\\u0a69"]')],
    ['a literal that ends within a character', '[{"a":"\u00e9"}]', bytesOf('[1]{a="', [0xc3], '${}"}:\n"', [0xa9], '"\n')],
    ['the same where it is spelled otherwise', '[{"a":"\\u00e9"}]', bytesOf('[1]{a="', [0xc3], '${}"}:\n"', [0xa9], '"\n')],
    ['a key of rows that does so', '{"\\u00e9":{"a":1}}', bytesOf('{1}"', [0xc3], '${}"{a}:\n"', [0xa9], '":1\n')],
    ['a key that no row has', '[{"a":1}]', bytesOf('[1]{a,"', [0xff], '"}:\n1,\n')]
  ] as [string, string, Buffer][]) {
    t.throws(() => decode(text, 'stc2'), { code: 'ERR_DECODE' }, name)
    t.notOk(verify(text, Document.parse(json), {}), name)
  }
})

t.test('what must be escaped in a string is not the same without', async t => {
  for (const [json, text] of [['["\\u0022a"]', '[""a"]'], ['["\\u000a"]', '["\n"]'], ['["\\u005c"]', '["\\"]'], ['["\\u0071"]', '["\\q"]'], ['["\\u540d"]', '["\\u540"]']]) {
    t.notOk(verify(Buffer.from(text), Document.parse(json), {}), text)
  }
})

t.test('strings say the same in any spelling, and in none that differs by a character', async t => {
  const string = 'a\u00e9\u0416\u540d\u524d\ud83d\ude00\u0001\t"\\/\ud83d z\u07ff\u0800\uffff'
  const plain = JSON.stringify([string])
  const spellings = [plain, escapeAll(plain), escapeAll(plain).replace(/\\u[\da-f]{4}/g, escape => `\\u${escape.slice(2).toUpperCase()}`), plain.replace('/', '\\/')]
  for (const json of spellings) {
    for (const text of spellings) t.ok(verify(Buffer.from(text), Document.parse(json), {}), `${json} as ${text}`)
    for (let i = 0; i < string.length; i++) {
      const other = `${string.slice(0, i)}${String.fromCharCode(string.charCodeAt(i) ^ 1)}${string.slice(i + 1)}`
      for (const text of [JSON.stringify([other]), escapeAll(JSON.stringify([other]))]) t.notOk(verify(Buffer.from(text), Document.parse(json), {}), `${json} is not ${text}`)
    }
    t.notOk(verify(Buffer.from(plain.replace('"]', 'x"]')), Document.parse(json), {}), 'longer')
    t.notOk(verify(Buffer.from(plain.replace('\uffff', '')), Document.parse(json), {}), 'shorter')
  }
})

t.test('an array of digits is no head of a table, and a text goes on behind none', async t => {
  t.ok(verify(Buffer.from('[[2],[3,4]]'), Document.parse('[[2],[3,4]]'), {}))
  for (const text of ['[[2]{a}:1/2,[3,4]]', '[[2],[3,4]{a}:1]', '[2]{a}:\n1\n2\n']) t.notOk(verify(Buffer.from(text), Document.parse('[[2],[3,4]]'), {}), text)
})

t.test('a key in a header is that of the rows however they spell it', async t => {
  for (const key of ['a\\"\u0078\\"b', '\\"\\u0078\\"\ud83d\ude00', '\\u0061b', 'ab', 'a b', '\u540d']) {
    const json = `[{"${key}":1,"z":"x"},{"${key}":2,"z":"y"}]`
    for (const source of [json, escapeAll(json)]) t.ok(verify(Buffer.from(encode(json, 'stc2')), Document.parse(source), {}), source)
    const other = json.replaceAll(key, `${key}_`)
    t.notOk(verify(Buffer.from(encode(json, 'stc2')), Document.parse(other), {}), other)
  }
})

t.test('a text that is refused halfway leaves nothing behind for the next', async t => {
  // Tables in rows, templates before the cells that they refer to, rows with keys, and optional groups.
  const users = [['ann', 'bob', 'cy'], ['dee', 'eve'], ['fay', 'gus', 'hal'], ['ida', 'jo']]
  const json = JSON.stringify(Array.from({ length: 4 }, (_, i) => ({
    url: `https://x.example/${i + 10}/a`,
    id: i + 10,
    of: Object.fromEntries(users[i].map((name, n) => [name, { a: i + n, b: `b-${i + n}` }])),
    list: [{ k: i, v: 'x' }, { k: 7, v: 'yy' }],
    ...(i % 2 === 0 ? { extra: { one: i, two: 'two' } } : {})
  })))
  const document = Document.parse(json)
  const text = Buffer.from(encode(json, 'stc2'))
  t.match(text.toString(), /^\[4\]\{url="https:\/\/x.example\/\$\{id\}\/a",id,of\{\}\{a,b="b-\$\{a\}"\},list\[\].*,extra\?\{/)
  t.ok(verify(text, document, {}))
  for (let i = 0; i < text.length; i++) {
    for (const byte of [0x00, 0x22, 0x2c, 0x7d, 0xff]) {
      if (text[i] === byte) continue
      const other = Buffer.from(text)
      other[i] = byte
      if (verify(other, document, {}) || !verify(text, document, {})) t.fail(`byte ${i} as ${byte}`)
    }
    if (verify(text.subarray(0, i), document, {}) || !verify(text, document, {})) t.fail(`the first ${i} bytes`)
  }
  // One too large to be held on to.
  const large = JSON.stringify(Array.from({ length: 9000 }, (_, i) => ({ id: i, url: `https://x.example/${i}` })))
  t.ok(verify(Buffer.from(encode(large, 'stc2')), Document.parse(large), {}))
  t.ok(verify(text, document, {}))
  t.notOk(verify(text, Document.parse(large), {}))
})

t.test('texts of any size are written whole, long keys, long strings and what is longer than the JSON too', async t => {
  const row = (i: number): object => ({ id: i, [`k${'ey'.repeat(300)}`]: `v${i}${'al'.repeat(250)}`, 名: `\u540d\u524d${i}${'\u8aac'.repeat(i % 3 === 0 ? 200 : 3)}` })
  for (const count of [1, 2, 7, 60, 400]) {
    const json = JSON.stringify(Array.from({ length: count }, (_, i) => row(i)))
    for (const source of [json, escapeAll(json)]) {
      const text = encode(source, 'stc2')
      t.ok(verify(Buffer.from(text), Document.parse(source), {}))
      t.equal(decode(text, 'stc2'), minify(source))
    }
  }
  // A constant in which each ${ is five bytes longer.
  for (const gaps of [30, 9000, 20_000]) {
    const json = JSON.stringify([1, 2].map(a => ({ a, b: '${'.repeat(gaps) })))
    const text = encode(json, 'stc2')
    t.ok(text.length > json.length)
    t.equal(decode(text, 'stc2'), json)
  }
  // One after the other, from which slabs are cut.
  const texts = Array.from({ length: 200 }, (_, i) => JSON.stringify([i, 'x'.repeat(i * 7)]))
  const written = texts.map(json => {
    const document = Document.parse(json)
    return CODECS.stc2.encode(document, {}, CODECS.stc2.measure(document, {}) as number)
  })
  for (const [i, text] of written.entries()) t.equal(Buffer.from(text).toString(), texts[i])
})

t.test('a template that asks for the square of its length is refused before that is made', async t => {
  /** With < for what begins the reference to a cell. */
  const verifies = (text: string, json: string): boolean => verify(bytesOf(text.replaceAll('<', '${')), Document.parse(json), {})
  const length = 100_000
  const long = 'x'.repeat(length)
  t.notOk(verifies(`[2]{a,b="${'<a}'.repeat(length)}"}:\n"${long}"\n"z"\n`, `[{"a":"${long}","b":"y"},{"a":"z","b":"y"}]`))
  t.ok(verifies('[2]{a,b="<a}-<a}"}:\n"é"\n"Жж"\n', escapeAll('[{"a":"é","b":"é-é"},{"a":"Жж","b":"Жж-Жж"}]')), 'what is spelled longer than it is stays within the bound')
  t.ok(verifies('[1]{a,b="<a}<a}"}:\n"AB"\n', '[{"a":"\\u0041\\u0042","b":"ABAB"}]'), 'also where it is the cell that is spelled longer')
})
