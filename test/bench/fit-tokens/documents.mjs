import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Reads the documents of a folder as what the fit works on: for each document its source (the folder it is
 * in) and its texts, and for each text its exact tokens, the tokens that are certain (digits, blanks, line
 * breaks) and how often it holds each piece. `pieces` lists all pieces there are.
 *
 * @param library { encode, countTokens, splitsCamelCase } and lib/tokens/pieces.js
 */
export function readDocuments (folder, library) {
  const pieces = new Pieces(library)
  const documents = []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json')).sort()
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8')
    const texts = {}
    for (const codec of ['json', 'toon', 'stc']) {
      try {
        texts[codec] = pieces.read(library.encode(source, codec))
      } catch (error) {
        if (error.code !== 'ERR_CODEC_DECLINED') throw error
      }
    }
    documents.push({ file, source: dirname(file), texts })
  }
  return { documents, pieces: pieces.list }
}

class Pieces {
  list = []
  #ids = new Map()

  constructor (library) {
    this.library = library
  }

  read (text) {
    const bytes = Buffer.from(text)
    const counts = new Map()
    let certain = 0
    for (const piece of cutPieces(bytes.latin1Slice(), this.library)) {
      if (typeof piece === 'number') {
        certain += piece
      } else {
        const id = this.idOf(piece)
        counts.set(id, (counts.get(id) ?? 0) + 1)
      }
    }
    return { bytes: bytes.length, tokens: this.library.countTokens(text), certain, ids: [...counts.keys()], counts: [...counts.values()] }
  }

  idOf (piece) {
    const key = `${piece.kind} ${piece.text}`
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.list.length
      this.#ids.set(key, id)
      this.list.push({ ...piece, tokens: this.library.countTokens(Buffer.from(piece.text, 'latin1').toString()) })
    }
    return id
  }
}

/* The pieces of lib/tokens/scan.ts once more, as expressions over bytes in a Latin-1 string. */
const MARK = '[!-/:-@\\[-`{-~\\0-\\x08\\x0e-\\x1f\\x7f\\xc2\\xe2\\xef-\\xff]'
const BLANK = '[ \\t\\v\\f]'
const LETTER = 'A-Za-z\\x80-\\xc1\\xc3-\\xe1\\xe3-\\xee'
const NEUTRAL = '\\x80-\\xc1\\xc3-\\xe1\\xe3-\\xee'

function expressionOf (splitsCamelCase) {
  const word = splitsCamelCase ? `(?<capitals>[A-Z${NEUTRAL}]*)(?<small>[a-z${NEUTRAL}]*)` : `(?<capitals>[A-Z${NEUTRAL}]*)(?<small>[${LETTER}]*)`
  return new RegExp([
    '(?<digits>\\d+)',
    `(?<breaks>${BLANK}*[\\r\\n]+)`,
    `(?<lead>${BLANK}|${MARK}[\\x80-\\xbf]*(?![\\x80-\\xbf]))?(?=[${LETTER}])${word}`,
    `(?<marks> ?${MARK}(?:${MARK}|[\\x80-\\xbf])*[\\r\\n]*)`,
    `(?<blanks>${BLANK}+(?=${BLANK}))`,
    `(?<blank>${BLANK})`
  ].join('|'), 'g')
}

/** For each piece { text, kind, lead, hash, bytes }, or how many tokens it is where that is certain. */
export function * cutPieces (text, { splitsCamelCase, CAPITALS, SMALL, MARKS, hashOn }) {
  for (const { 0: whole, groups } of text.matchAll(expressionOf(splitsCamelCase))) {
    if (groups.digits !== undefined) {
      yield Math.ceil(whole.length / 3)
    } else if (groups.breaks !== undefined || groups.blanks !== undefined || groups.blank !== undefined) {
      yield 1
    } else {
      const bytes = Buffer.from(whole, 'latin1')
      const isMarks = groups.marks !== undefined
      const lead = isMarks ? '' : groups.lead ?? ''
      let hash = 0
      for (const byte of bytes.subarray(lead.length)) hash = hashOn(hash, byte)
      yield { text: whole, bytes, hash, kind: isMarks ? MARKS : groups.small === '' ? CAPITALS : SMALL, lead: lead === '' ? 0 : bytes[0] }
    }
  }
}
