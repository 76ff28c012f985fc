import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encode as oracleEncode } from '@toon-format/toon'
import t from 'tap'
import { CODECS, DEFAULT_CODINGS, Document, choose, countTokens, decode, encode, isEqual, minify } from '../../lib/index.js'
import { isExactInJavaScript, readReference, withComparableNumbers, writeReference } from '../helpers/reference-json.js'

/* Real payloads, which are not part of this project: skipped where they are not beside it. */
const CORPUS = process.env.TOKEN_GATEWAY_CORPUS ?? join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(CORPUS)
const files = isMissing ? [] : readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json')).sort()

t.test('every real payload comes back from every codec, or is declined for a stated reason', { skip: isMissing && 'no corpus' }, async t => {
  const declined: string[] = []
  let sameAsPackage = 0
  for (const file of files) {
    const bytes = readFileSync(join(CORPUS, file))
    const document = Document.parse(bytes)
    const reference = readReference(bytes.toString().replace(/^\ufeff/, ''))
    t.equal(minify(document), writeReference(reference), `${file}: minified`)
    for (const { name, measure, encode: write, verify } of Object.values(CODECS)) {
      const size = measure(document, {})
      if (typeof size === 'string') {
        if (DEFAULT_CODINGS.includes(name)) declined.push(`${file}: ${name} ${size}`)
        continue
      }
      const text = write(document, {}, size)
      const back = decode(text, name)
      const keepsLexemes = name !== 'toon' && name !== 'toon-flatten'
      t.equal(text.length, size, `${file}: ${name} measured`)
      t.ok(verify(text, document, {}), `${file}: ${name} verified`)
      t.ok(isEqual(Document.parse(back), document, keepsLexemes ? 'lexeme' : 'value'), `${file}: ${name} equal`)
      if (keepsLexemes) t.equal(back, minify(document), `${file}: lexemes kept`)
      else t.strictSame(withComparableNumbers(readReference(back)), withComparableNumbers(reference), `${file}: values kept`)
    }
    if (isExactInJavaScript(reference)) {
      sameAsPackage++
      t.equal(encode(document, 'toon'), oracleEncode(JSON.parse(bytes.toString())), `${file}: TOON as the package`)
    }
    const byTokens = choose(bytes, { measure: 'tokens' }).text
    t.ok(await countTokens(byTokens) <= await countTokens(minify(document)), `${file}: no more tokens than minified JSON`)
    t.ok(choose(bytes).decision.bytesAfter <= document.minifiedBytes, `${file}: never worse`)
  }
  t.ok(sameAsPackage > files.length / 2)
  t.same(declined, ['nasty/slack-stars-duplicate-keys.json: toon declined-duplicate-keys'])
})
