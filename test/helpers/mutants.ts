import type { Test } from 'tap'
import { CODECS, Document, decode, isEqual } from '../../lib/index.js'
import type { CodecOptions } from '../../lib/index.js'
import { verifyWith } from '../../lib/codec-helpers.js'
import { allocateRoom } from '../../lib/json/allocate.js'
import type { NumberEquality } from '../../lib/json/equal.js'
import type { Sink } from '../../lib/json/sink.js'
import { readStc } from '../../lib/stc/decode.js'
import { readStc2 } from '../../lib/stc/v2/decode.js'
import { readToon } from '../../lib/toon/decode.js'

export const SAMPLES = [
  '{"rows":[{"id":1,"name":"a","ok":true},{"id":2,"name":"b","ok":false},{"id":3,"name":"c, d","ok":null}],"total":3}',
  '[{"id":10,"o":{"x":1.5,"y":"-"}},{"id":20,"o":{"x":-2,"y":"p: q"}}]',
  '{"m":{"k1":{"a":1,"b":"x"},"k2":{"a":2,"b":"y"}},"s":["1","2","true"],"n":[1,2,3],"e":[],"o":{},"d":{"p":[{"q":[[1],[]]},{}]}}',
  '["plain","","  ","a\\nb","\\u0001\\b","é😀","C:\\\\tmp","12345678901234567890",12345678901234567890,1e400,-0.000001]',
  '[1,"x",{"a":[1,{}],"\\u0062":"\\u0041\\/"},[2,[3]],null,"y,z",-1.0e2,"\\u0042\\u0008"]',
  '{"a b":[{"x":{"y":{"z":1}}},{"x":[null]}],"__proto__":{"a":"b"},"":0}',
  '[["a|b","c","d,e|f"],["\\u0269x","\\udbc0\\udc00"],{"\\u0269":1,"k":"\\ud83d\\ude00"}]'
]
/** The last ones are no UTF-8 in most places. */
const REPLACEMENTS = Buffer.concat([Buffer.from('0129-.,:;/|{}[]"\\ \n\tabxtnufe#$~=?\u0001'), Buffer.of(0x80, 0xa9, 0xc1, 0xf8, 0xfc)])
const OPTIONS: Record<'toon' | 'stc' | 'stc2', CodecOptions[]> = { toon: [{}, { delimiter: '|' }, { delimiter: '\t' }], stc: [{}], stc2: [{}] }

const READERS: Record<'toon' | 'stc' | 'stc2', (bytes: Uint8Array, maxDepth: number, sink: Sink) => void> = { toon: readToon, stc: readStc, stc2: readStc2 }

/**
 * Puts other bytes in place of every byte of encoded texts, leaves bytes out, doubles them, takes quotes off, and swaps
 * lines and neighbours. The verifier must refuse each mutant that does not still say the same, and the
 * reader must agree with the document, step by step, on exactly those that do.
 */
export function assertMutantsAreCaught (t: Test, codec: 'toon' | 'stc' | 'stc2', samples = SAMPLES): void {
  const numbers: NumberEquality = codec === 'toon' ? 'value' : 'lexeme'
  const read = READERS[codec]
  let caught = 0
  let harmless = 0
  for (const json of samples) {
    const document = Document.parse(json)
    for (const options of OPTIONS[codec]) {
      const text = Buffer.from(CODECS[codec].encode(document, options, 0))
      t.ok(CODECS[codec].verify(text, document, {}), 'the text itself is verified')
      for (const mutant of mutantsOf(text)) {
        const isAccepted = CODECS[codec].verify(mutant, document, {})
        let decoded: string | null = null
        try {
          decoded = decode(mutant, codec)
        } catch {
          // What cannot be decoded must not be verified either.
        }
        const isSame = decoded !== null && isEqual(Document.parse(decoded), document, numbers)
        if (isAccepted && !isSame) t.fail(`${json}: ${JSON.stringify(mutant.toString('latin1'))} was accepted`)
        if (codec === 'stc2' && isSame && !isAccepted) t.fail(`${json}: ${JSON.stringify(mutant.toString('latin1'))} was refused`)
        if (verifyWith(read, mutant, document, {}, numbers) !== isSame) t.fail(`${json}: ${JSON.stringify(mutant.toString('latin1'))} was read as ${isSame ? 'another' : 'the same'}`)
        if (isSame) harmless++
        else caught++
      }
    }
  }
  t.ok(caught > 10_000, `${caught} mutants were caught`)
  t.ok(harmless < caught / 50, `${harmless} mutants say the same in other words`)
}

/** Cuts texts off where what lies behind their end in memory would complete them: it must not count. */
export function assertNothingBehindIsRead (t: Test, codec: 'toon' | 'stc' | 'stc2'): void {
  let cuts = 0
  for (const json of SAMPLES) {
    const document = Document.parse(json)
    for (const options of OPTIONS[codec]) {
      const text = CODECS[codec].encode(document, options, 0)
      for (let end = 0; end <= text.length; end++) {
        const whole = Buffer.concat([Buffer.alloc(end % 5), text])
        const { bytes, view } = allocateRoom(end, 3)
        bytes.set(text.subarray(0, end))
        for (let k = 0; k < 3; k++) view.setUint8(end + k, text[end + k] ?? 0x22)
        for (const cut of [bytes, whole.subarray(end % 5, end % 5 + end), new Uint8Array(whole.buffer, whole.byteOffset + end % 5, end)]) {
          if (CODECS[codec].verify(cut, document, {}) !== (end === text.length)) t.fail(`${json}: ${Buffer.from(cut).toString()} was ${end === text.length ? 'refused' : 'accepted'}`)
          cuts++
        }
      }
    }
  }
  t.ok(cuts > 1000, `${cuts} texts`)
}

/** Compares texts with documents that differ from theirs in little, and with what lies behind the end of the source the same. */
export function assertNeighboursAreRefused (t: Test, codec: 'toon' | 'stc' | 'stc2', samples = SAMPLES): void {
  const numbers: NumberEquality = codec === 'toon' ? 'value' : 'lexeme'
  let refused = 0
  for (const json of [...samples, '"C:\\u005ctmp"', '"a string of more than thirty-two bytes"', '"abc"', '12345', 'true']) {
    const document = Document.parse(json)
    const texts = OPTIONS[codec].map(options => Buffer.from(CODECS[codec].encode(document, options, 0)))
    for (const mutant of mutantsOf(Buffer.from(json))) {
      let neighbour
      try {
        neighbour = Document.parse(mutant)
      } catch {
        continue
      }
      const isSame = isEqual(neighbour, document, numbers)
      for (const text of texts) {
        if (CODECS[codec].verify(text, neighbour, {}) && !isSame) t.fail(`${text.toString()} was taken for ${mutant.toString()}`)
      }
      if (!isSame) refused++
    }
  }
  t.ok(refused > 2000, `${refused} documents were told apart`)
}

export function * mutantsOf (text: Buffer): Generator<Buffer> {
  for (let i = 0; i < text.length; i++) {
    for (const byte of REPLACEMENTS) {
      if (byte === text[i]) continue
      const mutant = Buffer.from(text)
      mutant[i] = byte
      yield mutant
    }
    yield Buffer.concat([text.subarray(0, i), text.subarray(i + 1)])
    yield Buffer.concat([text.subarray(0, i), text.subarray(i, i + 1), text.subarray(i)])
    yield text.subarray(0, i)
  }
  const characters = text.toString('latin1')
  for (const { 0: quoted, index } of characters.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    yield Buffer.from(characters.slice(0, index) + quoted.slice(1, -1) + characters.slice(index + quoted.length), 'latin1')
  }
  for (const separator of ['\n', ',', '/', ':', '"']) {
    const parts = text.toString().split(separator)
    for (let i = 1; i < parts.length; i++) {
      const swapped = [...parts]
      swapped[i - 1] = parts[i]
      swapped[i] = parts[i - 1]
      if (parts[i] !== parts[i - 1]) yield Buffer.from(swapped.join(separator))
    }
  }
}
