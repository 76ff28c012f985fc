/*
 * npm run soak [-- --minutes 1] [-- --rate 60] [-- --seed 1]
 *
 * Mixed traffic with faults at a steady rate through the gateway, which runs in a process of its own: clients that
 * ask for a coding and that do not, that leave early or read slowly, an upstream that breaks in every way. Every
 * body is compared with its source. Exit code 1 where one was wrong, where sockets, timers or listeners are left
 * when all is quiet, or where memory has grown since the traffic had warmed the gateway up.
 */
import { once } from 'node:events'
import { Agent, request as startRequest } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSeed } from '../../lib/cli/sample/seed.js'
import { startUpstream } from '../helpers/faulty-upstream.js'
import { receive } from '../helpers/gateway-client.js'
import { startChild } from './helpers/child-server.js'
import type { Usage } from './helpers/child-server.js'
import { KINDS } from './helpers/soak-traffic.js'
import type { Kind } from './helpers/soak-traffic.js'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, rate: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } } })
const minutes = Number(values.minutes)
const rate = Number(values.rate)

/** Requests that may be in flight; of those that are due beyond it none are sent, so that memory measures the gateway. */
const MAX_IN_FLIGHT = 150
/** All that the upstream does not do is told or broken off long before. */
const SILENCE_MS = 20_000
/** Between them all falls quiet, and memory is told. */
const PARTS = 3
/** Share of the time that warms up, at least some seconds. */
const WARM_UP_SHARE = 0.2
const MIN_WARM_UP_MS = 8000
/** undici keeps idle connections for as long as the upstream says that it does. */
const UPSTREAM_KEEP_ALIVE_MS = 4000
const QUIET_MS = 15_000
/** What may be more after the traffic than after its warm-up: compiled code; buffers that are kept for the next body; pages that are free. */
const HEAP_ALLOWANCE = 4 * 1024 * 1024
const BUFFER_ALLOWANCE = 24 * 1024 * 1024
const RSS_ALLOWANCE = 64 * 1024 * 1024

const CLIENTS: Record<string, string>[] = [
  {}, { 'accept-encoding': 'gzip, br' }, { 'accept-encoding': 'toon' }, { 'accept-encoding': 'stc' }, { 'accept-encoding': 'toon, stc;q=0.5, gzip' }, { accept: 'text/toon' },
  { 'accept-encoding': 'toon, stc', accept: 'application/json, text/event-stream' }, { 'accept-encoding': 'toon, identity;q=0' }
]
const paths = Object.entries(KINDS).flatMap(([path, { weight }]) => Array<string>(weight).fill(path))
const seed = createSeed(Number(values.seed))
const agent = new Agent({ keepAlive: true })
const outcomes: Record<string, number> = {}
const wrong: string[] = []
let inFlight = 0

const isBusy = (): boolean => inFlight > 0
const count = (outcome: string): void => { outcomes[outcome] = (outcomes[outcome] ?? 0) + 1 }

/** One request; some clients leave early, some read late. */
async function ask (port: number, path: string): Promise<void> {
  const kind: Kind = KINDS[path]
  const { method = 'GET', body, headers } = kind.sending ?? {}
  const client = seed.pick(CLIENTS)
  const manners = seed.between(1, 20)
  const request = startRequest({ host: '127.0.0.1', port, path, method, agent, headers: { ...headers, ...client } })
  const failed = new Promise<null>((resolve) => { request.on('error', () => resolve(null)).on('close', () => resolve(null)) })
  request.setTimeout(SILENCE_MS, () => {
    wrong.push(`${path} ${JSON.stringify(client)}: silence`)
    request.destroy()
  })
  request.end(body)
  if (manners === 1) {
    await sleep(seed.between(0, 40))
    request.destroy()
    count('client left')
    return
  }
  const response = await Promise.race([failed, once(request, 'response').then(([response]) => response as Parameters<typeof receive>[0], () => null)])
  if (response === null) {
    wrong.push(`${path} ${JSON.stringify(client)}: no response`)
    return
  }
  if (manners === 2) await sleep(seed.between(0, 200))
  const received = await receive(response)
  const lie = kind.check(received)
  if (lie !== null) wrong.push(`${path} ${JSON.stringify(client)}: ${lie}`)
  const coding = received.headers['x-toon-version'] !== undefined ? 'toon' : received.headers['x-stc-version'] !== undefined ? 'stc' : 'as it came'
  count(received.complete ? `${received.status} ${coding}` : 'broken off')
}

async function run (port: number, ms: number): Promise<void> {
  const started = performance.now()
  let due = 0
  for (let now = 0; now < ms; now = performance.now() - started) {
    for (; due < now * rate / 1000; due++) {
      if (inFlight >= MAX_IN_FLIGHT) {
        count('not sent')
        continue
      }
      inFlight++
      const path = seed.pick(paths)
      ask(port, path).catch((error) => { wrong.push(`${path}: ${error}`) }).finally(() => { inFlight-- })
    }
    await sleep(10)
  }
  while (isBusy()) await sleep(20)
}

const upstream = await startUpstream((request, response) => KINDS[request.url as string].answer(request, response))
// What it has seen is of no interest here, and would be all the memory there is.
upstream.server.keepAliveTimeout = UPSTREAM_KEEP_ALIVE_MS
setInterval(() => { upstream.seen.length = 0 }, 1000).unref()
const gateway = await startChild('soak', upstream.origin, ['--expose-gc'])

/** Waits until no connection is left, and says what the gateway holds then. */
async function measureQuiet (): Promise<Usage> {
  const ends = performance.now() + QUIET_MS
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
  let usage = await gateway.measure()
  while (performance.now() < ends && ((usage.resources.TCPSocketWrap ?? 0) > 0 || upstream.countConnections() > 0)) {
    await sleep(250)
    usage = await gateway.measure()
  }
  return usage
}

const toMiB = (bytes: number): string => `${(bytes / 1048576).toFixed(1)} MiB`

function print (name: string, usage: Usage): void {
  const { heap, buffers, rss, listeners, resources } = usage
  console.log(`${name.padEnd(10)} heap ${toMiB(heap)}, buffers ${toMiB(buffers)}, RSS ${toMiB(rss)}, ${listeners} listeners, ` +
    `${resources.TCPSocketWrap ?? 0} sockets, ${resources.Timeout ?? 0} timers, ${upstream.countConnections()} connections to the upstream`)
}

console.log(`${minutes} minutes, ${rate} requests a second, seed ${values.seed}, Node ${process.version}, load average ${loadavg()[0].toFixed(2)}`)
print('cold', await measureQuiet())
await run(gateway.port, Math.max(MIN_WARM_UP_MS, minutes * 60_000 * WARM_UP_SHARE))
const before = await measureQuiet()
print('warm', before)
for (let part = 1; part < PARTS; part++) {
  await run(gateway.port, minutes * 60_000 * (1 - WARM_UP_SHARE) / PARTS)
  print('', await measureQuiet())
}
await run(gateway.port, minutes * 60_000 * (1 - WARM_UP_SHARE) / PARTS)
const after = await measureQuiet()
print('at the end', after)
await gateway.stop()
agent.destroy()
await upstream.close()

const total = Object.values(outcomes).reduce((sum, number) => sum + number, 0)
console.log(`${total} requests: ${Object.entries(outcomes).sort(([a], [b]) => a < b ? -1 : 1).map(([outcome, number]) => `${number} ${outcome}`).join(', ')}`)
const faults: string[] = []
if (wrong.length > 0) faults.push(`${wrong.length} wrong answers, such as\n  ${wrong.slice(0, 10).join('\n  ')}`)
if (outcomes['not sent'] > total / 2) faults.push('most of the traffic could not be sent')
for (const [name, usage] of [['warm', before], ['at the end', after]] as const) {
  if ((usage.resources.TCPSocketWrap ?? 0) > 0) faults.push(`${usage.resources.TCPSocketWrap} sockets are left, ${name}`)
}
if (upstream.countConnections() > 0) faults.push('connections to the upstream are left')
if ((after.resources.Timeout ?? 0) > (before.resources.Timeout ?? 0) + 1) faults.push('timers are left')
if (after.listeners > before.listeners) faults.push('listeners are left')
if (after.warnings.length > 0) faults.push(`warnings: ${after.warnings.join('; ')}`)
for (const [name, allowance] of [['heap', HEAP_ALLOWANCE], ['buffers', BUFFER_ALLOWANCE], ['rss', RSS_ALLOWANCE]] as const) {
  if (after[name] > before[name] + allowance) faults.push(`${name} has grown by ${toMiB(after[name] - before[name])}`)
}
console.log(faults.length === 0 ? 'no body was wrong, nothing is left, memory is flat' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
