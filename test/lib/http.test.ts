import fc from 'fast-check'
import t from 'tap'
import {
  assess, checkDocument, describeEncoded, describeMinified, isJsonType, isLabelSafe, mapIfNoneMatch, mergeVary, restoreETag,
  suffixETag
} from '../../lib/http.js'
import type { EligibilityRules, FieldValue } from '../../lib/http.js'
import { Document } from '../../lib/json/document.js'
import { encodingOptionsSchema, resolveOptions } from '../../lib/options.js'

const RULES: EligibilityRules = { statuses: ['2xx'], noTransform: 'obey' }
type Fields = Record<string, FieldValue>

/** An assessment in short: the reason, or `ok`, and `+vary` where the response varies. */
function judge (
  head: { status?: number, url?: string, fields?: Fields, request?: Fields } = {}, rules: Partial<EligibilityRules> = {}
): string {
  const { status = 200, url = '/items', fields = {}, request = {} } = head
  const response: Fields = { 'content-type': 'application/json', ...fields }
  const { varies, reason } = assess({
    url, status, getRequestHeader: (name) => request[name], getHeader: (name) => response[name]
  }, { ...RULES, ...rules })
  return `${reason ?? 'ok'}${varies ? '+vary' : ''}`
}

t.test('Vary names both fields, merged with what is there, each once, in any letter case', async (t) => {
  for (const [current, expected] of [
    [undefined, 'Accept-Encoding, Accept'],
    ['', 'Accept-Encoding, Accept'],
    [[], 'Accept-Encoding, Accept'],
    ['Origin', 'Origin, Accept-Encoding, Accept'],
    ['accept-encoding,accept-version', 'accept-encoding,accept-version, Accept'],
    ['ACCEPT , accept-ENCODING', 'ACCEPT , accept-ENCODING'],
    [['Origin', 'accept'], 'Origin, accept, Accept-Encoding'],
    ['*', '*'],
    ['Origin, *', 'Origin, *'],
    [['Origin', '*'], 'Origin, *'],
    ['Accept-Encodings', 'Accept-Encodings, Accept-Encoding, Accept']
  ] as const) {
    t.equal(mergeVary(current), expected, JSON.stringify(current))
  }
})

t.test('Vary in lower case, for those who know no other: our two names alone, wherever they stand', async (t) => {
  for (const [current, expected] of [
    [undefined, 'accept-encoding, accept'],
    ['Origin', 'Origin, accept-encoding, accept'],
    ['ACCEPT , Accept-ENCODING,X-Accept', 'accept , accept-encoding,X-Accept'],
    [['Accept-Encoding', 'Accept-Language'], 'accept-encoding, Accept-Language, accept'],
    ['Accept-Encodings', 'Accept-Encodings, accept-encoding, accept'],
    ['*', '*']
  ] as const) {
    t.equal(mergeVary(current, true), expected, JSON.stringify(current))
    t.equal(mergeVary(mergeVary(current, true), true), expected)
  }
})

t.test('merging Vary twice is merging it once', async () => {
  const name = fc.constantFrom('accept', 'Accept-Encoding', 'origin', '*', ' ', 'ACCEPT')
  fc.assert(fc.property(fc.array(name), (names) => {
    const once = mergeVary(names.join(','))
    return mergeVary(once) === once && mergeVary([once]) === once
  }))
})

t.test('another representation gets another entity tag, weak ones stay weak', async (t) => {
  t.equal(suffixETag('"v1"', 'toon'), '"v1-toon"')
  t.equal(suffixETag('W/"v1"', 'json'), 'W/"v1-json"')
  t.equal(suffixETag('""', 'stc'), '"-stc"')
  for (const malformed of ['v1', '', '"', '"v1', 'w/"v1"', '"a"b"', '"a b"', '"a", "b"']) t.equal(suffixETag(malformed, 'toon'), null, malformed)
})

t.test('If-None-Match is mapped back only for the representations that the request takes', async (t) => {
  t.equal(mapIfNoneMatch('"v1-toon"', ['toon', 'json']), '"v1"')
  t.equal(mapIfNoneMatch('W/"v1-json" , "v2-stc","v3"', ['toon', 'json']), 'W/"v1" , "v2-stc","v3"')
  for (const kept of ['*', '', '"toon"', 'v1-toon', '"v1-toons"', '"-"']) t.equal(mapIfNoneMatch(kept, ['toon']), kept, kept)
})

t.test("a 304 carries the client's own tag", async (t) => {
  t.equal(restoreETag('"v1"', '"v0-toon", "v1-toon"', ['toon']), '"v1-toon"')
  t.equal(restoreETag('W/"v1"', '"v1-toon"', ['toon']), '"v1-toon"')
  t.equal(restoreETag('"v1"', '"v1-toon", "v1"', ['toon']), '"v1"', 'its own form of the very tag goes first')
  t.equal(restoreETag('"v1"', '"v1-stc"', ['toon']), '"v1"')
  t.equal(restoreETag('"v1"', '*', ['toon']), '"v1"')
  t.equal(restoreETag('"v1"', undefined, ['toon']), '"v1"')
})

t.test('suffixed tags map back to themselves', async () => {
  const tag = fc.stringMatching(/^(W\/)?"[!#-~]{0,12}"$/)
  fc.assert(fc.property(tag, fc.constantFrom('toon', 'stc', 'json'), (etag, suffix) => {
    const ours = suffixETag(etag, suffix) as string
    return mapIfNoneMatch(ours, [suffix]) === etag && restoreETag(etag, ours, [suffix]) === ours
  }))
})

t.test('JSON is application/json and +json, in UTF-8; STC is not', async (t) => {
  for (const type of [
    'application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"',
    'application/json; charset=utf8', 'application/problem+json', 'application/vnd.api+json; ext="a;b"', 'model/gltf+json'
  ]) t.equal(isJsonType(type), true, type)
  for (const type of [
    '', 'text/plain', 'text/json', 'application/json5', 'application/jsonl', 'application/json-seq', 'text/event-stream',
    'application/stc+json', 'application/stc+json; version=2', '+json', 'json', 'application/+json',
    'application/json; charset=iso-8859-1', 'application/json;charset=utf-16', 'application/vnd.api+json; charset=us-ascii'
  ]) t.equal(isJsonType(type), false, type)
})

t.test('2xx JSON may be re-encoded and varies', async (t) => {
  for (const status of [200, 201, 202, 203, 207, 299]) t.equal(judge({ status }), 'ok+vary', String(status))
})

t.test('statuses without a body and other statuses may not', async (t) => {
  for (const status of [100, 101, 103, 204, 205, 301, 400, 401, 404, 500, 503]) t.equal(judge({ status }), 'not-eligible', String(status))
  t.equal(judge({ status: 206 }), 'not-eligible+vary')
})

t.test('the option statuses names other codes and classes', async (t) => {
  const statuses: EligibilityRules['statuses'] = [200, 404, '5xx']
  for (const [status, expected] of [
    [200, 'ok+vary'], [404, 'ok+vary'], [500, 'ok+vary'], [599, 'ok+vary'], [201, 'not-eligible'], [400, 'not-eligible']
  ] as const) t.equal(judge({ status }, { statuses }), expected, String(status))
  t.equal(judge({ status: 204 }, { statuses: [204, 205] }), 'not-eligible')
})

t.test('a 304 varies like the 200 it stands for, its Content-Type being JSON or absent', async (t) => {
  t.equal(judge({ status: 304 }), 'not-eligible+vary')
  t.equal(judge({ status: 304, fields: { 'content-type': undefined } }), 'not-eligible+vary')
  t.equal(judge({ status: 304, fields: { 'content-type': 'text/html' } }), 'not-eligible')
})

t.test('types that are never re-encoded do not vary', async (t) => {
  for (const type of [undefined, 'text/html', 'text/event-stream', 'image/png', 'text/toon', 'application/stc+json']) {
    t.equal(judge({ fields: { 'content-type': type } }), 'not-eligible', String(type))
  }
  t.equal(judge({ fields: { 'content-type': ['application/json', 'text/html'] } }), 'ok+vary', 'the first counts')
})

t.test('ranges stay as they are', async (t) => {
  t.equal(judge({ fields: { 'content-range': 'bytes 0-9/100' } }), 'not-eligible+vary')
})

t.test('bodies with codings that nobody can undo stay as they are, identity is no coding', async (t) => {
  for (const value of ['gzip, br', 'GZIP', 'identity, x-gzip', ['identity', 'zstd'], 'deflate']) {
    t.equal(judge({ fields: { 'content-encoding': value } }), 'ok+vary', String(value))
  }
  for (const value of ['toon', 'gzip, toon', 'unknown']) {
    t.equal(judge({ fields: { 'content-encoding': value } }), 'encoded-upstream+vary', String(value))
  }
  for (const value of ['identity', 'Identity', '', 'identity, identity']) t.equal(judge({ fields: { 'content-encoding': value } }), 'ok+vary', value)
})

t.test('anything under /.well-known/ stays as it is, under a path prefix too', async (t) => {
  for (const url of [
    '/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp?x=1', '/tenant/.well-known/openid-configuration',
    '/%2ewell-known/x', '/%2Ewell-known/x', '/.well%2dknown/x', '/%2e%77%65%6C%6C-known/x'
  ]) t.equal(judge({ url }), 'not-eligible', url)
  for (const url of ['/items?next=/.well-known/x', '/well-known/x', '/.well-known', '/x.well-known/y']) t.equal(judge({ url }), 'ok+vary', url)
})

t.test('answers to form-encoded requests stay as they are', async (t) => {
  for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8']) {
    t.equal(judge({ request: { 'content-type': type } }), 'not-eligible', type)
  }
  t.equal(judge({ request: { 'content-type': 'application/json' } }), 'ok+vary')
})

t.test('no-transform of request and response is obeyed, unless by option it is not', async (t) => {
  for (const value of ['no-transform', 'max-age=60, No-Transform', ['public', 'no-transform'], 'a="x, y", no-transform']) {
    t.equal(judge({ fields: { 'cache-control': value } }), 'no-transform', String(value))
    t.equal(judge({ request: { 'cache-control': value } }), 'no-transform+vary', String(value))
    t.equal(judge({ fields: { 'cache-control': value }, request: { 'cache-control': value } }, { noTransform: 'ignore' }), 'ok+vary', String(value))
  }
  for (const value of ['no-cache', 'no-transforms', 'x="no-transform"', 'private="a, no-transform"']) {
    t.equal(judge({ fields: { 'cache-control': value }, request: { 'cache-control': value } }), 'ok+vary', value)
  }
})

t.test('JSON-RPC stays as it is for an MCP client, and only for one', async (t) => {
  const message = Document.parse('{"id":1,"jsonrpc":"2.0","result":{}}')
  const batch = Document.parse('[{"jsonrpc":"2.0","id":1,"result":{}}]')
  for (const accept of ['application/json, text/event-stream', 'text/event-stream', 'application/json']) {
    t.equal(checkDocument(message, accept), 'json-rpc', accept)
    t.equal(checkDocument(batch, accept), 'json-rpc', accept)
  }
  for (const accept of [undefined, '*/*', 'application/json, */*', 'text/toon', 'text/event-stream;q=0']) {
    t.equal(checkDocument(message, accept), null, String(accept))
  }
  t.equal(checkDocument(Document.parse('[{"id":1}]'), 'application/json, text/event-stream'), null)
})

t.test('objects with a top-level access_token, client_id or error stay as they are', async (t) => {
  for (const text of ['{"access_token":"x"}', '{"a":1,"client_id":null}', '{"error":{}}', '{"\\u0065rror":1}']) {
    t.equal(checkDocument(Document.parse(text), undefined), 'oauth', text)
  }
  for (const text of ['{"data":{"error":1}}', '[{"access_token":"x"}]', '"error"', '{"errors":1,"v":"client_id"}']) {
    t.equal(checkDocument(Document.parse(text), undefined), null, text)
  }
})

t.test('an encoded body is described by its codec', async (t) => {
  t.same(describeEncoded({ codec: 'toon', by: 'accept-encoding', bytesBefore: 300, bytesAfter: 100, etag: '"v1"' }), {
    set: {
      'content-type': 'text/toon; charset=utf-8',
      'content-encoding': 'toon',
      'x-toon-ratio': '0.33',
      'x-toon-version': '4.0',
      etag: '"v1-toon"'
    },
    drop: ['content-length', 'content-digest', 'repr-digest', 'digest', 'content-md5', 'accept-ranges']
  })
})

t.test('Content-Encoding is set only when it was asked for by Accept-Encoding', async (t) => {
  t.same(describeEncoded({ codec: 'stc', by: 'accept', bytesBefore: 100, bytesAfter: 50, etag: undefined }).set, {
    'content-type': 'application/stc+json', 'x-stc-ratio': '0.50', 'x-stc-version': '1'
  })
})

t.test('minified JSON is plain JSON: nothing of ours but the tag', async (t) => {
  t.same(describeMinified('W/"v1"').set, { etag: 'W/"v1-json"' })
  t.same(describeMinified(undefined).set, {})
  const { set, drop } = describeMinified('malformed')
  t.same(set, {})
  t.ok(drop.includes('etag'), 'a tag outside the grammar is dropped')
})

t.test('a text whose first two bytes form a zlib header is not safe without a label', async (t) => {
  for (const text of ['hC', 'x "', '80', 'HK', 'x\u0001']) t.equal(isLabelSafe(Buffer.from(text)), false, JSON.stringify(text))
  for (const text of ['', 'x', '8', 'id: 1', '[2]{a,b}:', '{"a":1}', 'x: 1']) t.equal(isLabelSafe(Buffer.from(text)), true, JSON.stringify(text))
  t.equal(isLabelSafe(Uint8Array.of(0x88, 0x1c)), true, 'a window past the allowed size is no header')
})

t.test('options: the stronger layer goes first, undefined is not given, defaults fill in the rest', async (t) => {
  t.same(resolveOptions({ minBytes: 0, mode: undefined }, { minBytes: 100, mode: 'always', maxDepth: 5 }), {
    encodings: ['toon', 'stc'],
    mode: 'always',
    measure: 'tokens',
    minSavings: 0,
    minBytes: 0,
    maxBodyBytes: 8388608,
    maxEventBytes: 8388608,
    descend: false,
    maxDepth: 5,
    verify: true,
    statuses: ['2xx'],
    noTransform: 'obey',
    spacing: 'dense',
    delimiter: ',',
    notAcceptable: 'json',
    stackCodings: false
  })
  t.notOk('maxDepth' in resolveOptions(), 'the limit of the codecs is their own')
  const ORDER = Object.keys(encodingOptionsSchema.properties)
  t.same(Object.keys(encodingOptionsSchema.properties).filter((name) => !(name in resolveOptions())),
    ['maxDepth', 'tokenizer', 'tabularOnly', 'flatten', 'rows'].toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)), 'all others have a default')
})
