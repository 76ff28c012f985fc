/*
 * node dist/test/bench/event-loop.js [--json FILE] [--only uniform,prose] [--sizes 1MB,10MB] [--rounds 20]
 *
 * The longest time for which the gateway's event loop does nothing else while a body passes through: of an
 * answer that is re-encoded (`encoded`), of the same that nobody asked to have re-encoded (`plain`), of a
 * string that a handler sends (`string`), and beside them what JSON.parse + JSON.stringify take on the body in
 * one go (`json`). Upstream and client run in a process of their own.
 *
 * Milliseconds: the longest gap between two turns of the loop in each round, on Linux less the time for which
 * the thread was ready to run and the system ran others, and of all rounds the lower quartile, since others on
 * the machine only ever add to it; `worst` is the highest of all rounds. `idle` is a loop that does nothing.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { tokenEncoding, tokenGateway } from '../../plugins/index.js'
import { median, writeJson } from './helpers/compare.js'
import { SHAPES, SIZES } from './helpers/payloads.js'

interface Job { shape: string, size: string }
interface Ask { url: string, headers: Record<string, string> }

/** The other process: an upstream with one body, and a client. */
async function serveAndAsk (): Promise<void> {
  let body = Buffer.alloc(0)
  const upstream = http.createServer((request, response) => {
    const isChunked = request.url === '/chunked'
    response.writeHead(200, { 'content-type': 'application/json', ...(isChunked ? {} : { 'content-length': body.length }) })
    response.end(body)
  }).listen(0, '127.0.0.1')
  process.on('message', (message: Job | Ask) => {
    if ('shape' in message) {
      body = Buffer.from(SHAPES[message.shape](SIZES[message.size]))
      process.send!('ready')
      return
    }
    http.get(message.url, { headers: message.headers, agent: false }, (response) => {
      let size = 0
      response.on('data', (chunk: Buffer) => { size += chunk.length })
      response.on('end', () => { process.send!({ size, coding: response.headers['content-encoding'] ?? null }) })
    })
  })
  process.on('disconnect', () => process.exit())
  await once(upstream, 'listening')
  process.send!({ port: (upstream.address() as AddressInfo).port })
}

let schedule = -1
const line = Buffer.alloc(64)

/** The clock less the time that this thread has waited for a processor, where the system tells it. */
function runningTime (): number {
  if (schedule < 0) return performance.now()
  for (let waited = readWaited(); ;) {
    const now = performance.now()
    const since = readWaited()
    if (since === waited) return now - since / 1e6
    waited = since
  }
}

/** Nanoseconds; the second of the numbers that Linux gives for a thread. */
function readWaited (): number {
  const length = readSync(schedule, line, 0, line.length, 0)
  return Number(line.toString('latin1', 0, length).split(' ')[1])
}

async function measure (): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' }, sizes: { type: 'string' }, rounds: { type: 'string' } } })
  if (process.platform === 'linux') schedule = openSync('/proc/thread-self/schedstat', 'r')
  const rounds = Number(values.rounds ?? 20)
  const child = fork(fileURLToPath(import.meta.url), [])
  const [{ port }] = await once(child, 'message') as [{ port: number }]
  const text = { current: '' }
  const app = Fastify({ forceCloseConnections: true })
  await app.register(tokenGateway, { prefix: '/gateway', upstream: `http://127.0.0.1:${port}`, tokenEncoding: { maxBodyBytes: 1 << 26 } })
  await app.register(async (scope) => {
    await scope.register(tokenEncoding, { maxBodyBytes: 1 << 26 })
    scope.get('/string', (_request, reply) => reply.type('application/json').send(text.current))
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const all: Record<string, number> = {}
  console.log(['shape', 'size', 'json', 'encoded', 'worst', 'plain', 'string', 'idle'].map((cell) => cell.padStart(10)).join(''))
  for (const shape of values.only?.split(',') ?? Object.keys(SHAPES)) {
    for (const size of values.sizes?.split(',') ?? ['1MB', '10MB']) {
      await tell(child, { shape, size })
      text.current = SHAPES[shape](SIZES[size])
      const encoded = await longestGaps(rounds, (round) => tell(child, { url: `${base}/gateway/${round % 2 ? 'chunked' : ''}`, headers: { 'accept-encoding': 'toon, stc' } }))
      const plain = await longestGaps(rounds, () => tell(child, { url: `${base}/gateway/`, headers: {} }))
      const string = await longestGaps(Math.min(rounds, 5), () => tell(child, { url: `${base}/string`, headers: { 'accept-encoding': 'toon, stc' } }))
      const idle = await longestGaps(rounds, () => sleep(encoded.ms))
      const result = { json: timeJson(Buffer.from(text.current)), encoded: encoded.quartile, worst: encoded.worst, plain: plain.quartile, string: string.quartile, idle: idle.quartile }
      console.log([shape, size, ...Object.values(result).map((ms) => ms.toFixed(2))].map((cell) => cell.padStart(10)).join(''))
      for (const [name, ms] of Object.entries(result)) all[`${shape}.${size}.${name}`] = ms
    }
  }
  writeJson(all)
  child.disconnect()
  await app.close()
}

async function tell (child: ChildProcess, message: Job | Ask): Promise<unknown> {
  const answer = once(child, 'message')
  child.send(message)
  return await answer
}

/** The longest gap between two turns of the event loop while something runs, over many times. */
async function longestGaps (rounds: number, run: (round: number) => Promise<unknown>): Promise<{ quartile: number, worst: number, ms: number }> {
  for (let i = 0; i < 4; i++) await run(i)
  const gaps: number[] = []
  const durations: number[] = []
  for (let round = 0; round < rounds; round++) {
    let longest = 0
    const started = performance.now()
    let last = runningTime()
    let turn: NodeJS.Immediate
    const look = (): void => {
      const now = runningTime()
      longest = Math.max(longest, now - last)
      last = now
      turn = setImmediate(look)
    }
    turn = setImmediate(look)
    await run(round)
    clearImmediate(turn)
    gaps.push(longest)
    durations.push(performance.now() - started)
  }
  return { quartile: gaps.sort((a, b) => a - b)[gaps.length >> 2], worst: Math.max(...gaps), ms: median(durations) }
}

function timeJson (body: Buffer): number {
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const started = runningTime()
    const copy = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
    times.push(copy.length > 0 ? runningTime() - started : 0)
  }
  return median(times)
}

if (process.send !== undefined) await serveAndAsk()
else await measure()
