import { formatShare } from '../format-share.js'
import { findNumericColumns } from '../table.js'
import { formatChart } from './format-chart.js'
import { escapeHtml } from './escape-html.js'
import type { SavingsReport } from './measure-files.js'
import { PAGE_STYLE } from './page-style.js'
import { buildTables, describeColumns } from './tables.js'
import type { Table } from './tables.js'
import type { Summary } from './summarize.js'

/**
 * A report as one page that needs nothing else: no scripts, no fonts, no images, and a policy that forbids them.
 * @param all all files together
 */
export function formatHtml (report: SavingsReport, all: Summary): string {
  const { files, directories, failures } = buildTables(report)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Token gateway: savings</title>
<style>
${PAGE_STYLE}</style>
</head>
<body>
<h1>What the token gateway saves</h1>
<p>${escapeHtml(describeTotals(all))}</p>
<p class="note">${escapeHtml(describeColumns(report))}</p>
<h2>Share of minified JSON, by file</h2>
${formatChart(report.files)}
<h2>By directory</h2>
${formatTableHtml(directories)}
<h2>By file</h2>
${formatTableHtml(files)}
${report.failures.length === 0 ? '' : `<h2>Not read</h2>\n${formatTableHtml(failures)}\n`}</body>
</html>
`
}

function describeTotals ({ files, bytes, tokens }: Summary): string {
  const shares = [`${formatShare(bytes.share)} of the bytes`, ...(tokens === null ? [] : [`${formatShare(tokens.share)} of the tokens`])]
  return `${files} ${files === 1 ? 'file' : 'files'}: what is sent has ${shares.join(' and ')} of minified JSON.`
}

function formatTableHtml (table: Table): string {
  const isNumeric = findNumericColumns(table)
  const [head, ...body] = table.map((row, at) => {
    const tag = at === 0 ? 'th' : 'td'
    return `<tr>${row.map((cell, i) => `<${tag}${isNumeric[i] ? ' class="number"' : ''}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>\n`
  })
  return `<div class="scroll"><table>\n<thead>\n${head}</thead>\n<tbody>\n${body.join('')}</tbody>\n</table></div>`
}
