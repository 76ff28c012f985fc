import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { STC2_MARKER, countTokens, decode, encode } from '../../lib/index.js'
import type { Answer } from '../bench/readability/answer.js'
import { addDecimals, compareDecimals, divideDecimal, formatDecimal, parseDecimal } from '../bench/readability/decimal.js'
import type { Decimal } from '../bench/readability/decimal.js'
import type { Api } from '../bench/readability/endpoint.js'
import { writeAnswer } from '../bench/readability/format-results.js'
import { FORMATS, markerOf } from '../bench/readability/formats.js'
import { isRight } from '../bench/readability/judge.js'
import { makePayloads } from '../bench/readability/payloads.js'
import { makePlan } from '../bench/readability/plan.js'
import type { Plan } from '../bench/readability/plan.js'
import { KINDS } from '../bench/readability/query.js'
import { makeQuestions } from '../bench/readability/questions.js'
import { run } from '../bench/readability/run.js'
import { runBounded } from '../bench/readability/run-bounded.js'
import { accuracyOf } from '../bench/readability/score.js'
import { startModel, wrapReply } from '../helpers/model-endpoint.js'
import type { ModelReply, ModelRequest } from '../helpers/model-endpoint.js'
import { answerPlainly, parsePlain } from '../helpers/plain-answer.js'

const PLAN = { formats: FORMATS, questions: 20, seed: 1, maxDocument: 50_000 }

t.test('the documents and the questions are the same on every run, and others for another seed', async t => {
  t.same(makePayloads(), makePayloads())
  for (const payload of makePayloads()) {
    const texts = (seed: number): string[] => makeQuestions(payload, 20, seed).map(({ text }) => text)
    t.same(texts(1), texts(1))
    t.notSame(texts(1), texts(2))
    t.equal(new Set(texts(1)).size, 20, `${payload.name}: 20 different questions`)
    t.same(new Set(makeQuestions(payload, 20, 1).map(({ kind }) => kind)), new Set(KINDS), `${payload.name}: of every kind`)
    t.same(makeQuestions(payload, 7, 1), makeQuestions(payload, 20, 1).slice(0, 7), 'fewer are the first of more')
  }
})

t.test('questions do not depend on formats, and speak of none', async t => {
  const all = await makePlan(makePayloads(), PLAN)
  for (const format of FORMATS) {
    const one = await makePlan(makePayloads(), { ...PLAN, formats: [format] })
    t.same(one.parts.map(({ questions }) => questions), all.parts.map(({ questions }) => questions))
    t.same(one.parts.map(({ renditions }) => renditions), all.parts.map(({ renditions }) => renditions.filter(rendition => rendition.format === format)))
  }
  for (const { text } of all.parts.flatMap(({ questions }) => questions)) t.notMatch(text, /\b(toon|stc|header|template|column)/i)
  for (const { renditions } of all.parts) {
    const rest = renditions.map(({ system, text }) => system.replace(text, ''))
    t.equal(new Set(rest).size, 1, 'only the document and its marker differ')
  }
})

/** Whether an answer of the bench is what plain JavaScript finds. */
function isSame (answer: Answer, plain: unknown): boolean {
  switch (answer.type) {
    case 'null': return plain === null
    case 'list': return Array.isArray(plain) && plain.length === answer.items.length && answer.items.every((item, index) => isSame(item, plain[index]))
    case 'number': return plain === `long ${answer.value}` || (typeof plain === 'number' && Math.abs(Number(answer.value) - plain) <= (answer.decimals === undefined ? 0 : 0.005) + 1e-9 * Math.max(1, Math.abs(plain)))
    default: return plain === answer.value
  }
}

t.test('every answer is what plain JavaScript finds in the decoded text of each format', async t => {
  const ops = new Set<string>()
  for (let seed = 0; seed < 8; seed++) {
    const plan = await makePlan(makePayloads(), { ...PLAN, questions: 40, seed })
    for (const { payload, questions, renditions } of plan.parts) {
      for (const { format, text } of renditions) {
        const marker = markerOf(format)
        t.ok(text.startsWith(marker))
        const root = parsePlain(decode(text.slice(marker.length), format))
        const wrong = questions.filter(({ query, answer }) => !isSame(answer, answerPlainly(query, root)))
        t.same(wrong, [], `${payload.name} as ${format}, seed ${seed}`)
      }
      for (const { query } of questions) ops.add(query.op)
    }
  }
  t.equal(ops.size, 16, 'all kinds of queries were met')
})

t.test('each document stands behind the marker of the gateway', async t => {
  t.equal(markerOf('json'), '')
  t.equal(markerOf('stc2'), `${STC2_MARKER}\n`)
  for (const format of ['toon', 'stc'] as const) t.match(markerOf(format), new RegExp(`JSON encoded as ${format.toUpperCase()}; .*\\n$`))
  const [{ payload, renditions }] = (await makePlan(makePayloads(), PLAN)).parts
  for (const { format, system, text, tokens } of renditions) {
    t.equal(text, markerOf(format) + encode(payload.json, format))
    t.ok(system.endsWith(text))
    t.equal(tokens, await countTokens(text))
  }
})

t.test('decimals are exact', async t => {
  const of = (text: string): Decimal => parseDecimal(text) as Decimal
  for (const [text, plain] of [['1.50', '1.5'], ['-0', '0'], ['1e3', '1000'], ['1.25E-3', '0.00125'], ['.5', '0.5'], ['5.', '5'], ['+7', '7'], ['725653563933458433', '725653563933458433']]) t.equal(formatDecimal(of(text)), plain)
  for (const text of ['', '.', '-', 'e5', '1e', '1e99999', '1e1001', '0x1', '1 2', 'NaN']) t.equal(parseDecimal(text), null, text)
  t.equal(formatDecimal(addDecimals(of('0.1'), of('0.2'))), '0.3')
  t.equal(formatDecimal(addDecimals(of('9007199254740993'), of('-0.5'))), '9007199254740992.5')
  t.same([compareDecimals(of('1.10'), of('1.1')), compareDecimals(of('-2'), of('1')), compareDecimals(of('1e2'), of('99.9'))], [0, -1, 1])
  for (const [text, divisor, places, plain] of [['10', 3, 2, '3.33'], ['-10', 3, 2, '-3.33'], ['0.125', 1, 2, '0.13'], ['-0.125', 1, 2, '-0.13'], ['0.124', 1, 2, '0.12'], ['7', 2, 2, '3.5'], ['1', 2, 0, '1']] as const) {
    t.equal(formatDecimal(divideDecimal(of(text), divisor, places)), plain, `${text} / ${divisor}`)
  }
})

const NUMBER = (value: string, decimals?: number): Answer => ({ type: 'number', value, decimals })
const STRING = (value: string): Answer => ({ type: 'string', value })
const LIST = (...items: Answer[]): Answer => ({ type: 'list', items })

t.test('a reply is right by its value, whatever its dress, and by nothing else', async t => {
  for (const [answer, right, wrong] of [
    [NUMBER('1234.5'), ['1234.5', ' 1,234.50\n', '**1234.5**', '`1234.5`', '"1234.5"', '1.2345e3', '1234.5.', 'Answer: 1234.5', 'I add them up: 1000 + 234.5.\n\n1234.5', '```\n1234.5\n```'],
      ['1234', '1234.51', '12345', '1,23,4.5', '1 234.5', '-1234.5', '1234.5 USD', 'It is 1234.5', '1234.5\n7', '', 'null']],
    [NUMBER('-3'), ['-3', '\u22123', '-3.0'], ['3', '--3', '- 3']],
    [NUMBER('725653563933458433'), ['725653563933458433', '725,653,563,933,458,433'], ['725653563933458432', '725653563933458400', '7.25653563933458e17']],
    [NUMBER('3.33', 2), ['3.33', '3.333333', '3.330'], ['3.3', '3.34', '3.335', '3']],
    [NUMBER('2', 2), ['2', '2.00', '1.999'], ['1.99', '2.01']],
    [STRING('Inès Endo'), ['Inès Endo', '"Inès Endo"', "'Inès Endo'", '`Inès Endo`', 'Ine\u0300s Endo', 'Thinking.\nInès Endo', 'answer: Inès Endo'], ['inès endo', 'Ines Endo', 'Inès', 'Inès  Endo', 'Inès Endo.', 'The name is Inès Endo', '']],
    [STRING('00123'), ['00123', '"00123"'], ['123', '0123']],
    [STRING('true'), ['true', '"true"'], ['True', 'yes']],
    [{ type: 'boolean', value: true }, ['true', 'True', 'TRUE.', 'yes', '"true"'], ['false', 'no', '1', 'truely', 'not true', '']],
    [{ type: 'boolean', value: false }, ['false', 'No'], ['true', 'null', '0']],
    [{ type: 'null' }, ['null', 'None', 'NULL.'], ['', '0', 'false', 'not there', 'undefined']],
    [LIST(STRING('a'), STRING('b c')), ['["a","b c"]', '["b c", "a"]', 'a, b c', '- a\n- b c', '1. b c\n2. a', '```json\n["a",\n "b c"]\n```', 'Both fit.\n["a","b c"]', '`a`, `b c`'],
      ['["a"]', '["a","b c","d"]', '["a","a"]', '["a","b"]', '["A","b c"]', 'a b c', '[["a","b c"]]', '["a","b c"', '[a, b c]', '[', 'a', '']],
    [LIST(NUMBER('1'), NUMBER('2'), NUMBER('2')), ['[1,2,2]', '2, 1, 2.0', '["1","2","2"]'], ['[1,2]', '[1,1,2]', '[1,2,2,2]', '122']],
    [LIST(NUMBER('725653563933458433')), ['[725653563933458433]', '725653563933458433'], ['[725653563933458434]', '[725653563933458400]']],
    [LIST(STRING('c')), ['["c"]', 'c', '- c'], ['a\nb\nc', 'a, c', '[]']],
    [LIST(STRING('2026-01-05T00:00:00Z')), ['["2026-01-05T00:00:00Z"]'], ['[20260105]']]
  ] as [Answer, string[], string[]][]) {
    for (const reply of right) t.ok(isRight(reply, answer), `${JSON.stringify(reply)} is ${writeAnswer(answer)}`)
    for (const reply of wrong) t.notOk(isRight(reply, answer), `${JSON.stringify(reply)} is not ${writeAnswer(answer)}`)
  }
})

t.test('the judge takes every answer as the prompt wants it written, and takes it for no other', async t => {
  for (const { questions } of (await makePlan(makePayloads(), { ...PLAN, questions: 40 })).parts) {
    for (const { answer, text } of questions) {
      t.ok(isRight(writeAnswer(answer), answer), text)
      for (const { answer: other } of questions) {
        if (writeAnswer(other) !== writeAnswer(answer) && Number(writeAnswer(other)) !== Number(writeAnswer(answer))) t.notOk(isRight(writeAnswer(other), answer), `${text} ${writeAnswer(other)}`)
      }
    }
  }
})

t.test('intervals are those of Wilson', async t => {
  const round = ({ share, low, high }: ReturnType<typeof accuracyOf>): number[] => [share, low, high].map(value => Number(value.toFixed(4)))
  t.same(round(accuracyOf(0, 10)), [0, 0, 0.2775])
  t.same(round(accuracyOf(10, 10)), [1, 0.7225, 1])
  t.same(round(accuracyOf(50, 100)), [0.5, 0.4038, 0.5962])
  t.same(round(accuracyOf(81, 263)), [0.308, 0.2553, 0.3662])
})

t.test('work is done so many at a time, in order, and ends with the first failure', async t => {
  const started: number[] = []
  let atOnce = 0
  let most = 0
  const items = Array.from({ length: 20 }, (_, index) => index)
  const work = async (item: number): Promise<void> => {
    started.push(item)
    most = Math.max(most, ++atOnce)
    await new Promise(resolve => setImmediate(resolve))
    atOnce--
    if (item === 7) throw new Error('seven')
  }
  await t.rejects(runBounded(items, 3, work), { message: 'seven' })
  t.equal(most, 3)
  t.same(started, items.slice(0, started.length))
  t.ok(started.length < 12)
  t.equal(atOnce, 0, 'all that had begun have ended')
  await runBounded([], 3, work)
})

/** Runs the bench as the command does. */
async function bench (argv: string[], env: Record<string, string> = {}): Promise<{ code: number, out: string, notes: string }> {
  let out = ''
  let notes = ''
  const code = await run(argv, env, { out: text => { out += text }, note: text => { notes += text } })
  return { code, out, notes }
}

function environment (api: Api, url: string): Record<string, string> {
  return { READABILITY_API: api, READABILITY_URL: api === 'openai' ? `${url}/v1/` : url, READABILITY_KEY: 'secret-key', READABILITY_MODEL: 'model-1' }
}

/** A model that knows all answers of a plan by heart. */
function knowAll ({ parts }: Plan): (request: ModelRequest) => string {
  const answers = new Map(parts.flatMap(({ questions, renditions }) => renditions.flatMap(({ system }) => questions.map(({ text, answer }) => [`${system}\n${text}`, writeAnswer(answer)]))))
  return ({ system, question }) => answers.get(`${system}\n${question}`) ?? 'what?'
}

const FEW = ['--questions', '5', '--payloads', 'orders,settings', '--backoff', '0']
const FEW_PLAN = await makePlan(makePayloads().filter(({ name }) => ['orders', 'settings'].includes(name)), { ...PLAN, questions: 5 })
const FEW_REQUESTS = 2 * 5 * FORMATS.length

for (const api of ['openai', 'anthropic'] as const) {
  t.test(`${api}: each question is asked once in each format, with the document in the system prompt`, async t => {
    const model = await startModel(t, api, knowAll(FEW_PLAN))
    const file = join(t.testdir(), 'figures.json')
    const { code, out, notes } = await bench([...FEW, '--json', file, '--concurrency', '3', '--max-tokens', '99'], environment(api, model.url))
    t.equal(code, 0, notes)
    t.match(out, /^model-1, seed 1\n/)
    t.match(out, /\nretries: 0\n/)
    t.match(notes, /^40 requests with about \d+ tokens/)
    t.match(notes, /\n40 of 40 answered\n/)
    t.equal(model.requests.length, FEW_REQUESTS)
    t.ok(model.mostAtOnce() > 1 && model.mostAtOnce() <= 3, 'so many at a time')
    const asked = model.requests.map(({ system, question }) => `${system}\n${question}`).sort()
    const wanted = FEW_PLAN.parts.flatMap(({ questions, renditions }) => renditions.flatMap(({ system }) => questions.map(({ text }) => `${system}\n${text}`))).sort()
    t.same(asked, wanted)
    for (const { path, headers, body, system } of model.requests) {
      const rendition = FEW_PLAN.parts.flatMap(({ renditions }) => renditions).find(({ text }) => system.endsWith(text))
      t.ok(rendition !== undefined && system.includes(markerOf(rendition.format)), 'the system prompt holds marker and document')
      t.match(body, { model: 'model-1', temperature: 0, max_tokens: 99 })
      t.equal(headers['content-type'], 'application/json')
      if (api === 'openai') {
        t.equal(path, '/v1/chat/completions')
        t.match(body, { messages: [{ role: 'system' }, { role: 'user' }] })
        t.equal(headers.authorization, 'Bearer secret-key')
      } else {
        t.equal(path, '/v1/messages')
        t.match(body, { messages: [{ role: 'user' }] })
        t.match(headers, { 'x-api-key': 'secret-key', 'anthropic-version': '2023-06-01' })
        t.notOk('authorization' in headers)
      }
    }
    const figures = JSON.parse(readFileSync(file, 'utf8'))
    for (const format of FORMATS) {
      t.equal(figures[`${format}.accuracy`], 1)
      t.equal(figures[`${format}.accuracy.high`], 1)
      t.ok(figures[`${format}.accuracy.low`] < 1)
      t.ok(figures[`${format}.tokens.of.json`] > 0)
      t.equal(figures[`${format}.accuracy.lookup`], 1)
    }
    t.equal(figures['json.tokens.of.json'], 1)
    t.ok(Object.values(figures).every(figure => typeof figure === 'number' && Number.isFinite(figure)))
  })

  t.test(`${api}: what is wrong counts as wrong, by format and by kind`, async t => {
    const right = knowAll(FEW_PLAN)
    const kinds = new Map(FEW_PLAN.parts.flatMap(({ questions }) => questions.map(({ text, kind }) => [text, kind])))
    const model = await startModel(t, api, request => request.system.includes(STC2_MARKER) && kinds.get(request.question) === 'count' ? 'no idea' : request.system.includes('as TOON') ? '-17.25' : right(request))
    const [file, log] = ['figures.json', 'log.jsonl'].map(name => join(t.testdir(), name))
    t.match(await bench([...FEW, '--json', file, '--log', log], environment(api, model.url)), { code: 0 })
    t.match(JSON.parse(readFileSync(file, 'utf8')), {
      'json.accuracy': 1, 'stc.accuracy': 1, 'toon.accuracy': 0, 'toon.accuracy.low': 0, 'stc2.accuracy': 0.8, 'stc2.accuracy.count': 0, 'stc2.accuracy.lookup': 1, 'toon.accuracy.per.thousand.tokens': 0
    })
    const lines = readFileSync(log, 'utf8').trim().split('\n').map(line => JSON.parse(line))
    t.equal(lines.length, FEW_REQUESTS)
    t.equal(lines.filter(({ isRight }) => !isRight).length, 12)
    t.ok(lines.every(({ reply, expected, isRight }) => isRight === (reply === expected)))
  })

  t.test(`${api}: a busy endpoint is asked again, when it says`, async t => {
    const right = knowAll(FEW_PLAN)
    const busy: ModelReply[] = [
      { status: 429, headers: { 'retry-after': '0' }, body: '{"error":"slow down"}' },
      { status: 529, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, body: 'overloaded' },
      { status: 503, headers: { 'retry-after': '0' }, body: '' }
    ]
    const model = await startModel(t, api, (request, count) => busy[count - 1] ?? right(request))
    // With a pause of its own the test would not end.
    const { code, out, notes } = await bench([...FEW, '--backoff', '500000', '--concurrency', '1'], environment(api, model.url))
    t.equal(code, 0, notes)
    t.equal(model.requests.length, FEW_REQUESTS + 3)
    t.match(out, /\nretries: 3\n/)
    t.match(out, /\nall +100\.0 .*100\.0 .*100\.0 .*100\.0 /)
    t.same(new Set(model.requests.slice(0, 4).map(({ question }) => question)).size, 1, 'the same question')
  })

  t.test(`${api}: an endpoint that fails is a clear error`, async t => {
    for (const [name, reply, tries, message] of [
      ['busy for good', { status: 429, body: '{"error":{"message":"slow\\ndown"}}' }, 3, 'The endpoint answered 429 Too Many Requests: {"error":{"message":"slow\\ndown"}} (tries: 3)'],
      ['silent', 'stall', 3, 'The endpoint did not answer within 60 ms (tries: 3)'],
      ['broken off', 'reset', 3, /The endpoint cannot be reached: .+ \(tries: 3\)/],
      ['busy for long', { status: 429, headers: { 'retry-after': '86400' }, body: 'x' }, 1, 'The endpoint answered 429 Too Many Requests: x (asks to wait for 86400 s)'],
      ['unauthorized', { status: 401, body: '{"error":"bad key"}' }, 1, 'The endpoint answered 401 Unauthorized: {"error":"bad key"}'],
      ['elsewhere', { status: 302, headers: { location: '/v1/other' }, body: '' }, 1, 'The endpoint answered 302 Found: '],
      ['no JSON', { body: '<html>\nHello</html>' }, 1, `The endpoint answered with something that is no reply of the ${api} API: <html> Hello</html>`],
      ['cut JSON', { body: wrapReply(api, 'x').slice(0, -3) }, 1, /no reply of the/],
      ['the other API', { body: wrapReply(api === 'openai' ? 'anthropic' : 'openai', 'x') }, 1, /no reply of the/],
      ['null', { body: 'null' }, 1, /no reply of the/],
      ['a long text', { body: 'x'.repeat(5000) }, 1, /: x{300}…\n$/]
    ] as [string, ModelReply, number, string | RegExp][]) {
      const model = await startModel(t, api, () => reply)
      const { code, out, notes } = await bench([...FEW, '--retries', '2', '--timeout', reply === 'stall' ? '60' : '60000', '--concurrency', '1'], environment(api, model.url))
      t.equal(code, 1, name)
      t.equal(out, '', `${name}: no figures`)
      t.match(notes, typeof message === 'string' ? `readability: ${message}\n` : message, name)
      t.notMatch(notes, 'secret-key')
      t.equal(model.requests.length, tries, `${name}: tries`)
    }
  })

  t.test(`${api}: replies that are cut off, or have no text, are judged and told`, async t => {
    const model = await startModel(t, api, ({ system }) => system.includes('as STC') ? { body: wrapReply(api, '', true) } : { body: api === 'openai' ? '{"choices":[{"message":{"content":null}}]}' : '{"content":[{"type":"thinking"}]}' })
    const { code, out } = await bench(FEW, environment(api, model.url))
    t.equal(code, 0)
    t.match(out, '\n10 replies were cut off at --max-tokens, and judged as they are.\n')
    t.match(out, /\nall +0\.0 /)
  })
}

t.test('the first failure stops all', async t => {
  const model = await startModel(t, 'openai', (_, count) => count < 4 ? 'stall' : { status: 403, body: 'no' })
  const { code, notes } = await bench([...FEW, '--concurrency', '4'], environment('openai', model.url))
  t.equal(code, 1)
  t.match(notes, 'readability: The endpoint answered 403 Forbidden: no\n')
  t.equal(model.requests.length, 4)
})

t.test('a key and further members of the body are as the environment has them', async t => {
  const model = await startModel(t, 'openai', knowAll(FEW_PLAN))
  const env = { ...environment('openai', model.url), READABILITY_URL: `${model.url}/chat/completions`, READABILITY_KEY: '', READABILITY_BODY: '{"temperature":null,"max_tokens":null,"max_completion_tokens":64,"seed":7}' }
  t.match(await bench([...FEW, '--formats', 'json'], env), { code: 0 })
  const [{ path, headers, body }] = model.requests
  t.equal(path, '/chat/completions')
  t.notOk('authorization' in headers)
  t.same(Object.keys(body).sort(), ['max_completion_tokens', 'messages', 'model', 'seed'])
})

t.test('an environment that names an endpoint in part is an error', async t => {
  const whole = environment('openai', 'http://127.0.0.1:9')
  for (const [env, message] of [
    [{ ...whole, READABILITY_API: '' }, 'READABILITY_API must be openai or anthropic'],
    [{ ...whole, READABILITY_API: 'other' }, 'READABILITY_API must be'],
    [{ ...whole, READABILITY_URL: '' }, 'READABILITY_URL must be an http or https URL'],
    [{ ...whole, READABILITY_URL: 'file:///x' }, 'READABILITY_URL must be'],
    [{ ...whole, READABILITY_MODEL: '' }, 'READABILITY_MODEL must name a model'],
    [{ ...whole, READABILITY_BODY: '[1]' }, 'READABILITY_BODY must be a JSON object'],
    [{ ...whole, READABILITY_BODY: '{' }, 'READABILITY_BODY must be a JSON object']
  ] as const) {
    const { code, out, notes } = await bench(FEW, env)
    t.match([code, out], [1, ''])
    t.match(notes, `readability: ${message}`)
  }
})

t.test('without an endpoint the questions, answers and tokens are printed, and how to ask', async t => {
  const file = join(t.testdir(), 'figures.json')
  const { code, out, notes } = await bench(['--json', file])
  t.match([code, notes], [0, ''])
  for (const { payload, questions, renditions } of (await makePlan(makePayloads(), PLAN)).parts) {
    for (const { text, answer, kind } of questions) t.ok(out.includes(`[${payload.name}, ${kind}] ${text}\n    ${writeAnswer(answer)}\n`))
    const cells = out.split('\n').find(line => line.startsWith(`${payload.name} `))?.split(/ {2,}/)
    t.same(cells, [payload.name, String(questions.length), ...renditions.map(({ tokens }) => String(tokens))])
  }
  for (const name of ['READABILITY_API', 'READABILITY_URL', 'READABILITY_MODEL', 'READABILITY_KEY', 'READABILITY_BODY']) t.match(out, name)
  t.same(Object.keys(JSON.parse(readFileSync(file, 'utf8'))), FORMATS.map(format => `${format}.tokens.of.json`))
  const { out: prompts } = await bench(['--print', '--formats', 'stc2', '--payloads', 'metrics'])
  t.match(prompts, '--- metrics as stc2 ---\nYou answer questions')
  t.match(prompts, STC2_MARKER)
  t.notMatch(prompts, '--- metrics as json')
  const { code: helped, out: help } = await bench(['--help'])
  t.equal(helped, 0)
  t.match(help, '--questions N')
})

t.test('wrong flags are told', async t => {
  for (const [flag, message] of [
    [['--questions', '0'], '--questions must be a whole number of 1 or more'],
    [['--seed', 'x'], '--seed must be a whole number'],
    [['--formats', 'json,xml'], '--formats must be a list of json,toon,stc,stc2'],
    [['--payloads', 'none'], '--payloads must be a list of employees,orders'],
    [['--what'], '--what'],
    [['--max-document', '10'], 'there is no document to ask about']
  ] as const) {
    const { code, notes } = await bench([...flag])
    t.equal(code, 1)
    t.match(notes, message)
  }
})

t.test('the documents of a folder: those that a format cannot hold, or that give no questions, are left out and named', async t => {
  const rows = JSON.stringify(Array.from({ length: 6 }, (_, i) => ({ id: i, name: `n${i}`, ok: i < 3, size: i * 7 })), null, 2)
  const places = JSON.stringify({ values: [{ a: [1, 2] }, { a: [] }, { a: [3] }, { a: [4] }] })
  const folder = t.testdir({ 'rows.json': rows, sub: { 'places.json': places }, 'twice.json': '{"a":1,"a":2}', 'broken.json': '{"a":', 'empty.json': '[]', 'notes.txt': 'x' })
  const { code, out, notes } = await bench(['--corpus', folder, '--questions', '12'])
  t.equal(code, 0)
  t.match(notes, /left out: broken\.json: JSON: expected/)
  t.match(notes, /left out: twice\.json: toon cannot hold this document exactly: declined-duplicate-keys/)
  t.match(notes, 'left out: empty.json: nothing to ask about')
  t.match(out, /\[rows\.json, aggregate\] .* of `size` over all rows/)
  t.match(out, /\[sub\/places\.json, .*row number \d \(the first has number 1\)/, 'rows that no field tells apart')
})

const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')

t.test('answers about real payloads are what plain JavaScript finds', { skip: !existsSync(CORPUS) && 'no corpus' }, async t => {
  const { readCorpus } = await import('../bench/readability/read-corpus.js')
  const { payloads } = readCorpus(CORPUS)
  let asked = 0
  for (const payload of payloads) {
    if (payload.json.length > 200_000) continue
    const root = parsePlain(payload.json)
    for (const { text, query, answer } of makeQuestions(payload, 20, 3)) {
      asked++
      const plain = answerPlainly(query, root)
      if (!isSame(answer, plain)) t.fail(`${payload.name}: ${text} ${writeAnswer(answer)} or ${JSON.stringify(plain)}`)
    }
  }
  t.ok(asked > 300, `${asked} questions`)
})
