/*
 * Bodies of the kinds that APIs send: what a coding does differently, each of them has once.
 */

const WORDS = 'the order was shipped to a warehouse near harbour street and will arrive on monday before noon'.split(' ')

/** So many words, other ones for each start. */
function words (start: number, count: number): string {
  return Array.from({ length: count }, (_, n) => WORDS[(start * 7 + n * 5) % WORDS.length]).join(' ')
}

const flat = (n: number): object => ({ id: n, sku: `SKU-${n * 37}`, name: words(n, 2), price: n * 3.25, stock: n % 3, active: n % 2 === 0, note: n % 4 === 0 ? null : words(n, 1) })
const grouped = (n: number): object => ({ id: n, customer: { name: words(n, 2), address: { city: words(n, 1), zip: String(10000 + n) } }, total: n / 4 })
const ragged = (n: number): object => ({
  id: 1e8 + n,
  login: `${WORDS[n % WORDS.length]}-${n}`,
  owner: { id: n, url: `https://example.com/users/${n}`, admin: false },
  description: n % 3 === 0 ? null : words(n, 9),
  ...(n % 2 === 0 ? { topics: [words(n, 1), words(n + 1, 1)], license: null } : { topics: [], license: { key: 'mit', 'spdx-id': 'MIT' } }),
  ...(n % 5 === 0 ? { archived_at: '2024-01-01T00:00:00Z', 'a.b': {} } : {})
})
const prose = (n: number): object => ({ title: words(n, 6), body: `${words(n, 30)}.\n\n- ${words(n, 5)}, "${words(n, 3)}"\n\t${words(n, 30)}\\` })
const foreign = (n: number): object => ({ 名前: '時間年人方日'.slice(n % 3), 説明: `数夜点家水部屋母 – ${n} ñandú 🎉`, price: n * 10 })

function nested (depth: number): object {
  return depth === 0 ? { on: true, off: false } : { [`level_${depth}`]: nested(depth - 1), [words(depth, 1)]: [1, 2, depth], list: [{ a: depth }, words(depth, 2), [], [['x']]] }
}

/** As ASCII, with every other character escaped. */
function escape (json: string): string {
  return json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const rows = (row: (n: number) => object, count: number): string => JSON.stringify(Array.from({ length: count }, (_, n) => row(n + 1)))

/** JSON texts of half a KB to 2 KB, and one that is judged by its beginning. */
export function makeSamples (): Uint8Array[] {
  const points = Array.from({ length: 40 }, (_, n) => [1700000000 + n * 60, n * 1.375])
  return [
    rows(flat, 10),
    rows(grouped, 9),
    rows(ragged, 6),
    rows(prose, 4),
    rows(foreign, 10),
    escape(rows(foreign, 8)),
    JSON.stringify({ metric: 'cpu', unit: '%', points }),
    JSON.stringify({ config: nested(6), large: 1e21, small: 1e-7 }),
    JSON.stringify({ page: 1, data: Array.from({ length: 6 }, (_, n) => flat(n)), next: null }, null, 2),
    rows(ragged, 180)
  ].map((text) => Buffer.from(text))
}
