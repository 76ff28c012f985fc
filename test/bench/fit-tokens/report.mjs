const MARGINS = [0, 0.005, 0.01, 0.015, 0.02, 0.03]

/**
 * Prints how far estimates are from exact counts: of the ratio to minified JSON, and what choosing by them does.
 *
 * @param estimates tokens by piece, for all documents; or by document in `each`
 */
export function report (documents, pieces, estimates, each) {
  const errors = { toon: [], stc: [], json: [] }
  const choices = new Map()
  const rows = []
  documents.forEach(({ source, texts: { json, ...others } }, i) => {
    const tokensOf = estimates ?? each[i]
    const before = add(json, tokensOf)
    errors.json.push(Math.abs(before.tokens / json.tokens - 1))
    for (const [codec, text] of Object.entries(others)) {
      const after = add(text, tokensOf)
      const estimated = after.tokens / before.tokens
      const exact = text.tokens / json.tokens
      errors[codec].push(Math.abs(estimated - exact))
      if (text.bytes >= json.bytes) continue
      rows.push({ source, codec, bytes: text.bytes / json.bytes, estimated, exact, guessed: (before.guessed + after.guessed) / 2 / before.tokens, tokens: before.tokens })
      for (const margin of MARGINS) {
        const key = `${codec} ${margin}`
        const sum = choices.get(key) ?? { smaller: 0, winners: 0, adopted: 0, wrong: 0, bad: 0, kept: 0, all: 0 }
        choices.set(key, sum)
        sum.smaller++
        if (exact < 1) {
          sum.winners++
          sum.all += 1 - exact
        }
        if (estimated < 1 - margin) {
          sum.adopted++
          sum.kept += 1 - exact
          if (exact >= 1) sum.wrong++
          if (exact > 1.01) sum.bad++
        }
      }
    }
  })
  for (const [name, list] of Object.entries(errors)) {
    list.sort((a, b) => a - b)
    const at = share => (100 * list[Math.min(list.length - 1, Math.floor(list.length * share))]).toFixed(2)
    console.log(`${name === 'json' ? 'tokens of JSON' : `ratio of ${name}`}: error in % median ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)}`)
  }
  for (const [key, { smaller, winners, adopted, wrong, bad, kept, all }] of choices) {
    console.log(`margin ${key}: ${smaller} smaller in bytes, ${winners} in tokens; ${adopted} adopted, ${wrong} wrong, ${bad} by over 1 %; ${(100 * kept / all).toFixed(1)} % of what can be saved`)
  }
  return rows
}

function add (text, tokensOf) {
  let tokens = text.certain
  let guessed = 0
  text.ids.forEach((id, i) => {
    const each = tokensOf[id]
    tokens += Math.abs(each) * text.counts[i]
    if (each < 0) guessed -= each * text.counts[i]
  })
  return { tokens, guessed }
}
