import fc from 'fast-check'
import t from 'tap'
import { CODECS, CODING_NAMES, DEFAULT_CODINGS, Document, REASONS, choose, countTokens, decode, encode, inspect, minify } from '../../lib/index.js'
import type { CodingName, Decision, Policy } from '../../lib/index.js'
import { chooseBytes } from '../../lib/choose.js'
import { jsonText } from '../helpers/nasty-json.js'
import { throwsLike } from '../helpers/throws-like.js'

/** Rows that both codings make smaller, TOON the more. */
const ROWS = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, name: `name ${id}`, city: 'Oslo', active: id % 2 === 0 })))
/** A document that no coding makes smaller than TOON's indentation costs; STC does. */
const DEEP = JSON.stringify({ a: { b: { c: { d: [1, 2, { e: 'f' }] } } }, t: [{ x: 1 }, { y: [2] }] })
/** Nothing is smaller than this. */
const SMALL = '[[1],"a"]'

const accept = (...names: (CodingName | [CodingName, number])[]): Policy['accepted'] =>
  names.map(name => typeof name === 'string' ? { codec: name, q: 1 } : { codec: name[0], q: name[1] })

t.test('the smallest coding wins that is smaller than the original and than minified JSON', async t => {
  const sizes = { toon: Buffer.byteLength(encode(ROWS, 'toon')), stc: Buffer.byteLength(encode(ROWS, 'stc')) }
  t.ok(sizes.toon < sizes.stc && sizes.stc < ROWS.length)
  const { text, codec, decision } = choose(ROWS)
  t.equal(codec, 'toon')
  t.equal(text, encode(ROWS, 'toon'))
  t.match(decision, { outcome: 'encoded', codec: 'toon', version: '4.0', reason: null, lossless: true, bytesBefore: ROWS.length, bytesAfter: sizes.toon, ms: Number, tool: null, paths: [] })
  t.match(choose(ROWS, { accepted: accept('stc') }), { codec: 'stc', decision: { version: '1', bytesAfter: sizes.stc } })
})

t.test('the highest q wins before the smallest, the order of the operator after it', async t => {
  t.equal(choose(ROWS, { accepted: accept(['toon', 0.5], 'stc') }).codec, 'stc')
  t.equal(choose(ROWS, { accepted: accept(['stc', 0.5], ['toon', 0.5]) }).codec, 'toon')
  for (const first of DEFAULT_CODINGS) {
    const others = DEFAULT_CODINGS.filter(name => name !== first)
    t.equal(choose(ROWS, { mode: 'always', accepted: accept(first, ...others) }).codec, first)
  }
})

t.test('where no coding is smaller, minified JSON ships if it is, else the original: ties go to what came', async t => {
  t.match(choose(SMALL), { text: SMALL, codec: 'json', decision: { outcome: 'passthrough', reason: 'not-smaller', codec: 'json', version: null, bytesBefore: 9, bytesAfter: 9 } })
  t.match(choose(` ${SMALL} `), { text: SMALL, codec: 'json', decision: { outcome: 'encoded', reason: 'not-smaller', bytesBefore: 11, bytesAfter: 9 } })
  t.equal(choose(DEEP, { accepted: accept('toon') }).codec, 'json')
  t.equal(choose('1').codec, 'json', 'a root number is as long in every form')
  t.equal(choose(Document.parse(SMALL)).text, SMALL)
  const document = Document.parse(Buffer.from(SMALL))
  t.equal(chooseBytes(document, { accepted: accept('toon', 'stc') }).bytes, document.bytes, 'the very bytes that came')
  const lone = '["\ud800"]'
  t.equal(choose(lone).text, lone, 'a string comes back as it was')
})

t.test('a document that a coding cannot hold goes to another, or says why there is none', async t => {
  const twice = JSON.stringify(Array.from({ length: 9 }, () => ({ first: 1, second: 2 }))).replaceAll('second', 'first')
  t.equal(choose(twice).codec, 'stc')
  t.match(choose(twice, { accepted: accept('toon') }), { codec: 'json', text: twice, decision: { reason: 'declined-duplicate-keys' } })
  t.match(choose('["\\ud800"]', { accepted: accept('toon') }).decision, { reason: 'declined-lone-surrogate' })
  t.match(choose(ROWS, { maxDepth: 1 }).decision, { reason: 'declined-depth', outcome: 'passthrough' })
})

t.test('never worse, and never another document, whatever comes', async t => {
  const codecs = new Set<string>()
  fc.assert(fc.property(jsonText, json => {
    const { text, codec, decision } = choose(json)
    codecs.add(codec)
    const size = Buffer.byteLength(text)
    const isRaw = codec === 'json' && text === json
    return size <= Math.min(Buffer.byteLength(json), Buffer.byteLength(minify(json))) + (isRaw ? Infinity : 0) &&
      decision.bytesAfter <= decision.bytesBefore && minify(decode(text, codec)).length > 0 &&
      REASONS.includes(decision.reason ?? 'not-smaller')
  }), { numRuns: 2000 })
  t.same([...codecs].sort(), ['json', 'stc', 'toon'])
})

t.test('identity refused: the smallest coding that can hold it ships, even if it is larger', async t => {
  t.match(choose(SMALL, { identityRefused: true, minBytes: 1000, minSavings: 50 }), { codec: 'stc', text: SMALL, decision: { outcome: 'encoded' } })
  t.match(choose('{"a":1,"a":[[1],2]}', { identityRefused: true, accepted: accept('toon') }), { codec: 'json', decision: { reason: 'declined-duplicate-keys' } })
})

t.test('mode always: the first coding accepted ships, even if it is larger', async t => {
  t.match(choose(DEEP, { mode: 'always' }), { codec: 'toon', text: encode(DEEP, 'toon') })
  t.equal(choose(DEEP, { mode: 'always', accepted: accept(['toon', 0.1], ['stc', 0.2]) }).codec, 'stc')
  t.match(choose(' {"a":1,"a":2}', { mode: 'always', accepted: accept('toon') }), { text: ' {"a":1,"a":2}', codec: 'json' })
})

t.test('mode observe: the decision is made and the original ships', async t => {
  t.match(choose(ROWS, { mode: 'observe' }), { text: ROWS, codec: 'json', decision: { outcome: 'passthrough', codec: 'toon', reason: 'observe-only', bytesAfter: encode(ROWS, 'toon').length } })
  t.match(choose(` ${SMALL}`, { mode: 'observe' }), { text: ` ${SMALL}`, decision: { outcome: 'passthrough', codec: 'json', reason: 'not-smaller' } })
})

t.test('minBytes and minSavings keep small bodies and small gains as they are', async t => {
  t.match(choose(ROWS, { minBytes: ROWS.length + 1 }), { text: ROWS, decision: { reason: 'below-floor' } })
  t.equal(choose(ROWS, { minBytes: ROWS.length }).codec, 'toon')
  const savings = 100 * (1 - encode(ROWS, 'toon').length / ROWS.length)
  t.equal(choose(ROWS, { minSavings: savings - 0.1, measure: 'bytes' }).codec, 'toon')
  t.match(choose(ROWS, { minSavings: savings + 0.1, measure: 'bytes' }), { text: ROWS, decision: { reason: 'below-threshold' } })

  const { tokensBefore, tokensAfter } = choose(ROWS, { accepted: accept('toon') }).decision
  const savedTokens = 100 * (1 - Number(tokensAfter) / Number(tokensBefore))
  t.ok(savedTokens < savings)
  t.equal(choose(ROWS, { accepted: accept('toon'), minSavings: savedTokens - 0.1 }).codec, 'toon')
  t.match(choose(ROWS, { accepted: accept('toon'), minSavings: savedTokens + 0.1 }), { text: ROWS, decision: { reason: 'below-threshold' } })
})

t.test('what the verifier or the label check refuses does not ship, and the next candidate gets its turn', async t => {
  const isToon = (text: Uint8Array): boolean => Buffer.from(text).toString() === encode(ROWS, 'toon')
  t.equal(choose(ROWS, { isLabelSafe: text => !isToon(text) }).codec, 'stc')
  t.match(choose(ROWS, { isLabelSafe: () => false }), { text: ROWS, codec: 'json', decision: { reason: 'declined-gzip-sniff' } })
  const { toon } = CODECS
  const broken = { ...toon, verify: () => false }
  const registry = CODECS as Record<CodingName, typeof toon>
  t.teardown(() => { registry.toon = toon })
  registry.toon = broken
  t.equal(choose(ROWS).codec, 'stc')
  t.match(choose(ROWS, { accepted: accept('toon') }), { text: ROWS, decision: { reason: 'verification-failed' } })
  t.equal(choose(ROWS, { verify: false }).codec, 'toon', 'unless verification is off')
})

t.test('measured in tokens, as by default, a coding ships only where it is also less in tokens, by an estimate and its margin', async t => {
  const byTokens = choose(ROWS)
  t.match(choose(ROWS, { measure: 'tokens' }), { text: byTokens.text })
  t.not(byTokens.codec, 'json')
  const [before, after] = [await countTokens(ROWS), await countTokens(byTokens.text)]
  t.ok(after < before)
  const { tokensBefore, tokensAfter } = byTokens.decision
  t.ok(Math.abs(Number(tokensBefore) - before) < before * 0.05, `${tokensBefore} is about ${before}`)
  t.ok(Math.abs(Number(tokensAfter) - after) < after * 0.05, `${tokensAfter} is about ${after}`)
  t.match(choose(ROWS, { measure: 'bytes' }).decision, { tokensBefore: null, tokensAfter: null })

  // Smaller in bytes by the quotes of its keys, and larger in tokens, which hold those quotes along with others.
  const misleading = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x/${i}`, i % 2 ? { source: 'iana' } : { source: 'iana', extensions: ['x'] }])))
  t.equal(choose(misleading, { accepted: accept('stc'), measure: 'bytes' }).codec, 'stc')
  t.match(choose(misleading, { accepted: accept('stc'), measure: 'tokens' }), { codec: 'json', text: misleading, decision: { reason: 'not-smaller' } })
  t.match(choose(` ${misleading}`, { accepted: accept('stc'), measure: 'tokens' }), { text: misleading, decision: { outcome: 'encoded', codec: 'json', tokensAfter: Number } })
  t.equal(choose(misleading, { accepted: accept('stc'), measure: 'tokens', identityRefused: true }).codec, 'stc')
  t.equal(choose(misleading, { accepted: accept('stc'), measure: 'tokens', mode: 'always' }).codec, 'stc')

  t.match(choose(ROWS, { measure: 'tokens', tokenizer: 'cl100k_base' }), { text: byTokens.text })
  t.equal(choose(ROWS, { measure: 'tokens', accepted: accept(['toon', 0.5], 'stc') }).codec, 'stc', 'the highest q goes before')
  t.match(choose('[1]', { measure: 'tokens' }).decision, { outcome: 'passthrough', tokensBefore: Number, tokensAfter: Number })
})

t.test('tabularOnly re-encodes flat rows, also in an envelope, and leaves all else as it came', async t => {
  const row = (id: number): object => ({ id, name: `name ${id}`, city: 'Oslo' })
  const rows = (count: number): object[] => Array.from({ length: count }, (_, id) => row(id))
  const chosen = (value: unknown, tabularOnly: Policy['tabularOnly'] = {}): string => {
    const json = JSON.stringify(value, null, 1)
    const { text, codec, decision } = choose(json, { tabularOnly })
    if (codec === 'json') t.match({ text, reason: decision.reason }, { text: json, reason: 'not-uniform-object-array' })
    return codec
  }
  t.not(chosen(rows(4)), 'json')
  t.not(chosen({ items: rows(4) }), 'json')
  t.equal(chosen(rows(3)), 'json', 'too few rows')
  t.not(chosen(rows(3), { minRows: 3 }), 'json')
  t.equal(chosen({ total: 4, items: rows(4) }), 'json', 'more than an envelope')
  t.equal(chosen({ items: { rows: rows(4) } }), 'json')
  t.equal(chosen([...rows(4), { id: 5, nested: { a: 1 } }]), 'json', 'a nested value')
  t.equal(chosen([...rows(4), 5]), 'json', 'no object')
  t.equal(chosen('text'), 'json')
  t.equal(chosen([...rows(4), { id: 5 }]), 'json', 'keys that are in 4 of 5 rows')
  t.not(chosen([...rows(9), { id: 5, name: 'x' }]), 'json', 'keys that are in 9 of 10 rows')
  t.not(chosen([...rows(4), { id: 5 }], { presence: 0.8 }), 'json')
})

t.test('codecs that are no default are offered by name, and say where they lose something', async t => {
  t.same(CODING_NAMES, ['toon', 'stc', 'stc2', 'toon-flatten', 'rows'])
  t.same(DEFAULT_CODINGS, ['toon', 'stc'])
  const dotted = JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ 'a.b': id, second: { third: id } })))
  t.match(choose(dotted, { accepted: accept('toon-flatten') }), { codec: 'json', decision: { reason: 'declined-dotted-key' } })
  t.match(choose(dotted, { accepted: accept('toon-flatten'), flatten: { dots: 'underscore' } }), { codec: 'toon-flatten', decision: { lossless: false } })
  t.match(choose(ROWS, { accepted: accept('rows') }), { codec: 'rows', decision: { lossless: true, version: '1' } })
  const inexact = ROWS.replaceAll('"Oslo"', 'null')
  t.match(choose(inexact, { accepted: accept('rows') }), { codec: 'json', decision: { reason: 'declined-inexact-value' } })
  t.match(choose(inexact, { accepted: accept('rows'), rows: { lossy: true } }), { codec: 'rows', decision: { lossless: false, version: '1' } })
})

t.test('inspect shows every candidate and what would ship', async t => {
  const inspection = inspect(` ${ROWS}`)
  t.match(inspection, {
    original: { bytes: ROWS.length + 1, winner: false },
    minified: { bytes: ROWS.length },
    candidates: [
      { name: 'json', bytes: ROWS.length, reason: null, verified: true, winner: false },
      { name: 'toon', bytes: encode(ROWS, 'toon').length, reason: null, verified: true, winner: true },
      { name: 'stc', bytes: encode(ROWS, 'stc').length, reason: null, verified: true, winner: false }
    ]
  })
  t.match(inspect('{"a":1,"a":2}', { accepted: accept('toon') }), {
    original: { winner: true }, candidates: [{ winner: false }, { name: 'toon', bytes: null, reason: 'declined-duplicate-keys', verified: false, winner: false }]
  })
  t.match(inspect(Document.parse(` ${SMALL}`)).candidates[0], { name: 'json', winner: true })
})

t.test('the public functions take strings, bytes and documents, and name what is wrong', async t => {
  const bytes = Buffer.from(ROWS)
  for (const codec of ['toon', 'stc', 'json'] as const) {
    const text = encode(ROWS, codec)
    t.equal(encode(bytes, codec), text)
    t.equal(encode(Document.parse(bytes), codec), text)
    t.equal(decode(text, codec), ROWS)
    t.equal(decode(Buffer.from(text), codec), ROWS)
    throwsLike(t, () => encode('{', codec), { code: 'ERR_JSON_SYNTAX', offset: 1 })
  }
  throwsLike(t, () => decode('{', 'json'), { code: 'ERR_JSON_SYNTAX' })
  throwsLike(t, () => choose('[1,]'), { code: 'ERR_JSON_SYNTAX', offset: 3 })
  t.equal(encode(` ${'['.repeat(600)}${']'.repeat(600)}`, 'json').length, 1200, 'minified JSON has no depth to decline')
  const decision: Decision = choose(ROWS).decision
  t.ok(decision.ms >= 0)
})

t.test('an argument of another type, or a name that there is not, is told as such', async t => {
  for (const [value, got] of [[undefined, 'undefined'], [null, 'null'], [1, 'number'], [{ a: 1 }, 'object'], [[1], 'object'], [new ArrayBuffer(2), 'object'], [new Uint16Array(2), 'object']] as [never, string][]) {
    const error = { name: 'TypeError', message: `expected a text, as a string or a Uint8Array, got ${got}` }
    for (const call of [() => encode(value, 'toon'), () => encode(value, 'json'), () => decode(value, 'stc'), () => decode(value, 'json'), () => choose(value), () => inspect(value), () => Document.parse(value)]) {
      throwsLike(t, call, error)
    }
  }
  for (const name of ['xml', 'constructor', undefined, 1] as never[]) {
    const message = `codec must be one of "toon", "stc", "stc2", "toon-flatten", "rows", "json", got ${typeof name === 'string' ? JSON.stringify(name) : typeof name}`
    throwsLike(t, () => encode(ROWS, name), { name: 'TypeError', message })
    throwsLike(t, () => decode(ROWS, name), { name: 'TypeError', message: message.replace('"json"', '"json", "markdown"') })
    throwsLike(t, () => choose(ROWS, { accepted: [{ codec: name, q: 1 }] }), { name: 'TypeError', message: message.replace(', "json"', '') })
    throwsLike(t, () => inspect(ROWS, { accepted: [{ codec: name, q: 1 }] }), { name: 'TypeError' })
  }
  t.equal(choose(ROWS, { accepted: undefined }).text, choose(ROWS).text, 'an option that is undefined is none')
  t.equal(inspect(ROWS, { accepted: undefined }).candidates.length, inspect(ROWS).candidates.length)
  for (const [options, message] of [[{ delimiter: ';' }, 'options.delimiter must be one of ",", "\\t", "|", got ";"'], [{ spacing: 1 }, 'options.spacing must be one of "dense", "adr", got number']] as [object, string][]) {
    for (const call of [() => encode(ROWS, 'toon', options), () => choose(ROWS, options), () => inspect(ROWS, options)]) throwsLike(t, call, { name: 'TypeError', message })
  }
})

t.test('where nobody is told, tokens are not estimated but to decide', async t => {
  const policy = { accepted: accept('toon', 'stc'), measure: 'tokens', reportsTokens: false } as const
  t.match(choose(JSON.stringify(JSON.parse(ROWS)), policy).decision, { outcome: 'encoded', tokensBefore: Number, tokensAfter: Number })
  t.match(choose(JSON.stringify(JSON.parse(ROWS), null, 2), policy).decision, { outcome: 'encoded', tokensBefore: null, tokensAfter: null })
  t.match(choose('[1]', policy).decision, { outcome: 'passthrough', tokensBefore: null, tokensAfter: null })
  const sole = { ...policy, accepted: accept('toon') }
  const table = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ identifier: id, isAvailable: true })))
  t.match(choose(table, sole).decision, { outcome: 'encoded', codec: 'toon', tokensBefore: null, tokensAfter: null }, 'no other text to tell it from')
  t.match(choose(table, { ...sole, reportsTokens: true }).decision, { outcome: 'encoded', codec: 'toon', tokensBefore: Number, tokensAfter: Number })
  t.match(choose(table, { ...sole, minSavings: 10 }).decision, { outcome: 'encoded', tokensBefore: Number }, 'savings are asked for in tokens')
  t.match(choose('{"a":["b c"]}', { ...sole, identityRefused: true }).decision, { outcome: 'encoded', tokensBefore: null }, 'it need not be smaller')
})
