/* eslint-disable no-template-curly-in-string -- gaps of templates, as text */
import t from 'tap'
import type { Test } from 'tap'
import { CODECS, Document, decode, encode, minify } from '../../lib/index.js'
import { IntRoom } from '../../lib/stc/v2/int-room.js'

const rowsOf = (count: number, row: (i: number) => object): string => JSON.stringify(Array.from({ length: count }, (_, i) => row(i)))

/** Encodes, and sees to it that the text is proved and comes back. */
function write (t: Test, json: string): string {
  const text = encode(json, 'stc2')
  t.ok(CODECS.stc2.verify(Buffer.from(text), Document.parse(json), {}), 'verified')
  t.equal(decode(text, 'stc2'), minify(json), 'back')
  return text
}

t.test('each run of like objects among other elements or members is rows of its own', async t => {
  t.equal(write(t, '[1,{"name":1},{"name":2},"x",{"size":3},{"size":4},null]'), '[1,+[2]{name}:\n1\n2\n,"x",+[2]{size}:\n3\n4\n,null]')
  t.equal(
    write(t, '{"a":1,"b":{"name":1},"c":{"name":2},"d":"x","e":{"size":3},"f":{"size":4}}'),
    '{a:1,{2}{name}:\nb:1\nc:2\n,d:"x",{2}{size}:\ne:3\nf:4\n}'
  )
})

t.test('of values that are as frequent as each other, the first is the default', async t => {
  t.match(write(t, rowsOf(12, i => ({ id: i, kind: i % 2 === 0 ? 'one' : 'two' }))), '{id,kind~"one"}')
  t.match(write(t, rowsOf(12, i => ({ id: i, kind: i % 2 === 1 ? 'one' : 'two' }))), '{id,kind~"two"}')
})

t.test('in few rows what comes twice is a default, and what comes once is none', async t => {
  t.equal(write(t, rowsOf(3, i => ({ id: i, s: ['open', 'closed', 'open'][i] }))), '[3]{id,s~"open"}:\n0,\n1,"closed"\n2,\n')
  t.equal(write(t, rowsOf(3, i => ({ id: i, s: ['open', 'closed', 'ajar'][i] }))), '[3]{id,s}:\n0,"open"\n1,"closed"\n2,"ajar"\n')
})

t.test('rows of more shapes than are looked up one by one find their columns', async t => {
  const keys = 'abcdefghijkl'.split('')
  // Each row leaves out another key, and the first shapes come again at the end.
  const rows = Array.from({ length: 20 }, (_, r) => Object.fromEntries(keys.filter((_, k) => k !== r % 12).map(key => [key, `${key}${r}`])))
  const text = write(t, JSON.stringify(rows))
  t.match(text, /^\[20\]\{/)
  t.equal(text.split('\n').length, 22)
})

t.test('a default is as frequent in all rows as it is in the sample', async t => {
  // Every row that is sampled of these 93 holds the same value, and few others do.
  const text = write(t, rowsOf(93, i => ({ id: i, kind: i % 4 === 0 ? 'same' : `other ${i}x` })))
  t.match(text, '{id,kind')
  t.notMatch(text, '~"same"')
})

t.test('what a template takes from the left and from the right mirror each other', async t => {
  const names = ['ada', 'bob', 'cyd', 'eve', 'fay']
  t.match(write(t, rowsOf(5, i => ({ name: names[i], at: `https://x.io/users/${names[i]}/${i * 37 % 11}!` }))), 'at="https://x.io/users/${name}/${}!"')
  t.match(write(t, rowsOf(5, i => ({ name: names[i], at: `!${i * 37 % 11}/${names[i]}/users/oi.x//:sptth` }))), 'at="!${}/${name}/users/oi.x//:sptth"')
})

t.test('of several sources the one that stands nearest is taken, and of these the longest', async t => {
  const rows = rowsOf(4, i => ({ a: `k${i * 3}`, b: `k${i * 3}.${i}`, c: `${i + 7}`, url: `/of/k${i * 3}.${i}/in/${i + 7}/end` }))
  t.match(write(t, rows), 'url="/of/${b}/in/${c}/end"')
})

t.test('empty strings have no beginning and no end', async t => {
  t.match(write(t, '[{"a":"","b":"x"},{"a":"abc","b":""},{"a":"","b":"xy"}]'), '{a~"",b}')
})

t.test('columns of many strings are tried from the shortest to the longest', async t => {
  // Forty columns, the longer made of the shorter, in an order that is not theirs.
  const row = (i: number): object => Object.fromEntries(Array.from({ length: 40 }, (_, c) => {
    const length = (c * 17 + 5) % 40
    return [`c${length}`, `${'x/'.repeat(length)}${i}abc${i * i}`]
  }))
  const text = write(t, rowsOf(6, row))
  t.match(text, '${c0}')
  t.ok(text.length < minify(rowsOf(6, row)).length / 3)
})

t.test('documents that are measured in turn do not disturb each other', async t => {
  const texts = [rowsOf(5, i => ({ id: i, url: `/${i}/x` })), rowsOf(30, i => (i % 2 === 0 ? { a: i, b: 'x' } : { b: 'y', c: [i] })), '{"a":[1,2]}']
  const documents = texts.map(text => Document.parse(text))
  const sizes = documents.map(document => CODECS.stc2.measure(document, {}) as number)
  for (const [i, document] of documents.entries()) {
    const text = CODECS.stc2.encode(document, {}, sizes[i])
    t.equal(text.length, sizes[i])
    t.equal(Buffer.from(text).toString(), encode(texts[i], 'stc2'))
    t.same(CODECS.stc2.encode(document, {}, sizes[i]), text, 'and once more, now that the text is taken')
  }
})

t.test('a document that was refused halfway leaves nothing behind for the next', async t => {
  // Rows with a key twice are found out after columns were gathered.
  const refused = '[{"a":1,"b":2},{"b":1,"c":2},{"c":1,"c":2},{"a":3,"b":4}]'
  const json = rowsOf(4, i => (i % 2 === 0 ? { c: i, a: 1 } : { c: i, b: 'y' }))
  const before = write(t, json)
  write(t, refused)
  t.equal(write(t, json), before)
})

t.test('rooms grow, keep what they hold, and are let go of when they are large', async t => {
  const room = new IntRoom()
  room.of(3).set([1, 2, 3])
  const large = room.of(100_000)
  t.ok(large.length >= 100_000)
  t.same([...large.subarray(0, 3)], [1, 2, 3])
  room.release()
  t.ok(room.words.length < 100_000)
  const small = room.words
  room.release()
  t.equal(room.words, small)
})
