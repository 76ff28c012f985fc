/** What the generated files hold, each as base64 with line breaks. */
export interface PackedWeights {
  /** WAYS bytes for each bucket. */
  pieces: string
  /** A signed byte for each pairIndex, in 1 / PAIRS_IN_TOKEN tokens. */
  pairs: string
  /** BASES signed 16-bit numbers, little endian, in 1 / UNITS tokens. */
  bases: string
}
