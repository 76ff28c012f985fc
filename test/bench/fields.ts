import { listContentCodings, listStackable, mapIfMatch, mapIfNoneMatch, mergeVary, parseFieldList, restoreETag, STACKED_CODINGS } from '../../lib/http.js'
import { isEventStreamClient, isJsonOnlyClient, negotiate, stripOurCodings, stripOurMediaTypes } from '../../lib/negotiate.js'

/*
 * Whether the readers of header fields are linear in what a client can send: each reads 8 KB and 64 KB of the same
 * garbage in turn, and the ratio of the least times for a byte is printed: 1 is linear, 8 would be a square.
 */

const KB = 1024
const PARTS = [',', ';', '"', '\\', '"\\', 'a,', 'toon,', ';q=', 'a;b="c,d",', 'toon;q=0.5,', '"a" ', '"a-toon",', 'W/', 'W/"', ' ', '\t,', '*', '=', 'accept,', 'Accept-Encoding ']

const READERS: Record<string, (text: string) => unknown> = {
  negotiate: (text) => negotiate({ 'accept-encoding': text, accept: text }, ['toon', 'stc', 'stc2']),
  parseFieldList: (text) => parseFieldList(text),
  strip: (text) => [stripOurCodings(text), stripOurMediaTypes(text)],
  'MCP clients': (text) => [isEventStreamClient(text), isJsonOnlyClient(text)],
  'content codings': (text) => listContentCodings(text),
  'stacked codings': (text) => listStackable(text, STACKED_CODINGS),
  Vary: (text) => [mergeVary(text), mergeVary(text, true)],
  'entity tags': (text) => [mapIfMatch(text, ['toon', 'json']), mapIfNoneMatch(text, ['toon', 'json']), restoreETag('"v1"', text, ['toon', 'json'])]
}

/** Time for so many runs. */
function measure (read: () => unknown, runs: number): number {
  const start = performance.now()
  for (let i = 0; i < runs; i++) read()
  return performance.now() - start
}

for (const [name, read] of Object.entries(READERS)) {
  const ratios = PARTS.map((part) => {
    const [small, large] = [8 * KB, 64 * KB].map((size) => part.repeat(Math.ceil(size / part.length)).slice(0, size))
    const least = [Infinity, Infinity]
    for (let turn = 0; turn < 12; turn++) {
      least[0] = Math.min(least[0], measure(() => read(small), 16))
      least[1] = Math.min(least[1], measure(() => read(large), 2))
    }
    return { part, ratio: least[1] / least[0] }
  }).sort((a, b) => b.ratio - a.ratio)
  console.log(`${name.padEnd(16)} 64 KB / 8 KB, for a byte: at most ${ratios[0].ratio.toFixed(1)} (${JSON.stringify(ratios[0].part)}), median ${ratios[ratios.length >> 1].ratio.toFixed(1)}`)
}
