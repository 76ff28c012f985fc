/** A part of a whole, 1 being all of it, in percent with one decimal. */
export function formatShare (share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
