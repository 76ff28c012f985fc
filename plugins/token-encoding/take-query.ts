import type { FastifyRequest } from 'fastify'
import type { FormatName } from '../../lib/codec-names.js'
import { parseFields, parseFormat } from '../../lib/mcp/request.js'
import type { RouteOptions } from './options.js'

/** What the query of a request asks for. */
export interface QueryWish {
  format: FormatName | undefined
  fields: readonly string[] | undefined
}

const NOTHING: QueryWish = { format: undefined, fields: undefined }

/**
 * Takes the parameters that are ours out of a request's query, so that nobody sees them behind us; all else in it
 * stays byte for byte. A parameter whose value is not for us stays too. Of several the first counts.
 */
export function takeQuery (request: FastifyRequest, options: RouteOptions): QueryWish {
  const { formatParameter, fieldsParameter } = options
  const { url } = request.raw
  const start = url === undefined ? -1 : url.indexOf('?') + 1
  if ((formatParameter === false && fieldsParameter === false) || url === undefined || start <= 0) return NOTHING
  const found: { format?: FormatName, fields?: readonly string[] } = {}
  const kept = url.slice(start).split('&').filter((pair) => {
    const [name, value] = split(pair)
    if (name === formatParameter) {
      const format = parseOffered(value, options)
      found.format ??= format
      return format === undefined
    }
    if (name !== fieldsParameter) return true
    const fields = parseFields(value)
    found.fields ??= fields
    return fields === undefined
  })
  if (found.format === undefined && found.fields === undefined) return NOTHING
  request.raw.url = kept.length > 0 ? url.slice(0, start) + kept.join('&') : url.slice(0, start - 1)
  forget(request, [found.format && formatParameter, found.fields && fieldsParameter])
  return { format: found.format, fields: found.fields }
}

function parseOffered (value: string, { encodings }: RouteOptions): FormatName | undefined {
  const format = parseFormat(value)
  return format === 'json' || format === 'markdown' || (format !== undefined && encodings.includes(format)) ? format : undefined
}

/** Fastify has parsed the query before any hook. */
function forget ({ query }: FastifyRequest, names: readonly (string | false | undefined)[]): void {
  if (query === null || typeof query !== 'object') return
  for (const name of names) if (typeof name === 'string') delete (query as Record<string, unknown>)[name]
}

function split (pair: string): [string, string] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

function decode (text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Not well-formed, so that it is none of ours.
    return text
  }
}
