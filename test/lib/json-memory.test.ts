import t from 'tap'
import { CODECS, Document, JsonSyntaxError, minify } from '../../lib/index.js'
import { Spare } from '../../lib/json/allocate.js'
import { growRoom } from '../../lib/json/word-room.js'

/** Objects of which almost each has a shape of its own, more of them than the tables of small documents have room for. */
function manyShapes (seed: number, count = 20_000): string {
  const objects: string[] = []
  for (let n = 0; n < count; n++) objects.push(`{"a${n % 251}":${seed},"b${n % 241}":{"c${n % 239}":${n}},"d d${n % 7}":[]}`)
  return `[${objects.join()}]`
}

function holds (document: Document, text: string): boolean {
  const stc = CODECS.stc.encode(document, {}, CODECS.stc.measure(document, {}) as number)
  const toon = CODECS.toon.encode(document, {}, CODECS.toon.measure(document, {}) as number)
  CODECS.stc.verify(stc, document, {})
  CODECS.toon.verify(toon, document, {})
  return minify(document) === text && minify(CODECS.stc.decode(stc, {})) === text && minify(CODECS.toon.decode(toon, {})) === text
}

t.test('what large documents leave behind serves the next, and none that is still in use', async t => {
  const first = manyShapes(1)
  const second = manyShapes(2, 18_000)
  const documents = [Document.parse(first), Document.parse(second)]
  t.ok(holds(documents[0], first) && holds(documents[1], second), 'two at once')
  documents[0].dispose()
  const third = Document.parse(first)
  t.ok(holds(documents[1], second) && holds(third, first), 'one that took what another gave back')
  documents[0].dispose()
  documents[0].dispose()
  const fourth = Document.parse(second)
  t.ok(holds(documents[1], second) && holds(third, first) && holds(fourth, second), 'giving back twice gives nothing')
  for (const document of [documents[1], third, fourth]) document.dispose()
  t.ok(holds(Document.parse('[{"a0":1}]'), '[{"a0":1}]'))
})

t.test('a small document that was read with tables that then grew large stays whole', async t => {
  const small = Document.parse('{"x":[{"p":1,"q":2},{"p":3,"q":4}]}')
  const large = Document.parse(manyShapes(3))
  large.dispose()
  const next = Document.parse(manyShapes(4))
  t.ok(holds(small, '{"x":[{"p":1,"q":2},{"p":3,"q":4}]}'))
  small.dispose()
  t.ok(holds(next, manyShapes(4)))
})

t.test('a large text that breaks off late leaves nothing that harms the next', async t => {
  const text = manyShapes(5)
  t.throws(() => Document.parse(text.slice(0, -1)), JsonSyntaxError)
  t.ok(holds(Document.parse(text), text))
  t.throws(() => Document.parse(`${text}]`), JsonSyntaxError)
  t.ok(holds(Document.parse(text), text))
})

t.test('a text whose beginning is denser or thinner than its rest is read all the same', async t => {
  const dense = `[${'1,'.repeat(300_000)}1]`
  const thin = JSON.stringify('x'.repeat(600_000))
  const empty = `[${'[],'.repeat(200_000)}{}]`
  for (const parts of [[dense, thin], [thin, dense], [thin, dense, thin, empty], [empty, thin], [thin, empty, empty]]) {
    const text = `[${parts.join()}]`
    const document = Document.parse(text)
    t.ok(holds(document, text))
    document.dispose()
  }
})

t.test('room grows by what the part read suggests, within bounds', async t => {
  const spare = new Spare<Int32Array>(length => new Int32Array(length), 1000)
  const words = Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
  const grow = (read: number): Int32Array => growRoom(words, spare, read, 1000)
  t.equal(grow(250).length, 42, 'a quarter read, so four times as much, and a little')
  t.equal(grow(999).length, 15, 'half as much again at the least')
  t.equal(grow(1).length, 80, 'eight times at the most')
  t.strictSame([...grow(500).subarray(0, 10)], [...words])
})

t.test('a spare array is given out once, and one that is too large is held only while the collector lets it', async t => {
  const spare = new Spare<Int32Array>(length => new Int32Array(length), 100)
  const small = new Int32Array(50)
  const large = new Int32Array(5000)
  spare.give(small)
  spare.give(large)
  t.equal(spare.take(10), small)
  t.not(spare.take(10), small)
  t.equal(spare.take(3000), large, 'nothing has been collected within one turn')
  t.equal(spare.take(3000).length, 3000)
  spare.give(large)
  t.equal(spare.take(6000).length, 6000, 'not large enough')
  t.equal(spare.take(90).length, 90, 'not for a small one')
  t.equal(spare.take(5000), large)
})
