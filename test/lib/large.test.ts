import { isUtf8 } from 'node:buffer'
import t from 'tap'
import { CODECS, Document, decode } from '../../lib/index.js'

/** Takes a body through both codecs and back; returns their texts. */
function roundTrip (body: Buffer): Record<'toon' | 'stc', Uint8Array> {
  const document = Document.parse(body, { isUtf8 })
  const texts = {} as Record<'toon' | 'stc', Uint8Array>
  for (const codec of ['toon', 'stc'] as const) {
    const size = CODECS[codec].measure(document, {})
    if (typeof size === 'string') throw new Error(`${codec}: ${size}`)
    texts[codec] = CODECS[codec].encode(document, {}, size)
    if (!CODECS[codec].verify(texts[codec], document, {})) throw new Error(`${codec} was not verified`)
  }
  document.dispose()
  return texts
}

t.test('a string of 50 MB comes back from both codecs', async t => {
  const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(50e6, 'some text, and \\"quotes\\" in it; '), Buffer.from('"}')])
  // The pattern is cut at the end, where half an escape may stand.
  body.fill('.', body.length - 40, body.length - 2)
  for (const [codec, text] of Object.entries(roundTrip(body))) {
    t.ok(Buffer.from(decode(text, codec as 'toon')).equals(body), codec)
  }
})

t.test('a million small keys come back in their order, and a tape that grew is not kept for the next document', async t => {
  const body = Buffer.from(`{${Array.from({ length: 1e6 }, (_, i) => `"k${i * 7919 % 1e6}":${i}`).join()}}`)
  const { toon, stc } = roundTrip(body)
  t.ok(Buffer.from(decode(toon, 'toon')).equals(body))
  t.ok(Buffer.from(decode(stc, 'stc')).equals(body))
  const small = Document.parse('{"k1":1}')
  t.ok(small.keys.count < 10, 'the table of keys starts anew')
  t.ok(small.tape.length < 1e6)
})

t.test('a million equal rows come back', async t => {
  const body = Buffer.from(`[${Array.from({ length: 1e6 }, (_, i) => `{"id":${i},"s":"x"}`).join()}]`)
  for (const [codec, text] of Object.entries(roundTrip(body))) {
    t.ok(text.length < body.length / 2)
    t.ok(Buffer.from(decode(text, codec as 'toon')).equals(body), codec)
  }
})

t.test('a tape takes no more than twelve times the body, and of prose next to nothing', async t => {
  const share = (json: string): number => Document.parse(json).length * 4 / json.length
  t.ok(share(`[${'[],'.repeat(1e5)}1]`) <= 12)
  t.ok(share(`[${'1,'.repeat(1e5)}1]`) <= 6.1)
  t.ok(share(`["${'prose '.repeat(1e5)}"]`) < 0.01)
})
