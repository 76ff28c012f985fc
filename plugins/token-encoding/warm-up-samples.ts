/*
 * JSON texts of the kinds that APIs send. Together they take every branch of what reads and writes documents: where the engine has compiled
 * code for what it had seen, it drops that code at the first thing that it had not, and compiles for as long again.
 */

const WORDS = 'the order was shipped to a warehouse near harbour street and will arrive on monday before noon'.split(' ')
const HAN = '時間年人方日事女生活子世界学校国家族学生集団問題手部分場所件週会社系統計画質問仕事政府数夜点家水部屋母地域金話事実月右研究本目言葉'

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
const foreign = (n: number): object => ({ 名前: HAN.slice(n, n + 6), 説明: HAN.slice(n % 7), note: `${HAN.slice(n, n + 4)} – ${n} ñandú 🎉`, price: n * 10 })

function nested (depth: number): object {
  return depth === 0 ? { on: true, off: false } : { [`level_${depth}`]: nested(depth - 1), [words(depth, 1)]: [1, 2, depth], list: [{ a: depth }, words(depth, 2), [], [['x']]] }
}

/** What looks like something else, as values of all kinds. */
const ODD_STRINGS = ['', ' ', 'true', 'tea', 'null', 'nut', 'false', 'fan', '-', '- x', '#1', '0', '007', '1e5', '1.50', '10 days', 'a,b', 'a: b', '[x]', '{x}', 'x ', '\u0007']
const ODD_NUMBERS = '0,-0,-3,0.5,-0.05,0.0000005,1.50,1E5,2e+3,-1e-7,12345678901234567890123'

const list = <T> (make: (n: number) => T, count: number): T[] => Array.from({ length: count }, (_, n) => make(n + 1))

/** As ASCII, with every other character escaped. */
function escape (json: string): string {
  return json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Two bodies of all kinds that are large enough to be judged by a part of them, some of half a KB to 2 KB, and a few of some bytes. */
export function makeSamples (): Uint8Array[] {
  const kinds = {
    flat: list(flat, 10),
    grouped: list(grouped, 9),
    ragged: list(ragged, 6),
    prose: list(prose, 4),
    foreign: list(foreign, 6),
    series: { metric: 'cpu', unit: '%', points: list((n) => [1700000000 + n * 60, n * 1.375], 40) },
    config: { config: nested(6), odd: ODD_STRINGS, rows: ODD_STRINGS.map((text, n) => ({ text, n })) }
  }
  const texts = Object.values(kinds).map((kind) => JSON.stringify(kind))
  const all = JSON.stringify([kinds, kinds, kinds])
  return [
    all,
    escape(all),
    ...texts,
    escape(JSON.stringify(kinds.foreign)),
    JSON.stringify({ page: 1, data: kinds.flat, next: null }, null, 2),
    // Strings that end up to four bytes before the text does.
    ...list((n) => `["${'word'.slice(0, n)}"]`, 4),
    `{"numbers":[${ODD_NUMBERS}],"rows":[${ODD_NUMBERS.split(',').map((n) => `{"n":${n},"text":"x"}`).join()}]}`,
    '{"half":"\\ud83d"}'
  ].map((text) => Buffer.from(text))
}

/** Bodies for which every table has to grow: code that relied on the first is dropped then. */
export function makeStretching (): Uint8Array[] {
  const keys = Object.fromEntries(list((n) => [`key number ${n} of so many keys`, { [`inner ${n}`]: n }], 300))
  return [keys, JSON.parse(`${'[{"a":'.repeat(50)}0${'}]'.repeat(50)}`) as unknown].map((value) => Buffer.from(JSON.stringify(value)))
}
