import { constants as buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import t from 'tap'
import { DEFAULT_CODEC_DEPTH } from '../../lib/codec-interface.js'
import { DEFAULT_MAX_DECODED_BYTES } from '../../lib/json/text-sink.js'
import { resolveOptions } from '../../lib/options.js'
import { SNIFF_BYTES } from '../../lib/sniff.js'
import { DEFAULT_MAX_BYTES } from '../../lib/stc/v2/decode.js'
import { resolveGatewayOptions } from '../../plugins/gateway/options.js'

/* The table of limits in the README, row by row, against the code. */

const ROOT = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** The value of a constant that is not exported: a product of whole numbers. */
function constant (path: string, name: string): number {
  const found = new RegExp(`^(?:export )?const ${name} = ([\\d_ *]+)$`, 'm').exec(read(path))
  if (found === null) throw new Error(`no ${name} in ${path}`)
  return found[1].split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}

/** All files must agree. */
function constants (name: string, ...paths: string[]): number {
  const values = new Set(paths.map((path) => constant(path, name)))
  if (values.size !== 1) throw new Error(`${name}: ${[...values].join()}`)
  return [...values][0]
}

const bytes = (count: number): string => count % (1024 * 1024) === 0 ? `${count / 1024 / 1024} MiB` : `${count / 1024} KiB`
const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`
const group = (count: number): string => count.toLocaleString('en')

const plugin = resolveOptions()
const gateway = resolveGatewayOptions({ upstream: 'http://127.0.0.1:1' })

/** What stands in the second column, by the beginning of the first. */
const EXPECTED: [string, string][] = [
  ['body that is re-encoded (`maxBodyBytes`)', bytes(plugin.maxBodyBytes)],
  [`body that is judged by its first ${group(SNIFF_BYTES)} bytes`, 'larger ones that stream in, unless all of it came at once'],
  ['body, or message, that the main thread encodes (`workers.minBytes`)', bytes(constant('plugins/token-encoding/route-options.ts', 'DEFAULT_WORKER_MIN_BYTES'))],
  ['nesting that a coding takes (`maxDepth`)', group(DEFAULT_CODEC_DEPTH)],
  ['nesting that the JSON reader takes', group(constant('lib/json/document.ts', 'DEFAULT_MAX_DEPTH'))],
  ['JSON that `decode` makes (`maxBytes`)', bytes(DEFAULT_MAX_DECODED_BYTES)],
  ['text that STC 2', bytes(DEFAULT_MAX_BYTES)],
  ['levels of documents in strings', String(constant('lib/descend/find-embedded.ts', 'MAX_LEVELS'))],
  ['content codings of one body', String(constant('lib/http/content-codings.ts', 'MAX_CODINGS'))],
  [`what a packed body of more than ${bytes(constant('plugins/token-encoding/undo-codings.ts', 'LARGE'))}`, `${constant('plugins/token-encoding/undo-codings.ts', 'MAX_RATIO')} times its size, \`maxBodyBytes\``],
  ['text or JSON that the functions of `/codecs`', `${Math.ceil(buffer.MAX_STRING_LENGTH / 1024 / 1024)} MiB (Node's strings)`],
  ['digits of a count', String(constants('MAX_COUNT_DIGITS', 'lib/toon/header.ts', 'lib/stc/decode.ts', 'lib/stc/v2/cursor.ts'))],
  ['event of a stream that is held (`maxEventBytes`)', bytes(plugin.maxEventBytes)],
  ['request body that names the tool', bytes(constant('plugins/token-encoding/mcp/request-tap.ts', 'MAX_REQUEST_BYTES'))],
  ['MCP sessions whose tools are known; calls of each', `${constant('lib/mcp/request/sessions.ts', 'MAX_SESSIONS')}; ${constant('lib/mcp/request/sessions.ts', 'MAX_CALLS')}`],
  ['request bodies through the gateway', 'none'],
  ['bytes held per direction', bytes(constants('HIGH_WATER_MARK', 'plugins/gateway/request-body.ts', 'plugins/gateway/response-body.ts', 'plugins/token-encoding/mcp/event-body.ts'))],
  ['connection to the upstream (`connectTimeout`)', seconds(gateway.connectTimeout)],
  ["upstream's headers (`headersTimeout`)", seconds(gateway.headersTimeout)],
  ['silence in mid-body (`bodyIdleTimeout`)', seconds(gateway.bodyIdleTimeout)],
  ['stop (`closeTimeout`)', `${seconds(gateway.closeTimeout)}, command line ${seconds(constant('lib/cli/serve.ts', 'CLOSE_TIMEOUT_MS'))}`],
  ['header fields of a request', `${bytes(http.maxHeaderSize)} (Node's)`],
  ['number of these', `${group(constant('plugins/gateway/header-count.ts', 'DEFAULT_MAX_HEADERS_COUNT'))} (Node's)`],
  ["header fields of the upstream's response", `${bytes(http.maxHeaderSize)} (undici's)`]
]

t.test('each limit in the README is the one in the code, and none is left out of this test', async (t) => {
  const section = /^## Limits\n([^]*?)^## /m.exec(read('README.md'))![1]
  const rows = section.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))).slice(1)
  t.equal(rows.length, EXPECTED.length, 'rows')
  for (const [i, [limit, value, past]] of rows.entries()) {
    const [name, expected] = EXPECTED[i]
    t.ok(limit.startsWith(name), `${limit}: ${name}`)
    t.equal(value, expected, limit)
    t.ok(past.length >= 3, `${limit}: what happens past it`)
  }
})

t.test('each default in the tables of options is the one in the code', async (t) => {
  const options = /^## Options\n([^]*?)^## /m.exec(read('README.md'))![1]
  const cells = (name: string): string[] => options.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))?.split(/ (?<!\\)\| /) ?? []
  for (const name of ['measure', 'minSavings', 'minBytes', 'maxBodyBytes', 'maxEventBytes', 'verify', 'descend', 'noTransform', 'spacing', 'delimiter', 'notAcceptable', 'stackCodings'] as const) {
    const value = plugin[name]
    t.ok(cells(name)[2].startsWith(typeof value === 'string' ? `\`'${value}'\`` : typeof value === 'boolean' ? `\`${value}\`` : String(value)), `${name}: ${cells(name)[2]}`)
  }
  for (const name of ['connectTimeout', 'headersTimeout', 'bodyIdleTimeout', 'closeTimeout'] as const) t.ok(cells(name)[2].startsWith(String(gateway[name])), `${name}: ${cells(name)[2]}`)
  for (const name of ['preserveHost', 'forwardedHeaders', 'via'] as const) t.equal(cells(name)[2], typeof gateway[name] === 'string' ? `\`'${gateway[name]}'\`` : `\`${gateway[name]}\``, name)
})
