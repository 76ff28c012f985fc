import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import t from 'tap'
import { listContentCodings } from '../../lib/http/content-codings.js'
import { canUndo, undoCodings } from '../../plugins/token-encoding/undo-codings.js'

const BODY = Buffer.from(JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `name of ${id}` }))))
const MAX = 8 * 1024 * 1024
const gzip = zlib.gzipSync(BODY)

t.test('Content-Encoding: codings in the order in which they were applied, names in any case, over repeated lines', async t => {
  t.same(listContentCodings(undefined), [])
  t.same(listContentCodings('identity'), [])
  t.same(listContentCodings('X-GZip'), ['gzip'])
  t.same(listContentCodings('deflate, BR'), ['deflate', 'br'])
  t.same(listContentCodings(['gzip', ' identity , zstd']), ['gzip', 'zstd'])
  t.equal(listContentCodings('gzip, aws-chunked'), null, 'an unknown one')
  t.equal(listContentCodings('toon'), null, 'one of ours is not undone here')
  t.equal(listContentCodings('gzip, gzip, gzip, gzip'), null, 'too many')
})

t.test('each coding, and lists of them, are undone', async t => {
  const packed = [
    ['gzip', [gzip]],
    ['deflate', [zlib.deflateSync(BODY), zlib.deflateRawSync(BODY)]],
    ['br', [zlib.brotliCompressSync(BODY)]]
  ] as const
  for (const [coding, bodies] of packed) {
    for (const body of bodies) t.ok((await undoCodings(body, [coding], MAX))?.equals(BODY), coding)
  }
  t.ok((await undoCodings(zlib.brotliCompressSync(gzip), ['gzip', 'br'], MAX))?.equals(BODY), 'gzip, br')
  t.ok((await undoCodings(BODY, [], MAX))?.equals(BODY), 'none')
})

t.test('zstd is undone where Node has it, and refused where not', async t => {
  const { zstdCompress } = zlib as { zstdCompress?: typeof zlib.brotliCompress }
  t.equal(canUndo(['gzip', 'zstd']), zstdCompress !== undefined)
  if (zstdCompress === undefined) t.equal(await undoCodings(BODY, ['zstd'], MAX), null)
  else t.ok((await undoCodings(await promisify(zstdCompress)(BODY), ['zstd'], MAX))?.equals(BODY))
})

t.test('what is cut off at any byte, broken, or no such coding at all is refused', async t => {
  for (const [coding, body] of [['gzip', gzip], ['deflate', zlib.deflateSync(BODY)], ['br', zlib.brotliCompressSync(BODY)]] as const) {
    for (let end = 0; end < body.length; end++) {
      if (await undoCodings(body.subarray(0, end), [coding], MAX) !== null) t.fail(`${coding} cut at ${end}`)
    }
    t.equal(await undoCodings(BODY, [coding], MAX), null, `plain JSON as ${coding}`)
  }
  const broken = Buffer.from(gzip)
  broken[broken.length - 6] ^= 1
  t.equal(await undoCodings(broken, ['gzip'], MAX), null, 'a checksum that is wrong')
})

t.test('a bomb is refused by its size, and by its ratio, before it is unpacked', async t => {
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))
  t.equal(await undoCodings(bomb, ['gzip'], MAX), null, 'more than the cap')
  t.equal(await undoCodings(bomb, ['gzip'], 1e9), null, 'more than 250 times its size')
  t.equal((await undoCodings(zlib.gzipSync(Buffer.alloc(900_000)), ['gzip'], MAX))?.length, 900_000, 'below 1 MiB the ratio does not count')
})
