import { CODECS } from '../codec.js'
import type { CodingName } from '../codec.js'
import { toBytes } from '../json/utf8.js'
import type { ResolvedMcpOptions } from './options.js'

/** The line before a text of this codec, its line feed included, or null where there is none. */
export function makeMarker (codec: CodingName, { marker }: Pick<ResolvedMcpOptions, 'marker'>): Uint8Array | null {
  const own = CODECS[codec].marker
  const line = marker === true ? own ?? standardMarker(codec) : marker ?? own ?? false
  return line === false ? null : toBytes(`${line}\n`)
}

function standardMarker (codec: CodingName): string {
  const name = codec.toUpperCase()
  return `[fastify-token-gateway:${codec}/${CODECS[codec].version}] JSON encoded as ${name}; decode it before reuse. Tool arguments must still be sent as JSON.`
}

/** What is added to the description of a tool whose results may be re-encoded as these codings. */
export function makeDescription (codings: readonly CodingName[]): string {
  const names = codings.map(codec => codec.toUpperCase())
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}` : names[0]
  return `Results may come as ${list}, which says the same as JSON in fewer tokens. Tool arguments must still be sent as JSON.`
}

/** The line that says how many rows were left out, its line feed included. */
export function makeCutLine (shown: number, total: number): Uint8Array {
  return toBytes(`[fastify-token-gateway] The first ${shown} of ${total} rows; ${total - shown} were left out to keep the text short.\n`)
}
