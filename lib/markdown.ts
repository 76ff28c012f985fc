import { toBytes } from './json/utf8.js'

const BACKTICK = 0x60
const NEWLINE = toBytes('\n')

/**
 * What stands before and behind JSON in a fenced code block (CommonMark 0.31 section 4.5): a fence longer than every run
 * of backticks in it, and at least three.
 */
export function makeFence (json: Uint8Array): { before: Uint8Array, after: Uint8Array } {
  let longest = 0
  let run = 0
  for (let i = json.indexOf(BACKTICK); i >= 0 && i < json.length; i++) {
    run = json[i] === BACKTICK ? run + 1 : 0
    if (run > longest) longest = run
  }
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return { before: toBytes(`${fence}json\n`), after: toBytes(`\n${fence}`) }
}

/** JSON as Markdown (text/markdown): in a fenced code block, a line feed behind it. */
export function toMarkdown (json: Uint8Array): Uint8Array {
  const { before, after } = makeFence(json)
  const text = new Uint8Array(before.length + json.length + after.length + 1)
  text.set(before)
  text.set(json, before.length)
  text.set(after, before.length + json.length)
  text.set(NEWLINE, text.length - 1)
  return text
}

/**
 * The JSON in a text that `toMarkdown` made.
 *
 * @throws TypeError where the text is no such block
 */
export function fromMarkdown (text: string): string {
  const block = /^(`{3,})json\n([^]*)\n\1\n?$/.exec(text)
  if (block === null) throw new TypeError('no JSON in a fenced block')
  return block[2]
}
