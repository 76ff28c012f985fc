/*
 * A second reader of JSON that shares nothing with the one under test: slow, recursive, over strings.
 * It keeps what JSON.parse loses: lexemes, duplicates and the order of keys.
 */

export type Reference =
  | { kind: 'object', members: [string, Reference][] }
  | { kind: 'array', elements: Reference[] }
  | { kind: 'string', value: string }
  | { kind: 'number', lexeme: string }
  | { kind: 'literal', text: string }

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// eslint-disable-next-line no-control-regex -- RFC 8259 section 7 rules them out
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const BLANKS = /[ \t\r\n]*/y
const LITERAL = /true|false|null/y

export function readReference (text: string): Reference {
  let at = 0
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return null
    at += match[0].length
    return match[0]
  }
  const punctuation = (char: string): boolean => {
    take(BLANKS)
    if (text[at] !== char) return false
    at++
    return true
  }
  const fail = (): never => { throw new SyntaxError(`reference reader stopped at ${at}`) }
  const string = (): string => JSON.parse(take(STRING) ?? fail()) as string
  const value = (): Reference => {
    take(BLANKS)
    if (punctuation('{')) {
      const members: [string, Reference][] = []
      if (punctuation('}')) return { kind: 'object', members }
      do {
        take(BLANKS)
        const key = string()
        if (!punctuation(':')) fail()
        members.push([key, value()])
      } while (punctuation(','))
      return punctuation('}') ? { kind: 'object', members } : fail()
    }
    if (punctuation('[')) {
      const elements: Reference[] = []
      if (punctuation(']')) return { kind: 'array', elements }
      do elements.push(value()); while (punctuation(','))
      return punctuation(']') ? { kind: 'array', elements } : fail()
    }
    if (text[at] === '"') return { kind: 'string', value: string() }
    const lexeme = take(NUMBER)
    if (lexeme !== null) return { kind: 'number', lexeme }
    return { kind: 'literal', text: take(LITERAL) ?? fail() }
  }
  const root = value()
  take(BLANKS)
  return at === text.length ? root : fail()
}

/** The same tree with every number in one spelling: 0, or digits without zeros at the ends and a power of ten. */
export function withComparableNumbers (node: Reference): Reference {
  if (node.kind === 'object') return { kind: 'object', members: node.members.map(([key, value]) => [key, withComparableNumbers(value)]) }
  if (node.kind === 'array') return { kind: 'array', elements: node.elements.map(withComparableNumbers) }
  if (node.kind !== 'number') return node
  const [, sign, integer, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(node.lexeme) as RegExpExecArray
  let digits = BigInt(integer + fraction)
  let power = BigInt(exponent) - BigInt(fraction.length)
  if (digits === 0n) return { kind: 'number', lexeme: '0' }
  while (digits % 10n === 0n) {
    digits /= 10n
    power++
  }
  return { kind: 'number', lexeme: `${sign}${digits}e${power}` }
}

/** Whether every number is one that JSON.parse keeps, no key stands twice, and no surrogate is alone. */
export function isExactInJavaScript (node: Reference): boolean {
  switch (node.kind) {
    case 'object':
      return new Set(node.members.map(([key]) => key)).size === node.members.length &&
        node.members.every(([key, value]) => key.isWellFormed() && !/^(0|[1-9]\d*)$/.test(key) && isExactInJavaScript(value))
    case 'array':
      return node.elements.every(isExactInJavaScript)
    case 'string':
      return node.value.isWellFormed()
    case 'number': {
      const value = Number(node.lexeme)
      if (!Number.isFinite(value)) return false
      const [written, rounded] = [node.lexeme, String(value)].map(lexeme => withComparableNumbers({ kind: 'number', lexeme }))
      return JSON.stringify(written) === JSON.stringify(rounded)
    }
    default:
      return true
  }
}

/** The most compact text of the tree, with every lexeme kept. */
export function writeReference (node: Reference): string {
  switch (node.kind) {
    case 'object':
      return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}:${writeReference(value)}`).join()}}`
    case 'array':
      return `[${node.elements.map(writeReference).join()}]`
    case 'string':
      return JSON.stringify(node.value)
    case 'number':
      return node.lexeme
    default:
      return node.text
  }
}
