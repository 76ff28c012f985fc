import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createParser } from 'eventsource-parser'
import type { EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import t from 'tap'
import { EventStreamRewriter } from '../../lib/mcp/events.js'
import type { EventStreamOptions, Piece, RewriteData } from '../../lib/mcp/events.js'

/* Recorded responses of real servers, which are not part of this project: skipped where they are not beside it. */
const RECORDINGS = process.env.TOKEN_GATEWAY_RECORDINGS ?? join(import.meta.dirname, '../../../shared/mcp-recordings')
const isMissing = !existsSync(RECORDINGS)
const recordings = isMissing ? [] : readdirSync(RECORDINGS).filter(file => file.endsWith('.body')).sort()

const LARGE = { maxEventBytes: 1 << 20 }
const keep: RewriteData = () => null
/** Puts another text in the place of that of a result in what looks like JSON; keeps the line feeds of data in several lines. */
const rename: RewriteData = data => {
  const text = Buffer.from(data).toString()
  return /^\s*[{[]/.test(text) && text.includes('"result"') ? Buffer.from(text.replaceAll('"text":"', '"text":"new ')) : null
}

function bytesOf (pieces: readonly Piece[]): string {
  return Buffer.concat(pieces as Uint8Array[]).toString('latin1')
}

/** What comes out of a stream in these chunks; in Latin-1, so that no byte is lost. */
function run (chunks: readonly Uint8Array[], rewrite: RewriteData, options: EventStreamOptions = LARGE): string {
  const rewriter = new EventStreamRewriter(rewrite, options)
  return bytesOf([...chunks.flatMap(chunk => rewriter.push(chunk)), ...rewriter.end()])
}

function runText (text: string, rewrite: RewriteData, options = LARGE): string {
  return Buffer.from(run([Buffer.from(text)], rewrite, options), 'latin1').toString()
}

function cutAt (bytes: Uint8Array, ...places: number[]): Uint8Array[] {
  return [0, ...places].map((place, i) => bytes.subarray(place, places[i] ?? bytes.length))
}

interface Parsed { events: EventSourceMessage[], retries: number[], comments: string[] }

/** What a reader that is not ours makes of a stream. */
function parse (text: string): Parsed {
  const parsed: Parsed = { events: [], retries: [], comments: [] }
  const parser = createParser({
    onEvent: event => parsed.events.push(event),
    onRetry: retry => parsed.retries.push(retry),
    onComment: comment => parsed.comments.push(comment)
  })
  // It waits for what follows a CR.
  parser.feed(`${text}:`)
  return parsed
}

function renameParsed ({ events, ...rest }: Parsed): Parsed {
  return { ...rest, events: events.map(event => ({ ...event, data: renameData(event.data) })) }
}

function renameData (data: string): string {
  const next = rename(Buffer.from(data)) as Uint8Array | null
  return next === null ? data : Buffer.from(next).toString()
}

t.test('recordings, whole and cut at every byte, come out byte for byte where nothing is rewritten', { skip: isMissing && 'no recordings' }, async t => {
  for (const file of recordings) {
    const bytes = readFileSync(join(RECORDINGS, file))
    const whole = bytes.toString('latin1')
    let same = 0
    for (let cut = 0; cut <= bytes.length; cut++) if (run(cutAt(bytes, cut), keep) === whole) same++
    t.equal(same, bytes.length + 1, file)
    t.equal(run(cutAt(bytes, ...bytes.keys()), keep), whole, `${file} byte by byte`)
  }
})

t.test('recordings differ in the texts of results alone, and cut at every byte come out as if uncut', { skip: isMissing && 'no recordings' }, async t => {
  let changed = 0
  for (const file of recordings.filter(file => file.includes('sse') || file.includes('stream'))) {
    const bytes = readFileSync(join(RECORDINGS, file))
    const whole = run([bytes], rename)
    const text = Buffer.from(whole, 'latin1').toString()
    t.same(parse(text), renameParsed(parse(bytes.toString())), file)
    if (text !== bytes.toString()) changed++
    let same = 0
    for (let cut = 0; cut <= bytes.length; cut++) if (run(cutAt(bytes, cut), rename) === whole) same++
    t.equal(same, bytes.length + 1, file)
    t.equal(run(cutAt(bytes, ...bytes.keys()), rename), whole, `${file} byte by byte`)
  }
  t.ok(changed > 10)
})

const RESULT = '{"result":{"content":[{"type":"text","text":"é日🎉"}]},"id":1}'
const LINES = [
  '', '', '', ': a comment', 'event: message', 'id: 7', 'id', 'retry: 10', 'unknown: x', 'no colon', 'data', 'data:', 'data: ', 'dat: x', 'datab: x', 'da',
  `data: ${RESULT}`, `data:${RESULT}`, `data:  ${RESULT}`, 'data: {"result":', 'data: {"text":"a"}}', 'data:  {"text":"b"}}', 'data: [1]', 'data: plain', 'Data: {}', ' data: {}'
]

t.test('any stream, in any chunks, keeps all but the data that is rewritten', async () => {
  const line = fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\r', '\r\n')).map(parts => parts.join(''))
  const stream = fc.tuple(fc.constantFrom('', '\ufeff', '\ufeff'), fc.array(line, { maxLength: 20 }), fc.constantFrom('', 'data: {', 'da')).map(([bom, lines, rest]) => bom + lines.join('') + rest)
  fc.assert(fc.property(stream, fc.array(fc.nat()), (text, places) => {
    const bytes = Buffer.from(text)
    const whole = runText(text, rename)
    const cuts = places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b)
    assert.equal(run(cutAt(bytes, ...cuts), rename), Buffer.from(whole).toString('latin1'))
    assert.equal(run(cutAt(bytes, ...bytes.keys()), rename), Buffer.from(whole).toString('latin1'))
    assert.equal(runText(text, keep), text)
    // That reader takes a BOM only for one in Latin-1.
    assert.deepEqual(parse(whole.replace(/^\ufeff/, '')), renameParsed(parse(text.replace(/^\ufeff/, ''))))
  }), { numRuns: 3000 })
})

t.test('only the data line changes: its own end, and the lines around it, stay', async t => {
  const cases = [
    ['id: 1\r\ndata: {"result":{"text":"a"}}\r\nevent: message\r\n\r\n', 'id: 1\r\ndata: {"result":{"text":"new a"}}\r\nevent: message\r\n\r\n'],
    ['data:{"result":{"text":"a"}}\rid: 1\n\n', 'data:{"result":{"text":"new a"}}\rid: 1\n\n'],
    // What stood in several lines stays in several, in the place of the first.
    ['data: {"result":\nid: 1\ndata:{"text":"a"}}\n: end\n\n', 'data: {"result":\ndata: {"text":"new a"}}\nid: 1\n: end\n\n'],
    ['data\ndata: {"result":{"text":"a"}}\n\n', 'data\ndata: {"result":{"text":"new a"}}\n\n'],
    ['data:{"result":\ndata:  {"text":"a"}}\n\n', 'data:{"result":\ndata:  {"text":"new a"}}\n\n'],
    // A line that is gone leaves no other line end behind.
    ['data: {"result":\rdata: {"text":"a"}}\n\n', 'data: {"result":\rdata: {"text":"new a"}}\r\n\n'],
    ['\ufeffdata: {"result":{"text":"a"}}\n\n', '\ufeffdata: {"result":{"text":"new a"}}\n\n']
  ]
  for (const [before, after] of cases) t.equal(runText(before, rename), after, JSON.stringify(before))
})

t.test('what is no data passes at once, an event from its first data line on when it is complete', async t => {
  const rewriter = new EventStreamRewriter(rename, LARGE)
  const steps = [
    ['\ufeff: hello', '\ufeff: hello'], ['\nevent: mess', '\nevent: mess'], ['age\nid: 1\n', 'age\nid: 1\n'],
    ['da', ''], ['ta', ''], [': {"result":{"te', ''], ['xt":"a"}}\n', ''], ['id: 2\n', ''], ['\n', 'data: {"result":{"text":"new a"}}\nid: 2\n\n'],
    // A CR ends the event; whether a LF follows is not waited for.
    ['data: {"result":{"text":"a"}}\r\n\r', 'data: {"result":{"text":"new a"}}\r\n\r'], ['\n', '\n'],
    // What cannot be JSON, or is not called data, is not held.
    ['data: ', ''], ['plain', 'data: plain'], [' text\ndata: {', ' text\ndata: {'], ['}\n\n', '}\n\n'],
    ['d', ''], ['b', 'db'], ['\n', '\n'], ['da', ''], ['\n', 'da\n'], ['data\n\n', 'data\n\n'], ['id: 3\ndata: \n', 'id: 3\n'], ['\n', 'data: \n\n'],
    ['data: {"result"', '']
  ]
  for (const [chunk, expected] of steps) t.equal(Buffer.from(bytesOf(rewriter.push(Buffer.from(chunk))), 'latin1').toString(), expected, JSON.stringify(chunk))
  t.equal(bytesOf(rewriter.end()), 'data: {"result"', 'an event that was not completed stays as it is')
  t.same(rewriter.end(), [])
})

t.test('a chunk in which nothing is rewritten is given on as it is, whole', async t => {
  const rewriter = new EventStreamRewriter(keep, LARGE)
  const chunk = Buffer.from(': x\ndata: {"a":1}\n\ndata: {"b":1}\n\nid: 1\n')
  const pieces = rewriter.push(chunk)
  t.equal(pieces.length, 1)
  t.equal((pieces[0] as Uint8Array).buffer, chunk.buffer)
})

t.test('an event of more than maxEventBytes passes as it comes, whatever the chunks are; the next is rewritten', async t => {
  const event = 'data: {"result":{"text":"a"}}\n\n'
  const text = `${event}id: 1\n${event}`
  const bytes = Buffer.from(text)
  for (const [maxEventBytes, expected, refused] of [[event.length, text.replaceAll('"a"', '"new a"'), 0], [event.length - 1, text, 2]] as const) {
    for (const chunks of [[bytes], cutAt(bytes, ...bytes.keys()), cutAt(bytes, 9, 40, 50)]) {
      const sizes: number[] = []
      t.equal(run(chunks, rename, { maxEventBytes, onTooLarge: size => sizes.push(size) }), expected)
      t.equal(sizes.length, refused)
    }
  }
  const rewriter = new EventStreamRewriter(rename, { maxEventBytes: 40 })
  t.equal(bytesOf(rewriter.push(Buffer.from(`${event.slice(0, -2)}    `))), '')
  t.equal(bytesOf(rewriter.push(Buffer.from('          '))), `${event.slice(0, -2)}              `, 'all that was held is let go')
  t.equal(bytesOf(rewriter.push(Buffer.from('    \ndata: {'))), '    \ndata: {')
  t.equal(bytesOf(rewriter.push(Buffer.from(`}\n\n${event}`))), `}\n\n${event.replace('"a"', '"new a"')}`)
  t.equal(run(cutAt(Buffer.from('data: {}\nid: 2\n\nx'), 9, 10), keep, { maxEventBytes: 8 }), 'data: {}\nid: 2\n\nx', 'at the edge of a line')
})

t.test('events may be rewritten later; the order stays', async t => {
  const later: RewriteData = async data => data.includes(0x32) ? null : Buffer.from('{}')
  const rewriter = new EventStreamRewriter(later, LARGE)
  const pieces = rewriter.push(Buffer.from(': a\ndata: {"n":1}\n\n: b\ndata: {"n":2}\n\nid: 3\n'))
  t.equal(pieces.filter(piece => piece instanceof Promise).length, 2)
  t.equal(bytesOf(await Promise.all(pieces)), ': a\ndata: {}\n\n: b\ndata: {"n":2}\n\nid: 3\n')
})
