/*
 * Makes lib/tokens/weights-*.ts:
 *
 *     npx tsc --outDir BUILD
 *     node make-data.mjs MODULES DOCUMENTS
 *     node fit.mjs BUILD MODULES DOCUMENTS o200k_base [--write | --folds N]
 *
 * DOCUMENTS is a folder of JSON files, one folder a source. --write writes the weights, learnt from all
 * of them; --folds N tells instead how well weights do that were learnt without a source, N times over
 * another Nth of the sources. What is learnt:
 *
 * 1. The table holds the pieces that matter most: each single token of the vocabulary by its frequency in the
 *    documents, plus a prior of 1 / (its rank + 3000) since training gave frequent tokens low ranks.
 * 2. What is not in the table is guessed by ridge regression: lead, length and pairs of bytes.
 *
 * A piece weighs as often as it makes a difference: by how much more or less often TOON or STC hold it than
 * minified JSON of the same document, relative to that document's tokens, and a tenth of that by how
 * often JSON holds it.
 */
import { createRequire } from 'node:module'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readDocuments } from './documents.mjs'
import { makeTable } from './table.mjs'
import { solve } from './solve.mjs'
import { report } from './report.mjs'

const [build, modules, folder, encoding, mode, folds] = process.argv.slice(2)
if (!['o200k_base', 'cl100k_base'].includes(encoding)) throw new Error('fit.mjs BUILD MODULES DOCUMENTS ENCODING [--write | --folds N]')

const load = path => import(pathToFileURL(path).href)
const { countTokens } = await load(createRequire(join(modules, 'x.js')).resolve(`gpt-tokenizer/encoding/${encoding}`))
const ranks = await load(createRequire(join(modules, 'x.js')).resolve(`gpt-tokenizer/bpeRanks/${encoding}`))
const vocabulary = ranks.default.default ?? ranks.default
const splitsCamelCase = encoding === 'o200k_base'
const { encode } = await load(join(build, 'lib/index.js'))
const { unpack } = await load(join(build, 'lib/tokens/model.js'))
const { scan } = await load(join(build, 'lib/tokens/scan.js'))
const library = {
  ...await load(join(build, 'lib/tokens/pieces.js')),
  encode,
  splitsCamelCase,
  countTokens: text => countTokens(text, { disallowedSpecial: new Set() })
}

const { documents, pieces } = readDocuments(folder, library)
console.log(`${documents.length} documents, ${pieces.length} pieces`)

if (mode === '--write') {
  const model = learn(documents)
  const name = encoding.split('_')[0]
  writeFileSync(join(import.meta.dirname, `../../../lib/tokens/weights-${name}.ts`), print(model))
  const estimates = estimateAll(model)
  check(model, estimates)
  report(documents, pieces, estimates)
} else {
  const n = Number(folds ?? 4)
  const results = []
  for (let fold = 0; fold < n; fold++) {
    const model = learn(documents.filter(({ source }) => foldOf(source, n) !== fold))
    const estimates = estimateAll(model)
    results.push(...documents.filter(({ source }) => foldOf(source, n) === fold).map(document => ({ document, estimates })))
  }
  const rows = report(results.map(({ document }) => document), pieces, null, results.map(({ estimates }) => estimates))
  if (process.env.ROWS) writeFileSync(process.env.ROWS, JSON.stringify(rows))
}

/** The locales of one source stay together. */
function foldOf (source, n) {
  let hash = 7
  for (const char of source.replace(/[-_](ja|ko|ru|zh|th|en|de|uk|bn|hi|fr|tr|ar|el|other)$/, '')) {
    hash = Math.imul(hash ^ char.charCodeAt(0), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return (hash >>> 0) % n
}

function learn (training) {
  const weights = weigh(training)
  const table = makeTable(vocabulary, pieces, weights, library)
  return { table, ...solve(pieces, weights, new Int32Array(table.buffer), library) }
}

function weigh (training) {
  const weights = new Float64Array(pieces.length)
  const bySource = new Map()
  for (const { source } of training) bySource.set(source, (bySource.get(source) ?? 0) + 1)
  for (const { source, texts: { json, ...others } } of training) {
    const share = 1 / Math.sqrt(bySource.get(source)) / json.tokens
    json.ids.forEach((id, i) => { weights[id] += 0.1 * share * json.counts[i] })
    for (const text of Object.values(others)) {
      const difference = new Map(json.ids.map((id, i) => [id, -json.counts[i]]))
      text.ids.forEach((id, i) => difference.set(id, (difference.get(id) ?? 0) + text.counts[i]))
      for (const [id, n] of difference) weights[id] += share * Math.abs(n)
    }
  }
  return weights
}

/** For each piece what the model takes it for, by the code that ships; below zero where it guesses. */
function estimateAll (weights) {
  const model = modelFrom(weights)
  return pieces.map(({ bytes, kind, lead, hash }) => {
    const value = library.findPiece(model.pieces, hash)
    const known = kind !== library.MARKS
      ? library.knownTokens(model, hash, lead, value)
      : bytes.length <= library.LONGEST_MARKS ? value * library.UNITS : 0
    return (known !== 0 ? known : -library.guessTokens(model, bytes, 0, bytes.length, kind, lead)) / library.UNITS
  })
}

function modelFrom ({ table, pairs, bases }) {
  return unpack({ pieces: base64(table), pairs: base64(pairs), bases: base64(bases) }, splitsCamelCase)
}

/** Throws unless the scanner that ships finds what this script learnt from. */
function check (weights, estimates) {
  const model = modelFrom(weights)
  for (const { file, texts } of documents) {
    const bytes = Buffer.from(encode(readFileSync(join(folder, file)), 'json'))
    const sum = { tokens: 0, guessed: 0 }
    scan(model, bytes, 0, bytes.length, sum)
    const { certain, ids, counts } = texts.json
    const expected = ids.reduce((total, id, i) => total + Math.abs(estimates[id]) * counts[i], certain)
    if (Math.abs(sum.tokens - expected) > 1e-6 * expected) throw new Error(`${file}: ${sum.tokens}, not ${expected} tokens`)
  }
}

function base64 (array) {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')
}

function print ({ table, pairs, bases }) {
  const literal = array => '`\n' + base64(array).replaceAll(/.{1,116}/g, '$&\n') + '`'
  return `/*
 * Made by test/bench/fit-tokens/fit.mjs, not by hand: what ${encoding} takes pieces of text for, learnt from
 * ${documents.length} documents of other origin than any test or benchmark payload, each as JSON, TOON and STC, and from the
 * vocabulary's ranks. PackedWeights tells the layout.
 */
import type { PackedWeights } from './packed-weights.js'

export const WEIGHTS: PackedWeights = {
  pieces: ${literal(table)},
  pairs: ${literal(pairs)},
  bases: ${literal(bases)}
}
`
}
