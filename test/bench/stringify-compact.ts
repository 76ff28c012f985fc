/*
 * node dist/test/bench/stringify-compact.js [--json FILE] [--only SHAPE,SHAPE] [--sizes 1KB,10KB]
 *
 * What stringifyCompact costs on values in memory, beside JSON.stringify and @toon-format/toon's encode, in
 * turn in each round. `faster` is how many times faster than the package it is.
 */
import { parseArgs } from 'node:util'
import { encode as packageEncode } from '@toon-format/toon'
import { stringifyCompact } from '../../lib/compact/stringify-compact.js'
import { compare, median, writeJson } from './helpers/compare.js'
import { SHAPES, SIZES } from './helpers/payloads.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' }, sizes: { type: 'string' } } })
const shapes = values.only?.split(',') ?? ['uniform', 'nested', 'ragged', 'prose']
const sizes = values.sizes?.split(',') ?? ['1KB', '10KB', '100KB', '1MB']

const all: Record<string, number> = {}
const medians: string[] = []
console.log('shares of JSON.stringify; medians, in turn')
console.log(['shape', 'size', 'compact', 'unverified', 'package', 'faster'].map(cell => cell.padStart(12)).join(''))
for (const shape of shapes) {
  const ofShape: number[] = []
  for (const size of sizes) {
    const value = JSON.parse(SHAPES[shape](SIZES[size])) as object
    const { ratios } = compare([
      { name: 'json', run: () => JSON.stringify(value) },
      { name: 'compact', run: () => stringifyCompact(value) },
      { name: 'unverified', run: () => stringifyCompact(value, { verify: false }) },
      { name: 'package', run: () => packageEncode(value) }
    ])
    const faster = ratios.package / ratios.compact
    ofShape.push(faster)
    const row = { compact: ratios.compact, unverified: ratios.unverified, package: ratios.package, faster }
    for (const [name, ratio] of Object.entries(row)) all[`${shape}.${size}.${name}`] = ratio
    console.log([shape, size, ...Object.values(row).map(ratio => ratio.toFixed(2))].map(cell => cell.padStart(12)).join(''))
  }
  all[`${shape}.faster`] = median(ofShape)
  medians.push(`${shape} ${median(ofShape).toFixed(2)}`)
}
console.log(`times faster than the package, medians of the sizes: ${medians.join(', ')}`)
writeJson(all)
