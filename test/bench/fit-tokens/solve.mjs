/** Of the summed weights: keeps weights of rare pairs small. */
const RIDGE = 1e-6
const ROUNDS = 60

/**
 * Weights for the pieces that the table does not know, by weighted ridge regression with conjugate gradients.
 * The weights that do not depend on pairs are drawn to what holds without any data: a known
 * word with a lead is two tokens, an unknown one three.
 *
 * @returns { pairs: Int8Array, bases: Int16Array } as lib/tokens/model.ts unpacks them
 */
export function solve (pieces, weights, table, library) {
  const { BASES, PAIR_BITS, LEAD_BASE, LENGTH_BASE } = library
  const size = BASES + 2 ** PAIR_BITS
  const expected = new Float64Array(size)
  expected.fill(2, 0, LEAD_BASE)
  expected.fill(3, LEAD_BASE, LENGTH_BASE)
  expected[LEAD_BASE] = 2
  const rows = []
  let total = 0
  pieces.forEach((piece, id) => {
    const columns = columnsOf(piece, table, library)
    if (weights[id] === 0 || columns === null) return
    let rest = piece.tokens
    for (const column of columns) rest -= expected[column]
    rows.push({ columns, rest, weight: weights[id] })
    total += weights[id]
  })

  const ridge = new Float64Array(size).fill(RIDGE * total)
  ridge.fill(RIDGE * total * 0.05, LEAD_BASE, BASES)
  const residual = new Float64Array(size)
  const scale = ridge.slice()
  for (const { columns, rest, weight } of rows) {
    for (const column of columns) {
      residual[column] += weight * rest
      scale[column] += weight
    }
  }
  const solution = new Float64Array(size)
  const scaled = residual.map((value, i) => value / scale[i])
  const direction = scaled.slice()
  let progress = dot(residual, scaled)
  const enough = progress * 1e-10
  for (let round = 0; round < ROUNDS && progress > enough; round++) {
    const image = direction.map((value, i) => value * ridge[i])
    for (const { columns, weight } of rows) {
      let sum = 0
      for (const column of columns) sum += direction[column]
      for (const column of columns) image[column] += sum * weight
    }
    const step = progress / dot(direction, image)
    for (let i = 0; i < size; i++) {
      solution[i] += step * direction[i]
      residual[i] -= step * image[i]
      scaled[i] = residual[i] / scale[i]
    }
    const next = dot(residual, scaled)
    for (let i = 0; i < size; i++) direction[i] = scaled[i] + next / progress * direction[i]
    progress = next
  }
  for (let i = 0; i < size; i++) solution[i] += expected[i]
  return {
    pairs: Int8Array.from(solution.subarray(BASES), value => clamp(Math.round(value * library.PAIRS_IN_TOKEN), 127)),
    bases: Int16Array.from(solution.subarray(0, BASES), value => clamp(Math.round(value * library.UNITS), 32767))
  }
}

/** The weights that make up the tokens of a piece; null where the table tells them. */
function columnsOf ({ bytes, kind, lead, hash }, table, library) {
  const { BASES, KNOWN_BASE, LEAD_BASE, LENGTH_BASE, LENGTHS, LONGEST_MARKS, MARKS, MARKS_BASE } = library
  const value = library.findPiece(table, hash)
  let base
  if (kind === MARKS) {
    if (value !== 0 && bytes.length <= LONGEST_MARKS) return null
    base = MARKS_BASE + (bytes[0] === 0x20 ? 1 : 0)
  } else {
    const bit = lead === 0 ? 1 : 2
    const isKnown = lead === 0 || lead === 0x20 ? (value & bit) !== 0 : library.findPiece(table, library.keyOf(hash, lead)) !== 0
    if (isKnown) return null
    if (value !== 0) return [KNOWN_BASE + (value - 1) * 128 + library.leadIndex(lead)]
    base = LEAD_BASE + library.leadIndex(lead)
  }
  const length = bytes.length - (lead === 0 ? 0 : 1)
  const columns = [base, LENGTH_BASE + kind * LENGTHS + Math.min(length, LENGTHS - 1)]
  for (let i = 1; i < bytes.length; i++) columns.push(BASES + library.pairIndex(bytes[i - 1], bytes[i]))
  return columns
}

function dot (a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

function clamp (value, limit) {
  return Math.max(-limit, Math.min(limit, value))
}
