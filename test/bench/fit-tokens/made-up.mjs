import { makeRandom } from './random.mjs'

const LOCALES = [
  'en', 'en_US', 'en_GB', 'en_IN', 'de', 'fr', 'es', 'pt_BR', 'it', 'nl', 'pl', 'sv', 'tr', 'cs_CZ', 'ru', 'uk', 'el', 'he',
  'ar', 'fa', 'ja', 'ko', 'zh_CN', 'zh_TW', 'vi', 'id_ID', 'th', 'hu', 'ro', 'da', 'fi', 'nb_NO', 'hr', 'en_AU', 'en_CA', 'en_NG'
]

/**
 * Made-up documents by source: rows of every shape in every locale, and single records, logs, series
 * of numbers and prose.
 *
 * @param faker the faker for English; @param fakers all of them by locale; @param prose texts to cut paragraphs from
 */
export function * makeRows (faker, fakers, prose) {
  for (const locale of LOCALES) {
    const local = fakers[locale]
    if (local === undefined) continue
    const random = makeRandom(locale)
    local.seed(Math.floor(random() * 1e9))
    const fields = fieldsOf(local, prose, random)
    yield [`made-up-rows-${locale}`, Array.from({ length: 24 }, () => JSON.stringify(makeTable(fields, random)))]
  }
  const random = makeRandom('other')
  faker.seed(7)
  const fields = fieldsOf(faker, prose, random)
  yield ['made-up-records', Array.from({ length: 80 }, () => JSON.stringify(makeRecord(fields, random, 3)))]
  yield ['made-up-events', Array.from({ length: 60 }, () => JSON.stringify(makeRagged(fields, random)))]
  yield ['made-up-numbers', Array.from({ length: 80 }, () => JSON.stringify(makeNumbers(random)))]
  yield ['made-up-prose', Array.from({ length: 60 }, () => JSON.stringify(makeProse(prose, random, faker)))]
  yield ['made-up-maps', Array.from({ length: 60 }, () => JSON.stringify(makeMap(fields, random)))]
  yield ['made-up-logs', Array.from({ length: 60 }, () => JSON.stringify(makeLogs(faker, random)))]
  yield ['made-up-columns', Array.from({ length: 40 }, () => JSON.stringify(makeColumns(fields, random)))]
}

const pick = (list, random) => list[Math.floor(random() * list.length)]

/** A value of its kind for each of the usual names of fields. */
function fieldsOf (faker, prose, random) {
  const date = () => faker.date.between({ from: '2012-01-01', to: '2026-12-31' })
  const host = () => `https://${pick(['api', 'www', 'cdn', 'app'], random)}.${faker.internet.domainName()}`
  const attempt = (make, fallback) => () => {
    try {
      return make()
    } catch {
      return fallback()
    }
  }
  const word = () => faker.lorem.word()
  const texts = {
    name: () => faker.person.fullName(),
    first_name: () => faker.person.firstName(),
    last_name: () => faker.person.lastName(),
    title: () => faker.lorem.sentence({ min: 2, max: 8 }),
    description: () => faker.lorem.sentences({ min: 1, max: 3 }),
    body: () => paragraph(prose, random),
    comment: () => faker.lorem.sentence(),
    message: () => faker.hacker.phrase(),
    summary: () => faker.company.catchPhrase(),
    company: () => faker.company.name(),
    job_title: () => faker.person.jobTitle(),
    city: () => faker.location.city(),
    street: () => faker.location.streetAddress(),
    country: () => faker.location.country(),
    state: () => pick(['open', 'closed', 'active', 'pending', 'merged', 'draft'], random),
    postal_code: () => faker.location.zipCode(),
    country_code: () => faker.location.countryCode(),
    currency: () => faker.finance.currencyCode(),
    language: () => pick(['en', 'de', 'JavaScript', 'Go', 'fr', 'ja'], random),
    status: () => pick(['ok', 'success', 'failed', 'running', 'ACTIVE', 'INACTIVE', 'queued', 'IN_PROGRESS'], random),
    type: () => pick(['User', 'Organization', 'Bot', 'string', 'array', 'issue', 'event', 'A', 'Point'], random),
    role: () => pick(['admin', 'member', 'owner', 'guest'], random),
    email: () => faker.internet.email(),
    login: () => faker.internet.username(),
    url: () => `${host()}/${word()}/${faker.number.int(9999)}`,
    html_url: () => `${host()}/${faker.internet.username()}/${word()}`,
    avatar_url: () => `${host()}/u/${faker.number.int(99999999)}?v=4`,
    id: () => faker.string.uuid(),
    node_id: () => btoa(`0${faker.number.int(99)}:${pick(['User', 'Repository', 'PullRequest'], random)}${faker.number.int(99999999)}`),
    sha: () => faker.git.commitSha(),
    commit: () => faker.git.commitSha({ length: 8 }),
    token: () => faker.string.alphanumeric(32),
    mongo_id: () => faker.database.mongodbObjectId(),
    ip: () => faker.internet.ip(),
    mac: () => faker.internet.mac(),
    user_agent: () => faker.internet.userAgent(),
    phone: () => faker.phone.number(),
    color: () => faker.color.rgb(),
    sku: () => `${faker.string.alpha({ length: 3, casing: 'upper' })}-${faker.number.int(99999)}`,
    version: () => faker.system.semver(),
    file: () => faker.system.filePath(),
    filename: () => faker.system.fileName(),
    mime_type: () => faker.system.mimeType(),
    branch: () => faker.git.branch(),
    product: () => faker.commerce.productName(),
    category: () => faker.commerce.department(),
    isbn: () => faker.commerce.isbn(),
    price_text: () => faker.commerce.price(),
    iban: () => faker.finance.iban(),
    created_at: () => date().toISOString(),
    updated_at: () => date().toISOString().replace(/\.\d+/, ''),
    date: () => date().toISOString().slice(0, 10),
    time: () => date().toISOString().replace('Z', '+00:00').replace('T', ' '),
    month: () => date().toISOString().slice(0, 7),
    duration: () => `PT${faker.number.int(59)}M`,
    cron: () => faker.system.cron(),
    code: () => faker.string.numeric(6),
    tag: word,
    slug: () => faker.lorem.slug(),
    label: () => faker.hacker.noun(),
    genre: () => faker.music.genre(),
    vehicle: () => faker.vehicle.vehicle(),
    text: () => faker.lorem.paragraph(),
    quote: () => `"${faker.lorem.sentence()}" - ${faker.person.fullName()}`,
    arn: () => `arn:aws:ec2:${pick(['us-east-1', 'eu-west-2'], random)}:${faker.string.numeric(12)}:instance/i-${faker.string.hexadecimal({ length: 17, prefix: '', casing: 'lower' })}`,
    sql: () => `SELECT ${word()}, ${word()} FROM ${word()} WHERE id = ${faker.number.int(999)}`,
    html: () => `<p class="${word()}">${faker.lorem.sentence()}</p>`,
    empty: () => '',
    emoji: () => faker.internet.emoji()
  }
  const others = {
    id: () => faker.number.int(9999999),
    number: () => faker.number.int(999),
    count: () => faker.number.int(50),
    total: () => faker.number.int(100000),
    quantity: () => faker.number.int(20),
    year: () => faker.number.int({ min: 1950, max: 2026 }),
    size: () => faker.number.int(99999999),
    bytes: () => faker.number.int(9999999999),
    position: () => faker.number.int(40),
    stars: () => faker.number.int(5),
    age: () => faker.number.int(99),
    port: () => faker.internet.port(),
    big_id: () => 1e15 + faker.number.int(9e14),
    price: () => faker.number.float({ max: 2000, fractionDigits: 2 }),
    rating: () => faker.number.float({ max: 5, fractionDigits: 1 }),
    score: () => random(),
    latitude: () => faker.location.latitude(),
    longitude: () => faker.location.longitude(),
    value: () => faker.number.float({ min: -100, max: 100, fractionDigits: 3 }),
    percent: () => faker.number.float({ max: 100, fractionDigits: 1 }),
    delta: () => -faker.number.int(999),
    timestamp: () => Math.floor(date() / 1000),
    time_ms: () => +date(),
    active: () => random() < 0.5,
    is_admin: () => random() < 0.1,
    private: () => false,
    verified: () => true,
    locked: () => random() < 0.2,
    archived: () => false,
    deleted_at: () => null,
    parent_id: () => null,
    closed_at: () => random() < 0.5 ? null : date().toISOString(),
    milestone: () => null,
    tags: () => Array.from({ length: faker.number.int(5) }, word),
    labels: () => [],
    ids: () => Array.from({ length: faker.number.int(6) }, () => faker.number.int(999)),
    coordinates: () => [faker.location.longitude(), faker.location.latitude()],
    metadata: () => ({}),
    flags: () => [true, false, null].slice(0, faker.number.int(3))
  }
  return Object.entries({ ...texts, ...Object.fromEntries(Object.entries(others).map(([key, make]) => [`${key} `, make])) })
    .map(([key, make]) => [key.trim(), attempt(make, () => faker.number.int(999))])
}

const STYLES = [
  key => key, key => key, key => key,
  key => key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  key => key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  key => key.replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase()),
  key => key.toUpperCase(), key => key.replaceAll('_', '-'), key => key.replaceAll('_', ' '), key => `${key[0].toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`
]
const PREFIXES = ['', '', '', '', 'user_', 'source_', 'product_', 'order_', 'max_', 'billing_', 'last_']

function makeShape (fields, random, depth = 2) {
  const style = pick(STYLES, random)
  const shape = new Map()
  const width = 2 + Math.floor(random() ** 2 * 16)
  for (let i = 0; i < width; i++) {
    const [key, make] = pick(fields, random)
    shape.set(style(pick(PREFIXES, random) + key), make)
  }
  if (depth > 0 && random() < 0.4) {
    for (let i = 0; i < 1 + random() * 2; i++) {
      const inner = makeShape(fields, random, depth - 1)
      const isList = random() < 0.25
      shape.set(style(pick(['user', 'owner', 'address', 'details', 'permissions', 'meta_data', 'config', 'head_commit', 'billing', 'links'], random)),
        optional => isList ? Array.from({ length: Math.floor(random() * 4) }, () => fill(inner, random, optional)) : random() < optional ? null : fill(inner, random, optional))
    }
  }
  return shape
}

function fill (shape, random, optional) {
  const row = {}
  for (const [key, make] of shape) {
    if (optional > 0 && random() < optional) {
      if (random() < 0.5) row[key] = null
      continue
    }
    row[key] = make(optional)
  }
  return row
}

function makeTable (fields, random) {
  const shape = makeShape(fields, random)
  const optional = pick([0, 0, 0, 0.02, 0.2], random)
  const target = 300 * 200 ** random()
  const rows = []
  for (let size = 0; size < target;) {
    const row = fill(shape, random, optional)
    size += JSON.stringify(row).length
    rows.push(row)
  }
  if (random() < 0.6) return rows
  return { [pick(['items', 'data', 'results', 'value', 'records'], random)]: rows, ...pick([{ total: rows.length, page: 1 }, { next: null }, { has_more: false, object: 'list' }], random) }
}

function makeRecord (fields, random, depth) {
  const record = {}
  for (let i = 0; i < 2 + random() * 8; i++) {
    const [key, make] = pick(fields, random)
    record[key] = make(0)
    if (depth > 0 && random() < 0.3) record[pick(fields, random)[0]] = makeRecord(fields, random, depth - 1)
    if (depth > 0 && random() < 0.1) record[`${pick(fields, random)[0]}s`] = Array.from({ length: 1 + random() * 4 }, () => makeRecord(fields, random, 0))
  }
  return record
}

function makeRagged (fields, random) {
  const shapes = Array.from({ length: 3 }, () => makeShape(fields, random, 1))
  return Array.from({ length: 1 + 60 * random() ** 2 }, () => ({ type: pick(['a', 'b', 'push', 'comment'], random), ...fill(pick(shapes, random), random, 0.3) }))
}

function makeNumbers (random) {
  const digits = Math.floor(random() * 16)
  const scale = 10 ** Math.floor(random() * 9)
  const round = pick([x => x, Math.round, x => +x.toFixed(digits % 6), x => Math.round(x) / 10, x => -Math.round(x * 100) / 100], random)
  const number = () => round(random() * scale)
  const length = Math.ceil(20 + 1500 * random() ** 3)
  return pick([
    () => Array.from({ length }, number),
    () => Array.from({ length }, () => [number(), number()]),
    () => ({ start: 1.7e9, step: 60, values: Array.from({ length }, number) }),
    () => Array.from({ length }, (_, i) => ({ t: 1700000000 + i * 60, v: number(), n: Math.floor(random() * 100) })),
    () => ({ x: Array.from({ length }, (_, i) => i), y: Array.from({ length }, number), z: Array.from({ length }, () => random() < 0.3 ? null : number()) }),
    () => Array.from({ length: length / 8 }, () => ({ min: number(), max: number(), mean: number(), p99: number() })),
    () => Array.from({ length: length / 3 }, () => [1.7e12 + Math.round(random() * 1e9), String(number())])
  ], random)()
}

function makeProse (prose, random, faker) {
  return pick([
    () => ({ path: faker.system.filePath(), content: pick(prose, random).slice(0, 200 + random() * 8000) }),
    () => Array.from({ length: 1 + random() * 12 }, () => ({ id: faker.number.int(9999), user: faker.internet.username(), body: paragraph(prose, random), created_at: faker.date.past({ refDate: '2026-01-01' }) })),
    () => ({ results: Array.from({ length: 1 + random() * 8 }, () => ({ title: faker.lorem.sentence(), url: faker.internet.url(), snippet: paragraph(prose, random), score: random() })) }),
    () => Array.from({ length: 2 + random() * 20 }, () => paragraph(prose, random))
  ], random)()
}

function paragraph (prose, random) {
  const text = pick(prose, random)
  const start = Math.floor(random() * Math.max(1, text.length - 300))
  return text.slice(start, start + 30 + random() ** 2 * 900).toWellFormed()
}

function makeMap (fields, random) {
  const shape = makeShape(fields, random, 1)
  const [, makeKey] = pick(fields.filter(([key]) => ['sha', 'login', 'slug', 'date', 'url', 'filename', 'code', 'tag', 'ip', 'sku', 'mime_type'].includes(key)), random)
  const isFlat = random() < 0.3
  const makeValue = pick(fields, random)[1]
  return Object.fromEntries(Array.from({ length: 3 + 80 * random() ** 2 }, () => [makeKey(0), isFlat ? makeValue(0) : fill(shape, random, pick([0, 0.2], random))]))
}

function makeLogs (faker, random) {
  const line = () => pick([
    () => `${faker.internet.ip()} - - "GET /${faker.lorem.slug()} HTTP/1.1" ${pick([200, 304, 404, 500], random)} ${faker.number.int(99999)} "-" "${faker.internet.userAgent()}"`,
    () => `level=${pick(['info', 'warn', 'error'], random)} ts=${faker.date.past({ refDate: '2026-01-01' }).toISOString()} caller=${faker.lorem.word()}.go:${faker.number.int(900)} msg="${faker.hacker.phrase()}"`,
    () => `\tat ${faker.lorem.word()}.${faker.hacker.verb()} (/app/${faker.system.fileName()}:${faker.number.int(900)}:${faker.number.int(80)})`,
    () => `[${faker.number.int(99999)}] ${faker.hacker.verb()} ${faker.hacker.noun()} took ${faker.number.int(9999)}ms`
  ], random)()
  return pick([
    () => Array.from({ length: 2 + random() * 60 }, () => ({ level: pick([10, 30, 50], random), time: 1.7e12 + Math.floor(random() * 1e10), pid: faker.number.int(32000), hostname: faker.internet.domainWord(), msg: line() })),
    () => ({ stdout: Array.from({ length: 2 + random() * 60 }, line).join('\n'), stderr: '', exit_code: 0, ok: true }),
    () => ({ streams: [{ stream: { app: faker.lorem.word(), pod: faker.lorem.slug() }, values: Array.from({ length: 2 + random() * 60 }, () => [String(17e17 + Math.floor(random() * 1e6)), line()]) }] }),
    () => ({ resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 1 + random() * 20 }, () => ({ timeUnixNano: '1544712660300000000', severityNumber: 9, body: { stringValue: line() }, attributes: [{ key: `${faker.lorem.word()}.${faker.lorem.word()}`, value: { stringValue: faker.lorem.word() } }, { key: 'int.attribute', value: { intValue: String(faker.number.int(99)) } }] })) }] }] })
  ], random)()
}

function makeColumns (fields, random) {
  const chosen = Array.from({ length: 2 + random() * 8 }, () => pick(fields, random))
  const length = Math.ceil(2 + random() ** 2 * 120)
  if (random() < 0.5) return { columns: chosen.map(([key]) => key), rows: Array.from({ length }, () => chosen.map(([, make]) => make(0))) }
  return Object.fromEntries(chosen.map(([key, make]) => [key, Array.from({ length }, () => make(0))]))
}
