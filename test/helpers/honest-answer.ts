import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Test } from 'tap'
import { decode, minify } from '../../lib/index.js'
import type { CodingName } from '../../lib/index.js'
import { BYTE_BOUND_FIELDS } from '../../lib/http.js'
import type { Received } from './gateway-client.js'

/** Fields of which a response has one line at most. */
const SINGLE = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'etag', 'vary', 'last-modified']
const ZIPPERS: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }
const CODING_OF_TYPE: Record<string, CodingName> = { 'text/toon; charset=utf-8': 'toon', 'application/stc+json': 'stc' }

/** The names of a list field, in lower case. */
export function listNames (field: string | undefined): string[] {
  return (field ?? '').split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
}

/** Reads a body as its own header fields say. */
export function readAsLabelled ({ headers, body }: Pick<Received, 'headers' | 'body'>): string {
  let bytes = body
  let coding: CodingName | undefined = CODING_OF_TYPE[String(headers['content-type'])]
  for (const name of listNames(headers['content-encoding']).reverse()) {
    if (name in ZIPPERS) bytes = ZIPPERS[name](bytes)
    else coding = name as CodingName
  }
  return coding === undefined ? bytes.toString() : decode(bytes, coding)
}

/**
 * Asserts that no field of a response lies about its body, and that the body is this JSON.
 *
 * @returns whether it came in one of our codings
 */
export function isHonest (t: Test, answer: Received, json: string, name: string): boolean {
  t.same(findLies(answer, json), [], name)
  return isOurs(answer)
}

const isOurs = ({ headers }: Received): boolean => String(headers['content-type']) in CODING_OF_TYPE

/** What is wrong with a response: one assertion for each of thousands of responses is enough. */
function findLies (answer: Received, json: string): string[] {
  const { headers, rawHeaders, body, complete } = answer
  const lies: string[] = []
  const expect = (isTrue: boolean, lie: string): void => { if (!isTrue) lies.push(lie) }
  const fields = rawHeaders.filter((_, i) => i % 2 === 0).map((field) => field.toLowerCase())
  const vary = listNames(headers.vary)
  const read = minify(readAsLabelled(answer))
  const marks = Object.keys(headers).filter((field) => /^x-(?:toon|stc)-/.test(field))
  const stale = isOurs(answer) ? BYTE_BOUND_FIELDS.filter((field) => field !== 'content-length' && headers[field] !== undefined) : []
  expect(complete, 'it broke off')
  for (const field of SINGLE) expect(fields.filter((other) => other === field).length <= 1, `${field} stands twice`)
  if (headers['content-length'] !== undefined) {
    expect(Number(headers['content-length']) === body.length, `Content-Length: ${headers['content-length']} for ${body.length} bytes`)
    expect(headers['transfer-encoding'] === undefined, 'two framings')
  }
  expect(vary.length === new Set(vary).size, `Vary: ${headers.vary} is not merged`)
  expect(vary.includes('*') || (vary.includes('accept-encoding') && vary.includes('accept')), `Vary: ${headers.vary} leaves out what was negotiated`)
  expect(read === minify(json), `the body is read as ${read.slice(0, 200)}`)
  expect(marks.length === (isOurs(answer) ? 2 : 0), `fields of ours: ${marks.join()}`)
  expect(stale.length === 0, `fields of other bytes: ${stale.join()}`)
  return lies
}
