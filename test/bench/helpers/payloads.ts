/*
 * Payload shapes for benchmarks, made from a fixed seed: the same bytes on every run and machine.
 */

/** A small generator of numbers in [0, 1), seeded. */
function makeRandom (seed: number): () => number {
  let state = seed
  return () => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0
    return ((state ^ state >>> 13) >>> 0) / 0x100000000
  }
}

const WORDS = ('time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question ' +
  'work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend').split(' ')
const HAN = '時間年人方日事女生活子世界学校国家族学生集団問題手部分場所件週会社系統計画質問仕事政府数夜点家水部屋母地域金話事実月右研究本目言葉'

type Row = (index: number, random: () => number) => unknown

const pick = (list: string[], random: () => number): string => list[Math.floor(random() * list.length)]
const words = (count: number, random: () => number): string => Array.from({ length: count }, () => pick(WORDS, random)).join(' ')
const han = (count: number, random: () => number): string => Array.from({ length: count }, () => HAN[Math.floor(random() * HAN.length)]).join('')

const uniform: Row = (id, random) => ({
  id, sku: `SKU-${1000 + id % 977}`, name: words(2, random), price: Math.round(random() * 10000) / 100, quantity: Math.floor(random() * 50), inStock: random() < 0.5, category: pick(WORDS, random)
})
const nested: Row = (id, random) => ({
  id, customer: { name: words(2, random), country: pick(['NO', 'DE', 'FR', 'JP'], random), address: { city: pick(WORDS, random), zip: String(10000 + id) } }, total: Math.round(random() * 1e6) / 100
})
const ragged: Row = (id, random) => ({
  id: 1e8 + id,
  node_id: `MDEwOlJlcG9zaXRvcnk${id}`,
  name: pick(WORDS, random),
  owner: { login: pick(WORDS, random), id: id % 17, url: `https://api.example.com/users/${id % 17}`, type: 'User', site_admin: false },
  html_url: `https://example.com/${id}`,
  description: random() < 0.3 ? null : words(8, random),
  ...(random() < 0.5 ? { topics: [pick(WORDS, random), pick(WORDS, random)] } : { topics: [] }),
  license: random() < 0.5 ? null : { key: 'mit', name: 'MIT License' },
  ...(random() < 0.2 ? { archived_at: '2024-01-01T00:00:00Z' } : {}),
  stargazers_count: Math.floor(random() * 5000)
})
const prose: Row = (id, random) => ({ id, title: words(6, random), body: `${words(60, random)}.\n\n- ${words(12, random)}, "${words(3, random)}"\n\n${words(80, random)}.` })
const cjk: Row = (id, random) => ({ id, 名前: han(6, random), 説明: han(40, random), price: Math.floor(random() * 1000) })

const rowsShape = (row: Row) => (bytes: number): string => {
  const random = makeRandom(42)
  const rows: string[] = []
  let size = 2
  while (size < bytes) {
    const text = JSON.stringify(row(rows.length, random))
    rows.push(text)
    size += Buffer.byteLength(text) + 1
  }
  return `[${rows.join()}]`
}

function series (bytes: number): string {
  const random = makeRandom(7)
  const points: string[] = []
  for (let size = 0; size < bytes; size += points[points.length - 1].length + 1) points.push(`[${1700000000 + points.length * 60},${Math.round(random() * 1e5) / 1e3}]`)
  return `{"metric":"cpu","points":[${points.join()}]}`
}

function config (bytes: number): string {
  const random = makeRandom(11)
  let size = 0
  const isShort = (): boolean => size < bytes
  const build = (depth: number): unknown => {
    const entry: Record<string, unknown> = {}
    for (let i = 0; i < 4 && isShort(); i++) {
      const key = `${pick(WORDS, random)}_${i}`
      size += key.length + 12
      if (depth < 14 && random() < 0.75) entry[key] = build(depth + 1)
      else entry[key] = random() < 0.3 ? [1, 2, Math.floor(random() * 100)] : random() < 0.5 ? words(2, random) : random() < 0.5
    }
    return entry
  }
  const parts: unknown[] = []
  do parts.push(build(0)); while (isShort())
  return JSON.stringify({ sections: parts })
}

const escapeAll = (json: string): string => json.replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  uniform: rowsShape(uniform),
  nested: rowsShape(nested),
  ragged: rowsShape(ragged),
  prose: rowsShape(prose),
  series,
  config,
  // Six bytes for each character of three, so that the size comes out as asked.
  escapes: bytes => escapeAll(rowsShape(cjk)(bytes / 2)),
  cjk: rowsShape(cjk)
}

export const SIZES: Readonly<Record<string, number>> = { '1KB': 1e3, '10KB': 1e4, '100KB': 1e5, '1MB': 1e6, '10MB': 1e7 }
