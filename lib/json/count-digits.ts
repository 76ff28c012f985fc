/** How many decimal digits a count has. */
export function countDigits (count: number): number {
  let digits = 1
  for (let bound = 10; count >= bound; bound *= 10) digits++
  return digits
}
