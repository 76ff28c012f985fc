import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, Document, decode, encode, isEqual, minify } from '../../lib/index.js'
import { SAMPLES, assertMutantsAreCaught, mutantsOf } from '../helpers/mutants.js'
import { jsonText } from '../helpers/nasty-json.js'
import { relatedRows } from '../helpers/nasty-rows.js'
import { readReference } from '../helpers/reference-json.js'
import { throwsLike } from '../helpers/throws-like.js'

interface Vectors {
  roundTrip: { name: string, json: string, stc2: string }[]
  reject: { name: string, stc2: string }[]
}
const vectors = JSON.parse(readFileSync(new URL('../fixtures/stc2-vectors.json', import.meta.url), 'utf8')) as Vectors

t.test('every vector is read, proved, and comes back from what is written', async t => {
  t.ok(vectors.roundTrip.length > 30)
  for (const { name, json, stc2 } of vectors.roundTrip) {
    t.equal(decode(stc2, 'stc2'), minify(json), name)
    t.ok(CODECS.stc2.verify(Buffer.from(stc2), Document.parse(json), {}), `${name}: verified`)
    t.equal(decode(encode(json, 'stc2'), 'stc2'), minify(json), `${name}: back`)
  }
})

t.test('every reject vector is refused with a position', async t => {
  t.ok(vectors.reject.length > 25)
  for (const { name, stc2 } of vectors.reject) {
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
