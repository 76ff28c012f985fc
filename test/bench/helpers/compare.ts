import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** One way of doing the work. */
export interface Contender {
  name: string
  run: () => unknown
}

/** Keeps results alive, so that no run is optimised away. */
let kept: unknown

function time (run: () => unknown, times: number): number {
  const started = process.hrtime.bigint()
  for (let i = 0; i < times; i++) kept = run()
  return Number(process.hrtime.bigint() - started) / times
}

/** Until the engine has done with compiling: a server has answered more than one request. */
const WARM_UP_MS = 150

export function warmUp (run: () => unknown): void {
  const started = performance.now()
  do time(run, 1); while (performance.now() - started < WARM_UP_MS)
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/**
 * Runs all contenders in turn, round after round, and returns for each the median of its time as a
 * share of the first one's in the same round, and the first one's median in nanoseconds.
 */
export function compare (contenders: Contender[], { rounds = 15, roundMs = 4 } = {}): { ratios: Record<string, number>, baseNs: number } {
  // Warm up, and find how often the first fits into a round.
  let once = Infinity
  for (let i = 0; i < 3; i++) once = Math.min(once, time(contenders[0].run, 1))
  const times = Math.max(1, Math.round(roundMs * 1e6 / once))
  for (const { run } of contenders) warmUp(run)
  const shares: Record<string, number[]> = Object.fromEntries(contenders.map(({ name }) => [name, []]))
  const bases: number[] = []
  for (let round = 0; round < rounds; round++) {
    const base = time(contenders[0].run, times)
    bases.push(base)
    for (const { name, run } of contenders.slice(1)) shares[name].push(time(run, times) / base)
  }
  const ratios = Object.fromEntries(contenders.slice(1).map(({ name }) => [name, median(shares[name])]))
  return { ratios, baseNs: median(bases) }
}

/** Writes the ratios as one flat object to the file that --json names, if it does. */
export function writeJson (ratios: Record<string, number>): void {
  const { values } = parseArgs({ options: { json: { type: 'string' } }, strict: false })
  if (typeof values.json === 'string') writeFileSync(values.json, `${JSON.stringify(ratios, null, 2)}\n`)
  if (kept === ratios) throw new Error('unreachable, but the compiler must not know')
}
