import { CodecDeclinedError } from '../codec-interface.js'
import { Document } from '../json/document.js'
import { toText } from '../json/utf8.js'
import { rows } from './codec.js'
import type { RowsOptions } from './options.js'

/**
 * Values as a text of the rows dialect, as the dialect's own `jsonToToon(data, options)`, but strict unless
 * `lossy` is set.
 *
 * @param data what JSON.stringify takes: an array of flat objects, or an object of such arrays and primitives
 * @throws CodecDeclinedError where it would not come back exactly
 * @throws TypeError where JSON.stringify does
 * @throws RangeError where `objectName` is no name
 */
export function jsonToRows (data: unknown, options: RowsOptions = {}): string {
  const document = Document.parse(JSON.stringify(data) ?? 'null')
  const size = rows.measure(document, { rows: options })
  if (typeof size === 'string') throw new CodecDeclinedError('rows', size)
  return toText(rows.encode(document, { rows: options }, size))
}

/**
 * What a text of the rows dialect holds, as the dialect's own `toonToJson(text, options)`: an array for a
 * single block, else an object. Numbers become doubles; `decode` keeps every digit.
 *
 * @throws DecodeError where it is no such text
 */
export function rowsToJson (text: string, options: Pick<RowsOptions, 'escapeValues'> = {}): unknown {
  return JSON.parse(toText(rows.decode(text, { rows: options })))
}
