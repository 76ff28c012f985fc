import { isUtf8 } from 'node:buffer'
import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import Negotiator from 'negotiator'
import t from 'tap'
import { isJsonRpc } from '../../lib/mcp/envelope.js'
import { CODING_NAMES, CodecDeclinedError, DecodeError, Document, JsonSyntaxError, decode, encode, isEqual, minify } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import {
  assess, listContentCodings, listStackable, mapIfMatch, mapIfNoneMatch, mergeVary, parseFieldList, restoreETag, STACKED_CODINGS, suffixETag
} from '../../lib/http.js'
import { EventStreamRewriter } from '../../lib/mcp/events.js'
import type { Piece } from '../../lib/mcp/events.js'
import { isEventStreamClient, isJsonOnlyClient, isNegotiable, negotiate, stripOurCodings, stripOurMediaTypes } from '../../lib/negotiate.js'
import { createRandom, FUZZ_FACTOR, FUZZ_SEED, garble, mutate } from '../helpers/fuzz.js'
import type { Random } from '../helpers/fuzz.js'
import { jsonText } from '../helpers/nasty-json.js'

/*
 * Random input, the same on every run: FUZZ_SEED (a whole number) makes it another, FUZZ_RUNS=50 makes it fifty
 * times as much. A failure names the input.
 */
t.comment(`FUZZ_SEED=${FUZZ_SEED} FUZZ_RUNS=${FUZZ_FACTOR}`)

const times = (count: number): number => Math.ceil(count * FUZZ_FACTOR)
const BOTH: CodingName[] = ['toon', 'stc']
const JSON_BYTES = Buffer.from('{}[]",:\\/ \n\r\t01-+.eEtrufalsn\u0000\u001f\u007f\ufeff\ud800é😀')
const TEXT_BYTES = Buffer.from('{}[]()",:;|/\\ \n\r\t-#=0123456789+.eEtrufalsn_ab\u0001\ufeff')

const documents = fc.sample(jsonText, { seed: FUZZ_SEED, numRuns: times(1500) })
/* Where numbers, keys and nesting are as unkind as in real documents that made peers fail. */
documents.push('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', '[{"__proto__":1,"a":2},{"__proto__":3,"a":4}]',
  '{"a":[[[[{"b":[{}]}]]]]}', '[{"id":1,"o":{"x":{"y":1}}},{"id":2,"o":{"x":{"y":2}}}]', '{"k1":{"a":1,"b":2},"k2":{"a":3,"b":4}}', '{"rows":[[1,2],[3,4]],"n":[]}')

/** The prototypes that a careless reader writes through. */
const listPrototypes = (): string[] => [Object, Array, Function, String, Number, Map].flatMap(({ prototype }) => Reflect.ownKeys(prototype).map(String))
const prototypes = listPrototypes()
t.teardown(() => { deepStrictEqual(listPrototypes(), prototypes) })

function parseOrRefuse (text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

t.test('the JSON reader takes what JSON.parse takes and refuses what it refuses, and never crashes', async (t) => {
  const random = createRandom(1)
  const counts = { same: 0, refused: 0, invalidUtf8: 0, bom: 0 }
  for (let run = 0; run < times(16_000); run++) {
    const bytes = mutate(Buffer.from((random.below(20) === 0 ? '\ufeff' : '') + random.pick(documents)), random, JSON_BYTES)
    const text = bytes.toString()
    const isValid = isUtf8(bytes)
    // Both rightly differ from JSON.parse, which is given text: bytes that are none are refused, one BOM is skipped.
    const hasBom = text.startsWith('\ufeff')
    const expected = isValid ? parseOrRefuse(hasBom ? text.slice(1) : text) : null
    let document: Document
    try {
      document = Document.parse(bytes, run % 2 === 0 ? { isUtf8 } : {})
    } catch (error) {
      if (!(error instanceof JsonSyntaxError) || expected !== null || error.offset > bytes.length) t.fail(`${JSON.stringify(bytes.toString('latin1'))}: ${error}`)
      counts.refused++
      if (!isValid) counts.invalidUtf8++
      continue
    }
    if (expected === null) t.fail(`${JSON.stringify(bytes.toString('latin1'))} was read`)
    else {
      const minified = minify(document)
      if (JSON.stringify(JSON.parse(minified)) !== JSON.stringify(expected.value)) t.fail(`${JSON.stringify(text)} was read as ${minified}`)
      if (minified.length !== 0 && Buffer.byteLength(minified) !== document.minifiedBytes) t.fail(`${JSON.stringify(text)}: ${document.minifiedBytes} bytes were announced for ${minified}`)
      if (minify(minified) !== minified) t.fail(`${minified} can be minified more`)
      counts.same++
      if (hasBom) counts.bom++
    }
    document.dispose()
  }
  t.comment(JSON.stringify(counts))
  t.ok(counts.same > times(1000) && counts.refused > times(4000) && counts.bom > 0 && counts.invalidUtf8 > 0, JSON.stringify(counts))
})

t.test('depth is the one thing that JSON.parse takes and the reader by default does not', async (t) => {
  for (const depth of [10_000, 10_001]) {
    const text = '['.repeat(depth) + ']'.repeat(depth)
    t.ok(parseOrRefuse(text))
    if (depth > 10_000) t.throws(() => Document.parse(text), { code: 'ERR_JSON_SYNTAX' })
    else t.doesNotThrow(() => Document.parse(text))
  }
})

/** The text of a codec, or null where it declines. */
function tryEncode (json: string, codec: CodingName): string | null {
  try {
    return encode(json, codec)
  } catch (error) {
    if (error instanceof CodecDeclinedError) return null
    throw error
  }
}

for (const codec of CODING_NAMES) {
  t.test(`${codec}: a changed text is JSON or a DecodeError with its place, and what it says can be said again`, async (t) => {
    const random = createRandom(100 + CODING_NAMES.indexOf(codec))
    const texts: string[] = []
    for (const json of documents) {
      const text = tryEncode(json, codec)
      if (text === null) continue
      texts.push(text)
      const document = Document.parse(json)
      if (!isEqual(Document.parse(decode(text, codec)), document, codec === 'stc' || codec === 'rows' ? 'lexeme' : 'value')) t.fail(`${json} came back as ${decode(text, codec)}`)
    }
    const counts = { texts: texts.length, accepted: 0, refused: 0, again: 0 }
    for (let run = 0; run < times(12_000); run++) {
      const mutant = mutate(Buffer.from(random.pick(texts)), random, TEXT_BYTES)
      const label = JSON.stringify(mutant.toString('latin1'))
      let json: string
      try {
        json = decode(mutant, codec, { maxBytes: 1 << 20 })
      } catch (error) {
        if (!(error instanceof DecodeError) || error.offset > mutant.length || error.line < 1 || error.column < 1) t.fail(`${label}: ${error}`)
        counts.refused++
        continue
      }
      counts.accepted++
      if (parseOrRefuse(json) === null) t.fail(`${label} was read as ${json}, which is no JSON`)
      const again = tryEncode(json, codec)
      if (again === null) continue
      counts.again++
      if (!isEqual(Document.parse(decode(again, codec)), Document.parse(json), 'value')) t.fail(`${label} was read as ${json}, which did not come back`)
    }
    t.comment(JSON.stringify(counts))
    t.ok(counts.texts > 50 && counts.refused > times(500) && counts.accepted > times(200) && counts.again > times(200), JSON.stringify(counts))
  })
}

t.test('no decoder writes to a prototype, whatever the keys', async (t) => {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '0', '99999999999', '__defineGetter__']
  const random = createRandom(2)
  for (let run = 0; run < times(2000); run++) {
    const chain = Array.from({ length: 1 + random.below(4) }, () => random.pick(keys))
    const json = chain.reduceRight((inner, key) => random.below(3) === 0 ? `[${inner},${inner}]` : `{${JSON.stringify(key)}:${inner}}`, '{"polluted":true,"a":[{"x":1},{"x":2}]}')
    for (const codec of CODING_NAMES) {
      const text = tryEncode(json, codec)
      if (text !== null && decode(text, codec) !== json) t.fail(`${json} came back as ${decode(text, codec)} from ${codec}`)
    }
  }
  t.same(listPrototypes(), prototypes)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

const FIELD_PARTS = ['toon', 'stc', 'TOON', ',toon', ', stc,', ',text/toon;', ',toon;q=', 'identity', 'gzip', '*', '*/*', 'text/toon', 'application/stc+json', 'application/json', 'text/event-stream', 'text/*', ';q=', ';Q=', ';q=0', ';q=0.5',
  ';q=1.0000', ';q=-1', ';q=1e3', ';q=NaN', '0', '1', '.', '=', ';', ';;', ',', ',,', ', ', ' ', '\t', '"', '\\', '\\"', '"a,b;c"', ';version=', ';charset="utf-8"', ';charset=utf-16', '\u00e9', '\u0000', '/', 'a']

/** Everything that reads a request's fields must give something for anything. */
function readFields (acceptEncoding: string | string[], accept: string | string[]): string | null {
  const headers = { 'accept-encoding': acceptEncoding, accept }
  const found = negotiate(headers, BOTH)
  const everything = [acceptEncoding, accept].flat().join().toLowerCase()
  if (found !== null) {
    if (found.accepted.length === 0) return 'nothing was accepted'
    for (const { codec, q } of found.accepted) {
      if (!(q > 0 && q <= 1)) return `q of ${codec} is ${q}`
      // Only what is named in full opts in.
      if (!everything.includes(codec)) return `${codec} is not named`
    }
  }
  if (isNegotiable(headers, BOTH) !== (found !== null)) return 'isNegotiable says something else'
  const rest = { 'accept-encoding': stripOurCodings(acceptEncoding), accept: stripOurMediaTypes(accept) }
  if (isNegotiable(rest, BOTH)) return `something is left: ${JSON.stringify(rest)}`
  if (stripOurCodings(rest['accept-encoding']) !== rest['accept-encoding'] || stripOurMediaTypes(rest.accept) !== rest.accept) return 'to strip twice strips more'
  isEventStreamClient(accept)
  isJsonOnlyClient(accept)
  const names = mergeVary(acceptEncoding).split(',').map((name) => name.trim().toLowerCase())
  if (!names.includes('*') && !(names.includes('accept') && names.includes('accept-encoding'))) return 'Vary leaves something out'
  for (const field of ['content-type', 'cache-control', 'content-encoding', 'content-range']) {
    const exchange = { url: [accept].flat().join(), status: 200, getRequestHeader: () => accept, getHeader: (name: string) => name === field ? acceptEncoding : 'application/json' }
    assess(exchange, { statuses: ['2xx'], noTransform: 'obey' })
  }
  return null
}

t.test('Accept and Accept-Encoding: 8 KB and 64 KB of anything are read, over one line or many', async (t) => {
  const random = createRandom(3)
  let opted = 0
  const check = (acceptEncoding: string | string[], accept: string | string[]): void => {
    const fault = readFields(acceptEncoding, accept)
    if (fault !== null) t.fail(`${fault}: ${JSON.stringify([acceptEncoding, accept])}`)
    if (isNegotiable({ 'accept-encoding': acceptEncoding, accept }, BOTH)) opted++
  }
  for (let run = 0; run < times(8000); run++) {
    const size = random.below(120)
    const [a, b] = [garble(random, FIELD_PARTS, size), garble(random, FIELD_PARTS, size)]
    if (run % 3 === 0) check([a, b], [b, a, ''])
    else check(a, b)
  }
  // Node refuses more than 16 KB of fields, but an operator may raise that.
  for (let run = 0; run < times(6); run++) check(garble(random, FIELD_PARTS, 65_536), garble(random, FIELD_PARTS, 65_536))
  for (const part of FIELD_PARTS) check(part.repeat(Math.ceil(65_536 / part.length)), part.repeat(Math.ceil(65_536 / part.length)))
  for (let run = 0; run < times(60); run++) check(garble(random, FIELD_PARTS, 8192), garble(random, run % 2 === 0 ? FIELD_PARTS : [random.pick(FIELD_PARTS), random.pick(FIELD_PARTS)], 8192))
  t.comment(`${times(8066) + FIELD_PARTS.length} pairs of fields, ${opted} of them opt in`)
  t.ok(opted > times(300) && opted < times(7000))
})

/** A well-formed list: each name once, each weight once, and all the blanks that the grammar allows. */
function makeList (random: Random, names: readonly string[]): Map<string, number> {
  const weights = [0, 0.001, 0.1, 0.25, 0.333, 0.5, 0.75, 0.8, 0.9, 1]
  const left = [...names]
  const list = new Map<string, number>()
  for (let count = random.below(names.length + 1); count > 0; count--) {
    const [name] = left.splice(random.below(left.length), 1)
    list.set(name, weights.splice(random.below(weights.length), 1)[0])
  }
  return list
}

function writeList (random: Random, list: Map<string, number>): string {
  const blank = (): string => random.pick(['', '', ' ', '\t', '  '])
  return [...list].map(([name, q]) => `${random.below(4) === 0 ? name.toUpperCase() : name}${q === 1 && random.below(2) === 0 ? '' : `${blank()};${blank()}q=${q}`}`).join(`${blank()},${blank()}`)
}

t.test('on well-formed fields negotiator says the same of what is named, of its order, and of whether plain JSON may be sent', async (t) => {
  const random = createRandom(4)
  const counts = { taken: 0, refused: 0, identityRefused: 0 }
  for (let run = 0; run < times(8000); run++) {
    const list = makeList(random, ['toon', 'stc', 'gzip', 'br', 'identity', '*', 'x-other'])
    const field = writeList(random, list)
    const theirs = new Negotiator({ headers: { 'accept-encoding': field } })
    const named = BOTH.filter((name) => list.has(name))
    const plain = list.get('identity') ?? -1
    // They let a wildcard select; we let a heavier identity win. Of the rest both must say the same.
    const expected = theirs.encodings(named).filter((name) => name !== 'identity' && (list.get(name) as number) >= plain)
    const ours = negotiate({ 'accept-encoding': field }, BOTH)
    const actual = (ours?.accepted ?? []).toSorted((a, b) => b.q - a.q).map(({ codec }) => codec as string)
    if (actual.join() !== expected.join()) t.fail(`${JSON.stringify(field)}: ${actual.join()}, not ${expected.join()}`)
    for (const { codec, q } of ours?.accepted ?? []) if (q !== list.get(codec)) t.fail(`${JSON.stringify(field)}: q of ${codec} is ${q}`)
    if (ours === null) {
      counts.refused++
      continue
    }
    counts.taken++
    const isRefused = !theirs.encodings(['identity']).includes('identity')
    if (isRefused !== ours.identityRefused) t.fail(`${JSON.stringify(field)}: identity refused: ${ours.identityRefused}`)
    if (isRefused) counts.identityRefused++
  }
  t.comment(JSON.stringify(counts))
  t.ok(Math.min(...Object.values(counts)) > times(300), JSON.stringify(counts))
})

t.test('on well-formed fields negotiator says the same of media types that are named, and of JSON beside them', async (t) => {
  const random = createRandom(5)
  const counts = { taken: 0, refused: 0, jsonRefused: 0 }
  const types: Record<string, CodingName> = { 'text/toon': 'toon', 'application/stc+json': 'stc' }
  for (let run = 0; run < times(8000); run++) {
    const list = makeList(random, ['text/toon', 'application/stc+json', 'application/json', 'text/html', '*/*', 'application/*', 'text/*'])
    const field = writeList(random, list)
    const theirs = new Negotiator({ headers: { accept: field } })
    const plain = list.get('application/json') ?? -1
    const named = Object.keys(types).filter((type) => list.has(type))
    const expected = theirs.mediaTypes(named).filter((type) => (list.get(type) as number) >= plain).map((type) => types[type])
    const ours = negotiate({ accept: field }, BOTH)
    const actual = (ours?.accepted ?? []).toSorted((a, b) => b.q - a.q).map(({ codec }) => codec)
    if (actual.join() !== expected.join()) t.fail(`${JSON.stringify(field)}: ${actual.join()}, not ${expected.join()}`)
    if (ours === null) {
      counts.refused++
      continue
    }
    counts.taken++
    // Without a word about JSON, they take it for refused; we send what the client did not rule out.
    if (!['application/json', 'application/*', '*/*'].some((range) => list.has(range))) continue
    const isRefused = theirs.mediaTypes(['application/json']).length === 0
    if (isRefused !== ours.identityRefused) t.fail(`${JSON.stringify(field)}: JSON refused: ${ours.identityRefused}`)
    if (isRefused) counts.jsonRefused++
  }
  t.comment(JSON.stringify(counts))
  t.ok(Math.min(...Object.values(counts)) > times(300), JSON.stringify(counts))
})

t.test('a field list is read as its parts are, whatever stands around them', async (t) => {
  const random = createRandom(6)
  for (let run = 0; run < times(4000); run++) {
    const list = makeList(random, ['a', 'b/c', 'd+e', '*', 'f.g'])
    const read = parseFieldList(writeList(random, list).split(',').flatMap((line) => [line, '', ' ']))
    deepStrictEqual(read.map(({ name, q }) => [name, q]), [...list])
  }
  t.pass(`${times(4000)} lists`)
})

t.test('JSON-RPC is detected where the member is, and nowhere else', async (t) => {
  const random = createRandom(7)
  const names = ['"jsonrpc"', '"jsonrp\\u0063"', '"\\u006asonrpc"', '"JSONRPC"', '"jsonrpc "', '"json\\u0000rpc"', '"result"', '"id"', '"__proto__"', '""', '"jsonrpcjsonrpc"']
  const counts = { is: 0, isNot: 0 }
  const hasMember = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'jsonrpc')
  for (let run = 0; run < times(12_000); run++) {
    const members = Array.from({ length: random.below(5) }, () => `${random.pick(names)}:${random.pick(['"2.0"', '2', 'null', '{}', '[]', random.pick(documents)])}`)
    const object = `{${members.join()}}`
    const text = random.pick([object, object, `[${object}]`, `[${object},{"jsonrpc":"2.0"}]`, `[[${object}]]`, '[]', `[1,${object}]`, `{"a":${object}}`, random.pick(documents), '"jsonrpc"', '["jsonrpc"]'])
    const mutant = random.below(3) === 0 ? mutate(Buffer.from(text), random, JSON_BYTES) : Buffer.from(text)
    const parsed = isUtf8(mutant) ? parseOrRefuse(mutant.toString()) : null
    if (parsed === null) continue
    const document = Document.parse(mutant)
    const expected = hasMember(Array.isArray(parsed.value) ? parsed.value[0] : parsed.value)
    if (isJsonRpc(document) !== expected) t.fail(`${mutant.toString()} is ${expected ? '' : 'not '}JSON-RPC`)
    if (expected) counts.is++
    else counts.isNot++
    document.dispose()
  }
  t.comment(JSON.stringify(counts))
  t.ok(Math.min(counts.is, counts.isNot) > times(1000), JSON.stringify(counts))
})

const EVENT_BYTES = Buffer.from('data: {}[]":\n\r\r\n\n\nevent: id: retry: :\ufeff \t')
const EVENTS = [
  'data: {"result":{"text":"a"}}\n\n', 'id: 1\nretry: 3000\ndata: \n\n', ': ping\n\n', 'event: message\rdata: {"result":\rdata: 1}\r\r', 'data:[1]\r\n\r\n', 'data\n\n', 'datum: x\n\n',
  '\ufeffdata: {"result":1}\n\n', 'data: {"result":"\u00e9\ud83d\ude00"}\n\n', 'data: plain\ndata: {}\n\n', `data: {"result":"${'x'.repeat(300)}"}\n\n`
]

/** The data of a stream's events, as WHATWG HTML section 9.2.6 reads them, in the simplest way that there is. */
function readEvents (bytes: Buffer): string[] {
  const events: string[] = []
  let data: string[] = []
  const lines = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/)
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'))
      data = []
    } else if (/^data(?::|$)/.test(line)) data.push(line.slice(5).replace(/^ /, ''))
  }
  return events
}

/** What the data of an event becomes, in Latin-1; null where it stays. */
const renameEvent = (data: string): string | null => data.includes('"result"') ? `{"new":${data.length}}` : null

/** What comes out of a stream in random chunks, and the data that was seen. */
function rewriteEvents (random: Random, stream: Buffer, maxEventBytes: number, rewrite: typeof renameEvent): { bytes: Buffer, seen: string[] } {
  const seen: string[] = []
  const rewriter = new EventStreamRewriter((bytes) => {
    const data = Buffer.from(bytes).toString('latin1')
    seen.push(data)
    const next = rewrite(data)
    return next === null ? null : Buffer.from(next, 'latin1')
  }, { maxEventBytes })
  const pieces: Buffer[] = []
  const take = (given: readonly Piece[]): void => { pieces.push(...given.map((piece) => Buffer.from(piece as Uint8Array))) }
  for (let at = 0; at < stream.length;) {
    const end = at + 1 + random.below(random.below(3) === 0 ? 3 : 200)
    // A chunk is the rewriter's only while it is pushed.
    const chunk = Buffer.from(stream.subarray(at, end))
    take(rewriter.push(chunk))
    chunk.fill(0)
    at = end
  }
  take(rewriter.end())
  return { bytes: Buffer.concat(pieces), seen }
}

t.test('event streams: any bytes in any chunks pass, and what is rewritten is the data of an event and nothing else', async (t) => {
  const random = createRandom(8)
  const counts = { streams: 0, events: 0, rewritten: 0, passed: 0 }
  for (let run = 0; run < times(6000); run++) {
    const stream = mutate(Buffer.from(Array.from({ length: 1 + random.below(6) }, () => random.pick(EVENTS)).join('')), random, EVENT_BYTES)
    const maxEventBytes = random.pick([64, 1 << 20])
    const label = JSON.stringify([stream.toString('latin1'), maxEventBytes])
    if (!rewriteEvents(random, stream, maxEventBytes, () => null).bytes.equals(stream)) t.fail(`${label}: bytes were changed`)
    const { bytes, seen } = rewriteEvents(random, stream, maxEventBytes, renameEvent)
    const [before, after] = [readEvents(stream), readEvents(bytes)]
    if (before.length !== after.length) t.fail(`${label}: ${before.length} events became ${after.length}`)
    for (const [i, data] of after.entries()) {
      if (data === before[i]) {
        if (renameEvent(data) !== null) counts.passed++
        continue
      }
      counts.rewritten++
      if (data !== renameEvent(before[i])) t.fail(`${label}: event ${i} became ${data}`)
    }
    for (const data of seen) if (!before.includes(data)) t.fail(`${label}: ${JSON.stringify(data)} is the data of no event`)
    counts.streams++
    counts.events += before.length
  }
  t.comment(JSON.stringify(counts))
  t.ok(counts.rewritten > times(1000) && counts.passed > times(50), JSON.stringify(counts))
})

const TAG_PARTS = ['"', 'W/', '"v1"', '"v1-toon"', '"v1-toon-gzip"', 'W/"v1-json"', '"-toon"', ',', ', ', ' ', '*', 'v1', '-toon', '-toon"', '\\', '\u00e9', '"\u00e9"', 'w/"a"', '""', '\t', '\u0000']
const SUFFIXES = ['toon', 'stc', 'toon-gzip', 'json']
const CODING_PARTS = ['gzip', 'x-gzip', 'br', 'zstd', 'deflate', 'identity', ',', ', ', ',', ';q=1', 'toon', ' ', '"']

t.test('If-None-Match, If-Match and lists of codings: anything is read; only suffixes that were given out are taken off', async (t) => {
  const random = createRandom(9)
  const counts = { lists: 0, mapped: 0, tags: 0, codings: 0 }
  for (let run = 0; run < times(12_000); run++) {
    const field = garble(random, TAG_PARTS, run % 400 === 0 ? 65_536 : random.below(80))
    const label = JSON.stringify(field.slice(0, 200))
    const back = mapIfNoneMatch(field, SUFFIXES)
    // A tag that was suffixed twice loses one of them.
    const bare = (text: string): string => text.replaceAll(/(?:-(?:toon-gzip|toon|stc|json))+"/g, '"')
    if (bare(back) !== bare(field)) t.fail(`${label} became ${back.slice(0, 200)}`)
    const both = mapIfMatch(field, SUFFIXES)
    if (both.length < field.length) t.fail(`${label} lost something: ${both.slice(0, 200)}`)
    if (mapIfNoneMatch(field, []) !== field || mapIfMatch(field, []) !== field) t.fail(`${label}: without suffixes something changes`)
    const restored = restoreETag('"v1"', [field, field], SUFFIXES)
    if (restored !== '"v1"' && !field.includes(restored)) t.fail(`${label}: ${restored} was not sent`)
    const given = suffixETag(field, 'toon')
    if (given !== null) counts.tags++
    if (given !== null && mapIfNoneMatch(given, ['toon']) !== field) t.fail(`${label}: ${given} does not map back`)
    counts.lists++
    if (back !== field) counts.mapped++
    const codings = listContentCodings([garble(random, CODING_PARTS, random.below(40)), garble(random, CODING_PARTS, random.below(10))])
    if (codings !== null && codings.length > 3) t.fail(codings.join())
    if (codings !== null && codings.length > 0) counts.codings++
    const stackable = listStackable(garble(random, CODING_PARTS, random.below(60)), STACKED_CODINGS)
    if (new Set(stackable).size !== stackable.length) t.fail(stackable.join())
  }
  t.comment(JSON.stringify(counts))
  t.ok(counts.mapped > times(1000) && counts.tags > times(50) && counts.codings > times(100), JSON.stringify(counts))
})
