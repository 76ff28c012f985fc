import fc from 'fast-check'
import t from 'tap'
import type { Call } from '../../lib/mcp/context.js'
import { McpSessions, findCall, parseFields, parseFormat, readRequest, readTaskId, readToolHeader } from '../../lib/mcp/request.js'
import type { CallTable } from '../../lib/mcp/request.js'

const bytes = (json: unknown): Uint8Array => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
const call = (name: unknown, id: unknown = 1, params: object = {}): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, ...params } })

/** The tools of the requests in a body, by id. */
function toolsOf (body: unknown): Record<string, string | null> {
  return Object.fromEntries(readRequest(bytes(body), false).map(({ id, call }) => [id, call.tool]))
}

t.test('Mcp-Name names the tool of a tools/call, plain or in base64', async t => {
  t.equal(readToolHeader('tools/call', 'list_orders'), 'list_orders')
  t.equal(readToolHeader(' tools/call ', ' list_orders '), 'list_orders')
  t.equal(readToolHeader('tools/call', ['x']), 'x')
  t.equal(readToolHeader('tools/call', '=?base64?w6ljaG8=?='), 'écho')
  t.equal(readToolHeader('tools/call', '=?base64??='), null)
  fc.assert(fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), name => readToolHeader('tools/call', `=?base64?${Buffer.from(name).toString('base64')}?=`) === name))
})

t.test('fields that name no tool, or more than one, name none', async t => {
  for (const [method, name] of [
    [undefined, 'x'], ['tools/list', 'x'], ['resources/read', 'file:///x'], ['tools/call', undefined], ['tools/call', ''], ['tools/call', ['x', 'y']],
    [['tools/call', 'tools/call'], 'x'], ['tools/call', '=?base64?/w==?='], ['tools/call', '=?base64?w6l?='], ['tools/call', '=?base64?A?=']
  ] as const) {
    const found = readToolHeader(method, name)
    t.equal(found, name === '=?base64?w6l?=' ? 'é' : null, `${method}: ${name}`)
  }
  t.equal(readToolHeader('tools/call', '=?base64?!?='), '=?base64?!?=', 'what has not that form is a name')
})

t.test('the body names the tool of each request, by the lexeme of its id', async t => {
  t.same(toolsOf(call('a')), { 1: 'a' })
  t.same(toolsOf('{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"arguments":{"name":"no"},"name":"a\\u0062"}}'), { '12345678901234567890': 'ab' })
  t.same(toolsOf([call('a', 1), call('b', '1'), call('c', 'é"'), { jsonrpc: '2.0', method: 'notifications/x' }, { jsonrpc: '2.0', id: 9, result: {} }, 1, null]),
    { 1: 'a', '"1"': 'b', '"é\\""': 'c' })
})

t.test('what is no tools/call, or says two things, names no tool', async t => {
  t.same(toolsOf({ ...call('a'), method: 'tools/list' }), { 1: null })
  t.same(toolsOf({ ...call('a'), method: 'prompts/get' }), { 1: null })
  t.same(toolsOf(call(7)), { 1: null })
  t.same(toolsOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}'), { 1: null })
  t.same(toolsOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}'), { 1: null })
  for (const body of [{ ...call('a'), id: null }, { ...call('a'), id: {} }, { ...call('a'), method: 1 }, 'true', '[]', '[[]]']) t.same(toolsOf(body), {}, JSON.stringify(body))
  for (const body of ['', '{', '{"id":1} x', '{"id":"\ud800"']) t.throws(() => toolsOf(body), { code: 'ERR_JSON_SYNTAX' }, body)
})

t.test('wishes in _meta count only where they are switched on', async t => {
  const body = bytes(call('a', 1, { _meta: { 'fastify-token-gateway/format': 'TOON', 'fastify-token-gateway/fields': 'id, user.name' } }))
  t.same(readRequest(body, false)[0].call, { tool: 'a' })
  t.same(readRequest(body, true)[0].call, { tool: 'a', format: 'toon', fields: ['id', 'user.name'] })
  const list = bytes(call('a', 1, { _meta: { 'fastify-token-gateway/format': 'xml', 'fastify-token-gateway/fields': ['id', 7, 'a,b'] } }))
  t.same(readRequest(list, true)[0].call, { tool: 'a', format: undefined, fields: ['id', 'a', 'b'] })
  t.same(readRequest(bytes(call('a')), true)[0].call, { tool: 'a', format: undefined, fields: undefined })
})

t.test('formats and fields are read from text', async t => {
  t.same(['toon', 'stc', 'toon-flatten', 'rows', 'json', ' Markdown '].map(parseFormat), ['toon', 'stc', 'toon-flatten', 'rows', 'json', 'markdown'])
  t.same(['', 'xml', '*', 'toon,stc', 'constructor'].map(parseFormat), [undefined, undefined, undefined, undefined, undefined])
  t.same(parseFields(' a , b.c,,'), ['a', 'b.c'])
  t.equal(parseFields(' , '), undefined)
})

t.test('tasks are known by the answer that names them, and by the requests that ask for them', async t => {
  t.equal(readTaskId(bytes({ jsonrpc: '2.0', id: 1, result: { task: { taskId: 't1', status: 'working' } } })), 't1')
  for (const answer of [{ result: {} }, { result: { task: { taskId: 1 } } }, [], { id: 1, error: {} }]) t.equal(readTaskId(bytes(answer)), null)
  t.throws(() => readTaskId(bytes('nothing')), { code: 'ERR_JSON_SYNTAX' })
  const [created] = readRequest(bytes(call('a', 1, { task: { ttl: 1 } })), false)
  t.same([created.createsTask, created.taskId], [true, null])
  for (const method of ['tasks/result', 'tasks/get']) {
    const [asked] = readRequest(bytes({ jsonrpc: '2.0', id: 2, method, params: { taskId: 't1' } }), false)
    t.same([asked.createsTask, asked.taskId, asked.call.tool], [false, 't1', null])
  }
  const [other] = readRequest(bytes({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { taskId: 't1', task: {} } }), false)
  t.same([other.createsTask, other.taskId], [false, null])
})

t.test('a call is found by id, or is the only one there is', async t => {
  const a: Call = { tool: 'a' }
  t.match(findCall({ sole: a, byId: new Map() }, '7'), a)
  t.match(findCall({ sole: null, byId: new Map([['7', a]]) }, '7'), a)
  t.match(findCall({ sole: null, byId: new Map([['7', a]]) }, '"7"'), { tool: null })
})

t.test('what is asked for the whole response goes before what a request asks, a default behind it', async t => {
  const find = (call: Partial<Call>, rest: Partial<CallTable>): Call => findCall({ sole: { tool: 'a', ...call }, byId: new Map(), ...rest }, '1')
  t.same(find({ format: 'stc', fields: ['a'] }, { format: 'toon', fields: ['b'], defaultFormat: 'json' }), { tool: 'a', format: 'toon', fields: ['b'] })
  t.same(find({ format: 'stc', fields: ['a'] }, { defaultFormat: 'json' }), { tool: 'a', format: 'stc', fields: ['a'] })
  t.same(find({}, { defaultFormat: 'markdown' }), { tool: 'a', format: 'markdown', fields: undefined })
  t.same(find({ format: 'rows' }, { offered: ['toon', 'stc'], defaultFormat: 'toon' }), { tool: 'a', format: 'toon', fields: undefined }, 'what is not offered is not heard')
  t.same(find({ format: 'json' }, { offered: ['toon'], defaultFormat: 'toon' }), { tool: 'a', format: 'json', fields: undefined })
})

t.test('calls and tasks are kept in a session only, and not without bound', async t => {
  const sessions = new McpSessions()
  const session = sessions.open('s')!
  session.remember('1', { tool: 'a' })
  session.remember('2', { tool: null })
  session.remember('3', { tool: 'x'.repeat(300) })
  session.remember('4', { tool: 'a', fields: ['x'.repeat(300)] })
  session.remember('5'.repeat(300), { tool: 'a' })
  session.rememberTask('t', 'a')
  session.rememberTask('u', 'x'.repeat(300))
  t.same([...sessions.open('s')!.calls], [['1', { tool: 'a' }]])
  t.same([session.findTask('t'), session.findTask('u')], ['a', null])
  t.equal(sessions.open('other')!.calls.size, 0)
  for (const id of [undefined, '', 'x'.repeat(300)]) t.equal(sessions.open(id), null)

  for (let i = 0; i < 1000; i++) session.remember(`${i}`, { tool: `t${i}` })
  t.equal(session.calls.size, 100)
  t.same(session.calls.get('999'), { tool: 't999' })
  for (let i = 0; i < 998; i++) sessions.open(`s${i}`)
  t.equal(sessions.open('s'), session, 'one that is used stays')
  sessions.open('new')
  t.equal(sessions.open('s'), session)
  t.not(sessions.open('other'), undefined)
  sessions.close('s')
  t.not(sessions.open('s'), session)
})
