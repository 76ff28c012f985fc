/*
 * npm run bench:doubling [-- --json FILE] [-- --only SHAPE]
 *
 * What doubling the input does to the time of each step, on inputs that invite a quadratic one: about 2 is
 * linear, 4 is quadratic. Least times of five rounds, the smaller and the larger input in turn.
 */
import { isUtf8 } from 'node:buffer'
import { parseArgs } from 'node:util'
import { CODECS, Document, decode } from '../../lib/index.js'
import { estimateTokens } from '../../lib/tokens.js'
import { writeJson } from './helpers/compare.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } })

const list = (count: number, item: (i: number) => string): string => Array.from({ length: count }, (_, i) => item(i)).join()
/** 300 keys in an order of its own for each row. */
const shuffled = (row: number): string => list(300, i => `"k${(i * (row % 149 * 2 + 1) + row) % 300}":${i}`)

/** Inputs of n units. */
const SHAPES: Record<string, { count: number, make: (n: number) => string }> = {
  'one string': { count: 4e6, make: n => `"${'x'.repeat(n)}"` },
  'a string of escapes': { count: 3e5, make: n => `"${'\\u00e9\\b\\/'.repeat(n)}"` },
  'a string of quotes': { count: 1e6, make: n => `"${'\\"'.repeat(n)}"` },
  'one number': { count: 1e6, make: n => `1${'0'.repeat(n)}1` },
  'one fraction': { count: 1e6, make: n => `0.${'0'.repeat(n)}1e-5` },
  'odd numbers': { count: 1e5, make: n => `[${list(n, i => `${i}.50`)}]` },
  blanks: { count: 4e6, make: n => `[1${' '.repeat(n)},2]` },
  'distinct keys': { count: 1e5, make: n => `{${list(n, i => `"key${i}":${i}`)}}` },
  'one key over and over': { count: 2e5, make: n => `{${list(n, i => `"key":${i}`)}}` },
  'keys that are prefixes': { count: 600, make: n => `{${list(n, i => `"${'k'.repeat(i)}":1`)}}` },
  'rows of distinct keys': { count: 5e4, make: n => `[${list(n, i => `{"a${i}":1}`)}]` },
  'rows that grow': { count: 500, make: n => `[${list(n, i => `{${list(i, k => `"k${k}":1`)}}`)}]` },
  'shuffled rows': { count: 300, make: n => `[${list(n, row => `{${shuffled(row)}}`)}]` },
  'equal rows': { count: 5e4, make: n => `[${list(n, i => `{"id":${i},"name":"n${i}"}`)}]` },
  'a map of rows': { count: 5e4, make: n => `{${list(n, i => `"r${i}":{"id":${i},"name":"n"}`)}}` },
  'nested groups': { count: 2e4, make: n => `[${list(n, i => `{"a":{"b":{"c":{"d":${i}}}}}`)}]` },
  'deep objects': { count: 250, make: n => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}` },
  'many deep arrays': { count: 2e3, make: n => `[${list(n, () => '['.repeat(100) + ']'.repeat(100))}]` },
  'empty arrays': { count: 3e5, make: n => `[${list(n, () => '[]')}]` },
  pairs: { count: 1e5, make: n => `[${list(n, i => `[${i},1]`)}]` },
  'words without end': { count: 1e6, make: n => `["${'ab'.repeat(n)}"]` },
  'a broken end': { count: 1e6, make: n => `[${'1,'.repeat(n)}` },
  'broken lines': { count: 4e6, make: n => `${'\n'.repeat(n)}x` }
}

/** What is done to each input; null where a step does not apply. */
function steps (body: Buffer): Record<string, (() => unknown) | null> {
  const parse = (): Document => Document.parse(body, { isUtf8 })
  const result: Record<string, (() => unknown) | null> = {
    parse: () => {
      try {
        parse().dispose()
      } catch (error) {
        // What is broken takes its time too, until its place is known.
        if (!(error instanceof SyntaxError) && (error as Error).name !== 'JsonSyntaxError') throw error
      }
    },
    tokens: () => estimateTokens(body)
  }
  let document: Document
  try {
    document = parse()
  } catch {
    return result
  }
  for (const codec of ['toon', 'stc', 'stc2'] as const) {
    const size = CODECS[codec].measure(document, {})
    result[`${codec} measure`] = () => CODECS[codec].measure(document, {})
    if (typeof size === 'string') continue
    const text = CODECS[codec].encode(document, {}, size)
    result[`${codec} encode`] = () => CODECS[codec].encode(document, {}, size)
    result[`${codec} verify`] = () => CODECS[codec].verify(text, document, {})
    result[`${codec} decode`] = () => decode(text, codec)
  }
  return result
}

/** Milliseconds of one call; what is fast is called often enough to be timed. */
function time (run: () => unknown): number {
  let calls = 0
  const started = performance.now()
  do {
    run()
    calls++
  } while (performance.now() - started < 3)
  return (performance.now() - started) / calls
}

const ratios: Record<string, number> = {}
console.log('time for twice the input, the original input being 1')
for (const [shape, { count, make }] of Object.entries(SHAPES)) {
  if (values.only && values.only !== shape) continue
  const small = steps(Buffer.from(make(count)))
  const large = steps(Buffer.from(make(2 * count)))
  // What grows with the square of the count by itself is told by its size.
  const growth = make(2 * count).length / make(count).length
  const cells = [shape.padEnd(24), `size x${growth.toFixed(1)}`]
  for (const [step, runSmall] of Object.entries(small)) {
    const runLarge = large[step]
    if (!runSmall || !runLarge) continue
    let least = Infinity
    let leastLarge = Infinity
    for (let round = 0; round < 5; round++) {
      least = Math.min(least, time(runSmall))
      leastLarge = Math.min(leastLarge, time(runLarge))
    }
    const ratio = leastLarge / least
    ratios[`${shape}.${step}`] = ratio
    cells.push(`${step} ${ratio.toFixed(1)}`)
  }
  console.log(cells.join('  '))
}
writeJson(ratios)
