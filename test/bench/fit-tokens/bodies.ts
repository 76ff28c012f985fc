import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CODECS, Document } from '../../../lib/index.js'
import { minifyToBytes } from '../../../lib/json/minify.js'
import { TokenJudge } from '../../../lib/token-judge.js'
import { countTokens } from '../../../lib/tokens.js'
import type { TokenEncoding } from '../../../lib/tokens.js'

/** A body of an answer, or the JSON text inside one. */
export interface Body {
  name: string
  json: Uint8Array
}

/** A candidate that is smaller in bytes than minified JSON, and all there is to know about it. */
export interface Candidate {
  name: string
  codec: string
  /** Of the candidate, to minified JSON: bytes, exact tokens, estimated tokens. */
  bytes: number
  exact: number
  estimated: number
  isSaving: boolean
}

/** All JSON documents of a folder, and those inside text blocks of MCP tool results and in the stdout of tool runners. */
export function readBodies (folder: string): Body[] {
  if (!existsSync(folder)) return []
  const bodies: Body[] = []
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json')).sort()) {
    const json = readFileSync(join(folder, file))
    bodies.push({ name: file, json })
    for (const text of innerTexts(json)) {
      if (isJsonContainer(text)) bodies.push({ name: `${file} (inner)`, json: Buffer.from(text) })
    }
  }
  return bodies
}

/** The candidates of all bodies, with the exact tokens of each. */
export async function measureCandidates (bodies: Body[], encoding: TokenEncoding): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  for (const { name, json } of bodies) {
    const document = Document.parse(json)
    const minified = minifyToBytes(document)
    const before = await countTokens(Buffer.from(minified).toString(), encoding)
    const judge = new TokenJudge(document, encoding)
    for (const codec of Object.values(CODECS)) {
      const size = codec.measure(document, {})
      if (typeof size === 'string' || size >= minified.length || minified.length === 0) continue
      const text = codec.encode(document, {}, size)
      const comparison = judge.compare(codec, {}, size, () => text)
      candidates.push({
        name,
        codec: codec.name,
        bytes: size / minified.length,
        exact: await countTokens(Buffer.from(text).toString(), encoding) / before,
        estimated: comparison.after / comparison.before,
        isSaving: comparison.isSaving
      })
    }
  }
  return candidates
}

/** What a rule that adopts some of the candidates does. */
export function judge (candidates: Candidate[], isAdopted: (candidate: Candidate) => boolean) {
  const adopted = candidates.filter(isAdopted)
  const winners = candidates.filter(({ exact }) => exact < 1)
  const losses = adopted.filter(({ exact }) => exact > 1)
  const sum = (list: Candidate[]): number => list.reduce((total, { exact }) => total + 1 - exact, 0)
  return {
    adopted: adopted.length,
    winners: winners.length,
    /** Adopted though they are not smaller, those of equal tokens included. */
    wrong: adopted.filter(({ exact }) => exact >= 1).length,
    /** The largest loss, as a part of the body's tokens. */
    worst: Math.max(0, ...losses.map(({ exact }) => exact - 1)),
    precision: 1 - losses.length / Math.max(1, adopted.length),
    recall: winners.filter(isAdopted).length / Math.max(1, winners.length),
    /** Saved, of what could be saved. */
    kept: sum(adopted) / sum(winners)
  }
}

/** That quantile of a list. */
export function quantile (list: number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function innerTexts (json: Uint8Array): string[] {
  const found: string[] = []
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 5) return
    const { type, text, stdout } = value as Record<string, unknown>
    if (type === 'text' && typeof text === 'string') found.push(text)
    if (typeof stdout === 'string') found.push(stdout)
    for (const child of Object.values(value)) visit(child, depth + 1)
  }
  visit(JSON.parse(Buffer.from(json).toString().replace(/^\ufeff/, '')), 0)
  return found
}

function isJsonContainer (text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
