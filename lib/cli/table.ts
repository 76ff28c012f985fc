const NUMBER = /^\d+(\.\d+)?( %)?$/
const FILLER = /^-?$/

/**
 * Which columns hold numbers and shares, and nothing else but gaps.
 * @param rows the first one is the head; all of one length
 */
export function findNumericColumns (rows: readonly (readonly string[])[]): boolean[] {
  const body = rows.slice(1)
  return rows[0].map((_, i) => body.some(row => NUMBER.test(row[i])) && body.every(row => NUMBER.test(row[i]) || FILLER.test(row[i])))
}

/**
 * Lines up rows of cells in columns: numbers to the right, all else to the left.
 * @param rows the first one is the head; all of one length
 * @returns lines, each with its line end and without spaces before it
 */
export function formatTable (rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => rows.reduce((width, row) => Math.max(width, row[i].length), 0))
  const isNumeric = findNumericColumns(rows)
  return rows.map(row => {
    const cells = row.map((cell, i) => isNumeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))
    return `${cells.join('  ').trimEnd()}\n`
  }).join('')
}
