/** Which of so many rows is sample k of `count`, at equal distances; there are no more samples than rows. */
export function sampleRow (k: number, count: number, rows: number): number {
  return count === rows ? k : Math.floor(k * (rows - 1) / (count - 1))
}
