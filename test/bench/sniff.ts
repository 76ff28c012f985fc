/*
 * node dist/test/bench/sniff.js [--json FILE] [--list]
 *
 * How well the first 32,768 bytes of a body tell whether anything can become smaller: over generated shapes
 * as they are, in envelopes, as maps and pretty-printed, over the same behind 12 KB of something else, and over
 * real bodies, which are not part of this project. --list prints every body.
 *
 * A body that saves nothing but the blanks at its end is no winner here: they have not come yet.
 */
import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CODECS, Document, minify } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { chooseBytes } from '../../lib/choose.js'
import { SNIFF_BYTES, sniff } from '../../lib/sniff.js'
import { median, writeJson } from './helpers/compare.js'
import { SHAPES } from './helpers/payloads.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, list: { type: 'boolean' } } })
const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(process.cwd(), '../shared/corpus')
const ACCEPTED: CodingName[][] = [['toon'], ['stc'], ['toon', 'stc']]

interface Body { name: string, bytes: Uint8Array }

const corpus: Body[] = !existsSync(CORPUS)
  ? []
  : readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json')).sort()
    .map((name) => ({ name, bytes: readFileSync(join(CORPUS, name)) }))

/** As most APIs send them. */
const minified = corpus.map(({ name, bytes }) => ({ name, bytes: Buffer.from(minify(bytes)) }))

/** Ways in which rows come: with things before them, as a map, with blanks. */
const FORMS: Record<string, (json: string) => string> = {
  plain: (json) => json,
  newline: (json) => `${json}\n`,
  envelope: (json) => `{"total":12345,"page":1,"next":"/items?page=2","ok":true,"data":${json}}`,
  deep: (json) => `{"response":{"result":{"data":${json},"took":3}}}`,
  lines: (json) => Array.isArray(JSON.parse(json)) ? `[\n${JSON.parse(json).map((row: unknown) => JSON.stringify(row)).join(',\n')}\n]\n` : `${json}\n`,
  map: (json) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).map(([key, value]) => [`k${key}`, value]))),
  pretty: (json) => JSON.stringify(JSON.parse(json), null, 2)
}

const prelude = SHAPES.config(12_000)
const BEHIND = { metadata: (json: string): string => `{"meta":${prelude},"data":${json}}` }

function makeBodies (forms: Record<string, (json: string) => string>): Body[] {
  const bodies: Body[] = []
  for (const [shape, make] of Object.entries(SHAPES)) {
    for (const size of [50_000, 1_000_000]) {
      const json = make(size)
      for (const [form, wrap] of Object.entries(forms)) bodies.push({ name: `${shape} ${form} ${size}`, bytes: Buffer.from(wrap(json)) })
    }
  }
  return bodies
}

const all: Record<string, number> = {}
for (const [group, bodies] of Object.entries({ corpus, minified, generated: makeBodies(FORMS), behind: makeBodies(BEHIND) })) {
  const large = bodies.filter(({ bytes }) => bytes.length > SNIFF_BYTES)
  console.log(`${group}: ${large.length} of ${bodies.length} bodies are longer than ${SNIFF_BYTES} bytes`)
  if (large.length > 0) for (const accepted of ACCEPTED) summarise(group, large, accepted)
}
writeJson(all)

function countBlanksAtEnd (bytes: Uint8Array): number {
  let end = bytes.length
  while (bytes[end - 1] <= 0x20) end--
  return bytes.length - end
}

function summarise (group: string, bodies: readonly Body[], names: CodingName[]): void {
  const policy = { accepted: names.map((codec) => ({ codec, q: 1 })), isUtf8 }
  const errors: number[] = []
  const counts = { winners: 0, missed: 0, losers: 0, caught: 0 }
  for (const { name, bytes } of bodies) {
    const document = Document.parse(bytes, { isUtf8 })
    const { ratio, canWin } = sniff(bytes.subarray(0, SNIFF_BYTES), policy)
    const sizes = names.map((codec) => CODECS[codec].measure(document, {})).filter((size) => typeof size === 'number')
    const trueRatio = (sizes.length > 0 ? Math.min(...sizes) : document.minifiedBytes) / bytes.length
    const { outcome, bytesAfter } = chooseBytes(document, policy).decision
    const isWinner = outcome === 'encoded' && bytes.length - bytesAfter > countBlanksAtEnd(bytes)
    errors.push(Math.abs(ratio / trueRatio - 1))
    if (isWinner) {
      counts.winners++
      if (!canWin) {
        counts.missed++
        console.log(`  missed: ${name}, ${bytes.length - bytesAfter} bytes of ${bytes.length}`)
      }
    } else {
      counts.losers++
      if (!canWin) counts.caught++
    }
    if (values.list) console.log(`  ${name} [${names.join()}]: predicted ${ratio.toFixed(4)}, true ${trueRatio.toFixed(4)}, ${outcome}${canWin ? '' : ', streams on'}`)
    document.dispose()
  }
  errors.sort((a, b) => a - b)
  const p90 = errors[Math.floor(errors.length * 0.9)]
  console.log(`  ${names.join('+')}: error median ${median(errors).toFixed(4)}, p90 ${p90.toFixed(4)}, worst ${errors[errors.length - 1].toFixed(4)}; ` +
    `winners missed ${counts.missed} of ${counts.winners}, losers caught ${counts.caught} of ${counts.losers}`)
  const key = `${group}.${names.join('+')}`
  Object.assign(all, { [`${key}.median`]: median(errors), [`${key}.p90`]: p90, [`${key}.worst`]: errors[errors.length - 1] })
  for (const [count, value] of Object.entries(counts)) all[`${key}.${count}`] = value
}
