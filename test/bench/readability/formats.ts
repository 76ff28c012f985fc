import { CodecDeclinedError, countTokens, encode } from '../../../lib/index.js'
import type { CodecName } from '../../../lib/index.js'
import { makeMarker } from '../../../lib/mcp/marker.js'
import { ANSWER_RULES } from './phrase.js'
import type { Payload } from './payloads.js'

/** The formats that are compared; the first is what the others are measured against. */
export const FORMATS = ['json', 'toon', 'stc', 'stc2'] as const satisfies CodecName[]
export type Format = typeof FORMATS[number]

/** A document in one format, as a model gets it. */
export interface Rendition {
  payload: string
  format: Format
  /** The system prompt, which holds the document. */
  system: string
  /** What of it depends on the format: the line that names the format, and the document. */
  text: string
  /** Tokens of `text`, by o200k_base. */
  tokens: number
}

/**
 * A document in each format, behind the line that the gateway puts before it with `mcp.marker: true`.
 *
 * @throws CodecDeclinedError where one of them cannot hold it exactly
 */
export async function makeRenditions ({ name, json }: Payload, formats: readonly Format[]): Promise<Rendition[]> {
  return Promise.all(formats.map(async format => {
    const text = `${markerOf(format)}${encode(json, format)}`
    return { payload: name, format, text, system: makeSystemPrompt(text), tokens: await countTokens(text) }
  }))
}

/** Why a document is left out of the comparison, or null. */
export function findDecline (json: string): string | null {
  for (const format of FORMATS) {
    try {
      encode(json, format)
    } catch (error) {
      if (!(error instanceof CodecDeclinedError)) throw error
      return error.message
    }
  }
  return null
}

/** The line before a text, its line feed included; JSON needs none. */
export function markerOf (format: Format): string {
  const marker = format === 'json' ? null : makeMarker(format, { marker: true })
  return marker === null ? '' : Buffer.from(marker).toString()
}

function makeSystemPrompt (text: string): string {
  return `You answer questions about one document, the answer of a tool, which stands below.\n${ANSWER_RULES}\n\nThe document:\n\n${text}`
}
