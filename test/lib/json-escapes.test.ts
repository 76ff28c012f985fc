import t from 'tap'
import { CODECS, Document, JsonSyntaxError, minify } from '../../lib/index.js'
import { escapeAll } from '../helpers/escape-all.js'

const hexOf = (unit: number): string => unit.toString(16).padStart(4, '0')
/** One code unit in three spellings, since hex digits have no case. */
const spell = (unit: number): string => {
  const hex = hexOf(unit)
  return `\\u${hex}\\u${hex.toUpperCase()}\\u${hex.slice(0, 2)}${hex.slice(2).toUpperCase()}`
}

t.test('every code unit that comes escaped is the one that JSON.parse reads, alone and in a run', async t => {
  for (let first = 0; first < 0x10000; first += 0x100) {
    const units = Array.from({ length: 0x100 }, (_, i) => first + i)
    const runs = `"${units.map(spell).join('')}"`
    const alone = JSON.stringify(units.map(unit => `<${unit}>`)).replace(/<(\d+)>/g, (_, unit) => '\\u' + hexOf(Number(unit)))
    for (const text of [runs, alone]) {
      if (minify(text) !== JSON.stringify(JSON.parse(text))) t.fail(`units from ${first.toString(16)}`)
    }
  }
  t.pass('65,536 code units')
})

t.test('pairs of escapes are one character, halves of them stay halves, wherever they stand in a run', async t => {
  const parts = ['\\ud83d\\ude00', '\\uD83D\\uDE00', '\\ud83d', '\\ude00', '\\udbff\\udfff', '\\u00e9', '\\u4e2d', '\\u07ff', '\\u0800', '\\u0041', 'é', '😀', 'x', '\\n', '\\ud83d\\u0041']
  for (const a of parts) {
    for (const b of parts) {
      for (const c of parts) {
        const text = `["${a}${b}${c}"]`
        const minified = JSON.stringify(JSON.parse(text))
        const document = Document.parse(text)
        const stc = CODECS.stc.encode(document, {}, CODECS.stc.measure(document, {}) as number)
        if (minify(text) !== minified || Buffer.from(stc).toString() !== minified || !CODECS.stc.verify(stc, document, {})) t.fail(text)
      }
    }
  }
  t.pass(`${parts.length ** 3} strings`)
})

t.test('an escape that is none, or that the text ends in, is refused where JSON.parse refuses it', async t => {
  for (const run of ['', '\\u4e2d', '\\u4e2d\\u4e2d\\u00e9', '\\ud83d\\ude00']) {
    for (const wrong of ['\\u', '\\u4', '\\u4e', '\\u4e2', '\\u4e2g', '\\ug', '\\u 4e2d', '\\U4e2d', '\\x4e2d', '\\ud83d\\u', '\\ud83d\\ude0', '\\ud83d\\ude0g', '\\u4e2\\u4e2d']) {
      for (const text of [`"${run}${wrong}"`, `"${run}${wrong}`, `{"${run}${wrong}":1}`]) {
        t.throws(() => JSON.parse(text) as unknown)
        t.throws(() => Document.parse(text), JsonSyntaxError)
      }
    }
  }
})

t.test('no codec verifies a text that has another character where the source has an escape', async t => {
  const characters = ['中', '丮', 'é', 'ê', 'ߟ', '߿', 'ࠀ', '😀', '😁', '𐀀', '\u{10ffff}', '￿', '一']
  const word = characters.join('')
  const source = escapeAll(JSON.stringify([{ id: 1, text: word, [word]: 'x' }, { id: 2, text: `${word}, ${word}`, [word]: 'y' }]))
  const document = Document.parse(source)
  for (const codec of [CODECS.toon, CODECS.stc, CODECS.stc2]) {
    const text = Buffer.from(codec.encode(document, {}, codec.measure(document, {}) as number))
    t.ok(codec.verify(text, document, {}), codec.name)
    let changed = 0
    for (let i = 0; i < text.length; i++) {
      if (text[i] < 0x80) continue
      for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const other = Buffer.from(text)
        other[i] ^= bit
        if (codec.verify(other, document, {})) t.fail(`${codec.name} takes ${other.toString()}`)
        changed++
      }
    }
    t.ok(changed > 500, `${codec.name}: ${changed} changed bytes were refused`)
  }
})

t.test('long strings come out as they went in, whatever bytes UTF-8 has in whatever place', async t => {
  // The largest lead and trail bytes, and all that look like no number where eight bytes are read as one.
  const units = ['\u{10ffff}', '\x7f', '\u{3ffff}\x7f\x7f', 'ÿ', '\u{fffff}', '￿', ' ', '\u0080']
  for (const unit of units) {
    for (let shift = 0; shift < 9; shift++) {
      for (const length of [1, 2, 3, 5, 8, 13, 40, 70, 200]) {
        const json = JSON.stringify({ [`k${unit}`]: 'a'.repeat(shift) + unit.repeat(length), b: [unit.repeat(length)], c: unit })
        const document = Document.parse(json)
        for (const codec of [CODECS.toon, CODECS.stc, CODECS.stc2]) {
          const text = codec.encode(document, {}, codec.measure(document, {}) as number)
          if (Buffer.from(codec.decode(text, {})).toString() !== json || !codec.verify(text, document, {})) t.fail(`${codec.name}: ${json}`)
        }
      }
    }
  }
  t.pass('all of them')
})
