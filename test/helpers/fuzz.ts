/* Seeded random input for fuzzing: the same on every run unless the environment says otherwise. */

/** From FUZZ_SEED, a whole number; else always the same. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 20261130) | 0
/** From FUZZ_RUNS: a factor for the number of runs; 1 by default. */
export const FUZZ_FACTOR = Number(process.env.FUZZ_RUNS ?? 1)

export interface Random {
  /** A whole number below `end`, 1 or more. */
  below: (end: number) => number
  pick: <T> (items: ArrayLike<T>) => T
}

/** @param stream tells sources of one seed apart */
export function createRandom (stream: number): Random {
  let state = (FUZZ_SEED ^ Math.imul(stream + 1, 0x9e3779b1)) | 0
  /* Mulberry32. */
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ state >>> 15, state | 1)
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61)
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 0x100000000 * end)
  }
  return { below, pick: (items) => items[below(items.length)] }
}

/** Changes a text in one to four places: bytes put in, left out, changed, doubled, or taken from elsewhere. */
export function mutate (bytes: Uint8Array, random: Random, alphabet: ArrayLike<number>): Buffer {
  let result = Buffer.from(bytes)
  for (let changes = 1 + random.below(1 + random.below(4)); changes > 0; changes--) {
    const at = random.below(result.length + 1)
    const end = Math.min(result.length, at + 1 + random.below(random.below(4) === 0 ? 24 : 2))
    const [head, part, tail] = [result.subarray(0, at), result.subarray(at, end), result.subarray(end)]
    const from = random.below(result.length + 1)
    switch (random.below(7)) {
      case 0: result = Buffer.concat([head, Buffer.of(random.pick(alphabet)), part, tail]); break
      case 1: result = Buffer.concat([head, tail]); break
      case 2: result = Buffer.concat([head, Buffer.of(random.pick(alphabet)), part.subarray(1), tail]); break
      case 3: result = Buffer.concat([head, part, part, tail]); break
      case 4: result = Buffer.concat([head, result.subarray(from, from + 1 + random.below(16)), part, tail]); break
      case 5: result = Buffer.concat([head, Buffer.of(random.below(256)), part.subarray(1), tail]); break
      default: result = Buffer.from(result.subarray(0, at))
    }
  }
  return result
}

/** Garbage of some bytes, made of these parts. */
export function garble (random: Random, parts: readonly string[], bytes: number): string {
  const chosen: string[] = []
  for (let size = 0; size < bytes; size += chosen[chosen.length - 1].length + 1) chosen.push(random.pick(parts))
  return chosen.join('').slice(0, bytes)
}
