import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

/* Run behind tap: fails where lib/ or plugins/ are covered less than the project promises. */

const FLOORS = { lines: 100, branches: 95 } as const
type Measure = keyof typeof FLOORS
type Summary = Record<string, Record<Measure, { total: number, covered: number }>>

const summary = JSON.parse(readFileSync('.tap/report/coverage-summary.json', 'utf8')) as Summary
const files = Object.entries(summary).filter(([file]) => /^(lib|plugins)[\\/]/.test(relative(process.cwd(), file)))
if (files.length === 0) throw new Error('the coverage report names no file of lib/ or plugins/')

const failures: string[] = []
for (const folder of ['lib', 'plugins']) {
  for (const measure of ['lines', 'branches'] as const) {
    const own = files.filter(([file]) => relative(process.cwd(), file).startsWith(folder + sep))
    const total = own.reduce((sum, [, entry]) => sum + entry[measure].total, 0)
    const covered = own.reduce((sum, [, entry]) => sum + entry[measure].covered, 0)
    const percent = 100 * covered / total
    console.log(`${folder}/: ${percent.toFixed(2)} % of ${measure}, at least ${FLOORS[measure]} wanted`)
    if (percent < FLOORS[measure]) failures.push(...own.filter(([, entry]) => entry[measure].covered < entry[measure].total).map(([file]) => `${measure}: ${file}`))
  }
}
if (failures.length > 0) {
  console.error(`not covered enough:\n${failures.join('\n')}`)
  process.exitCode = 1
}
