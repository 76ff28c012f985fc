import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { encode, minify } from '../../lib/index.js'
import { cutRuns } from '../../lib/tokens/cut-runs.js'
import { SAMPLED_BYTES, TOKEN_ENCODINGS, compareTokens, countTokens, estimateTokens } from '../../lib/tokens.js'
import { estimateShare } from '../../lib/tokens/estimate.js'
import { modelOf } from '../../lib/tokens/model.js'
import { LEAD_BASE, LENGTHS, LENGTH_BASE, PAIRS_IN_TOKEN, UNITS, findPiece, guessTokens, hashOn, keyOf, pairIndex } from '../../lib/tokens/pieces.js'
import { judge, measureCandidates, quantile, readBodies } from '../bench/fit-tokens/bodies.js'

const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(CORPUS)
const noCounter = await countTokens('').then(() => false, () => 'gpt-tokenizer is not installed')

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Rows as APIs send them: flat, nested, ragged, numbers, in English and not, all from one count. */
const DOCUMENTS: Record<string, unknown> = {
  flat: rows(60, i => ({ id: 1000 + i * 37, name: `Person number ${i}`, email: `person${i}@example.com`, active: i % 3 === 0, score: i * 1.37 })),
  nested: rows(30, i => ({ id: i, user: { login: `octo-${i}`, type: 'User', site_admin: false }, labels: [{ name: 'bug', color: 'd73a4a' }], created_at: `2024-05-${10 + i % 18}T10:11:12Z`, html_url: `https://example.com/issues/${i}` })),
  ragged: rows(40, i => i % 2 ? { type: 'push', ref: 'refs/heads/main', size: i } : { type: 'comment', body: 'Looks good to me, thanks for the quick fix!', reactions: null }),
  numbers: { start: 1700000000, values: Array.from({ length: 200 }, (_, i) => Math.round(1e4 * Math.sin(i)) / 100) },
  config: { server: { host: '0.0.0.0', port: 8080, tls: { enabled: true, certificate: '/etc/ssl/server.pem' } }, features: ['search', 'export', 'audit-log'], limits: { maxConnections: 500, requestTimeout: 30 } },
  german: rows(20, i => ({ nummer: i, straße: 'Große Bergstraße', ort: 'München', größe: 12.5 })),
  japanese: rows(20, i => ({ id: i, 名前: '山田太郎', 住所: '東京都千代田区', 備考: 'これは試験用のデータです' })),
  prose: { title: 'On reading', body: 'It was a bright cold day in April, and the clocks were striking thirteen. '.repeat(20) }
}

/* Few words, often repeated, and not English: harder than real payloads, for which see the last test. */
t.test('an estimate is within 25 % of the exact count, and the ratio of two within 15 %, at the median 3 %', { skip: noCounter }, async t => {
  const errors: number[] = []
  for (const encoding of TOKEN_ENCODINGS) {
    for (const [name, value] of Object.entries(DOCUMENTS)) {
      const before = minify(JSON.stringify(value))
      for (const codec of ['json', 'toon', 'stc'] as const) {
        const text = encode(before, codec)
        const error = estimateTokens(bytesOf(text), encoding) / await countTokens(text, encoding) - 1
        t.ok(Math.abs(error) < 0.25, `${encoding} ${name} as ${codec}: ${(100 * error).toFixed(1)} %`)
        if (codec === 'json') continue
        const { before: estimatedBefore, after } = compareTokens(bytesOf(text), bytesOf(before), encoding)
        const exact = await countTokens(text, encoding) / await countTokens(before, encoding)
        errors.push(Math.abs(after / estimatedBefore - exact))
        t.ok(errors.at(-1)! < 0.15, `${encoding} ${name} as ${codec}: ratio ${(after / estimatedBefore).toFixed(3)}, exactly ${exact.toFixed(3)}`)
      }
    }
  }
  t.ok(quantile(errors, 0.5) < 0.03, `median ${quantile(errors, 0.5)}`)
})

t.test('pieces whose tokens are certain are counted exactly', { skip: noCounter }, async t => {
  const texts = ['1', '12345', '1,2,3', '3.14159265358979', '-17.5', 'true', 'null', '{"id":1}', '[1,22,333,4444]', '\n', 'a\n\n b', '{"name":"value"}', ' the', '  - id: 7\n    name: test']
  for (const text of texts) {
    for (const encoding of TOKEN_ENCODINGS) t.equal(estimateTokens(bytesOf(text), encoding), await countTokens(text, encoding), `${encoding} ${JSON.stringify(text)}`)
  }
})

t.test('long runs of letters, marks or blanks are counted in parts, so that time is not the square of their length', { skip: noCounter }, async t => {
  for (const [run, tokens] of [['a', 8], ['!', 16], [' ', 64], ['\ud83d\ude00', 2]] as const) {
    const length = 2048 * 40
    const text = run.repeat(length)
    const parts = cutRuns(text, 2048)
    t.equal(parts.join(''), text)
    t.ok(parts.every(part => part.length <= 2049 && part.isWellFormed()), `${parts.length} parts of ${JSON.stringify(run)}`)
    if (run === ' ') t.ok(Math.abs(await countTokens(text) - length / 128) <= 40)
    else if (run !== '\ud83d\ude00') t.equal(await countTokens(text), length / tokens)
  }
  t.same(cutRuns('1'.repeat(5000), 2048), ['1'.repeat(5000)], 'digits are parted by the tokenizer itself')
  t.same(cutRuns(`${'ab '.repeat(1000)}`, 2), ['ab '.repeat(1000)], 'runs of the length stay whole')
  t.same(cutRuns('', 5), [''])
})

t.test('special tokens count as the text they are', { skip: noCounter }, async t => {
  t.ok(await countTokens('<|endoftext|>') > 1)
})

t.test('a string in the place of bytes is told, and so is a tokenizer that is not known', async t => {
  t.throws(() => estimateTokens('many words' as never), { name: 'TypeError', message: 'expected bytes, a Uint8Array, got string' })
  await t.rejects(countTokens('', '../model' as never), { name: 'TypeError', message: 'encoding must be one of o200k_base, cl100k_base, got ../model' })
})

t.test('nothing is no tokens, and any bytes give a finite number', t => {
  for (const encoding of TOKEN_ENCODINGS) {
    t.equal(estimateTokens(new Uint8Array(0), encoding), 0)
    t.match(compareTokens(new Uint8Array(0), bytesOf('{}'), encoding), { before: 1, after: 0, isSaving: true })
    t.match(compareTokens(new Uint8Array(0), new Uint8Array(0), encoding), { before: 0, after: 0, isSaving: false })
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
      const tokens = estimateTokens(bytes, encoding)
      return tokens >= Math.floor(bytes.length / 100) && tokens <= bytes.length * 8 && tokens === estimateTokens(bytes.slice(), encoding)
    }))
  }
  t.end()
})

t.test('beyond ASCII an estimate does not depend on how the bytes are held', t => {
  const text = 'Grüße, Привет, مرحبا, 你好, 👋🏽 “quoted” – and so on'
  const padded = new Uint8Array(1000)
  padded.set(bytesOf(text), 500)
  const length = bytesOf(text).length
  t.equal(estimateTokens(padded.subarray(500, 500 + length)), estimateTokens(Buffer.from(text)))
  t.end()
})

t.test('of a large text a bounded part is read, and tells about the same', t => {
  const json = JSON.stringify(rows(20_000, i => ({ id: i * 7919, name: `Person number ${i}`, city: ['Berlin', 'Paris', 'Rome'][i % 3], score: i / 7 })))
  const bytes = bytesOf(json)
  const whole = estimateShare(bytes, 'o200k_base', 1).tokens
  t.ok(bytes.length > 10 * SAMPLED_BYTES)
  t.ok(Math.abs(estimateTokens(bytes) / whole - 1) < 0.03)

  let reads = 0
  const watched = new Proxy(bytes, {
    get (target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key)
    }
  })
  t.equal(estimateTokens(watched), estimateTokens(bytes))
  // Each byte of the sample is looked at a few times.
  t.ok(reads < 8 * SAMPLED_BYTES, `${reads} reads`)
  t.end()
})

t.test('a comparison takes what is clearly smaller and leaves what is not', t => {
  for (const encoding of TOKEN_ENCODINGS) {
    const table = JSON.stringify(DOCUMENTS.flat)
    const comparison = compareTokens(bytesOf(encode(table, 'toon')), bytesOf(table), encoding)
    t.ok(comparison.isSaving)
    t.ok(comparison.after < comparison.before * (1 - comparison.margin))
    t.ok(comparison.margin >= 0.005 && comparison.margin < 0.2)
    for (const text of [table, table.repeat(50)]) t.notOk(compareTokens(bytesOf(text), bytesOf(text), encoding).isSaving, 'not the same again')
    t.notOk(compareTokens(bytesOf(encode(JSON.stringify(DOCUMENTS.config), 'toon')), bytesOf(JSON.stringify(DOCUMENTS.config)), encoding).isSaving)
  }
  t.end()
})

t.test('over real payloads no estimate costs tokens, and nearly all that can be saved is', { skip: (isMissing && 'no corpus') || noCounter }, async t => {
  const bodies = readBodies(CORPUS)
  for (const [encoding, bounds] of [['o200k_base', { median: 0.01, kept: 0.98 }], ['cl100k_base', { median: 0.01, kept: 0.98 }]] as const) {
    const candidates = await measureCandidates(bodies, encoding)
    const { wrong, worst, kept } = judge(candidates, ({ isSaving }) => isSaving)
    const bytesOnly = judge(candidates, () => true)
    const tenPercent = judge(candidates, ({ bytes }) => bytes <= 0.9)
    const median = quantile(candidates.map(({ exact, estimated }) => Math.abs(exact - estimated)), 0.5)
    t.ok(wrong < 0.01 * bodies.length, `${encoding}: ${wrong} wrong of ${bodies.length} bodies`)
    t.ok(worst <= 0.01, `${encoding}: worst loss ${worst}`)
    t.ok(kept > bounds.kept && kept > bytesOnly.kept && kept > tenPercent.kept, `${encoding}: ${kept} of what can be saved`)
    t.ok(wrong < tenPercent.wrong && wrong < bytesOnly.wrong)
    t.ok(median < bounds.median, `${encoding}: median error ${median}`)
  }
})

function rows (count: number, make: (i: number) => unknown): unknown[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

t.test('the table is read by the hashes that it is written with', async t => {
  const hash = (text: string): number => bytesOf(text).reduce(hashOn, 0)
  for (const encoding of TOKEN_ENCODINGS) {
    const model = modelOf(encoding)
    for (const word of ['name', 'type', 'value', 'id', 'url']) {
      const value = findPiece(model.pieces, keyOf(hash(word), 0))
      t.equal(value & 1, 1, `${encoding} holds ${word} as one token`)
      t.equal(keyOf(hash(word), 0x20), keyOf(hash(word), 0), 'with a blank before it, it is the same entry')
      t.equal(estimateTokens(bytesOf(word), encoding), 1)
    }
    t.not(findPiece(model.pieces, keyOf(hash('name'), 0x5f)), 0, `${encoding} holds _name`)
    t.equal(findPiece(model.pieces, keyOf(hash('qzxjvkqzxj'), 0)), 0, `${encoding} does not hold what is no word`)
  }
  const [model, unknown] = [modelOf('o200k_base'), bytesOf('qzxjvkqzxjwvkqzxjvkqz')]
  const pairs = [...unknown.slice(1)].map((byte, i) => model.pairs[pairIndex(unknown[i], byte)])
  const expected = model.bases[LEAD_BASE] + model.bases[LENGTH_BASE + LENGTHS + unknown.length] + pairs.reduce((sum, weight) => sum + weight, 0) * UNITS / PAIRS_IN_TOKEN
  t.equal(guessTokens(model, unknown, 0, unknown.length, 1, 0), expected, 'a guess is the sum of the weights of its pairs, its length and its lead')
})
