import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { CODECS, CODING_NAMES, Document, STC2_MARKER, decode, encode, fromMarkdown, minify, project, toMarkdown } from '../../lib/index.js'
import { makeFence } from '../../lib/markdown.js'
import { makeMarker } from '../../lib/mcp/marker.js'
import { DEFAULT_EXCLUDE, mcpOptionsSchema, resolveMcpOptions } from '../../lib/mcp/options.js'
import type { BeforeEncode, McpOptions } from '../../lib/mcp/options.js'
import { sanitizeMessage } from '../../lib/mcp/sanitize.js'
import type { SanitizedMessage } from '../../lib/mcp/sanitize.js'
import { SessionTools } from '../../lib/mcp/session-tools.js'
import { matchesPattern } from '../../lib/mcp/tool-scope.js'
import { expand } from '../helpers/expand-embedded.js'
import { jsonText } from '../helpers/nasty-json.js'
import { KEY, PRETTY_ROWS, ROWS, answer, block, decodeBlock, entriesOf, isUntouched, resultOf, rewrite, textAnswer } from '../helpers/mcp-messages.js'
import type { Settings } from '../helpers/mcp-messages.js'

/* Real payloads, which are not part of this project: skipped where they are not beside it. */
const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(CORPUS)

const TOON = encode(ROWS, 'toon')

/** The first block of an answer and what `_meta` says of it. */
function firstOf (text: string): { text: string, entry: ReturnType<typeof entriesOf>[number] | undefined } {
  const result = resultOf(text)
  return { text: result.content[0].text, entry: entriesOf(result)[0] }
}

t.test('patterns of tool names: * for any characters, ? for one, the rest for itself', async t => {
  for (const [name, pattern, wanted] of [
    ['read_file', 'read_file', true], ['read_file', 'read', false], ['read', 'read_file', false], ['fs__read_file', '*read_file', true], ['read_file_x', '*read_file', false],
    ['abc', 'a?c', true], ['ac', 'a?c', false], ['', '*', true], ['', '', true], ['a', '', false], ['aXbXc', 'a*b*c', true], ['aXbX', 'a*b*c', false],
    ['a.b', 'a.b', true], ['axb', 'a.b', false], ['a*b', 'a*b', true], ['aab', '*ab', true], ['abc', 'abc***', true], ['Read', 'read', false]
  ] as const) t.equal(matchesPattern(name, pattern), wanted, `${name} ${pattern}`)
  t.notOk(matchesPattern('a'.repeat(10_000), `${'*a'.repeat(20)}b`), 'and no pattern takes long')
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '.') }), fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?') }), (name, pattern) => {
    const regex = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('?', '.').replace(/\*+/g, '.*')}$`)
    return matchesPattern(name, pattern) === regex.test(name)
  }))
})

t.test('tools that read files are excluded by default, and so is an unknown tool while any list is set', async t => {
  for (const tool of ['read_file', 'read_text_file', 'read_multiple_files', 'filesystem__read_text_file', 'fs.read_file', 'get_file_contents']) {
    t.ok(isUntouched(textAnswer(ROWS), { call: { tool } }), tool)
    t.match(rewrite(textAnswer(ROWS), { call: { tool } }).decisions, [{ outcome: 'passthrough', reason: 'excluded-tool', tool, index: 0 }])
  }
  t.match(rewrite(textAnswer(ROWS), { call: { tool: null } }).decisions, [{ reason: 'unknown-tool', tool: null }])
  const touched = (tool: string | null, tools: McpOptions['tools']): boolean => !isUntouched(textAnswer(ROWS), { call: { tool }, mcp: { tools } })
  t.ok(touched('list_directory', {}))
  t.ok(touched(null, { exclude: [] }), 'no list is set')
  t.ok(touched('read_file', { exclude: [] }))
  t.notOk(touched(null, { exclude: [], include: ['*'] }))
  t.ok(touched('db_query', { include: ['db_*'] }))
  t.notOk(touched('query', { include: ['db_*'] }))
  t.notOk(touched('db_read_file', { include: ['db_*'] }), 'an exclusion goes before an inclusion')
})

t.test('single tools have options of their own', async t => {
  const tools: McpOptions['tools'] = { options: { 'raw_*': { mode: 'off' }, 'watch_*': { mode: 'observe' }, stc_only: { codec: 'stc' }, '*': { minSavings: 99 } } }
  const of = (tool: string): unknown => rewrite(textAnswer(ROWS), { call: { tool }, mcp: { tools } }).decisions
  t.match(of('raw_query'), [{ outcome: 'passthrough', reason: 'excluded-tool' }])
  t.match(of('watch_query'), [{ outcome: 'passthrough', reason: 'observe-only', codec: 'toon' }])
  t.match(of('stc_only'), [{ outcome: 'encoded', codec: 'stc' }])
  t.match(of('other'), [{ outcome: 'passthrough', reason: 'below-threshold' }])
  t.match(rewrite(textAnswer(ROWS), { call: { tool: 'stc_only' }, mcp: { tools }, accepted: ['toon'] }).decisions, [{ outcome: 'passthrough', reason: 'not-smaller' }])
  t.match(rewrite(textAnswer(ROWS), { call: { tool: null }, mcp: { tools: { ...tools, exclude: [] } } }).decisions, [{ outcome: 'encoded', codec: 'toon' }])
})

t.test('a format that the request names goes before what the client accepts', async t => {
  const of = (format: 'toon' | 'stc' | 'json' | 'markdown', text = ROWS): ReturnType<typeof rewrite> => rewrite(textAnswer(text), { call: { tool: 'x', format } })
  t.match(of('toon').decisions, [{ codec: 'toon' }])
  t.match(of('stc').decisions, [{ codec: 'stc' }])
  t.equal(of('json').text, textAnswer(ROWS))
  t.equal(of('json', PRETTY_ROWS).text, textAnswer(ROWS))
  const { text, decisions } = of('markdown', PRETTY_ROWS)
  const first = firstOf(text)
  t.equal(first.text, `\`\`\`json\n${ROWS}\n\`\`\``)
  t.match(first.entry, { index: 0, codec: 'markdown', version: null, bytesBefore: PRETTY_ROWS.length, bytesAfter: first.text.length })
  t.match(decisions, [{ outcome: 'encoded', codec: 'json', lossless: true, bytesAfter: first.text.length }])
  t.equal(decodeBlock(first.text, first.entry), ROWS)
  t.equal(firstOf(of('markdown', '[[1]]').text).text, '```json\n[[1]]\n```', 'where asked for, whatever its size')
  t.ok(isUntouched(textAnswer('no JSON'), { call: { tool: 'x', format: 'markdown' } }))
})

t.test('the fence of a Markdown block is longer than every run of backticks in it', async t => {
  for (const [json, fence] of [['[]', '```'], ['["`"]', '```'], ['["```"]', '````'], ['["``````","`````"]', '```````'], ['"````"', '`````']]) {
    const text = Buffer.from(toMarkdown(Buffer.from(json))).toString()
    t.equal(text, `${fence}json\n${json}\n${fence}\n`)
    t.equal(fromMarkdown(text), json)
    const { before, after } = makeFence(Buffer.from(json))
    t.equal(fromMarkdown(Buffer.concat([before, Buffer.from(json), after]).toString()), json)
  }
  for (const text of ['', '[]', '```json\n[]\n````', '``json\n[]\n``']) t.throws(() => fromMarkdown(text), { name: 'TypeError' })
})

t.test('a marker is one line before the text, which _meta tells, and it counts', async t => {
  const marked = rewrite(textAnswer(PRETTY_ROWS), { mcp: { marker: true } })
  const { text, entry } = firstOf(marked.text)
  const [line, ...rest] = text.split('\n')
  t.equal(line, '[fastify-token-gateway:toon/4.0] JSON encoded as TOON; decode it before reuse. Tool arguments must still be sent as JSON.')
  t.equal(rest.join('\n'), TOON)
  t.match(entry, { preamble: 1, bytesAfter: text.length })
  t.equal(decodeBlock(text, entry), ROWS)
  t.match(marked.decisions, [{ bytesAfter: text.length }])
  t.equal(marked.textBytesAfter, text.length)
  t.equal(firstOf(rewrite(textAnswer(ROWS), { mcp: { marker: 'TOON:' } }).text).text, `TOON:\n${TOON}`)
  t.notOk('preamble' in (firstOf(rewrite(textAnswer(ROWS), { mcp: { marker: false } }).text).entry as object))
  // Small enough without the marker, too large with it.
  const few = JSON.stringify(JSON.parse(ROWS).slice(0, 3))
  t.notOk(isUntouched(textAnswer(few)))
  t.ok(isUntouched(textAnswer(few), { mcp: { marker: true } }))
  const size = few.length - encode(few, 'toon').length
  t.ok(isUntouched(textAnswer(few), { mcp: { marker: 'x'.repeat(size - 1) } }), 'by a single byte')
  for (const measure of ['bytes', 'tokens'] as const) {
    t.match(rewrite(textAnswer(PRETTY_ROWS), { measure, mcp: { marker: true } }).decisions, [{ outcome: 'encoded', codec: 'toon' }])
  }
  t.match(rewrite(textAnswer(few), { measure: 'tokens', mcp: { marker: 'a b c d e f' } }).decisions, [{ outcome: 'encoded' }])
  t.match(rewrite(textAnswer(few), { measure: 'tokens', mcp: { marker: '!@ #$ %^ &* () '.repeat(4) } }).decisions, [{ outcome: 'passthrough', reason: 'not-smaller' }])
})

t.test('a codec may have a marker of its own, which stands there unless an option says otherwise', async t => {
  const toon = CODECS.toon as { marker?: string }
  toon.marker = 'own line'
  t.teardown(() => { delete toon.marker })
  const line = (marker?: boolean | string): string => Buffer.from(makeMarker('toon', { marker }) ?? '').toString()
  t.strictSame([line(), line(true), line(false), line('another')], ['own line\n', 'own line\n', '', 'another\n'])
  t.match(firstOf(rewrite(textAnswer(ROWS)).text), { text: `own line\n${TOON}`, entry: { preamble: 1 } })
  t.match(firstOf(rewrite(textAnswer(JSON.stringify({ a: [[1]], out: PRETTY_ROWS.repeat(1) }))).text), { entry: { preamble: 1, paths: ['/out'] } }, 'where strings were descended into too')
})

t.test('a text of STC 2 has its marker by default, and comes back by what _meta says', async t => {
  const { text, entry } = firstOf(rewrite(textAnswer(ROWS), { accepted: ['stc2'] }).text)
  t.equal(text, `${STC2_MARKER}\n${encode(ROWS, 'stc2')}`)
  t.match(entry, { codec: 'stc2', preamble: 1, bytesAfter: text.length })
  t.equal(decodeBlock(text, entry), ROWS)
  t.equal(firstOf(rewrite(textAnswer(ROWS), { accepted: ['stc2'], mcp: { marker: false } }).text).text, encode(ROWS, 'stc2'))
})

const LIST = '{"tools":[{"name":"list_rows","description":"Rows.\\u0021","inputSchema":{"content":1},"outputSchema":{"type":"object"}}, {"outputSchema":{},"name":"other"},{"name":"read_file","description":"Files.","outputSchema":{}}],"nextCursor":"c"}'

t.test('descriptions in tools/list say how results are encoded, by option', async t => {
  const sentence = 'Results may come as TOON or STC, which says the same as JSON in fewer tokens. Tool arguments must still be sent as JSON.'
  const described = answer(LIST.replace('\\u0021"', `\\u0021 ${sentence}"`).replace('"name":"other"', `"name":"other","description":"${sentence}"`))
  t.ok(isUntouched(answer(LIST)))
  t.equal(rewrite(answer(LIST), { mcp: { describe: true } }).text, described)
  t.ok(isUntouched(described, { mcp: { describe: true } }), 'and say it once')
  t.match(rewrite(answer(LIST), { mcp: { describe: true }, accepted: ['toon'] }).text, 'come as TOON, which')
  t.match(rewrite(answer(LIST), { mcp: { describe: true }, accepted: ['toon', 'stc', 'rows'] }).text, 'come as TOON, STC or ROWS, which')
  t.ok(isUntouched(answer(LIST), { mcp: { describe: true }, accepted: [] }))
  t.ok(isUntouched(answer(LIST), { mcp: { describe: true }, mode: 'observe' }))
  t.ok(isUntouched(answer(LIST), { mcp: { describe: true, tools: { options: { other: { mode: 'off' }, '*': { mode: 'observe' } } } } }))
  t.ok(isUntouched(answer('{"tools":[null,1,{},{"name":1},{"name":"\\ud800"},{"name":"a","name":"b"},{"name":"c","description":null},{"name":"d","description":"\\ud800"}]}'), { mcp: { describe: true } }))
  t.ok(isUntouched(answer('{"tools":{"content":1}}'), { mcp: { describe: true } }))
})

const structured = (text: string, value: string): string => answer(`{"content":[${block(text)}],"structuredContent":${value},"isError":false}`)

t.test('structuredContent that says what the text says is dropped by option, with the output schemas in tools/list', async t => {
  const session = new SessionTools()
  const settings: Settings = { session, mcp: { structuredContent: 'drop' } }
  const dropped = (message: string, more: Settings = {}): boolean => !('structuredContent' in resultOf(rewrite(message, { ...settings, ...more }).text))
  t.notOk(dropped(structured(ROWS, PRETTY_ROWS)), 'not before tools/list has passed')
  t.equal(rewrite(answer(LIST), settings).text, answer(LIST.replace(',"outputSchema":{"type":"object"}', '').replace('"outputSchema":{},"name"', '"name"')))
  t.ok(dropped(structured(ROWS, PRETTY_ROWS)))
  t.ok(dropped(structured(ROWS.replace('"id":3', '"id":3.0e0'), ROWS)), 'numbers count by value')
  t.ok(dropped(structured('[[1]]', '[ [1]]')), 'also where the text stays')
  t.equal(rewrite(structured('[[1]]', '[ [1]]'), settings).text, answer(`{"content":[${block('[[1]]')}],"isError":false}`))
  t.match(rewrite(structured(ROWS, ROWS), settings).text, new RegExp(`"isError":false,"_meta":\\{"${KEY}"`))
  for (const other of [ROWS.replace('"id":3', '"id":30'), ROWS.replace('Oslo', 'Rome'), `{"content":${JSON.stringify(ROWS)}}`, 'null', '"x"', '[]']) t.notOk(dropped(structured(ROWS, other)), other)
  t.notOk(dropped(structured('text', '"text"')))
  t.notOk(dropped(structured(ROWS, ROWS), { call: { tool: 'read_file' } }), 'not of an excluded tool')
  t.notOk(dropped(structured(ROWS, ROWS), { call: { tool: 'never_listed' } }))
  t.notOk(dropped(structured(ROWS, ROWS), { session: undefined }), 'not without a session')
  t.notOk(dropped(structured(ROWS, ROWS), { mcp: {} }), 'not by default')
  t.notOk(dropped(structured(ROWS, ROWS), { mode: 'observe' }))
  t.notOk(dropped(structured(ROWS, ROWS), { call: { tool: null }, mcp: { structuredContent: 'drop', tools: { exclude: [] } } }))
  t.ok(isUntouched(answer(LIST), { mcp: { structuredContent: 'drop' } }), 'schemas stay where there is no session')
})

t.test('what is known of a session is bounded', async t => {
  const session = new SessionTools()
  t.notOk(session.add('x'.repeat(257)))
  for (let i = 0; i < 2048; i++) t.ok(session.add(`tool ${i}`))
  t.ok(session.add('tool 7'))
  t.notOk(session.add('one more'))
  t.notOk(session.has('one more'))
  t.ok(session.has('tool 7'))
  const list = answer('{"tools":[{"name":"one more","outputSchema":{}}]}')
  t.ok(isUntouched(list, { session, mcp: { structuredContent: 'drop' } }))
})

function sanitize (message: string, beforeEncode: BeforeEncode | undefined, more: McpOptions = {}, tool: string | null = 'list_rows'): SanitizedMessage | Promise<SanitizedMessage> {
  const bytes = Buffer.from(message)
  return sanitizeMessage(bytes, { policy: { accepted: [] }, options: resolveMcpOptions({ ...more, beforeEncode }), call: { tool } })
}
const textOf = ({ bytes }: SanitizedMessage): string => Buffer.from(bytes).toString()

t.test('beforeEncode sees every text that may be re-encoded, and no other', async t => {
  const seen: unknown[] = []
  const message = answer(`{"content":[${block('plain')},{"type":"image"},{"type":"text","text":"\\ud800\\u00e9"},${block(ROWS, ',"annotations":{"audience":["user"]}')},${block(ROWS)}]}`)
  const bytes = Buffer.from(message)
  const look = (text: string, context: object): undefined => { seen.push([text, context]) }
  t.equal((sanitizeMessage(bytes, { policy: { accepted: [] }, options: resolveMcpOptions({ beforeEncode: look }), call: { tool: 'x' } }) as SanitizedMessage).bytes, bytes)
  t.strictSame(seen, [['plain', { tool: 'x', index: 0 }], ['\ud800é', { tool: 'x', index: 2 }], [ROWS, { tool: 'x', index: 4 }]])
  seen.length = 0
  sanitize(answer('{"\\u0063ontent":[{"\\u0074ype":"text","text":"x"}]}'), look)
  t.strictSame(seen, [['x', { tool: 'list_rows', index: 0 }]], 'however keys are spelled')
  seen.length = 0
  for (const other of ['{"content":', '{}', answer(`{"content":[${block('x')}],"isError":true}`), answer(LIST)]) sanitize(other, look)
  sanitize(textAnswer('x'), look, {}, 'read_file')
  sanitize(textAnswer('x'), look, {}, null)
  sanitize(answer('{"contents":[{"text":"x"}]}'), look)
  t.strictSame(seen, [])
  t.equal(textOf(sanitize(textAnswer('x'), undefined) as SanitizedMessage), textAnswer('x'))
  sanitize(answer('{"contents":[{"text":"x"}]}'), look, { resources: true }, null)
  t.strictSame(seen, [['x', { tool: null, index: 0 }]])
})

t.test('beforeEncode replaces a text, and what ships is made of its own', async t => {
  const redact = (text: string): string => text.replaceAll('Oslo', '\ud800"\n')
  const message = answer(` {"content":[${block(ROWS)} , ${block('to Oslo')}]}`)
  const { bytes, decisions } = sanitize(message, redact) as SanitizedMessage
  t.equal(Buffer.from(bytes).toString(), answer(` {"content":[${block(redact(ROWS))} , ${block(redact('to Oslo'))}]}`))
  t.strictSame(decisions, [])
  t.equal(textOf(sanitize(message, text => text) as SanitizedMessage), message)
  t.equal(textOf(sanitize(message, () => null as unknown as undefined) as SanitizedMessage), message)
  t.equal(textOf(sanitize(message, () => true) as SanitizedMessage), message)
})

t.test('structuredContent follows a text that was replaced', async t => {
  const hook = (after: string): BeforeEncode => () => after
  t.equal(textOf(sanitize(structured(ROWS, PRETTY_ROWS), hook('[ 1 ]')) as SanitizedMessage), structured('[ 1 ]', '[1]'), 'a copy is replaced by the new text')
  const without = (text: string): string => answer(`{"content":[${block(text)}],"isError":false}`)
  t.equal(textOf(sanitize(structured(ROWS, PRETTY_ROWS), hook('gone')) as SanitizedMessage), without('gone'), 'or goes where that is no JSON')
  t.equal(textOf(sanitize(structured(ROWS, `{"content":${JSON.stringify(ROWS)}}`), hook('[]')) as SanitizedMessage), without('[]'), 'what is no copy goes: it may tell what the text must not')
  t.equal(textOf(sanitize(structured('secret', '"secret"'), hook('[]')) as SanitizedMessage), without('[]'))
  const two = answer(`{"content":[${block('a')},${block('b')}],"structuredContent":{}}`)
  t.equal(textOf(sanitize(two, hook('c')) as SanitizedMessage), answer(`{"content":[${block('c')},${block('c')}]}`))
})

t.test('a result that beforeEncode blocks, or fails on, is withheld whole', async t => {
  const error = '{"content":[{"type":"text","text":"The gateway has withheld this result."}],"isError":true}'
  const message = answer(`{"content":[${block('a')},${block('b')}],"structuredContent":{"secret":1}}`, '12345678901234567890')
  const blocks: BeforeEncode[] = [() => false, text => text === 'b' ? false : 'x', () => { throw new Error('no') }, () => 1 as unknown as undefined, async () => false, async () => { throw new Error('no') }]
  for (const beforeEncode of blocks) {
    const { bytes, decisions } = await sanitize(message, beforeEncode)
    t.equal(Buffer.from(bytes).toString(), answer(error, '12345678901234567890'))
    t.match(decisions, [{ outcome: 'encoded', reason: 'withheld', lossless: false, tool: 'list_rows' }])
    t.equal(decisions.length, 1)
    t.ok(isUntouched(bytes))
  }
  const typed = textOf(await sanitize(answer(`{"content":[${block('a')}],"resultType":"complete"}`), () => false))
  t.equal(typed, answer(error.replace('true}', 'true,"resultType":"complete"}')))
  const task = textOf(await sanitize(answer(`{"task":{},"result":{"content":[${block('a')}]}}`), () => false))
  t.equal(task, answer(`{"task":{},"result":${error}}`))
  const resource = (more: string): string => answer(`{"contents":[{"uri":"a","text":"x"}]${more}}`)
  t.equal(textOf(await sanitize(resource(''), () => false, { resources: true })), answer('{"contents":[]}'))
  t.equal(textOf(await sanitize(resource(',"resultType":"complete"'), () => false, { resources: true })), answer('{"contents":[],"resultType":"complete"}'))
})

t.test('beforeEncode may be asynchronous, and only then is there a promise', async t => {
  const answers = ['1', undefined]
  const promise = sanitize(textAnswer('a', 'b'), async () => answers.shift())
  t.ok(promise instanceof Promise)
  t.equal(textOf(await promise), textAnswer('1', 'b'))
  t.notOk(sanitize(textAnswer('a'), () => 'x') instanceof Promise)
})

const many = Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}`, city: 'Oslo', note: id % 7 === 0 ? 'a, b' : '-' }))

t.test('a text above its limit is cut behind a row, with the marker kept and the rows that are missing told', async t => {
  for (const [json, list] of [[JSON.stringify(many), (value: unknown) => value], [JSON.stringify({ total: 500, data: { rows: many }, s: [1, 2] }, null, 2), (value: { data: { rows: unknown } }) => value.data.rows]] as const) {
    for (const codec of ['toon', 'stc', 'rows', 'toon-flatten'] as const) {
      // The rows dialect has no such wrappers.
      if (codec === 'rows' && !json.startsWith('[')) continue
      for (const maxTextBytes of [400, 1000, 3333, 8000]) {
        const { text, decisions } = rewrite(textAnswer(json), { accepted: [codec], mcp: { maxTextBytes, marker: 'MARK' } })
        const first = firstOf(text)
        const shown = first.entry?.cut?.shown as number
        t.ok(Buffer.byteLength(first.text) <= maxTextBytes && Buffer.byteLength(first.text) > maxTextBytes * 0.7 - 100, `${codec} ${maxTextBytes}: ${first.text.length}`)
        t.match(first.text, new RegExp(`^MARK\n\\[fastify-token-gateway\\] The first ${shown} of 500 rows; ${500 - shown} were left out to keep the text short\\.\n`))
        t.match(first.entry, { codec, preamble: 2, cut: { total: 500 } })
        t.match(decisions, [{ outcome: 'encoded', codec, lossless: false, reason: null, cut: { shown, total: 500 }, bytesAfter: Buffer.byteLength(first.text) }])
        const decoded = JSON.parse(decodeBlock(first.text, first.entry))
        t.strictSame((list as (value: unknown) => unknown)(decoded), many.slice(0, shown))
      }
    }
  }
})

t.test('a text that is no longer than its limit is not cut; nor is one of which marker, note and one row do not fit', async t => {
  const json = JSON.stringify(many)
  const size = encode(json, 'toon').length
  t.notOk(firstOf(rewrite(textAnswer(json), { accepted: ['toon'], mcp: { maxTextBytes: size } }).text).entry?.cut)
  t.ok(firstOf(rewrite(textAnswer(json), { accepted: ['toon'], mcp: { maxTextBytes: size - 1 } }).text).entry?.cut)
  for (const [text, maxTextBytes] of [[json, 100], ['{"a":{"b":[[[1]]],"c":"long enough"}}', 10], [`[${json}]`, 100], ['[]', 1], ['["one element that is long"]', 5], [JSON.stringify({ stdout: 'x'.repeat(300), cmd: Array(60).fill('a') }), 425]] as const) {
    t.ok(isUntouched(textAnswer(text), { mcp: { maxTextBytes } }), text.slice(0, 20))
    t.match(rewrite(textAnswer(text), { mcp: { maxTextBytes } }).decisions, [{ outcome: 'passthrough', reason: 'too-large', lossless: true, bytesAfter: Number }])
  }
  t.ok(isUntouched(textAnswer(json), { mode: 'observe', mcp: { maxTextBytes: 1000 } }))
})

t.test('JSON and Markdown are cut behind a row too', async t => {
  const json = JSON.stringify(many)
  for (const format of ['json', 'markdown'] as const) {
    const { text } = rewrite(textAnswer(json), { call: { tool: 'x', format }, mcp: { maxTextBytes: 2000 } })
    const first = firstOf(text)
    t.ok(first.text.length <= 2000)
    t.match(first.text, /^\[fastify-token-gateway\] The first \d+ of 500 rows/)
    t.match(first.entry, { codec: format, preamble: 1 })
    t.strictSame(JSON.parse(decodeBlock(first.text, first.entry)), many.slice(0, first.entry?.cut?.shown))
  }
})

t.test('rows are cut down to the fields that are asked for, and the answer says so', async t => {
  const { text, decisions } = rewrite(textAnswer(PRETTY_ROWS), { call: { tool: 'x', fields: ['name', 'id'] }, accepted: ['toon'] })
  const first = firstOf(text)
  const wanted = JSON.stringify(JSON.parse(ROWS).map(({ id, name }: { id: number, name: string }) => ({ id, name })))
  t.equal(first.text, encode(wanted, 'toon'))
  t.match(first.entry, { codec: 'toon', fields: ['name', 'id'], bytesBefore: PRETTY_ROWS.length, bytesAfter: first.text.length })
  t.match(decisions, [{ outcome: 'encoded', lossless: false, fields: ['name', 'id'] }])
  t.match(firstOf(rewrite(textAnswer('[{"a":1,"b":2}]'), { call: { tool: 'x', fields: ['a'] }, accepted: [] }).text), { text: '[{"a":1}]', entry: { codec: 'json', fields: ['a'] } })
  t.ok(isUntouched(textAnswer('[{"a":1,"b":2}]'), { call: { tool: 'x', fields: ['zzz'] }, accepted: [] }), 'fields that are nowhere change nothing')
})

t.test('projection keeps whole members, parts of objects and of lists, and dotted keys', async t => {
  const of = (json: string, ...fields: string[]): string | null => {
    const bytes = project(Document.parse(json), fields)
    return bytes === null ? null : Buffer.from(bytes).toString()
  }
  t.equal(of('[{"a":1,"b":{"c":2,"d":3},"e":4},{"b":{"d":5}},{"a":6}]', 'a', 'b.c'), '[{"a":1,"b":{"c":2}},{},{"a":6}]')
  t.equal(of('{"total": 2, "items" :[{"a":1.0,"b":2},{"a":1e400}], "next":null}', 'a'), '{"total": 2, "items" :[{"a":1.0},{"a":1e400}], "next":null}')
  t.equal(of('{"x":[{"a":1}],"deep":{"y":[{"a":1,"b":"longer than the other"}]}}', 'a'), '{"x":[{"a":1}],"deep":{"y":[{"a":1}]}}', 'the longest list')
  t.equal(of('{"a":1,"b":{"c":[{"d":1,"e":2},5,{"e":3}]},"f":[1]}', 'b.c.d'), '{"b":{"c":[{"d":1},{}]}}', 'paths from the root, where no row has any of them')
  t.equal(of('[{"l":[{"d":1,"e":2},5,{"e":3}]}]', 'l.d'), '[{"l":[{"d":1},{}]}]')
  t.equal(of('{"a":1,"b":2,"tags":[1,2]}', 'b', 'tags'), '{"b":2,"tags":[1,2]}', 'an object without rows is one')
  t.equal(of('[{"a.b":1,"a":{"b":2,"c":3},"x":{"a.b":4}}]', 'a.b'), '[{"a.b":1,"a":{"b":2}}]')
  t.equal(of('[{"a":5},{"a":{"b":1}}]', 'a.b'), '[{},{"a":{"b":1}}]', 'a value that has no parts is left out')
  t.equal(of('[{"a":1,"a":2,"\\u0061":3,"\\ud800":4}]', 'a'), '[{"a":1,"a":2,"\\u0061":3}]')
  t.equal(of('[{"__proto__":1,"constructor":2,"x":3}]', '__proto__', 'constructor'), '[{"__proto__":1,"constructor":2}]')
  t.equal(of('[{"a":{"b":1}}]', 'a', 'a.b'), '[{"a":{"b":1}}]')
  for (const json of ['[]', '[1,[{"a":1}]]', '{}', '[{}]', '[{"b":1}]', '{"b":{"a":1}}']) t.equal(of(json, 'a'), null, json)
  t.equal(of('[{"a":1}]', Array(40).fill('a').join('.')), null)
  const deep = `[{"a":${'['.repeat(5000)}1${']'.repeat(5000)}}]`
  t.equal(of(deep, 'a'), deep)
  t.equal(of(deep, 'a.b'), null)
})

t.test('the options are checked by their schema', async t => {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictTypes: false }).compile(mcpOptionsSchema)
  const full: McpOptions = {
    tools: { include: ['a*'], exclude: [], options: { x: { codec: 'stc', mode: 'off', minSavings: 5 } } },
    marker: 'line',
    describe: true,
    structuredContent: 'drop',
    descend: false,
    resources: true,
    noTransform: 'obey',
    maxTextBytes: 1000,
    beforeEncode: () => undefined
  }
  t.ok(validate(full), JSON.stringify(validate.errors))
  t.ok(validate({}) && validate({ marker: true }) && validate({ marker: false }))
  for (const wrong of [
    { tools: [] }, { tools: { include: 'a' } }, { tools: { only: [] } }, { tools: { options: { x: { codec: 'json' } } } }, { tools: { options: { x: { minSavings: 101 } } } }, { tools: { options: { x: { other: 1 } } } },
    { marker: 1 }, { marker: '' }, { marker: 'two\nlines' }, { describe: 'yes' }, { structuredContent: 'both' }, { descend: 1 }, { resources: 'all' }, { noTransform: true }, { maxTextBytes: 0 }, { other: true }
  ]) t.notOk(validate(wrong), JSON.stringify(wrong))
})

t.test('options are filled in from the stronger layer on, then by default', async t => {
  t.strictSame(resolveMcpOptions(), {
    tools: { include: undefined, exclude: [...DEFAULT_EXCLUDE], options: {} },
    marker: undefined,
    describe: false,
    structuredContent: 'keep',
    descend: true,
    resources: false,
    noTransform: 'ignore',
    maxTextBytes: Infinity,
    beforeEncode: undefined
  })
  t.match(resolveMcpOptions({ descend: undefined, marker: false }, { descend: false, marker: true, tools: { include: ['a'] } }), { descend: false, marker: false, tools: { include: ['a'] } })
})

t.test('with descent off, documents in strings stay strings', async t => {
  const message = textAnswer(JSON.stringify({ ok: true, stdout: PRETTY_ROWS }))
  const on = firstOf(rewrite(message).text)
  t.match(on.entry, { paths: ['/stdout'] })
  t.equal(decodeBlock(on.text, on.entry), JSON.stringify({ ok: true, stdout: ROWS }))
  const off = firstOf(rewrite(message, { mcp: { descend: false } }).text)
  t.equal(off.entry?.paths, undefined)
  t.equal(minify(off.entry === undefined ? off.text : decode(off.text, off.entry.codec as 'toon')), JSON.stringify({ ok: true, stdout: PRETTY_ROWS }))
  const json = firstOf(rewrite(message, { accepted: [] }).text)
  t.match(json.entry, { codec: 'json', version: null, minified: ['/stdout'] })
  const noisy = `{"a":{"b":[[[1],[2]],{"c":{}}]},"d":[[],[[]]],"stdout":${JSON.stringify(PRETTY_ROWS)}}`
  t.match(firstOf(rewrite(textAnswer(noisy), { accepted: ['toon'] }).text).entry, { codec: 'toon', paths: ['/stdout'] })
})

const embedding = fc.oneof(jsonText, jsonText.map(text => `{"out":${JSON.stringify(text)},"rows": ${JSON.stringify(PRETTY_ROWS)}}`), jsonText.map(text => `{"a":${text},"rows":${PRETTY_ROWS}}`))

t.test('with any options, every text comes back by its entry, and none is larger than JSON', async t => {
  const counts = { encoded: 0, marked: 0, descended: 0, mixed: 0 }
  const settings = fc.record({
    accepted: fc.subarray([...CODING_NAMES]),
    measure: fc.constantFrom('bytes' as const, 'tokens' as const),
    marker: fc.constantFrom(undefined, true, 'M'),
    descend: fc.boolean(),
    minSavings: fc.constantFrom(0, 20)
  })
  fc.assert(fc.property(embedding, settings, (json, { accepted, measure, minSavings, ...mcp }) => {
    const { text, decisions: [decision] } = rewrite(textAnswer(json), { accepted, measure, minSavings, mcp })
    const first = firstOf(text)
    if (decision.outcome === 'passthrough') return text === textAnswer(json)
    counts.encoded++
    if (first.entry?.preamble) counts.marked++
    if (first.entry?.paths) counts.descended++
    if (first.entry?.outer) counts.mixed++
    if (Buffer.byteLength(JSON.stringify(first.text)) > Buffer.byteLength(JSON.stringify(minify(json)))) throw new Error('larger')
    if (Buffer.byteLength(first.text) !== decision.bytesAfter) throw new Error('not the size that was told')
    return JSON.stringify(expand(decodeBlock(first.text, first.entry))) === JSON.stringify(expand(json))
  }), { numRuns: 1500 })
  for (const [name, count] of Object.entries(counts)) t.ok(count > 2, `${count} ${name}`)
})

t.test('of a real list, a few fields in a coding are a small part', { skip: isMissing && 'no corpus' }, async t => {
  const json = readFileSync(join(CORPUS, 'list-endpoints/github-org-repos-100.json'), 'utf8')
  const fields = ['name', 'html_url', 'owner.login']
  const { text, textBytesBefore, textBytesAfter } = rewrite(textAnswer(json), { call: { tool: 'list_repos', fields } })
  const first = firstOf(text)
  const wanted = (JSON.parse(json) as { name: string, html_url: string, owner: { login: string } }[])
    .map(({ name, html_url: url, owner }) => ({ name, owner: { login: owner.login }, html_url: url }))
  t.strictSame(JSON.parse(decodeBlock(first.text, first.entry)), wanted)
  t.ok(textBytesBefore > 50 * textBytesAfter, `${textBytesBefore} bytes became ${textBytesAfter}`)
})
