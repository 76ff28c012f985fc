/*
 * How good and how fast the token estimate is:
 *
 *     node --import tsx test/bench/tokens.ts [--json FILE] [FOLDER...]     (or compiled: node dist/test/bench/tokens.js)
 *
 * FOLDERs of JSON files, by default the corpus beside this project. Prints, for both tokenizers, errors
 * against gpt-tokenizer and what choosing by the estimate does; then the cost against JSON.parse + JSON.stringify
 * of the same text. --json writes one flat object of named numbers: shares, or ratios of times.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CODECS, Document } from '../../lib/index.js'
import { minifyToBytes } from '../../lib/json/minify.js'
import { TokenJudge } from '../../lib/token-judge.js'
import { TOKEN_ENCODINGS } from '../../lib/tokens.js'
import { estimateShare } from '../../lib/tokens/estimate.js'
import { judge, measureCandidates, quantile, readBodies } from './fit-tokens/bodies.js'
import type { Candidate } from './fit-tokens/bodies.js'

const { values: { json: out }, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
const folders = positionals.length > 0 ? positionals : [process.env.TOKEN_GATEWAY_CORPUS ?? join(process.cwd(), '../shared/corpus')]
const figures: Record<string, number> = {}

const bodies = folders.flatMap(readBodies)
console.log(`${bodies.length} bodies`)

for (const encoding of TOKEN_ENCODINGS) {
  const candidates = await measureCandidates(bodies, encoding)
  for (const codec of ['toon', 'stc']) {
    const errors = candidates.filter(candidate => candidate.codec === codec).map(({ exact, estimated }) => Math.abs(exact - estimated))
    const [median, p90, max] = [0.5, 0.9, 1].map(share => quantile(errors, share))
    figures[`${encoding} ${codec} error median`] = median
    figures[`${encoding} ${codec} error p90`] = p90
    figures[`${encoding} ${codec} error max`] = max
    console.log(`${encoding} ${codec}: ${errors.length} smaller in bytes; error of the ratio: median ${percent(median)}, p90 ${percent(p90)}, max ${percent(max)}`)
  }
  const rules: Record<string, (candidate: Candidate) => boolean> = {
    estimate: ({ isSaving }) => isSaving,
    'fewer bytes': () => true,
    'at most 0.90 of the bytes': ({ bytes }) => bytes <= 0.9
  }
  for (const [rule, isAdopted] of Object.entries(rules)) {
    const { adopted, winners, wrong, worst, precision, recall, kept } = judge(candidates, isAdopted)
    Object.assign(figures, {
      [`${encoding} ${rule} wrong of bodies`]: wrong / bodies.length,
      [`${encoding} ${rule} worst loss`]: worst,
      [`${encoding} ${rule} recall`]: recall,
      [`${encoding} ${rule} kept`]: kept
    })
    console.log(`${encoding} ${rule}: ${adopted} adopted, ${winners} winners, ${wrong} wrong, worst loss ${percent(worst)}, precision ${percent(precision)}, recall ${percent(recall)}, ${percent(kept)} of what can be saved`)
  }
  for (const { name, codec, exact, estimated } of candidates.filter(({ isSaving, exact }) => isSaving && exact >= 1)) {
    console.log(`  wrong: ${name} ${codec}: exact ${exact.toFixed(4)}, estimated ${estimated.toFixed(4)}`)
  }
  for (const { name, codec, exact, estimated } of candidates.filter(({ isSaving, exact }) => !isSaving && exact < 0.98)) {
    console.log(`  missed: ${name} ${codec}: exact ${exact.toFixed(4)}, estimated ${estimated.toFixed(4)}`)
  }
}

for (const size of [1_000, 10_000, 100_000, 1_000_000]) {
  const minified = bodyOf(size)
  const codec = CODECS.stc
  const document = Document.parse(minified)
  const stcSize = codec.measure(document, {}) as number
  const buffer = Buffer.from(minified)
  const times = time(Math.ceil(1_000_000 / size), {
    json: () => Buffer.from(JSON.stringify(JSON.parse(buffer.toString()))).length,
    whole: () => estimateShare(minified, 'o200k_base', 1).tokens,
    compare: () => {
      const judge = new TokenJudge(document)
      const { before } = judge.compare(codec, {}, stcSize, () => codec.encode(document, {}, stcSize))
      judge.dispose()
      return before
    }
  })
  figures[`estimate whole ${size} of JSON`] = times.whole / times.json
  figures[`compare ${size} of JSON`] = times.compare / times.json
  console.log(`${minified.length} bytes: reading all ${(minified.length / times.whole / 1000).toFixed(0)} MB/s, ${(times.whole / times.json).toFixed(2)} of JSON.parse + JSON.stringify; comparing STC with it ${(times.compare / times.json).toFixed(2)}`)
}

if (out !== undefined) writeFileSync(out, `${JSON.stringify(figures, null, 2)}\n`)

/** Ragged rows whose STC is near minified JSON in tokens, so that comparing takes all looks. */
function bodyOf (size: number): Uint8Array {
  const rows = []
  for (let bytes = 0, i = 0; bytes < size; i++) {
    const row: Record<string, unknown> = { id: 35385049 + i * 7919, full_name: `acme/service-${i}`, private: i % 3 === 0, html_url: `https://example.com/acme/service-${i}`, created_at: `2024-0${1 + i % 9}-1${i % 10}T08:${10 + i % 50}:33Z`, description: 'Collects the events of all services and keeps them' }
    if (i % 4 !== 0) row.labels = [{ name: 'bug', color: 'd73a4a' }, { name: `area-${i % 17}`, color: '0075ca' }]
    if (i % 5 === 0) row.license = null
    rows.push(row)
    bytes += JSON.stringify(row).length + 1
  }
  return minifyToBytes(Document.parse(JSON.stringify({ total: rows.length, items: rows })))
}

/** Milliseconds of one call of each, the median of 15 rounds in turn. */
function time<Name extends string> (calls: number, work: Record<Name, () => number>): Record<Name, number> {
  const names = Object.keys(work) as Name[]
  const rounds = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -5; round < 15; round++) {
    for (const name of names) {
      const started = performance.now()
      for (let i = 0; i < calls; i++) work[name]()
      if (round >= 0) rounds[name].push((performance.now() - started) / calls)
    }
  }
  return Object.fromEntries(names.map(name => [name, quantile(rounds[name], 0.5)])) as Record<Name, number>
}

function percent (share: number): string {
  return `${(100 * share).toFixed(2)} %`
}
