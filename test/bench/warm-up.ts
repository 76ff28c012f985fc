/*
 * npm run bench:warm-up [-- --json FILE] [-- --rounds 7]
 *
 * What the first clients of a process wait for: gateways in new processes with and without the option warmUp, in turn, each asked some time after
 * it began to listen. Medians over the rounds of the first response and of the first ten together, in milliseconds, and `ratio` of both
 * with warmUp to those without. `plain` asks for no coding: what HTTP itself takes while it is cold.
 */
import { parseArgs } from 'node:util'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'undici'
import { startChild } from './helpers/child-server.js'
import type { ChildServer } from './helpers/child-server.js'
import { median, writeJson } from './helpers/compare.js'

const { values } = parseArgs({ options: { json: { type: 'string' }, rounds: { type: 'string', default: '7' } } })

const PATHS = ['/1KB', '/50KB-winner', '/50KB-late-loser']
const SETTLE_MS = 1000
const REQUESTS = 10

interface Start { first: number, ten: number, cpu: number }

async function measure (role: string, upstream: ChildServer, path: string, headers: Record<string, string>): Promise<Start> {
  const server = await startChild(role, upstream.origin)
  const client = new Client(server.origin)
  try {
    await setTimeout(SETTLE_MS)
    const { cpu } = await server.measure()
    const times: number[] = []
    for (let i = 0; i < REQUESTS; i++) {
      const from = performance.now()
      const { statusCode, body } = await client.request({ method: 'GET', path, headers })
      await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
      times.push(performance.now() - from)
    }
    return { first: times[0], ten: times.reduce((sum, time) => sum + time), cpu: cpu / 1000 }
  } finally {
    await client.close()
    await server.stop()
  }
}

const CODED = { 'accept-encoding': 'toon, stc' }
const upstream = await startChild('upstream')
const ratios: Record<string, number> = {}
console.log('path                        first ms            first ten ms               ratio')
console.log('                   cold   warm  plain     cold   warm  plain     first     ten')
let boots: Start[][] = []
for (const path of PATHS) {
  const rounds: Start[][] = []
  for (let i = 0; i < Number(values.rounds); i++) {
    rounds.push([
      await measure('gateway-cold', upstream, path, CODED), await measure('gateway', upstream, path, CODED), await measure('gateway', upstream, path, {})
    ])
  }
  boots = boots.concat(rounds)
  const of = (pick: (start: Start) => number): number[] => [0, 1, 2].map((kind) => median(rounds.map((round) => pick(round[kind]))))
  const first = of((start) => start.first)
  const ten = of((start) => start.ten)
  ratios[`first ${path}`] = first[1] / first[0]
  ratios[`ten ${path}`] = ten[1] / ten[0]
  const cells = [...first, ...ten].map((ms) => ms.toFixed(1).padStart(6))
  console.log(path.padEnd(16), cells.slice(0, 3).join(' '), '  ', cells.slice(3).join(' '), '  ', (first[1] / first[0]).toFixed(2).padStart(6), (ten[1] / ten[0]).toFixed(2).padStart(7))
}
const cpu = [0, 1].map((kind) => median(boots.map((round) => round[kind].cpu)))
console.log(`CPU up to the first request: ${cpu[0].toFixed(0)} ms, with warmUp ${cpu[1].toFixed(0)} ms`)
await upstream.stop()
writeJson(ratios)
