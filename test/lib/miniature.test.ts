import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, Document, decode, minify } from '../../lib/index.js'
import { disposeMiniature, makeMiniature } from '../../lib/json/miniature.js'
import type { Miniature } from '../../lib/json/miniature.js'
import { TokenJudge } from '../../lib/token-judge.js'
import { SAMPLED_BYTES, estimateTokens } from '../../lib/tokens.js'
import { SHAPES } from '../bench/helpers/payloads.js'
import { jsonText } from '../helpers/nasty-json.js'

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const jsonOf = ({ document }: Miniature): string => textOf(document.bytes)

function shrink (json: string, bytes: number): Miniature {
  return makeMiniature(Document.parse(json), bytes)
}

function write (miniature: Miniature, codec: 'toon' | 'stc'): string {
  return textOf(CODECS[codec].encode(miniature.document, {}, miniature.document.bytes.length))
}

t.test('where all fits, a miniature is the document, minified, and is written as that is', async (t) => {
  for (const [shape, make] of Object.entries(SHAPES)) {
    if (shape === 'prose') continue
    const json = make(3000)
    const miniature = shrink(json, 1e9)
    const hasLongStrings = miniature.elidedBytes > 0
    t.equal(miniature.isThinned, false, shape)
    if (hasLongStrings) continue
    t.equal(jsonOf(miniature), minify(json), shape)
    const document = Document.parse(json)
    for (const codec of ['toon', 'stc'] as const) t.equal(write(miniature, codec), textOf(CODECS[codec].encode(document, {}, 1)), `${shape} as ${codec}`)
  }
  t.equal(jsonOf(shrink(' [ ] ', 100)), '[]')
  t.equal(jsonOf(shrink('-1.50e3', 100)), '-1.50e3')
})

t.test('a table stays a table, with rows of the whole list and the count of all', async (t) => {
  const json = SHAPES.uniform(100_000)
  const miniature = shrink(json, 2048)
  const rows = JSON.parse(json) as unknown[]
  const kept = JSON.parse(jsonOf(miniature)) as { id: number }[]
  t.equal(miniature.isThinned, true)
  t.ok(kept.length > 10 && kept.length < 40, `${kept.length} rows`)
  t.same(kept, kept.map(({ id }) => rows[id]), 'each is a row of the document')
  const distances = kept.slice(1).map(({ id }, i) => id - kept[i].id)
  t.ok(Math.max(...distances) - Math.min(...distances) <= 10, 'at about equal distances')
  const lines = write(miniature, 'toon').split('\n')
  const all = textOf(CODECS.toon.encode(Document.parse(json), {}, 1)).split('\n')
  t.equal(lines[0], all[0], 'the same header')
  t.ok(lines.slice(1).every((line) => all.includes(line)), 'the same lines')
})

t.test('what is no table because of one row is none without that row', async (t) => {
  const rows = Array.from({ length: 3000 }, (_, i) => i === 1501 ? { id: i, extra: true } : { id: i })
  const toon = write(shrink(JSON.stringify({ rows }), 1000), 'toon')
  t.match(toon, /^rows\[3000\]:\n {2}- id: /)
})

t.test('of long strings the ends are kept, cut between characters and escapes, with the quotes they need', async (t) => {
  const words = 'one two three four five six seven eight nine ten eleven twelve thirteen'
  const elide = (value: string): string => JSON.parse(jsonOf(shrink(JSON.stringify([value]), 1000)))[0]
  t.equal(elide(words), 'one two three fo twelve thirteen')
  t.equal(elide('x'.repeat(55)), 'x'.repeat(55), 'short enough')
  for (let shift = 0; shift < 12; shift++) {
    for (const piece of ['日', '\n', '\\', '"', '🎉', 'é']) {
      const value = 'a'.repeat(shift) + piece.repeat(60) + 'b'.repeat(shift)
      const short = elide(value)
      const { elided } = shrink(JSON.stringify([value, value]), 1000)
      t.ok(isUtf8(elided) && JSON.parse(`"${textOf(elided)}"`).isWellFormed(), 'what is kept of the rest too')
      t.ok(short.isWellFormed() && short.length < value.length && value.startsWith(short.slice(0, 4)) && value.endsWith(short.slice(-4)), `${shift} ${piece}`)
    }
  }
  const { elided, elidedBytes } = shrink(JSON.stringify([words, words.toUpperCase()]), 1000)
  t.equal(elidedBytes, 2 * (words.length - 32))
  t.equal(textOf(elided), words.slice(16, -16) + words.slice(16, -16).toUpperCase(), 'some of the rest is kept to look at')
  const colon = `${'a '.repeat(40)}: ${'b '.repeat(40)}c`
  t.match(write(shrink(JSON.stringify({ colon }), 1000), 'toon'), /^colon: "a a .*c"$/, 'quotes for what is left out')
  const control = '\u0001'.repeat(60)
  t.equal(elide(control), control, 'but not where escapes are such that codecs write them anew')
})

t.test('a miniature is about as small as it should be, whatever the document', async (t) => {
  for (const [shape, make] of Object.entries(SHAPES)) {
    for (const bytes of [1000, 4000]) {
      const { document, isThinned } = shrink(make(300_000), bytes)
      t.ok(document.bytes.length < 3 * bytes && document.bytes.length > bytes / 5, `${shape}: ${document.bytes.length} for ${bytes}`)
      t.equal(isThinned, true)
    }
  }
  const mostlyOne = JSON.stringify({ a: 1, b: [1, 2], large: JSON.parse(SHAPES.config(100_000)), c: 'x', d: {} })
  t.match(jsonOf(shrink(mostlyOne, 1000)), /"large":/, 'what is most of the document is in it')
})

t.test('of any document, at any size, a miniature is JSON and can be written', async (t) => {
  let thinned = 0
  fc.assert(fc.property(jsonText, fc.integer({ min: 1, max: 400 }), (json, bytes) => {
    const document = Document.parse(json)
    const miniature = makeMiniature(document, bytes)
    if (miniature.isThinned) thinned++
    const again = Document.parse(jsonOf(miniature))
    if (again.minifiedBytes !== miniature.document.bytes.length || again.minifiedBytes > document.minifiedBytes) return false
    if (!miniature.isThinned && again.minifiedBytes + miniature.elidedBytes !== document.minifiedBytes) return false
    for (const codec of ['toon', 'stc'] as const) {
      if (typeof CODECS[codec].measure(document, {}) !== 'number') continue
      // Whole, it is a text of the format; of a thinned one the counts are those of the document.
      const text = write(miniature, codec)
      if (!miniature.isThinned && decode(text, codec).length === 0) return false
    }
    disposeMiniature(miniature)
    return true
  }), { numRuns: 3000 })
  t.ok(thinned > 100, `${thinned} of 3000 had not all values`)
})

t.test('of what cannot be made small no more is read than of any text, and the comparison is about that of all of it', async (t) => {
  const rows = Array.from({ length: 4 }, (_, row) => Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`column number ${i}`, i * 7 + row])))
  const document = Document.parse(JSON.stringify({ rows }))
  const size = CODECS.toon.measure(document, {}) as number
  const judge = new TokenJudge(document)
  const { before, after, margin, isSaving } = judge.compare(CODECS.toon, {}, size, () => new Uint8Array())
  judge.dispose()
  const whole = estimateTokens(document.bytes, 'o200k_base', Infinity)
  const wholeAfter = estimateTokens(CODECS.toon.encode(document, {}, size), 'o200k_base', Infinity)
  t.ok(document.bytes.length > 8 * SAMPLED_BYTES)
  t.ok(isSaving && margin > 0.005)
  t.ok(Math.abs(before / whole - 1) < 0.05, `${before} for ${whole}`)
  t.ok(Math.abs(after / before - wholeAfter / whole) < 0.05, `${after / before} for ${wholeAfter / whole}`)
})
