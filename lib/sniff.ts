import type { Policy } from './choose.js'
import { CODECS } from './codec.js'
import type { Codec } from './codec.js'
import type { Reason } from './decision.js'
import { Document } from './json/document.js'
import type { ParseOptions } from './json/document.js'
import { JsonSyntaxError } from './json/errors.js'
import { cutPart, cutWhole } from './sniff/cut.js'
import type { Cut } from './sniff/cut.js'
import { outline } from './sniff/outline.js'
import type { OpenContainer } from './sniff/outline.js'
import { TokenJudge } from './token-judge.js'

/** How many bytes of a body are judged. */
export const SNIFF_BYTES = 32_768

/** How a body is judged by its first bytes. */
export interface SniffPolicy extends Policy {
  /** As for Document.parse. */
  isUtf8?: ParseOptions['isUtf8']
  /** Tells from the document that the first bytes make that the body must be read whole, whatever it may save. */
  needsWhole?: (document: Document) => boolean
}

/** What the first bytes of a body tell. */
export interface Sniffed {
  /**
   * Predicted size of the smallest accepted coding, or of minified JSON where none can hold the document, as
   * a share of the original; 1 where the bytes tell nothing.
   */
  ratio: number
  /** False: nothing that is accepted will be smaller than the original. True also where that is not certain. */
  canWin: boolean
  /** Why it cannot win: `not-json` or `not-smaller`; null where it can. */
  reason: Reason | null
}

/** A coding that is predicted to be larger by less than this factor may still win. */
const GUARD = 1.05
/** From so many values on, those that follow are taken to be like them. */
const MIN_CHILDREN = 4
/** What a container of fewer bytes says about the rest is chance. */
const MIN_PART = 1024
/** Some container must have this many bytes of complete values, else the rest may be anything. */
const MIN_EVIDENCE = SNIFF_BYTES / 4

/** What declines a part for these declines the whole; of others, such as the order of keys, one more row may make nothing. */
const FINAL_REASONS: readonly Reason[] = ['declined-duplicate-keys', 'declined-lone-surrogate', 'declined-depth']

const UNKNOWN: Sniffed = { ratio: 1, canWin: true, reason: null }

/** Whether a body may stay as it is under this policy because nothing makes it smaller. */
export function isSniffable ({ mode = 'adaptive', identityRefused = false }: Policy): boolean {
  return mode === 'adaptive' && !identityRefused
}

/**
 * Predicts from the first bytes of a body whether anything can become smaller than the original: they are
 * cut behind the last complete value, what is open is closed, and that document is measured.
 *
 * The rest is taken to be like the whole of it, or like one of the containers that are still open, so that
 * rows behind other things are not missed; only what loses in each of these is given up. Where nothing repeats
 * yet, as in one long string, it is not.
 *
 * @param prefix the first bytes, SNIFF_BYTES as a rule; more are coming
 */
export function sniff (prefix: Uint8Array, policy: SniffPolicy): Sniffed {
  const found = outline(prefix)
  const { open } = found
  const isMajor = ({ start, cut }: OpenContainer): boolean => cut - start >= prefix.length - cut
  const list = open.findIndex((container) => !container.isObject && container.children >= 2 && isMajor(container))
  const map = open.findIndex((container) => container.isObject && container.containers >= MIN_CHILDREN && isMajor(container))
  // A row that is cut would keep the others from being a table, so the cut is behind the last whole one.
  const growing = map >= 0 && (list < 0 || map < list) ? map : list
  const cut = cutWhole(prefix, found, growing)
  if (cut === null) return UNKNOWN
  const whole = judge(cut, policy)
  if (whole.canWin || whole.reason === 'not-json') return whole
  // What is inside the values of a list repeats with them, and has been judged with them.
  const parts = open.slice(0, list < 0 ? open.length : list + 1).filter(isTelling)
  // An object in an array may be a row, and that the only one so far.
  const array = open.findIndex(({ isObject }) => !isObject)
  const isEvident = parts.some((part) => part.cut - part.start >= MIN_EVIDENCE && (!part.isObject || array < 0 || open.indexOf(part) < array))
  const isLosing = isEvident && parts.every((part) => !judge(cutPart(prefix, part), policy).canWin)
  return isLosing ? whole : { ...UNKNOWN, ratio: whole.ratio }
}

function isTelling ({ start, cut, children }: OpenContainer): boolean {
  return children >= MIN_CHILDREN && cut - start >= MIN_PART
}

function judge ({ text, copied }: Cut, policy: SniffPolicy): Sniffed {
  let document: Document
  try {
    document = Document.parse(text, { isUtf8: policy.isUtf8 })
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    // Past the bytes that came all may still turn out well.
    return error.offset < copied ? { ratio: 1, canWin: false, reason: 'not-json' } : UNKNOWN
  }
  try {
    return measure(document, policy)
  } finally {
    document.dispose()
  }
}

function measure (document: Document, policy: SniffPolicy): Sniffed {
  const { minifiedBytes } = document
  const enough = minifiedBytes * (1 - (policy.minSavings ?? 0) / 100) * GUARD
  const near: { codec: Codec, size: number }[] = []
  let smallest = Infinity
  let isOpen = minifiedBytes < document.bytes.length || policy.needsWhole?.(document) === true
  for (const { codec } of policy.accepted) {
    const size = CODECS[codec].measure(document, policy)
    if (typeof size !== 'number') {
      if (!FINAL_REASONS.includes(size)) isOpen = true
      continue
    }
    smallest = Math.min(smallest, size)
    if (size <= enough) near.push({ codec: CODECS[codec], size })
  }
  const ratio = (smallest === Infinity ? minifiedBytes : smallest) / document.bytes.length
  const canWin = isOpen || (near.length > 0 && (policy.measure === 'bytes' || canSaveTokens(document, near, policy)))
  return { ratio, canWin, reason: canWin ? null : 'not-smaller' }
}

/** Whether some coding may be smaller in tokens, as far as a look at some of the values tells. */
function canSaveTokens (document: Document, near: { codec: Codec, size: number }[], policy: SniffPolicy): boolean {
  const judge = new TokenJudge(document, policy.tokenizer)
  try {
    return near.some(({ codec, size }) => !judge.isHopeless(codec, policy, size))
  } finally {
    judge.dispose()
  }
}
