/* eslint-disable no-template-curly-in-string -- gaps of templates, as text */
import fc from 'fast-check'
import { numberLexeme } from './nasty-json.js'

/*
 * Arbitrary lists and maps of rows that depend on each other as those of real answers do: strings that other
 * cells tell, values that most rows share, groups, lists of rows in a cell; with what may go wrong in
 * templates: gaps as text, escapes, halves of surrogate pairs, lexemes, keys of prototypes.
 */

const PIECES = ['a', 'b', 'ab', '/', '-', '.', ' ', '$', '{', '}', '${', '${}', '${a}', '$${', '\\', '"', '\n', '\u0001', 'é', '日', '😀', '\ud83d', '\ude00', '1', '10', '-0', '1e3', 'x/y',
  'https://x.io/', '.json', '\u001f', 'n', 'u', '0024{', '']
const KEYS = ['id', 'a', 'b', 'url', 'o', 'l', '__proto__', 'constructor', 'a.b', 'a b', '', '0', 'toString', 'é']

const piece = fc.constantFrom(...PIECES)
const word = fc.array(piece, { maxLength: 3 }).map(parts => parts.join(''))
const quote = (text: string): string => JSON.stringify(text)

/** One column: makes the value of a row from its index, its seed strings and the values before it. Null: no such key. */
type Make = (row: number, words: string[], before: string[]) => string | null

/** What a template would insert of a value. */
const inserted = (json: string | undefined): string => {
  if (json === undefined) return ''
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' ? value : typeof value === 'number' ? json : ''
}

const literal = fc.oneof(word.map(quote), numberLexeme, fc.constantFrom('null', 'true', 'false', '{}', '[]', '[1,2]', '{"a":1}', '[{"a":1},{"a":2}]', '"${a}"', '["${a}"]'))

const atom: fc.Arbitrary<Make> = fc.oneof(
  literal.map((value): Make => () => value),
  fc.tuple(literal, literal, fc.integer({ min: 2, max: 4 })).map(([usual, other, period]): Make => row => row % period === 1 ? other : usual),
  fc.array(literal, { minLength: 2, maxLength: 5 }).map((values): Make => row => values[row % values.length]),
  fc.constant<Make>(row => String(row)),
  fc.constant<Make>((_, words) => quote(words[0])),
  fc.tuple(word, word, word).map(([start, middle, end]): Make => (_, words, before) => quote(start + inserted(before[0]) + middle + words[1] + end)),
  fc.tuple(word, word).map(([start, end]): Make => (_, words) => quote(start + words[2] + end)),
  fc.tuple(word, fc.nat(3), fc.nat(3)).map(([start, from, second]): Make => (_row, _words, before) => quote(start + inserted(before[from]) + inserted(before[second]))),
  fc.tuple(literal, fc.integer({ min: 2, max: 4 })).map(([value, period]): Make => row => row % period === 0 ? null : value)
)

const { column } = fc.letrec<{ column: Make }>(tie => {
  const inner = fc.oneof({ maxDepth: 2, depthSize: 'small', withCrossShrink: true }, atom, tie('column'))
  const keys = fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 4 })
  const object = fc.tuple(keys, fc.array(inner, { minLength: 4, maxLength: 4 })).map(([names, makes]): Make => (row, words) => writeRow(names, makes, row, words))
  return {
    column: fc.oneof(
      { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
      atom,
      object,
      fc.tuple(object, fc.integer({ min: 2, max: 3 }), fc.constantFrom('null', '1', '"x"', '[]', null)).map(([make, period, other]): Make => (row, words, before) =>
        row % period === 1 ? other : make(row, words, before)),
      fc.tuple(object, fc.integer({ min: 1, max: 4 }), fc.constantFrom('[]', 'null', '{}', null)).map(([make, most, other]): Make => (row, words, before) =>
        row % (most + 1) === most ? other : `[${Array.from({ length: row % (most + 1) }, (_, i) => make(row + i, [...words].reverse(), before)).join()}]`)
    )
  }
})

function writeRow (names: string[], makes: Make[], row: number, words: string[]): string {
  const before: string[] = []
  const members: string[] = []
  for (let c = 0; c < names.length; c++) {
    const value = makes[c](row, words, before)
    if (value === null) continue
    before.push(value)
    members.push(`${quote(names[c])}:${value}`)
  }
  return `{${members.join()}}`
}

/** A JSON text of rows, as a list, as a map, or in an object. */
export const relatedRows = fc.tuple(
  fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 6 }),
  fc.array(column, { minLength: 6, maxLength: 6 }),
  fc.array(fc.tuple(word, word, word), { minLength: 1, maxLength: 7 }),
  fc.nat(3)
).map(([names, makes, seeds, frame]) => {
  const rows = seeds.map((words, row) => writeRow(names, makes, row, words))
  if (frame === 0) return `{${rows.map((row, i) => `"k ${i}":${row}`).join()}}`
  if (frame === 1) return `{"n":${rows.length},"rows":[${rows.join()}],"last":${rows[0]}}`
  return `[${rows.join()}]`
})
