/*
 * npm run bench:http [-- --json FILE] [-- --seconds 150] [-- --only 50KB] [-- --cpu-prof FOLDER]
 *
 * What the gateway costs from end to end: load by autocannon on servers in processes of their own, A and B in
 * turn. A figure is the median over all rounds of B's share of A's requests per second. Beside it: p99 in
 * milliseconds (medians), and `cpu`, what B answers per second of processor time as a share of what A does,
 * which others on the machine disturb less and which does not count the load generator and the upstream.
 *
 * --only runs the pairs whose name holds this text; --cpu-prof writes a profile for each thread of each server.
 */
import { get, Agent } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { request } from 'undici'
import { decode, minify } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { startChild } from './helpers/child-server.js'
import type { ChildServer } from './helpers/child-server.js'
import { median, writeJson } from './helpers/compare.js'
import { startNginx } from './helpers/nginx.js'
import { BODIES } from './helpers/servers.js'

const { values } = parseArgs({
  options: { json: { type: 'string' }, seconds: { type: 'string', default: '150' }, only: { type: 'string', default: '' }, 'cpu-prof': { type: 'string' } }
})

type Headers = Record<string, string>
interface Target { server: ChildServer, path: string, headers: Headers }
interface Pair { name: string, aim: number | null, base: Target, target: Target }
interface Load { rate: number, p99: number, cpuEach: number }

const BOTH = { 'accept-encoding': 'toon, stc' }
const TOON = { 'accept-encoding': 'toon' }
const WARM_UP_SECONDS = 1
const SLOT_SECONDS = 0.8
const EVENT_STREAMS = 300
/** Share of the time that the event streams have. */
const EVENT_SHARE = 0.06

/** Bodies that are large take long, and few of them fill the machine. */
const countConnections = (path: string): number => path.startsWith('/1MB') ? 4 : 10

async function load ({ server, path, headers }: Target, seconds: number): Promise<Load> {
  const before = await server.measure()
  const result = await autocannon({ url: server.origin + path, headers, connections: countConnections(path), duration: seconds })
  const count = result['2xx']
  if (result.errors + result.non2xx + result.mismatches > 0 || count === 0) {
    throw new Error(`${path}: ${count} answers, ${result.non2xx} of another status, ${result.errors} errors`)
  }
  const after = await server.measure()
  return { rate: count / result.duration, p99: result.latency.p99, cpuEach: (after.cpu - before.cpu) / count }
}

/** A benchmark of wrong answers says nothing. */
async function check ({ server, path, headers }: Target): Promise<void> {
  const answer = await request(server.origin + path, { headers })
  const text = Buffer.from(await answer.body.arrayBuffer())
  const coding = answer.headers['content-encoding'] as CodingName | undefined
  const isExpected = (coding !== undefined) === ('accept-encoding' in headers && !path.endsWith('-loser'))
  const json = coding === undefined ? text.toString() : decode(text, coding)
  if (!isExpected || json !== minify(BODIES[path])) throw new Error(`${path}: a wrong answer, coding ${coding}`)
}

/** Rounds for as long as there is time, two of them in any case. */
async function runPair ({ base, target }: Pair, seconds: number) {
  const rows: { a: Load, b: Load }[] = []
  const ends = performance.now() + seconds * 1000
  await load(base, WARM_UP_SECONDS)
  await load(target, WARM_UP_SECONDS)
  while (rows.length < 2 || performance.now() + 2000 * SLOT_SECONDS < ends) {
    const isBaseFirst = rows.length % 2 === 0
    const first = await load(isBaseFirst ? base : target, SLOT_SECONDS)
    const second = await load(isBaseFirst ? target : base, SLOT_SECONDS)
    rows.push(isBaseFirst ? { a: first, b: second } : { a: second, b: first })
  }
  const of = (pick: (row: { a: Load, b: Load }) => number): number => median(rows.map(pick))
  return {
    rounds: rows.length,
    ratio: of(({ a, b }) => b.rate / a.rate),
    cpu: of(({ a, b }) => a.cpuEach / b.cpuEach),
    rateA: of(({ a }) => a.rate),
    rateB: of(({ b }) => b.rate),
    p99A: of(({ a }) => a.p99),
    p99B: of(({ b }) => b.p99)
  }
}

/** Milliseconds from the request to the first byte of the first event. */
async function timeFirstByte (origin: string, headers: Headers, agent: Agent): Promise<number> {
  return await new Promise((resolve, reject) => {
    const started = performance.now()
    let ms = 0
    get(`${origin}/events`, { agent, headers: { accept: 'application/json, text/event-stream', ...headers } }, (response) => {
      response.once('data', () => { ms = performance.now() - started })
      response.on('error', reject).on('end', () => resolve(ms)).resume()
    }).on('error', reject)
  })
}

/** Medians in milliseconds, the servers asked in turn. */
async function compareFirstBytes (ways: { origin: string, headers: Headers }[], count: number, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[][] = ways.map(() => [])
  const ends = performance.now() + seconds * 1000
  for (let i = 0; i < count && performance.now() < ends; i++) {
    for (const [index, { origin, headers }] of ways.entries()) times[index].push(await timeFirstByte(origin, headers, agent))
  }
  agent.destroy()
  // The first ones met code that was cold.
  return times.map((list) => median(list.slice(list.length / 10)))
}

function print (cells: string[]): void {
  console.log(cells.map((cell, i) => i === 0 ? cell.padEnd(52) : cell.padStart(9)).join(''))
}

const toKey = (name: string): string => name.replace(/[^\w@]+/g, '-')

function describeLoad (): string {
  return `${cpus().length} processors, load average ${loadavg().map((load) => load.toFixed(2)).join(' ')}`
}

const profile = (role: string): string[] => values['cpu-prof'] === undefined
  ? []
  : ['--cpu-prof', `--cpu-prof-dir=${join(values['cpu-prof'], role)}`]

const upstream = await startChild('upstream')
const start = async (role: string): Promise<ChildServer> => await startChild(role, upstream.origin, profile(role))
const [plain, plugin, gateway, httpProxy, bare] = await Promise.all(['plain', 'plugin', 'gateway', 'http-proxy', 'bare'].map(start))
const nginx = await startNginx(upstream.origin)

const small = (server: ChildServer): Target => ({ server, path: '/1KB', headers: {} })
const optIn = (path: string, aim: number, headers: Headers): Pair => ({
  name: `opt-in (${headers['accept-encoding']}) / without, ${path.slice(1)}`,
  aim,
  base: { server: gateway, path, headers: {} },
  target: { server: gateway, path, headers }
})
const pairs: Pair[] = [
  { name: 'plugin without opt-in / no plugin, 1KB', aim: 0.98, base: small(plain), target: small(plugin) },
  { name: 'gateway without opt-in / @fastify/http-proxy, 1KB', aim: 1.3, base: small(httpProxy), target: small(gateway) },
  { name: 'gateway without opt-in / undici + node:http, 1KB', aim: 0.9, base: small(bare), target: small(gateway) },
  optIn('/1KB', 0.9, BOTH),
  optIn('/50KB-winner', 0.6, BOTH),
  optIn('/50KB-loser', 0.75, TOON),
  optIn('/50KB-late-loser', 0.75, BOTH),
  optIn('/1MB-winner', 0.3, BOTH),
  optIn('/1MB-loser', 0.8, TOON),
  optIn('/1MB-late-loser', 0.8, BOTH),
  ...nginx === null ? [] : [{ name: 'gateway without opt-in / nginx, 1KB', aim: null, base: small(nginx), target: small(gateway) }]
].filter(({ name }) => name.includes(values.only))
const hasEvents = 'first byte of an event stream'.includes(values.only)

const seconds = Number(values.seconds)
const pairSeconds = seconds * (hasEvents ? 1 - EVENT_SHARE : 1) / Math.max(1, pairs.length)

console.log(`Node ${process.version}, ${describeLoad()}`)
console.log(`A and B in turn, ${SLOT_SECONDS} s each; medians over all rounds`)
if (nginx === null) console.log('nginx: not found')
print(['B / A', 'ratio', 'aim', 'cpu', 'rounds', 'A req/s', 'B req/s', 'A p99', 'B p99'])
const ratios: Record<string, number> = {}
const missed: string[] = []
for (const pair of pairs) {
  await check(pair.base)
  await check(pair.target)
  const { rounds, ratio, cpu, rateA, rateB, p99A, p99B } = await runPair(pair, pairSeconds)
  const isMissed = pair.aim !== null && ratio < pair.aim
  if (isMissed) missed.push(pair.name)
  print([pair.name, ratio.toFixed(3), pair.aim === null ? '' : `>=${pair.aim}${isMissed ? ' !' : ''}`, cpu.toFixed(3), String(rounds),
    ...[rateA, rateB].map((rate) => rate.toFixed(0)), ...[p99A, p99B].map((ms) => ms.toFixed(1))])
  const name = toKey(pair.name)
  Object.assign(ratios, { [name]: ratio, [`${name}.cpu`]: cpu, [`${name}.p99`]: p99B / p99A })
}
if (hasEvents) {
  const ways: Record<string, { origin: string, headers: Headers }> = {
    direct: { origin: upstream.origin, headers: {} },
    'undici + node:http': { origin: bare.origin, headers: {} },
    'gateway without opt-in': { origin: gateway.origin, headers: {} },
    'gateway with opt-in': { origin: gateway.origin, headers: BOTH }
  }
  const [direct, ...others] = await compareFirstBytes(Object.values(ways), EVENT_STREAMS, seconds * EVENT_SHARE)
  console.log(`first byte of an event stream: ${direct.toFixed(2)} ms direct`)
  for (const [i, name] of Object.keys(ways).slice(1).entries()) {
    const extra = others[i] - direct
    const isMissed = name.startsWith('gateway') && extra > 1
    if (isMissed) missed.push(`first byte, ${name}`)
    print([`  ${name}`, `+${extra.toFixed(2)} ms`, name.startsWith('gateway') ? `<=1${isMissed ? ' !' : ''}` : ''])
    ratios[`first-byte-${toKey(name)}.extra-ms`] = extra
  }
}
console.log(`${describeLoad()} at the end`)
if (missed.length > 0) console.log(`not reached: ${missed.join('; ')}`)
writeJson(ratios)
await Promise.all([plain, plugin, gateway, httpProxy, bare, upstream, nginx].map(async (server) => await server?.stop()))
