/*
 * npm run bench:codecs [-- --json FILE] [-- --only SHAPE] [-- --sizes 1KB,10KB] [-- --package]
 *
 * What the codecs cost, Buffer to Buffer, as shares of JSON.parse + JSON.stringify on the same body in
 * the same round; where 100KB and 10MB were run, also what a byte of the large body costs against one of the other. --package adds @toon-format/toon, which is slow on large bodies.
 */
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { decode as packageDecode, encode as packageEncode } from '@toon-format/toon'
import { CODECS, Document } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { ALL_ACCEPTED, chooseBytes } from '../../lib/choose.js'
import { compare, median, warmUp, writeJson } from './helpers/compare.js'
import type { Contender } from './helpers/compare.js'
import { SHAPES, SIZES } from './helpers/payloads.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' }, sizes: { type: 'string' }, package: { type: 'boolean' } } })

/** As the plugin does it: the document is given back when its text is there. */
function scan<T> (body: Buffer, use: (document: Document) => T): T {
  const document = Document.parse(body, { isUtf8 })
  const result = use(document)
  document.dispose()
  return result
}

function measureAll (body: Buffer): number {
  return scan(body, document => document.minifiedBytes + Number(CODECS.toon.measure(document, {})) + Number(CODECS.stc.measure(document, {})))
}

function emit (body: Buffer, codec: CodingName): Uint8Array {
  return scan(body, document => CODECS[codec].encode(document, {}, CODECS[codec].measure(document, {}) as number))
}

/** Scan, emission and verification of STC 2. */
function emitStc2 (body: Buffer): Uint8Array {
  return scan(body, document => {
    const text = CODECS.stc2.encode(document, {}, CODECS.stc2.measure(document, {}) as number)
    if (!CODECS.stc2.verify(text, document, {})) throw new Error('a text was not verified')
    return text
  })
}

/** The whole way of a winner, where nobody listens to decisions; where no coding wins, the smallest is taken as one. */
function adopt (body: Buffer, measure: 'bytes' | 'tokens'): Uint8Array {
  return scan(body, document => chooseBytes(document, { accepted: ALL_ACCEPTED, identityRefused: true, measure, reportsTokens: false }).bytes)
}

function contenders (body: Buffer): Contender[] {
  const list: Contender[] = [
    { name: 'json', run: () => Buffer.from(JSON.stringify(JSON.parse(body.toString()))) },
    { name: 'measure', run: () => measureAll(body) },
    { name: 'toon', run: () => emit(body, 'toon') },
    { name: 'stc', run: () => emit(body, 'stc') },
    { name: 'stc2', run: () => emitStc2(body) },
    { name: 'adopt', run: () => adopt(body, 'bytes') },
    { name: 'adoptByTokens', run: () => adopt(body, 'tokens') }
  ]
  if (values.package && body.length <= 1.5e6) {
    list.push(
      { name: 'package', run: () => Buffer.from(packageEncode(JSON.parse(body.toString()))) },
      {
        name: 'packageVerified',
        run: () => {
          const value = JSON.parse(body.toString()) as unknown
          const text = packageEncode(value)
          return isDeepStrictEqual(packageDecode(text), value)
        }
      }
    )
  }
  return list
}

const COLUMNS = ['measure', 'toon', 'stc', 'stc2', 'adopt', 'adoptByTokens', ...(values.package ? ['package', 'packageVerified'] : [])]
const all: Record<string, number> = {}
/** Nanoseconds per byte, by shape and size: ours, and those of JSON. */
const costs: Record<string, { adopt: number, json: number }> = {}
const byColumn: Record<string, number[]> = Object.fromEntries(COLUMNS.map(column => [column, []]))

// A server has answered all kinds of requests before the one that is timed.
for (const make of Object.values(SHAPES)) {
  const body = Buffer.from(make(1e4))
  for (const { run } of contenders(body)) warmUp(run)
}
console.log('shares of JSON.parse + JSON.stringify; medians, A and B in turn')
console.log(['shape', 'size', 'MB/s', ...COLUMNS].map((cell, i) => cell.padStart(i < 2 ? 9 : 16)).join(''))
for (const [shape, make] of Object.entries(SHAPES)) {
  if (values.only && !values.only.split(',').includes(shape)) continue
  for (const [label, size] of Object.entries(SIZES)) {
    if (values.sizes && !values.sizes.split(',').includes(label)) continue
    const body = Buffer.from(make(size))
    const { ratios, baseNs } = compare(contenders(body), { rounds: size >= 1e7 ? 5 : 15 })
    costs[`${shape}.${label}`] = { adopt: baseNs * ratios.adopt / body.length, json: baseNs / body.length }
    const rate = (body.length / baseNs * 1e3).toFixed(0)
    console.log([shape, label, rate, ...COLUMNS.map(column => ratios[column]?.toFixed(3) ?? '-')].map((cell, i) => cell.padStart(i < 2 ? 9 : 16)).join(''))
    for (const column of COLUMNS) {
      if (ratios[column] === undefined) continue
      byColumn[column].push(ratios[column])
      all[`${shape}.${label}.${column}`] = ratios[column]
    }
  }
}
for (const column of COLUMNS) {
  const list = byColumn[column]
  console.log(`${column}: median ${median(list).toFixed(3)}, worst ${Math.max(...list).toFixed(3)}`)
  all[`median.${column}`] = median(list)
  all[`worst.${column}`] = Math.max(...list)
}
for (const shape of Object.keys(SHAPES)) {
  const small = costs[`${shape}.100KB`]
  const large = costs[`${shape}.10MB`]
  if (small === undefined || large === undefined) continue
  all[`perByte.${shape}.adopt`] = large.adopt / small.adopt
  all[`perByte.${shape}.json`] = large.json / small.json
  console.log(`${shape}: a byte of 10 MB costs ${(large.adopt / small.adopt).toFixed(2)} times one of 100 KB to adopt, ${(large.json / small.json).toFixed(2)} times by JSON.parse + JSON.stringify`)
}
writeJson(all)
