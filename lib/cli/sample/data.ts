import { createSeed } from './seed.js'
import { CITIES, FAMILY_NAMES, GIVEN_NAMES, SKUS, STREETS, makeProse, makeTitle } from './words.js'

/** One order: a flat row, all of them with the same members. */
export interface Order {
  id: number
  customer: string
  sku: string
  quantity: number
  price: number
  status: string
  placed: string
}

/** One customer: the same nested members in each. */
export interface Customer {
  id: string
  name: string
  address: { street: string, city: string, postcode: string, country: string }
  account: { tier: string, since: number, newsletter: boolean }
}

/** The statuses that an order can have. */
export const STATUSES = ['new', 'paid', 'shipped', 'returned'] as const

const FIRST_DAY = Date.UTC(2026, 0, 5)
const HOUR = 3_600_000

/** A point in time as text; `hours` after the first day of the sample. */
function formatTime (hours: number): string {
  return new Date(FIRST_DAY + hours * HOUR).toISOString().replace('.000', '')
}

function formatCustomerId (index: number): string {
  return `C-${String(index + 1).padStart(3, '0')}`
}

/** 40 customers, nested but uniform. The same on every call. */
export function makeCustomers (): Customer[] {
  const seed = createSeed(20260105)
  return Array.from({ length: 40 }, (_, i) => {
    const place = seed.pick(CITIES)
    return {
      id: formatCustomerId(i),
      name: `${seed.pick(GIVEN_NAMES)} ${seed.pick(FAMILY_NAMES)}`,
      address: {
        street: `${seed.between(1, 120)} ${seed.pick(STREETS)}`,
        city: place.city,
        // Text that looks like a number, leading zeros included: it must come back as text.
        postcode: String(seed.between(0, 99999)).padStart(5, '0'),
        country: place.country
      },
      account: { tier: seed.pick(['free', 'plus', 'pro']), since: seed.between(2015, 2025), newsletter: seed.between(0, 1) === 1 }
    }
  })
}

/** 100 orders, flat and uniform. The same on every call. */
export function makeOrders (): Order[] {
  const seed = createSeed(77001)
  return Array.from({ length: 100 }, (_, i) => ({
    id: 5001 + i,
    customer: formatCustomerId(seed.between(0, 39)),
    sku: seed.pick(SKUS),
    quantity: seed.between(1, 6),
    price: seed.between(500, 40000) / 100,
    status: seed.pick(STATUSES),
    placed: formatTime(i * 5 + seed.between(0, 4))
  }))
}

/** 25 issues of a tracker: mostly prose, where no coding saves much. */
export function makeIssues (): object[] {
  const seed = createSeed(31337)
  return Array.from({ length: 25 }, (_, i) => ({
    number: 300 + i,
    title: makeTitle(seed),
    author: { login: seed.pick(GIVEN_NAMES).toLowerCase() },
    labels: Array.from({ length: seed.between(0, 2) }, () => seed.pick(['bug', 'docs', 'good first issue'])),
    closedAt: seed.between(0, 2) === 0 ? formatTime(seed.between(0, 900)) : null,
    body: makeProse(seed, seed.between(2, 9))
  }))
}

/** 60 events of an audit log: ragged, each kind with members of its own. */
export function makeEvents (): object[] {
  const seed = createSeed(4242)
  return Array.from({ length: 60 }, (_, i) => {
    const event = { seq: i + 1, at: formatTime(i * 3) }
    switch (seed.between(0, 3)) {
      case 0: return { ...event, kind: 'login', user: seed.pick(GIVEN_NAMES), mfa: seed.between(0, 1) === 1 }
      case 1: return { ...event, kind: 'export', rows: seed.between(0, 9000), filter: { status: seed.pick(STATUSES) } }
      case 2: return { ...event, kind: 'tags', added: Array.from({ length: seed.between(0, 3) }, () => seed.pick(SKUS)) }
      default: return { ...event, kind: 'note', text: makeProse(seed, 1), reply: null }
    }
  })
}

/**
 * 30 rows of a ledger as JSON text, for a JavaScript number holds none of them: ids beyond 2^53, 1e400,
 * trailing zeros, -0. A gateway that goes through JSON.parse changes this document.
 */
export function makeLedgerText (): string {
  const seed = createSeed(90071)
  const rows = Array.from({ length: 30 }, (_, i) => {
    const id = 725653563933458433n + BigInt(i) * 1000003n
    const amount = `${seed.between(1, 900)}.${seed.between(1, 9)}0`
    const factor = seed.pick(['1.0', '1e400', '-0', '0.1000000000000000055511151231257827', '12345678901234567890'])
    return `{"id":${id},"parent":${id - 1000003n},"amount":${amount},"factor":${factor}}`
  })
  return `{"ledger":"main","rows":[${rows.join(',')}]}`
}

/** A settings document, pretty-printed: not a list, so that minified JSON is hard to beat. */
export function makeSettingsText (): string {
  return JSON.stringify({
    service: { name: 'sample-shop', region: 'eu-west', replicas: 3 },
    features: { search: true, wishlist: false, coupons: { enabled: true, codes: ['SPRING', 'X-10'] } },
    limits: { perMinute: 600, burst: null, exempt: [['10.0.0.0', 8], ['192.168.0.0', 16]] },
    // Keys like these change places in a JavaScript object; their order here is the JavaScript order already.
    retries: { 1: '250ms', 2: '1s', 10: 'give up' },
    motd: 'Closed on Monday.\nOrders placed before 12:00 ship the same day.'
  }, null, 2)
}
