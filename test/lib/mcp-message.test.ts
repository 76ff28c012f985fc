import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { Document, encode, isEqual, minify } from '../../lib/index.js'
import { findMemberSpan, readMembers } from '../../lib/mcp/members.js'
import { jsonText } from '../helpers/nasty-json.js'
import { KEY, PRETTY_ROWS, ROWS, answer, block, decodeBlock, entriesOf, isUntouched, resultOf, rewrite, textAnswer } from '../helpers/mcp-messages.js'

/* Messages of real servers, which are not part of this project: skipped where they are not beside it. */
const RECORDINGS = process.env.TOKEN_GATEWAY_RECORDINGS ?? join(import.meta.dirname, '../../../shared/mcp-recordings')
const isMissing = !existsSync(RECORDINGS)

const TOON = encode(ROWS, 'toon')
const entry = (more: object = {}): object => ({ index: 0, codec: 'toon', version: '4.0', bytesBefore: ROWS.length, bytesAfter: TOON.length, ...more })
const meta = (...entries: object[]): string => `"_meta":{"${KEY}":${JSON.stringify(entries)}}`

t.test('the text of a tool result becomes a text of the coding, and _meta says so as the last member', async t => {
  const { text, decisions, textBytesBefore, textBytesAfter } = rewrite(textAnswer(ROWS))
  t.equal(text, `{"jsonrpc":"2.0","id":1,"result":{"content":[${block(TOON)}],${meta(entry())}}}`)
  t.match(decisions, [{ outcome: 'encoded', codec: 'toon', version: '4.0', reason: null, lossless: true, bytesBefore: ROWS.length, bytesAfter: TOON.length, tool: 'list_rows', index: 0, paths: [] }])
  t.equal(decisions.length, 1)
  t.same([textBytesBefore, textBytesAfter], [ROWS.length, TOON.length])
  t.equal(minify(decodeBlock(resultOf(text).content[0].text, entriesOf(resultOf(text))[0])), ROWS)
})

t.test('every other byte of the envelope stays: ids, unknown members, blanks and the spelling of escapes', async t => {
  const before = '{ "x\\u0041" : 1e400 ,\n"jsonrpc":"\\u0032.0","id": 12345678901234567890 , "result" : {\t"vendor":{"z":1,"z":2},"content" : [ {"type":"image","data":"AA=="}, { "text" : '
  const after = ' , "\\/u":"\\u00e9\\ud83d\\ude00" , "type":"te\\u0078t" } ] , "structuredContent":{"a":  [1.0,{"big":12345678901234567890}]},"isError":false'
  const { text, decisions } = rewrite(`${before}${JSON.stringify(PRETTY_ROWS)}${after} \n} } `)
  t.equal(text, `${before}${JSON.stringify(TOON)}${after},${meta(entry({ index: 1, bytesBefore: PRETTY_ROWS.length }))} \n} } `)
  t.equal(decisions[0].index, 1)
})

t.test('_meta that is there gets one member more, and stays as it is otherwise', async t => {
  const cases = [
    ['{"_meta":{"a/b": 1 },"content":[C]}', `{"_meta":{"a/b": 1,${meta(entry()).slice(9, -1)} },"content":[C]}`],
    ['{"_meta":{ },"content":[C],"x":{}}', `{"_meta":{ ${meta(entry()).slice(9, -1)}},"content":[C],"x":{}}`]
  ]
  for (const [before, after] of cases) {
    t.equal(rewrite(answer(before.replace('C', block(ROWS)))).text, answer(after.replace('C', block(TOON))))
  }
})

t.test('a result whose _meta is no object stays, and so does one that has been rewritten already', async t => {
  for (const wrong of ['null', '1', '"x"', '[]', '{"k":1,"fastify-token-gateway/encoding":[]}', `{"${KEY}":1,"${KEY}":2}`]) {
    const message = answer(`{"content":[${block(ROWS)}],"_meta":${wrong}}`)
    t.ok(isUntouched(message), wrong)
    t.match(rewrite(message).decisions, [{ outcome: 'passthrough', reason: wrong.startsWith('{"k"') ? 'encoded-upstream' : 'not-eligible', index: 0 }])
  }
})

t.test('each block is decided on its own, by its index', async t => {
  const message = answer(`{"content":[${block('plain')},{"type":"image","data":"AA==","mimeType":"image/png"},${block(ROWS)},{"type":"resource","resource":{"uri":"a:b","text":${JSON.stringify(ROWS)}}},${block(PRETTY_ROWS)}]}`)
  const { text, decisions, textBytesBefore, textBytesAfter } = rewrite(message)
  const result = resultOf(text)
  t.strictSame(entriesOf(result).map(({ index }) => index), [2, 4])
  t.strictSame(decisions.map(({ index, reason }) => [index, reason]), [[0, 'not-json'], [2, null], [4, null]])
  t.equal(result.content.length, 5)
  t.same([textBytesBefore, textBytesAfter], [ROWS.length + PRETTY_ROWS.length, 2 * TOON.length])
})

t.test('a batch (2025-03-26) is rewritten message by message, each with the tool of its id', async t => {
  const other = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"content":[]}}'
  const batch = ` [${textAnswer(ROWS)}, ${other},${answer(`{"content":[${block(ROWS)}]}`, '"b\\u00e9"')} ,3,[],${answer(`{"content":[${block(ROWS)}]}`, 'null')},${answer(`{"content":[${block(ROWS)}]}`, '12345678901234567890')}]`
  const ids: string[] = []
  const call = (id: string): { tool: string } => {
    ids.push(id)
    return { tool: id === '1' ? 'one' : id === '12345678901234567890' ? 'big' : 'two' }
  }
  const { text, decisions } = rewrite(batch, { call, mcp: { tools: { exclude: ['two'] } } })
  t.strictSame(ids, ['1', '"bé"', '12345678901234567890'])
  t.strictSame(decisions.map(({ tool, reason }) => [tool, reason]), [['one', null], ['two', 'excluded-tool'], [null, 'unknown-tool'], ['big', null]])
  const encoded = `{"content":[${block(TOON)}],${meta(entry())}}`
  t.equal(text, ` [${answer(encoded)}, ${other},${answer(`{"content":[${block(ROWS)}]}`, '"b\\u00e9"')} ,3,[],${answer(`{"content":[${block(ROWS)}]}`, 'null')},${answer(encoded, '12345678901234567890')}]`)
})

t.test('the result of a task is rewritten where the client takes it from, with _meta inside of it', async t => {
  const task = (inner: string): string => answer(`{"task":{"taskId":"t"},"resultType":"complete","result":${inner},"_meta":{"o":1}}`)
  const { text } = rewrite(task(`{"content":[${block(ROWS)}]}`))
  t.equal(text, task(`{"content":[${block(TOON)}],${meta(entry())}}`))
  t.ok(isUntouched(task(`{"content":[${block(ROWS)}],"isError":true}`)))
  t.ok(isUntouched(task(`{"content":[${block(ROWS)}],"content":[]}`)))
  t.ok(isUntouched(task(`{"content":{"text":${JSON.stringify(ROWS)}}}`)))
})

t.test('resources/read is rewritten only by option, whatever the lists of tools say', async t => {
  const read = (text: string, more = ''): string => answer(`{"contents":[{"uri":"db://rows","mimeType":"application/json","text":${JSON.stringify(text)}},{"uri":"x","blob":"AA=="}]${more}}`)
  t.ok(isUntouched(read(ROWS)))
  t.strictSame(rewrite(read(ROWS)).decisions, [])
  t.equal(rewrite(read(ROWS), { mcp: { resources: true }, call: { tool: null } }).text, read(TOON, `,${meta(entry())}`))
})

t.test('never touched: errors, listings, requests, results that are not complete, and what is meant for the user alone', async t => {
  const content = `"content":[${block(ROWS)}]`
  const messages = {
    'isError true': answer(`{${content},"isError":true}`),
    'isError that is no boolean': answer(`{${content},"isError":"no"}`),
    'a JSON-RPC error': `{"jsonrpc":"2.0","id":1,"error":{"code":-1,${content}},"result":{${content}}}`,
    'an error beside a result': `{"jsonrpc":"2.0","id":1,"error":null,"result":{${content}}}`,
    input_required: answer(`{${content},"resultType":"input_required"}`),
    'a request of the server': `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","result":{${content}},"params":{${content}}}`,
    'tools/list': answer(`{"tools":[{"name":"a","description":${JSON.stringify(ROWS)},"inputSchema":{"properties":{"content":{}}}}]}`),
    'prompts/get': answer(`{"messages":[{"role":"user","content":{"type":"text","text":${JSON.stringify(ROWS)}}}]}`),
    'no jsonrpc member': `{"id":1,"result":{${content}}}`,
    'another version of it': `{"jsonrpc":"1.0","id":1,"result":{${content}}}`,
    'no result': `{"jsonrpc":"2.0","id":1,${content}}`,
    'audience user': answer(`{"content":[${block(ROWS, ',"annotations":{"audience":["user"]}')}]}`),
    'audience user twice': answer(`{"content":[${block(ROWS, ',"annotations":{"audience":["user","us\\u0065r"]}')}]}`)
  }
  for (const [name, message] of Object.entries(messages)) t.ok(isUntouched(message), name)
  const annotated = (annotations: string): string => answer(`{"content":[${block(ROWS, `,"annotations":${annotations}`)}]}`)
  for (const annotations of ['{"audience":["user","assistant"]}', '{"audience":[]}', '{"audience":"user"}', '{"audience":[1]}', '{"priority":1}', 'null', '[]']) {
    t.notOk(isUntouched(annotated(annotations)), annotations)
  }
  t.notOk(isUntouched(answer(`{${content},"isError":null,"resultType":"complete"}`)))
})

t.test('a duplicate of a member that matters, under whatever spelling, keeps the result as it is', async t => {
  const text = JSON.stringify(ROWS)
  for (const message of [
    `{"jsonrpc":"2.0","id":1,"result":{"content":[${block(ROWS)}]},"result":{}}`,
    `{"jsonrpc":"2.0","id":1,"id":2,"result":{"content":[${block(ROWS)}]}}`,
    `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{"content":[${block(ROWS)}]}}`,
    answer(`{"content":[${block(ROWS)}],"content":[]}`),
    answer(`{"content":[${block(ROWS)}],"c\\u006fntent":[]}`),
    answer(`{"content":[${block(ROWS)}],"isError":false,"isError":true}`),
    answer(`{"content":[${block(ROWS)}],"_meta":{},"_meta":{}}`),
    answer(`{"content":[{"type":"text","text":${text},"text":"x"}]}`),
    answer(`{"content":[{"type":"text","text":${text},"\\u0074ext":"x"}]}`),
    answer(`{"content":[{"type":"text","type":"image","text":${text}}]}`),
    answer(`{"content":[${block(ROWS, ',"annotations":{},"annotations":{}')}]}`),
    answer(`{"content":[${block(ROWS, ',"annotations":{"audience":["user"],"audience":[]}')}]}`),
    answer(`{"content":[${block(ROWS)},{"type":"text","text":"a","text":"b"}]}`)
  ]) t.ok(isUntouched(message), message)
  t.notOk(isUntouched(answer(`{"x":1,"x":2,"content":[{"type":"text","\\u0074ext":${text},"y":1,"y":2}]}`)), 'other duplicates and other spellings do not matter')
})

t.test('hostile shapes pass as they are', async t => {
  for (const message of [
    '', ' ', '"content"', '["content"]', '{"content":1', '{"jsonrpc":"2.0","result":{"content":[}', '\ud800"content"', 'null "content"',
    answer('[{"content":[]}]'), answer('"content"'), answer('{"content":"[1]"}'), answer('{"content":{}}'), answer('{"content":[]}'), answer('{"content":[null,1,"x",[],[{}],{}]}'),
    answer('{"content":[{"type":"text"},{"type":"text","text":null},{"type":"text","text":["[1]"]},{"type":1,"text":"[1]"},{"text":"[1]"}]}'),
    answer(`{"__proto__":{"content":[${block(ROWS)}]},"constructor":{"content":[]}}`),
    answer(`{"content":${'['.repeat(5000)}${']'.repeat(5000)}}`),
    answer(`{"content":[{"type":"text","text":"${' '.repeat(1_000_000)}"}]}`),
    answer(`{"content":[{"type":"text","text":"${'\\n'.repeat(500_000)}"}]}`),
    answer(`{"content":[${'null,'.repeat(200_000)}null]}`),
    answer(`{"content":[${block(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)}]}`)
  ]) t.ok(isUntouched(message), message.slice(0, 60))
  t.match(rewrite('{"content":').decisions, [{ outcome: 'passthrough', reason: 'not-json', bytesBefore: 11, index: 0 }])
  t.match(rewrite(answer(`{"__proto__":null,"content":[${block(ROWS, ',"__proto__":1')}]}`)).decisions, [{ outcome: 'encoded' }])
})

t.test('only a text that is exactly one JSON object or array is re-encoded', async t => {
  for (const text of ['42', '"hi"', 'null', 'true', '', '[FILE] a.json', '{"cut":', `${ROWS}]`, `${ROWS} and more`, `${ROWS}\n${ROWS}`, `\ufeff${ROWS}`, `Result: ${ROWS}`, '\u0000', '{a:1}', `\u00a0${ROWS}`]) {
    t.ok(isUntouched(textAnswer(text)), text)
    t.equal(rewrite(textAnswer(text)).decisions[0].reason, 'not-json', text)
  }
  for (const [literal, reason] of [['"\\u0034\\u0032"', 'not-json'], ['"[\\ud800]"', 'declined-lone-surrogate'], ['"[\\"\\udc00\\"]"', 'declined-lone-surrogate'], ['"[\\"\\ud800\\u0041\\"]"', 'declined-lone-surrogate'], ['"[\\"\\ud800\\\\\\"]"', 'declined-lone-surrogate']]) {
    const message = answer(`{"content":[{"type":"text","text":${literal}}]}`)
    t.ok(isUntouched(message))
    t.equal(rewrite(message).decisions[0].reason, reason)
  }
  t.notOk(isUntouched(textAnswer(`\r\n\t ${ROWS} \n`)), 'blanks around it are no text')
  const spelled = `"${Array.from(ROWS, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
  t.equal(resultOf(rewrite(answer(`{"content":[{"type":"text","text":${spelled}}]}`)).text).content[0].text, TOON, 'whatever its spelling')
})

t.test('where no coding is smaller, minified JSON takes the place of JSON with blanks, and needs no entry', async t => {
  const odd = '{"a":{"b":{"c":[1,2,{"d":"e"}]}}}'
  const pretty = JSON.stringify(JSON.parse(odd), null, 2)
  for (const accepted of [['toon'], []] as const) {
    const { text, decisions } = rewrite(textAnswer(pretty), { accepted })
    t.equal(text, textAnswer(odd))
    t.match(decisions, [{ outcome: 'encoded', codec: 'json', version: null, reason: 'no-embedded-json', bytesBefore: pretty.length, bytesAfter: odd.length }])
  }
  t.ok(isUntouched(textAnswer(odd), { accepted: ['toon'] }), 'and one without blanks stays')
})

t.test('what is compared is what ships: the string with its escapes', async t => {
  // Smaller by a byte as a text, but every line feed of TOON costs another in the string, and quotes less.
  const text = '{"a":[1,2],"b":{"c":3,"d":4,"e":5}}'
  t.ok(encode(text, 'toon').length < text.length)
  t.ok(JSON.stringify(encode(text, 'toon')).length < JSON.stringify(text).length)
  const numbers = '[[1,2],[3,4],[5,6],[7,8]]'
  for (const json of [text, numbers, ROWS, PRETTY_ROWS]) {
    const { text: after } = rewrite(textAnswer(json), { accepted: ['toon'] })
    t.ok(JSON.stringify(resultOf(after).content[0].text).length <= Math.min(JSON.stringify(json).length, JSON.stringify(minify(json)).length))
  }
})

t.test('in mode observe everything is decided and nothing is changed', async t => {
  const message = textAnswer(ROWS, '[ [ 1 ] ]')
  t.ok(isUntouched(message, { mode: 'observe' }))
  t.match(rewrite(message, { mode: 'observe' }).decisions, [
    { outcome: 'passthrough', codec: 'toon', reason: 'observe-only', bytesAfter: TOON.length },
    { outcome: 'passthrough', codec: 'json', reason: 'not-smaller', bytesBefore: 9, bytesAfter: 5 }
  ])
})

t.test('mode always adopts the first coding, even if larger', async t => {
  const { decisions, text } = rewrite(textAnswer('[[[1]]]'), { mode: 'always', accepted: ['toon'] })
  t.match(decisions, [{ outcome: 'encoded', codec: 'toon', lossless: true }])
  t.equal(minify(decodeBlock(resultOf(text).content[0].text, entriesOf(resultOf(text))[0])), '[[[1]]]')
})

t.test('what is measured may be tokens', async t => {
  const { decisions } = rewrite(textAnswer(PRETTY_ROWS), { measure: 'tokens' })
  t.match(decisions, [{ outcome: 'encoded', codec: 'toon', tokensBefore: Number, tokensAfter: Number }])
  t.ok(decisions[0].tokensAfter as number < (decisions[0].tokensBefore as number))
})

t.test('the floor of the policy holds for texts', async t => {
  t.ok(isUntouched(textAnswer(ROWS), { minBytes: ROWS.length + 1 }))
  t.equal(rewrite(textAnswer(ROWS), { minBytes: ROWS.length + 1 }).decisions[0].reason, 'below-floor')
})

const separator = fc.constantFrom('', ' ', '\n  ')
const embeddedOrNot = fc.oneof({ weight: 4, arbitrary: jsonText }, { weight: 1, arbitrary: fc.constantFrom('plain', '42', `${ROWS}x`) }, { weight: 2, arbitrary: fc.constantFrom(ROWS, PRETTY_ROWS) })

t.test('for any texts: all bytes but the new strings and _meta stay, every block decodes to its document, and the same input gives the same bytes', async t => {
  let encoded = 0
  fc.assert(fc.property(fc.array(embeddedOrNot, { minLength: 1, maxLength: 3 }), separator, jsonText, fc.boolean(), (texts, space, value, hasMeta) => {
    const foreign = value.trim()
    const envelope = (blocks: string[], entries: string): string =>
      `{${space}"id":12345678901234567890,"foreign":${foreign},"jsonrpc":"2.0",${space}"result":{"content":[${blocks.map(literal => `{"type":"text",${space}"text":${literal}}`).join(`,{"type":"image"},${space}`)}],"structuredContent":${foreign}${hasMeta ? `,"_meta":{"a":${foreign}${entries === '' ? '' : `,${entries}`}}` : entries === '' ? '' : `,"_meta":{${entries}}`}${space}}}`
    const message = envelope(texts.map(text => JSON.stringify(text)), '')
    const { text, decisions } = rewrite(message)
    const result = resultOf(text)
    const entries = entriesOf(result)
    const after = texts.map((_, i) => result.content[2 * i].text)
    const expected = envelope(after.map(text => JSON.stringify(text)), entries.length === 0 ? '' : `"${KEY}":${JSON.stringify(entries)}`)
    if (text !== expected) throw new Error(`${text}\nis not\n${expected}`)
    if (rewrite(message).text !== text) throw new Error('not the same again')
    for (const [i, before] of texts.entries()) {
      const entry = entries.find(({ index }) => index === 2 * i)
      const decoded = decodeBlock(after[i], entry)
      if (decisions[i].outcome === 'passthrough') {
        if (decoded !== before || entry !== undefined) throw new Error('not the text that came')
        continue
      }
      encoded++
      if (!isEqual(Document.parse(decoded), Document.parse(before), entry?.codec === 'toon' ? 'value' : 'lexeme')) throw new Error(`${decoded} is not ${before}`)
      if (JSON.stringify(after[i]).length >= JSON.stringify(before).length) throw new Error('not smaller')
    }
  }), { numRuns: 1500 })
  t.ok(encoded > 500)
})

t.test('recorded JSON answers: only texts of tool results change, and they come back', { skip: isMissing && 'no recordings' }, async t => {
  const changed: string[] = []
  for (const file of readdirSync(RECORDINGS).filter(name => name.endsWith('.body')).sort()) {
    const bytes = readFileSync(join(RECORDINGS, file))
    if (!/^[[{]/.test(bytes.toString())) continue
    const { text, bytes: after } = rewrite(bytes, { call: { tool: 'any' }, measure: 'bytes' })
    if (after === bytes) continue
    changed.push(file.slice(0, 2))
    const messages = (json: string): { result: { content: { text: string }[], _meta?: Record<string, unknown> } }[] => [JSON.parse(json)].flat()
    let back = text
    for (const [i, { result }] of messages(text).entries()) {
      const before = messages(bytes.toString())[i].result
      for (const one of entriesOf(result as never)) {
        const decoded = decodeBlock(result.content[one.index].text, one)
        t.equal(decoded, minify(before.content[one.index].text), `${file}: block ${one.index}`)
        back = back.replace(JSON.stringify(result.content[one.index].text), () => JSON.stringify(before.content[one.index].text))
      }
      const list = `"${KEY}":${JSON.stringify(result._meta?.[KEY])}`
      back = back.replace(`,"_meta":{${list}}`, '').replace(`,${list}`, '')
    }
    t.equal(back, bytes.toString(), `${file}: with the old texts put back it is what came`)
  }
  t.strictSame(changed, ['23', '24', '29', '30', '33', '36', '37'])
})

t.test('a member is taken out with one comma, wherever it stands', async t => {
  for (const [json, name, left] of [
    ['{ "type" : 1 , "b" : 2 }', 'type', '{ "b" : 2 }'],
    ['{ "b" : "x" , "type" : {} , "c" : 3 }', 'type', '{ "b" : "x" , "c" : 3 }'],
    ['{ "b" : [] , "type" : "y" }', 'type', '{ "b" : [] }'],
    ['{ "type" : true }', 'type', '{  }']
  ] as const) {
    const document = Document.parse(json)
    const { start, end } = findMemberSpan(document, 0, readMembers(document, 0)?.[name] as number)
    t.equal(json.slice(0, start) + json.slice(end), left)
  }
})
