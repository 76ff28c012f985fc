/** A source of numbers that is the same on every run: the sample data must have the same bytes each time. */
export interface Seed {
  /** A whole number from `least` to `most`, both included. */
  between (least: number, most: number): number
  /** One of `items`, which must not be empty. */
  pick<T> (items: readonly T[]): T
}

/**
 * Starts a xorshift generator (Marsaglia, 32 bits). Not for anything that must not be guessed.
 * @param start any whole number but 0, which xorshift never leaves
 */
export function createSeed (start: number): Seed {
  let state = start | 0
  function between (least: number, most: number): number {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return least + (state >>> 0) % (most - least + 1)
  }
  return {
    between,
    pick: items => items[between(0, items.length - 1)]
  }
}
