import type { Answer } from './answer.js'
import { compareDecimals, divideDecimal, parseDecimal } from './decimal.js'

/*
 * What counts as right is the value, not its dress. Read are the whole reply, and its last line, so that a model may
 * think aloud before; of each: blanks around it, a fence, bold or code marks, quotes and a leading "Answer:" are taken off.
 *
 *   number   equal by value: 1,234.50 is 1234.5. Where the question asks to round, more places are rounded first.
 *   string   equal character by character, letter case and blanks within included; composed and decomposed letters are equal.
 *   boolean  true or yes, false or no, in any case; null: null or none, in any case
 *   list     the same items in any order, each as often; a JSON array, or items parted by commas or lines, maybe with bullets
 *
 * Words around the value are wrong: the prompt asks for none, and who looks for the value among words finds it in wrong replies too.
 */

/** Whether a reply says what the answer says. */
export function isRight (reply: string, answer: Answer): boolean {
  const whole = undress(reply)
  if (says(whole, answer)) return true
  const last = undress(whole.slice(whole.lastIndexOf('\n') + 1))
  // The last of several items is no list of one.
  return (answer.type !== 'list' || last.startsWith('[')) && says(last, answer)
}

function undress (text: string): string {
  let bare = text.trim()
  const fenced = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(bare)
  if (fenced !== null) bare = fenced[1].trim()
  bare = bare.replace(/^(?:\*\*)?answer:(?:\*\*)?\s+/i, '')
  return (/^\*\*([^*\n]+)\*\*$/.exec(bare)?.[1] ?? /^`([^`\n]+)`$/.exec(bare)?.[1] ?? bare).trim()
}

function unquote (text: string): string {
  return /^"([^"\n]*)"$/.exec(text)?.[1] ?? /^'([^'\n]*)'$/.exec(text)?.[1] ?? text
}

function says (text: string, answer: Answer): boolean {
  switch (answer.type) {
    case 'number': return isNumber(unquote(text), answer.value, answer.decimals)
    case 'string': return [text, unquote(text)].some(spelling => spelling.normalize('NFC') === answer.value.normalize('NFC'))
    case 'boolean': return (answer.value ? ['true', 'yes'] : ['false', 'no']).includes(withoutStop(unquote(text)).toLowerCase())
    case 'null': return ['null', 'none'].includes(withoutStop(unquote(text)).toLowerCase())
    case 'list': return isSameList(readList(text), answer.items)
  }
}

function withoutStop (text: string): string {
  return text.replace(/\.$/, '')
}

function isNumber (text: string, value: string, decimals?: number): boolean {
  const sign = withoutStop(text).replace(/^\u2212/, '-')
  const grouped = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(sign) ? sign.replaceAll(',', '') : sign
  const given = parseDecimal(grouped)
  const expected = parseDecimal(value)
  if (given === null || expected === null) return false
  return compareDecimals(decimals === undefined ? given : divideDecimal(given, 1, decimals), expected) === 0
}

/** The items of a list as they would be written alone. */
function readList (text: string): string[] {
  const array = readArray(text)
  if (array !== null) return array
  const lines = text.split('\n').map(line => line.replace(/^\s*(?:[-*\u2022]|\d+[.)])\s+/, '')).filter(line => line.trim() !== '')
  return (lines.length > 1 ? lines : lines.join().split(',')).map(undress)
}

/** The primitives in a JSON array; null where the text is none. */
function readArray (text: string): string[] | null {
  if (!text.startsWith('[')) return null
  // Numbers are put in quotes first: a double would round the long ones.
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, token => token.startsWith('"') ? token : `"${token}"`)
  try {
    const items = JSON.parse(quoted) as unknown[]
    return Array.isArray(items) && items.every(item => typeof item !== 'object' || item === null) ? items.map(String) : null
  } catch {
    return null
  }
}

function isSameList (items: string[], expected: Answer[]): boolean {
  if (items.length !== expected.length) return false
  const left = [...expected]
  for (const item of items) {
    const index = left.findIndex(answer => says(item, answer))
    if (index < 0) return false
    left.splice(index, 1)
  }
  return true
}
