/** A seeded generator of numbers in [0, 1), so that every run makes the same data (xorshift32). */
export function makeRandom (seed) {
  let state = 2166136261
  for (const char of seed) state = Math.imul(state ^ char.codePointAt(0), 16777619)
  state = state || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}
