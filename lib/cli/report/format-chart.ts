import { formatShare } from '../format-share.js'
import { printable } from '../printable.js'
import { escapeHtml } from './escape-html.js'
import type { FileRow, Sizes } from './measure-file.js'
import { shareOf } from './summarize.js'

/** A bar chart in HTML and CSS: for each file its share of minified JSON, in bytes and in tokens. */
export function formatChart (rows: readonly FileRow[]): string {
  const sizes = rows.flatMap(({ bytes, tokens }) => tokens === null ? [bytes] : [bytes, tokens])
  // The grey track is minified JSON; in tokens a text can be longer than that.
  const scale = sizes.reduce((most, size) => Math.max(most, shareOf(size)), 1)
  const hasTokens = sizes.length > rows.length
  const legend = `<p class="legend"><span class="key bytes"></span> bytes${hasTokens ? ' <span class="key tokens"></span> tokens' : ''}</p>`
  const items = rows.map(({ file, bytes, tokens }) =>
    `<li><span class="name">${escapeHtml(printable(file))}</span>\n${formatBar('bytes', bytes, scale)}${tokens === null ? '' : formatBar('tokens', tokens, scale)}</li>\n`)
  return `${legend}\n<ol class="chart" style="--track:${toPercent(1 / scale)}">\n${items.join('')}</ol>`
}

function formatBar (unit: string, sizes: Sizes, scale: number): string {
  const share = shareOf(sizes)
  return `<span class="track"><span class="bar ${unit}" style="width:${toPercent(share / scale)}"></span></span><span class="share" title="${unit}">${formatShare(share)}</span>\n`
}

function toPercent (part: number): string {
  return `${(part * 100).toFixed(2)}%`
}
