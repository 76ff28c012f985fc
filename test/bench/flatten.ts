/*
 * node dist/test/bench/flatten.js [--json FILE] [--corpus DIR]
 *
 * How often toon-flatten is the smallest text over real payloads: the JSON files of a folder, and the texts of
 * tool results in them that are JSON themselves. Bytes, against TOON, STC and minified JSON.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CODECS, Document } from '../../lib/index.js'
import { toonFlatten } from '../../lib/toon-flatten/codec.js'
import { writeJson } from './helpers/compare.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, corpus: { type: 'string' } } })
const corpus = values.corpus ?? process.env.TOKEN_GATEWAY_CORPUS ?? join(process.cwd(), '../shared/corpus')

interface Sample { name: string, document: Document }

function samplesOf (name: string, bytes: Uint8Array | string): Sample[] {
  const document = tryParse(bytes)
  if (document === null) return []
  const samples = [{ name, document }]
  const value = JSON.parse(Buffer.from(bytes).toString().replace(/^\ufeff/, '')) as { result?: { content?: unknown }, content?: unknown } | null
  const content = value?.result?.content ?? value?.content
  if (Array.isArray(content)) {
    content.forEach((block: { text?: unknown } | null, index) => {
      if (typeof block?.text === 'string' && /^\s*[[{]/.test(block.text)) samples.push(...samplesOf(`${name}#${index}`, block.text))
    })
  }
  return samples
}

function tryParse (bytes: Uint8Array | string): Document | null {
  try {
    return Document.parse(bytes)
  } catch {
    return null
  }
}

const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json')).sort()
const samples = files.flatMap(file => samplesOf(file, readFileSync(join(corpus, file))))
const counts = { documents: samples.length, held: 0, smallerThanToon: 0, smallerThanStc: 0, smallerThanJson: 0, smallest: 0 }
const declined: Record<string, number> = {}
let bytesWithout = 0
let bytesWith = 0
for (const { name, document } of samples) {
  const json = document.minifiedBytes
  const [toon, stc] = [CODECS.toon, CODECS.stc].map(codec => codec.measure(document, {})).map(size => typeof size === 'number' ? size : Infinity)
  const size = toonFlatten.measure(document, {})
  const others = Math.min(json, toon, stc)
  bytesWithout += others
  bytesWith += typeof size === 'number' ? Math.min(others, size) : others
  if (typeof size === 'string') {
    declined[size] = (declined[size] ?? 0) + 1
    continue
  }
  counts.held++
  if (size < toon) counts.smallerThanToon++
  if (size < stc) counts.smallerThanStc++
  if (size < json) counts.smallerThanJson++
  if (size >= others) continue
  counts.smallest++
  console.log(`smallest: ${name}: toon-flatten ${size}, toon ${toon}, stc ${stc}, json ${json}`)
}
console.log(counts, declined)
console.log(`bytes of the smallest texts with toon-flatten / without it: ${(bytesWith / bytesWithout).toFixed(5)}`)
writeJson({ ...counts, smallestShare: counts.smallest / counts.documents, bytesWithOverWithout: bytesWith / bytesWithout, ...Object.fromEntries(Object.entries(declined).map(([reason, count]) => [`declined.${reason}`, count])) })
