import { cutPieces } from './documents.mjs'

/** Entries are tried by weight until the table is as full as this. */
const ENTRIES = 15_000
/** How much the ranks of the vocabulary count beside the documents. */
const PRIOR = 0.5

/**
 * The table of known pieces as `findPiece` reads it.
 *
 * @returns Uint8Array of WAYS entries for each bucket
 */
export function makeTable (vocabulary, pieces, weights, library) {
  const candidates = new Map()
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const prior = []
  vocabulary.forEach((token, rank) => {
    const [piece, ...others] = cutPieces(Buffer.from(token).latin1Slice(), library)
    if (others.length === 0 && typeof piece === 'object') prior.push([piece, 1 / (rank + 3000)])
  })
  const priorTotal = prior.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [piece, weight] of prior) add(piece, 1, PRIOR * weight / priorTotal)
  pieces.forEach((piece, id) => {
    if (weights[id] > 0 && piece.tokens <= (piece.kind === library.MARKS ? 3 : 1)) add(piece, piece.tokens, weights[id] / total)
  })

  const table = new Uint8Array(2 ** library.BUCKET_BITS * library.WAYS)
  const entries = [...candidates].sort(([, a], [, b]) => b.weight - a.weight).slice(0, ENTRIES)
  for (const [key, { value }] of entries) {
    const at = library.bucketOf(key) * library.WAYS
    for (let way = 0; way < library.WAYS; way++) {
      if (table[at + way] === 0) {
        table[at + way] = library.fingerprintOf(key) | value
        break
      }
    }
  }
  return table

  function add ({ bytes, kind, lead, hash }, tokens, weight) {
    // Beyond ASCII there are too many tokens for a table of this size: with them the folds came out worse.
    if (bytes.some(byte => byte >= 0x80) || (kind === library.MARKS && bytes.length > library.LONGEST_MARKS)) return
    const key = library.keyOf(hash, lead)
    const entry = candidates.get(key) ?? { value: 0, weight: 0 }
    entry.value = kind === library.MARKS ? tokens : key !== hash ? 1 : entry.value | (lead === 0 ? 1 : 2)
    entry.weight += weight
    candidates.set(key, entry)
  }
}
