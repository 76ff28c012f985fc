import fc from 'fast-check'
import Negotiator from 'negotiator'
import t from 'tap'
import type { CodingName } from '../../lib/codec.js'
import { parseElement, parseFieldList, splitOutsideQuotes } from '../../lib/http/field-list.js'
import {
  isEventStreamClient, isJsonOnlyClient, isNegotiable, negotiate, Negotiator as OurNegotiator, stripOurCodings, stripOurMediaTypes
} from '../../lib/negotiate.js'

const BOTH: CodingName[] = ['toon', 'stc']

/** What a client takes, in short: `toon`, `toon;q=0.5 stc`, with `!json` where it refuses plain JSON. */
function byCoding (acceptEncoding: string | string[] | undefined, encodings = BOTH): string | null {
  return summarize(negotiate({ 'accept-encoding': acceptEncoding }, encodings), 'accept-encoding')
}

function byMediaType (accept: string | string[] | undefined, encodings = BOTH): string | null {
  return summarize(negotiate({ accept }, encodings), 'accept')
}

function summarize (result: ReturnType<typeof negotiate>, by: string): string | null {
  if (result === null) return null
  if (result.by !== by) throw new Error(`negotiated by ${result.by}`)
  const names = result.accepted.map(({ codec, q }) => q === 1 ? codec : `${codec};q=${q}`)
  return [...names, ...result.identityRefused ? ['!json'] : []].join(' ')
}

t.test('a negotiator says the same each time as negotiate, and forgets what is long or too much', async (t) => {
  const lines = [undefined, '', 'toon', 'stc;q=0.5, toon', 'gzip, br', 'toon;q=0', 'toon, identity;q=0', 'toon;q=0.1, identity', 'text/toon', 'application/json;q=0, text/toon', '*/*', `toon${' '.repeat(600)}`]
  const negotiator = new OurNegotiator(BOTH)
  for (let round = 0; round < 3; round++) {
    for (const acceptEncoding of lines) {
      for (const accept of lines) {
        const headers = { 'accept-encoding': acceptEncoding, accept }
        t.same(negotiator.negotiate(headers), negotiate(headers, BOTH), JSON.stringify(headers))
      }
    }
    for (let i = 0; i < 300; i++) t.equal(negotiator.negotiate({ accept: `text/x${i}` }), null)
  }
  t.same(negotiator.negotiate({ 'accept-encoding': ['gzip', 'toon'] }), negotiate({ 'accept-encoding': ['gzip', 'toon'] }, BOTH))
})

t.test('a coding named in Accept-Encoding opts in, in any letter case and with any white space', async (t) => {
  t.equal(byCoding('toon'), 'toon')
  t.equal(byCoding('TOON'), 'toon')
  t.equal(byCoding('gzip, deflate, br, Stc'), 'stc')
  t.equal(byCoding('  gzip ,\ttoon\t;\tq=0.5 , '), 'toon;q=0.5')
  t.equal(byCoding('toon ;Q=0.25'), 'toon;q=0.25')
  t.equal(byCoding(',,toon,,'), 'toon')
})

t.test('nothing of ours is nothing: absent, empty, other codings, longer and shorter names', async (t) => {
  for (const value of [undefined, '', ' ', ',', 'gzip', 'gzip, br', 'toons', 'too', 'x-toon', 'toon/stc', '"toon"', 'toon gzip']) {
    t.equal(byCoding(value), null, String(value))
  }
  t.equal(negotiate({}, BOTH), null)
})

t.test('wildcards never opt in', async (t) => {
  for (const value of ['*', '*;q=1', 'gzip, *;q=0.5', 'identity;q=0, *']) t.equal(byCoding(value), null, value)
  for (const value of ['*/*', '*', 'text/*', 'application/*', 'text/html, */*;q=0.8', '*/*; charset=utf-8']) t.equal(byMediaType(value), null, value)
})

t.test('q=0 refuses', async (t) => {
  for (const q of ['0', '0.', '0.0', '0.000']) {
    t.equal(byCoding(`toon;q=${q}`), null, q)
    t.equal(byCoding(`toon;q=${q}, stc`), 'stc', q)
    t.equal(byMediaType(`text/toon;q=${q}, */*`), null, q)
  }
})

t.test('an element with a malformed weight is as good as not there', async (t) => {
  const malformed = ['', '.5', '-1', '1.5', '2', '1.001', '0.1234', '00', '1e0', 'high', '"0.5"', ' 0.5', '0,5', '0.5;q=0.5']
  for (const q of malformed) {
    t.equal(byCoding(`toon;q=${q}`), null, JSON.stringify(q))
    t.equal(byMediaType(`text/toon;q=${q}`), null, JSON.stringify(q))
  }
  t.equal(byCoding('toon;q'), null)
  t.equal(byCoding('toon;q =1'), null)
  t.equal(byCoding('toon;q=x, toon;q=0.3'), 'toon;q=0.3')
  t.equal(byCoding('toon, identity;q=oops'), 'toon')
})

t.test('weights of up to three decimals are taken', async (t) => {
  for (const [q, expected] of [['1', 'toon'], ['1.', 'toon'], ['1.000', 'toon'], ['0.001', 'toon;q=0.001'], ['0.75', 'toon;q=0.75']]) {
    t.equal(byCoding(`toon;q=${q}`), expected, q)
  }
})

t.test('accepted codings stand in the order of `encodings`, and no other is taken', async (t) => {
  t.equal(byCoding('stc, toon;q=0.1'), 'toon;q=0.1 stc')
  t.equal(byCoding('stc, toon;q=0.1', ['stc', 'toon']), 'stc toon;q=0.1')
  t.equal(byCoding('stc, toon', ['stc']), 'stc')
  t.equal(byCoding('toon', ['stc']), null)
  t.equal(byMediaType('text/toon', ['stc']), null)
})

t.test('repeated field lines count as one', async (t) => {
  t.equal(byCoding(['gzip', 'toon;q=0.5', 'stc']), 'toon;q=0.5 stc')
  t.equal(byMediaType(['application/json;q=0.1', 'text/toon']), 'toon')
  t.equal(byCoding([]), null)
  t.equal(byCoding(['a;b="', 'toon']), 'toon', 'a quote that is left open ends with its line')
})

t.test('of a name given twice the highest weight counts', async (t) => {
  t.equal(byCoding('toon;q=0.2, toon;q=0.7, toon;q=0.5'), 'toon;q=0.7')
})

t.test('identity;q=0 refuses plain JSON, and so does *;q=0 without an explicit identity', async (t) => {
  t.equal(byCoding('toon, identity;q=0'), 'toon !json')
  t.equal(byCoding('toon, *;q=0'), 'toon !json')
  t.equal(byCoding('toon, identity;q=0.5, *;q=0'), 'toon')
  t.equal(byCoding('toon, *;q=0.5'), 'toon')
  t.equal(byCoding('identity;q=0'), null)
})

t.test('an explicit identity with a higher weight goes before a coding', async (t) => {
  t.equal(byCoding('toon;q=0.5, identity'), null)
  t.equal(byCoding('toon;q=0.5, identity;q=0.6'), null)
  t.equal(byCoding('toon;q=0.5, identity;q=0.5'), 'toon;q=0.5')
  t.equal(byCoding('toon;q=0.5, stc;q=0.9, identity;q=0.7'), 'stc;q=0.9')
  t.equal(byCoding('toon;q=0.5, *'), 'toon;q=0.5', 'a wildcard is not explicit')
  t.equal(byCoding('toon;q=0.5, gzip'), 'toon;q=0.5', 'gzip plays no part')
})

t.test('media types in Accept opt in where Accept-Encoding names none of ours', async (t) => {
  t.equal(byMediaType('text/toon'), 'toon')
  t.equal(byMediaType('application/stc+json'), 'stc')
  t.equal(byMediaType('Text/TOON; q=0.9'), 'toon;q=0.9')
  t.equal(byMediaType('application/json;q=0.1, text/toon ;q=0.9'), 'toon;q=0.9')
  t.equal(summarize(negotiate({ 'accept-encoding': 'gzip', accept: 'text/toon' }, BOTH), 'accept'), 'toon')
  t.equal(summarize(negotiate({ 'accept-encoding': 'toon;q=0', accept: 'text/toon' }, BOTH), 'accept'), 'toon')
  for (const value of ['', 'application/json', 'text/plain', 'text/toon-x', 'text', 'application/json, text/event-stream']) {
    t.equal(byMediaType(value), null, value)
  }
})

t.test('Accept-Encoding goes before Accept', async (t) => {
  t.equal(summarize(negotiate({ 'accept-encoding': 'stc', accept: 'text/toon' }, BOTH), 'accept-encoding'), 'stc')
  t.equal(negotiate({ 'accept-encoding': 'stc;q=0.1, identity', accept: 'text/toon' }, BOTH), null)
})

t.test('plain JSON with an explicit higher weight in Accept goes before a media type', async (t) => {
  t.equal(byMediaType('application/json, text/toon;q=0.9'), null)
  t.equal(byMediaType('application/json, text/toon'), 'toon')
  t.equal(byMediaType('application/json; charset=utf-8, text/toon;q=0.5, application/stc+json'), 'stc')
  t.equal(byMediaType('*/*, text/toon;q=0.5'), 'toon;q=0.5', 'a wildcard is not explicit')
})

t.test('application/json;q=0 refuses plain JSON, and so does a nearest wildcard with q=0', async (t) => {
  t.equal(byMediaType('text/toon, application/json;q=0'), 'toon !json')
  t.equal(byMediaType('text/toon, */*;q=0'), 'toon !json')
  t.equal(byMediaType('text/toon, application/*;q=0, */*'), 'toon !json')
  t.equal(byMediaType('text/toon, application/*;q=0.1, */*;q=0'), 'toon')
  t.equal(byMediaType('text/toon, application/json;q=0.1, */*;q=0'), 'toon')
})

t.test('a media type of another version or charset is another format; further parameters do not matter', async (t) => {
  t.equal(byMediaType('text/toon;charset=utf-8'), 'toon')
  t.equal(byMediaType('text/toon; Charset="UTF-8"; q=0.5'), 'toon;q=0.5')
  t.equal(byMediaType('text/toon;charset=utf8;profile="a,b;c"'), 'toon')
  t.equal(byMediaType('text/toon;charset=utf-16'), null)
  t.equal(byMediaType('application/stc+json;version=1'), 'stc')
  t.equal(byMediaType('application/stc+json;version="1"'), 'stc')
  t.equal(byMediaType('application/stc+json;version=2'), null)
  t.equal(byMediaType('application/stc+json;version=2, application/stc+json;q=0.3'), 'stc;q=0.3')
  t.equal(byMediaType('application/stc+json;version=2', ['stc', 'stc2']), 'stc2')
  t.equal(byMediaType('application/stc+json', ['stc', 'stc2']), 'stc', 'without a version it is the first')
  t.equal(byMediaType('application/stc+json;version=2, application/stc+json;q=0.3', ['stc', 'stc2']), 'stc;q=0.3 stc2')
  t.equal(byMediaType('text/toon;version=4.0'), 'toon')
  t.equal(byMediaType('text/toon;version=3'), null)
})

t.test('commas and semicolons inside quoted strings do not separate', async (t) => {
  t.same(splitOutsideQuotes('a;b="x,y\\",z",c', ','), ['a;b="x,y\\",z"', 'c'])
  t.same(splitOutsideQuotes('a;b="open, c', ','), ['a;b="open, c'])
  t.same(splitOutsideQuotes('a,"\\', ','), ['a', '"\\'])
  t.equal(byMediaType('text/plain;a=", text/toon, "'), null)
  t.same(parseElement('text/x;a="p;\\"q";a=2;b;;C=d'), {
    name: 'text/x', parameters: new Map([['a', 'p;"q'], ['b', ''], ['c', 'd']]), q: 1
  })
})

t.test('eight kilobytes of anything are read, and never throw', async (t) => {
  const garbage = [',', ';', '"', '\\', '"\\', ';q=', 'a;', 'toon;', '*,', '\t', 'text/toon;a="', '=', 'q=0;'].map((part) => part.repeat(8192 / part.length))
  for (const value of garbage) {
    t.equal(negotiate({ 'accept-encoding': value, accept: value }, BOTH)?.identityRefused ?? false, false, value.slice(0, 12))
    t.ok((stripOurCodings(value) ?? '').length <= value.length)
    t.ok((stripOurMediaTypes(value) ?? '').length <= value.length)
  }
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (value) => {
    negotiate({ 'accept-encoding': value, accept: value }, BOTH)
    parseFieldList(value)
  }))
})

t.test('agrees with negotiator on codings that are named, one weight each', async () => {
  const weight = fc.constantFrom('', ';q=1', ';q=0.5', ';q=0.25', ' ; q=0.9', ';q=0', ';q=0.001')
  const name = fc.constantFrom('toon', 'stc', 'gzip', 'br', 'TOON', 'Stc', 'x-other')
  const header = fc.uniqueArray(fc.tuple(name, weight), { selector: ([name]) => name.toLowerCase(), maxLength: 6 })
    .map((elements) => elements.map(([name, weight]) => name + weight).join(', '))
  fc.assert(fc.property(header, (acceptEncoding) => {
    const theirs = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings(['toon', 'stc'])
    const ours = negotiate({ 'accept-encoding': acceptEncoding }, BOTH)
    const sorted = (ours?.accepted ?? []).toSorted((a, b) => b.q - a.q).map(({ codec }) => codec as string)
    // Where the weights are equal negotiator goes by the client's order, we by that of the option.
    return sorted.toSorted().join() === theirs.toSorted().join() &&
      (ours === null || ours.accepted.find(({ codec }) => codec === theirs[0])?.q === Math.max(...ours.accepted.map(({ q }) => q)))
  }))
})

t.test('agrees with negotiator on media types that are named, one weight each', async () => {
  const weight = fc.constantFrom('', ';q=1', ';q=0.5', '; q=0.25', ';q=0')
  const name = fc.constantFrom('text/toon', 'application/stc+json', 'text/html', 'text/plain', 'image/png')
  const header = fc.uniqueArray(fc.tuple(name, weight), { selector: ([name]) => name, minLength: 1, maxLength: 5 })
    .map((elements) => elements.map(([name, weight]) => name + weight).join(', '))
  const types: Partial<Record<CodingName, string>> = { toon: 'text/toon', stc: 'application/stc+json' }
  fc.assert(fc.property(header, (accept) => {
    const theirs = new Negotiator({ headers: { accept } }).mediaTypes(Object.values(types))
    const ours = (negotiate({ accept }, BOTH)?.accepted ?? []).map(({ codec }) => types[codec])
    return ours.toSorted().join() === theirs.toSorted().join()
  }))
})

t.test('towards the upstream our codings are taken out, all else stays byte for byte', async (t) => {
  for (const [value, expected] of [
    [undefined, undefined],
    ['', ''],
    ['gzip , br;q=0.5,\t*', 'gzip , br;q=0.5,\t*'],
    ['toon', undefined],
    ['TOON;q=0.5 , stc', undefined],
    [' , toon', undefined],
    ['gzip, toon, br', 'gzip, br'],
    ['toon, gzip;q=0.5', 'gzip;q=0.5'],
    ['gzip ;Q=1.0 ,toon', 'gzip ;Q=1.0'],
    ['br,stc;q=0,toon;q=nonsense,identity;q=0', 'br,identity;q=0'],
    ['toon-flatten, stc2, rows, stc3', 'stc3'],
    [['gzip', 'toon', 'br'], 'gzip, br'],
    [['gzip', 'br'], 'gzip, br'],
    [['stc', 'toon'], undefined]
  ] as const) {
    t.equal(stripOurCodings(value as string | string[] | undefined), expected, JSON.stringify(value))
  }
})

t.test('towards the upstream our media types are taken out; nothing left becomes application/json', async (t) => {
  for (const [value, expected] of [
    [undefined, undefined],
    ['', ''],
    ['*/*', '*/*'],
    ['text/html;level=1 , application/json', 'text/html;level=1 , application/json'],
    ['text/toon', 'application/json'],
    ['text/toon;q=0.5, application/stc+json;version=1', 'application/json'],
    ['application/json, text/event-stream, text/toon;q=0.9', 'application/json, text/event-stream'],
    ['text/toon, application/json;q=0.5', 'application/json;q=0.5'],
    ['text/toon, application/json;q=0', 'application/json'],
    ['text/toon, */*;q=0', 'application/json'],
    ['application/json;q=0', 'application/json;q=0'],
    ['application/stc+json;version=3, text/toon', 'application/stc+json;version=3'],
    ['application/stc+json;version=2', 'application/json'],
    ['text/x;a="text/toon, b", text/toon', 'text/x;a="text/toon, b"'],
    [['text/toon', 'application/json'], 'application/json'],
    [['text/html', '*/*'], 'text/html, */*'],
    [['text/toon', 'application/stc+json'], 'application/json']
  ] as const) {
    t.equal(stripOurMediaTypes(value as string | string[] | undefined), expected, JSON.stringify(value))
  }
})

t.test('what goes to the upstream is never negotiable', async () => {
  const token = fc.constantFrom('toon', 'stc', 'gzip', '*', 'identity', 'text/toon', 'application/stc+json', 'application/json', '*/*', 'toon;q=x')
  const header = fc.array(fc.tuple(token, fc.constantFrom('', ';q=0.5', ' ; q=0', ';a="b,c"')).map(([name, rest]) => name + rest)).map((all) => all.join(' ,'))
  fc.assert(fc.property(header, (value) => !isNegotiable({
    'accept-encoding': stripOurCodings(value), accept: stripOurMediaTypes(value)
  }, BOTH)))
})

t.test('a request is negotiable where a coding is found', async (t) => {
  t.equal(isNegotiable({ 'accept-encoding': 'toon' }, BOTH), true)
  t.equal(isNegotiable({ accept: 'text/toon' }, BOTH), true)
  t.equal(isNegotiable({ 'accept-encoding': 'gzip', accept: '*/*' }, BOTH), false)
  t.equal(isNegotiable({ 'accept-encoding': 'toon' }, []), false)
})

t.test('MCP clients are told by their Accept', async (t) => {
  t.equal(isEventStreamClient('application/json, text/event-stream'), true)
  t.equal(isEventStreamClient('Text/Event-Stream;q=0.5'), true)
  t.equal(isEventStreamClient('text/event-stream;q=0, */*'), false)
  t.equal(isEventStreamClient(undefined), false)
  t.equal(isJsonOnlyClient('application/json'), true)
  t.equal(isJsonOnlyClient('application/json, text/toon'), true)
  t.equal(isJsonOnlyClient('application/json, */*;q=0'), true)
  t.equal(isJsonOnlyClient('application/json, */*;q=0.1'), false)
  t.equal(isJsonOnlyClient('application/json, text/*'), false)
  t.equal(isJsonOnlyClient('application/json;q=0'), false)
  t.equal(isJsonOnlyClient('*/*'), false)
  t.equal(isJsonOnlyClient(undefined), false)
})
