import t from 'tap'
import { Document } from '../../lib/index.js'
import { decodeWith, measureWith, verifyWith } from '../../lib/codec-helpers.js'
import { TapeSink } from '../../lib/json/tape-sink.js'
import { throwsLike } from '../helpers/throws-like.js'

const crash = (): never => { throw new TypeError('a defect') }

t.test('a defect in a codec is seen, and is neither a decline, nor a "no", nor bad input', async t => {
  const document = Document.parse('[1]')
  throwsLike(t, () => measureWith(crash, document, {}), { name: 'TypeError' })
  throwsLike(t, () => verifyWith(crash, new Uint8Array(0), document, {}, 'lexeme'), { name: 'TypeError' })
  throwsLike(t, () => decodeWith(crash, 'STC', '', {}, false), { name: 'TypeError' })
})

t.test('a reader that stops early does not verify', async t => {
  const document = Document.parse('[1]')
  t.notOk(verifyWith(() => {}, new Uint8Array(0), document, {}, 'lexeme'))
  throwsLike(t, () => new TapeSink(document, new Uint8Array(0), 'value').finish(), { expected: 'more of the document' })
})

t.test('nothing can be read from a document that was disposed of, and its tape serves the next', async t => {
  const first = Document.parse('[1,2,3]')
  const { tape } = first
  first.dispose()
  t.equal(first.tape.length, 0)
  first.dispose()
  const second = Document.parse('{"a":1}')
  t.equal(second.tape, tape)
  t.not(Document.parse('[]').tape, tape, 'while it is in use it is nobody else\'s')
  second.dispose()
  t.throws(() => Document.parse('[1,'), 'a failed scan gives its tape back')
  const third = Document.parse('[2]')
  t.equal(third.tape, tape)
  third.dispose()
  const large = Document.parse(`[${'1,'.repeat(400_000)}1]`)
  large.dispose()
  t.ok(Document.parse('[3]').tape.length < 1_000_000, 'a very large tape is not kept')
})
