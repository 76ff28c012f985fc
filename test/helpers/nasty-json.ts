import fc from 'fast-check'

/*
 * Arbitrary JSON texts, as nasty as real ones: numbers that no double holds, escapes in every spelling,
 * lone surrogates, duplicate, integer-like and prototype keys, blanks everywhere, and rows that
 * are uniform, nearly uniform, or uniform but for the order of their keys.
 */

const KEYS = ['id', 'name', 'a', 'b', 'a.b', 'a b', '', '0', '1', '10', '__proto__', 'constructor', 'toString', 'length', 'é', '日本',
  'x:y', 'k[1]', 'q"t', 'b\\s', 'line\nend', '-', '#', 'true', '\u0001', '\b', '😀', '\ufeff', '_x', 'A1']

const TRICKY = ['', ' ', ' x', 'x ', 'true', 'false', 'null', '42', '-1', '+1', '1e5', '05', '1.0', '-', '- a', '#', '# c', '[2]: x', 'a,b', 'a|b', 'a\tb',
  'a:b', '{a}', '[]', '"', '\\', 'C:\\tmp', '\n', '\r\n', '\u0000', '\b\f', '\u001f', '\u007f', '\u2028', '\ufeff', '\ufeffx', 'é', '日本', '😀', '\u00a0', '\u00a0x',
  'x"', '"x"', '/', ' / ', '1/2', '1e', '.5', '5.', '0x10', 'Infinity', 'NaN', 'nul', 'truex', 'a"b,c', '1 2', '- ', '-x', 'key: value', 'a, b, c']

export const numberLexeme = fc.oneof(
  { weight: 4, arbitrary: fc.integer().map(String) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value)) },
  fc.constantFrom('0', '-0', '0.0', '-0.0', '1.0', '1.50', '100', '1e5', '1E5', '1e+5', '1E-5', '1e400', '-1e400', '1e-400', '0e0', '0e999999999999999999999',
    '12345678901234567890', '-12345678901234567890', '9007199254740993', '10038000307000729', '0.98999999999999999112', '0.000001', '0.0000001',
    '0.00000012', '123456789012345678901', '1234567890123456789012', '100000000000000000000', '1000000000000000000000', '999999999999999999999.9',
    '1e999999999999999999999', '2.5e-7', '25e-8', '1e21', '1e20', '1e-6', '1e-7', '0.1e1', '0.00', '1234.5600e-2'),
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: -40, max: 40 }), fc.boolean())
    .map(([integer, fraction, exponent, negative]) => `${negative ? '-' : ''}${integer}.${fraction}e${exponent}`)
)

const anyString = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.constantFrom(...TRICKY), { maxLength: 4 }).map(parts => parts.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 }).map(units => String.fromCharCode(...units)),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 4 }).map(units => String.fromCharCode(...units))
)

/** A JSON string literal of the value, where each character may be written in any way that JSON has. */
function spell (value: string, choices: number[]): string {
  let text = '"'
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    const choice = choices.length === 0 ? 0 : choices[i % choices.length]
    const escape = `\\u${unit.toString(16).padStart(4, '0')}`
    const isSurrogate = (unit & 0xf800) === 0xd800
    if (choice === 1) text += escape
    else if (choice === 2) text += escape.toUpperCase().replace('\\U', '\\u')
    else if (choice === 3 && value[i] === '/') text += '\\/'
    else text += isSurrogate ? escape : JSON.stringify(value[i]).slice(1, -1)
  }
  return `${text}"`
}

const stringLiteral = fc.tuple(anyString, fc.array(fc.constantFrom(0, 0, 0, 0, 1, 2, 3), { maxLength: 6 })).map(([value, choices]) => spell(value, choices))
const keyLiteral = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS).map(key => JSON.stringify(key)) },
  fc.tuple(fc.constantFrom(...KEYS), fc.array(fc.constantFrom(0, 1, 2), { maxLength: 3 })).map(([key, choices]) => spell(key, choices)),
  stringLiteral
)
const blank = fc.oneof({ weight: 5, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\n', '\t', '\r\n', '\n    '))
const primitive = fc.oneof(stringLiteral, stringLiteral, numberLexeme, fc.constantFrom('true', 'false', 'null'))

const object = (members: string[][], space: string): string => `{${space}${members.map(([key, value]) => `${key}${space}:${value}`).join(`${space},`)}${space}}`
const array = (elements: string[], space: string): string => `[${space}${elements.join(`${space},${space}`)}${space}]`

/** Rows of the same keys; `twist` leaves them so, swaps keys, drops one, or puts null, {} or [] in a cell. */
function rows (value: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  const keys = fc.uniqueArray(keyLiteral, { minLength: 1, maxLength: 4 })
  return fc.tuple(keys, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 9 }), blank).chain(([names, count, twist, space]) =>
    fc.array(fc.tuple(...names.map(() => value)), { minLength: count, maxLength: count }).map(values => values.map((cells, index) => {
      const members = names.map((name, column) => [name, cells[column]])
      const isLast = index === count - 1
      if (isLast && twist === 5) members.reverse()
      if (isLast && twist === 6) members.pop()
      if (isLast && twist === 7) members[0] = [names[0], 'null']
      if (isLast && twist === 8) members[0] = [names[0], '{}']
      if (isLast && twist === 9) members[0] = [names[0], '[]']
      return object(members, space)
    })))
}

const { value } = fc.letrec<{ value: string, group: string }>(tie => {
  const inner = fc.oneof({ depthSize: 'small', withCrossShrink: true }, primitive, tie('value'))
  const nestedRow = rows(fc.oneof({ weight: 3, arbitrary: primitive }, { weight: 1, arbitrary: tie('group') }))
  return {
    group: fc.tuple(fc.constantFrom('"p"', '"q"'), primitive, primitive).map(([key, x, y]) => object([[key, x], ['"r"', y]], '')),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      primitive,
      fc.tuple(fc.array(inner, { maxLength: 4 }), blank).map(([elements, space]) => array(elements, space)),
      fc.tuple(fc.array(primitive, { maxLength: 5 }), blank).map(([elements, space]) => array(elements, space)),
      fc.tuple(fc.array(fc.tuple(keyLiteral, inner), { maxLength: 4 }), blank).map(([members, space]) => object(members, space)),
      fc.tuple(rows(primitive), blank).map(([elements, space]) => array(elements, space)),
      fc.tuple(nestedRow, blank).map(([elements, space]) => array(elements, space)),
      fc.tuple(rows(inner), blank).map(([elements, space]) => array(elements, space)),
      fc.tuple(rows(primitive), fc.uniqueArray(keyLiteral, { minLength: 4, maxLength: 4 }), blank)
        .map(([elements, names, space]) => object(elements.map((element, index) => [names[index], element]), space))
    )
  }
})

/** Any JSON text, blanks around it included. */
export const jsonText = fc.tuple(blank, value, blank).map(parts => parts.join(''))
