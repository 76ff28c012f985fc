/**
 * Lines up rows of cells in columns: numbers to the right, all else to the left.
 * @param rows the first one is the head; all of one length
 * @returns lines, each with its line end and without spaces before it
 */
export function formatTable (rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map(row => row[i].length)))
  const isNumeric = rows[0].map((_, i) => rows.slice(1).some(row => /^\d/.test(row[i])))
  return rows.map(row => {
    const cells = row.map((cell, i) => isNumeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))
    return `${cells.join('  ').trimEnd()}\n`
  }).join('')
}
