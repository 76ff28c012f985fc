import { createSeed } from '../../../lib/cli/sample/seed.js'
import type { Seed } from '../../../lib/cli/sample/seed.js'
import { CITIES, FAMILY_NAMES, GIVEN_NAMES, SKUS, STREETS, makeTitle } from '../../../lib/cli/sample/words.js'

/** A document that questions are asked about. */
export interface Payload {
  name: string
  json: string
}

const DEPARTMENTS = ['Sales', 'Support', 'Research', 'Finance', 'Legal']
const LANGUAGES = ['TypeScript', 'Rust', 'Go', 'Python']
const OWNERS = [['acme', 'Organization'], ['nordwind', 'Organization'], ['bo-ito', 'User']]
const FIRST_DAY = Date.UTC(2026, 0, 5)
const MINUTE = 60_000
/** A number that no double holds; it stands in quotes until the JSON is made. */
const LONG_ID = '725653563933458433'

/** The documents of the bench: one for each shape that answers of APIs and tools have. The same on every run. */
export function makePayloads (): Payload[] {
  const makers: Record<string, (seed: Seed) => unknown> = { employees, orders, repositories, metrics, settings, 'tool-result': toolResult }
  return Object.entries(makers).map(([name, make], index) => ({ name, json: JSON.stringify(make(createSeed(6100 + 37 * index))).replace(`"${LONG_ID}"`, LONG_ID) }))
}

function list<T> (count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function formatTime (minutes: number): string {
  return new Date(FIRST_DAY + minutes * MINUTE).toISOString().replace('.000', '')
}

/** Flat rows that all have the same fields. */
function employees (seed: Seed): unknown {
  return {
    employees: list(60, i => ({
      id: 1001 + i,
      name: `${seed.pick(GIVEN_NAMES)} ${seed.pick(FAMILY_NAMES)}`,
      department: seed.pick(DEPARTMENTS),
      city: seed.pick(CITIES).city,
      salary: seed.between(380, 960) * 100,
      years: seed.between(0, 24),
      remote: seed.between(0, 2) === 0
    }))
  }
}

/** Nested rows: an object and a list of objects in each. */
function orders (seed: Seed): unknown {
  return list(30, i => {
    const place = seed.pick(CITIES)
    return {
      orderId: `A-${20417 + i * 3}`,
      placed: formatTime(i * 95 + seed.between(0, 60)),
      status: seed.pick(['new', 'paid', 'paid', 'shipped', 'returned']),
      customer: {
        id: 300 + seed.between(0, 60),
        name: `${seed.pick(GIVEN_NAMES)} ${seed.pick(FAMILY_NAMES)}`,
        address: { street: `${seed.between(1, 120)} ${seed.pick(STREETS)}`, city: place.city, country: place.country }
      },
      items: list(seed.between(1, 4), () => ({ sku: seed.pick(SKUS), quantity: seed.between(1, 6), price: seed.between(500, 40000) / 100 })),
      total: seed.between(2000, 90000) / 100
    }
  })
}

/** Ragged rows, as code hosts give them: URLs made of other fields, nulls, fields that only some rows have. */
function repositories (seed: Seed): unknown {
  return list(24, i => {
    const [login, type] = seed.pick(OWNERS)
    const name = `${seed.pick(['queue', 'parser', 'router', 'cache', 'ledger', 'mailer'])}-${seed.pick(['core', 'kit', 'lite'])}-${i + 11}`
    const base = `https://api.example.com/repos/${login}/${name}`
    return {
      id: 903114000 + i * 7919,
      name,
      full_name: `${login}/${name}`,
      private: false,
      owner: { login, id: 70 + login.length, type, url: `https://api.example.com/users/${login}` },
      html_url: `https://example.com/${login}/${name}`,
      description: seed.between(0, 3) === 0 ? null : makeTitle(seed),
      url: base,
      issues_url: `${base}/issues{/number}`,
      forks_count: seed.between(0, 90),
      stargazers_count: seed.between(0, 4000),
      language: seed.between(0, 5) === 0 ? null : seed.pick(LANGUAGES),
      license: seed.between(0, 1) === 0 ? null : { key: 'mit', name: 'MIT License' },
      topics: list(seed.between(0, 3), () => seed.pick(['json', 'http', 'llm', 'cli', 'data'])),
      ...(seed.between(0, 4) === 0 ? { archived_at: formatTime(seed.between(0, 40000)) } : {})
    }
  })
}

/** A series of measurements: numbers that change in small steps, most other things the same. */
function metrics (seed: Seed): unknown {
  let load = 4200
  return {
    metric: 'http_requests',
    unit: 'requests',
    step: '5m',
    labels: { host: 'web-3', region: 'eu-west', environment: 'production' },
    points: list(72, i => {
      load += seed.between(-240, 250)
      return { at: formatTime(i * 5), count: load, errors: seed.between(0, 9) < 7 ? 0 : seed.between(1, 40), p95: seed.between(1200, 9800) / 100, degraded: seed.between(0, 11) === 0 }
    })
  }
}

/** A deep object without a list of rows, but with a map of like objects. */
function settings (seed: Seed): unknown {
  const service = (port: number): unknown => ({ port, replicas: seed.between(1, 8), tier: seed.pick(['gold', 'silver']), limits: { cpu: seed.between(1, 16) * 250, memory: seed.between(1, 32) * 128 } })
  return {
    version: '2.14.0',
    server: {
      listen: { host: '0.0.0.0', port: 8443, backlog: 511 },
      tls: { enabled: true, minVersion: 'TLSv1.2', certificate: { path: '/etc/certs/site.pem', renewDays: 30, issuer: null } },
      timeouts: { connect: 5000, headers: 60000, idle: 72000 }
    },
    storage: {
      primary: { engine: 'postgres', pool: { min: 2, max: 24 }, replicas: ['db-1.internal', 'db-2.internal'] },
      cache: { engine: 'redis', ttl: 900, eviction: 'allkeys-lru', shards: 3 }
    },
    features: { search: true, wishlist: false, coupons: { enabled: true, limit: 3, codes: ['SPRING', 'X-10', 'WELCOME'] } },
    services: Object.fromEntries(['accounts', 'billing', 'catalog', 'delivery', 'exports', 'feeds', 'gateway', 'images'].map((name, i) => [name, service(9001 + i)])),
    logging: { level: 'info', format: 'json', sample: 0.25, targets: { file: { path: '/var/log/site.log', rotate: { size: 10485760, keep: 7 } }, syslog: null } }
  }
}

/** What a tool of an MCP server finds: counts around a list, labels as a list in each row, and an id that no double holds. */
function toolResult (seed: Seed): unknown {
  const items = list(36, i => {
    const number = 4120 + 3 * i + seed.between(0, 2)
    const login = seed.pick(GIVEN_NAMES).normalize('NFD').replace(/[^A-Za-z]/g, '').toLowerCase()
    const isClosed = seed.between(0, 2) === 0
    return {
      number,
      title: makeTitle(seed),
      state: isClosed ? 'closed' : 'open',
      user: { login, id: 5000 + login.length * 31 },
      labels: list(seed.between(0, 2), () => seed.pick([{ name: 'bug', color: 'd73a4a' }, { name: 'docs', color: '0075ca' }, { name: 'good first issue', color: '7057ff' }])),
      comments: seed.between(0, 30),
      created_at: formatTime(i * 611 + seed.between(0, 600)),
      closed_at: isClosed ? formatTime(40000 + seed.between(0, 9000)) : null,
      url: `https://example.com/acme/site/issues/${number}`
    }
  })
  return { ok: true, tool: 'search_issues', snowflake: LONG_ID, total_count: items.length, incomplete_results: false, cursor: 'Y3Vyc29yOjM2', items }
}
