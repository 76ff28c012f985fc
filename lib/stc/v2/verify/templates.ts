import { KEY, KIND_MASK, NUMBER, STRING } from '../../../json/tape.js'
import { FilledString } from '../filled-string.js'
import { OWN_PART } from '../layout.js'
import type { Field, Template } from '../layout.js'
import type { Span } from '../span.js'
import { isSpelledAlike } from '../values.js'
import { matchSpelling } from './match-spelling.js'
import { noted } from './row-notes.js'
import { ValueVerifier } from './values.js'

/** A template or copy that waits for the end of its row. */
class Pending {
  field: Field | null = null
  /** The value in the document, or -1 where the row has no such key. */
  node = 0
  /** Where in the text the row's own cell starts; 0 where it has none. */
  own = 0
  ownEnd = 0
}

/** How many bytes the spelling of a character may have for each of its bytes elsewhere: \u0041 is an A. */
const LONGEST_SPELLING = 6

/* Shared, since one text is verified at a time and nothing is kept of it. */
const pendings: Pending[] = []

/** Compares what templates and copies bring, when the cells that they refer to are known. */
export abstract class TemplateVerifier extends ValueVerifier {
  /** The node of the row's key; -1 where it has none. */
  protected rowKey = -1
  /** Whether templates and copies of the row may stand before the cells that they refer to. */
  protected looksAhead = false
  protected pendingTo = 0
  private filled: FilledString | null = null

  /** Compares what a field brings to its node, now or at the end of the row; -1 where the row has no such key. */
  protected bring (field: Field, node: number, own: number, ownEnd: number, base: number): boolean {
    if (!this.looksAhead) return this.isBrought(field, node, own, ownEnd, base)
    if (this.pendingTo === pendings.length) pendings.push(new Pending())
    const pending = pendings[this.pendingTo++]
    pending.field = field
    pending.node = node
    pending.own = own
    pending.ownEnd = ownEnd
    return true
  }

  protected settle (first: number, base: number): boolean {
    for (let p = first; p < this.pendingTo; p++) {
      const pending = pendings[p]
      const field = pending.field as Field
      pending.field = null
      if (!this.isBrought(field, pending.node, pending.own, pending.ownEnd, base)) return false
    }
    return true
  }

  private isBrought (field: Field, node: number, own: number, ownEnd: number, base: number): boolean {
    return field.copy >= 0 ? this.isCopy(field, node, base) : this.isFilled(field.template as Template, node, own, ownEnd, base)
  }

  private isCopy ({ copy }: Field, node: number, base: number): boolean {
    const original = noted[base + 2 * copy]
    if (original < 0 || node < 0) return original === node
    if (isSpelledAlike(this.document, original, node)) return true
    // A number in the text may begin with another, and one that is spelled otherwise is not the same.
    return (this.tape[node] & KIND_MASK) <= STRING && this.reread(noted[base + 2 * copy + 1], 0, node)
  }

  /** Whether a string of the document is what the template makes of this row. */
  private isFilled (template: Template, node: number, own: number, ownEnd: number, base: number): boolean {
    const { literals, parts } = template
    const { source, tape } = this
    let at = tape[node + 1]
    const end = tape[node + 2]
    const [first] = literals
    if (!this.isPart(first.bytes, first.start, first.end, at, end)) return this.isFilledSlowly(template, node, own, ownEnd, base)
    at += first.end - first.start
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      let bytes = source
      let from = 0
      let to = 0
      if (part === OWN_PART) {
        bytes = this.text
        from = own + 1
        to = ownEnd - 1
      } else {
        const cell = part >= 0 ? noted[base + 2 * part] : this.rowKey
        if (cell < 0 || !isInsertable(tape[cell] & KIND_MASK)) return false
        from = tape[cell + 1]
        to = part >= 0 ? tape[cell + 2] : this.keyEnd(cell)
      }
      if (!this.isPart(bytes, from, to, at, end)) return this.isFilledSlowly(template, node, own, ownEnd, base)
      at += to - from
      const literal = literals[p + 1]
      if (!this.isPart(literal.bytes, literal.start, literal.end, at, end)) return this.isFilledSlowly(template, node, own, ownEnd, base)
      at += literal.end - literal.start
    }
    return at === end || this.isFilledSlowly(template, node, own, ownEnd, base)
  }

  private isPart (bytes: Uint8Array, from: number, to: number, at: number, end: number): boolean {
    const { source, text } = this
    const next = at + to - from
    if (next > end) return false
    if (bytes === text) return this.matchSpan(from, at, next) >= 0
    for (; from < to; from++, at++) if (bytes[from] !== source[at]) return false
    return true
  }

  /** The same for strings that are spelled in several ways. */
  private isFilledSlowly ({ literals, parts }: Template, node: number, own: number, ownEnd: number, base: number): boolean {
    const { source, tape, text } = this
    // With more it says more than the string, however that is spelled: or a text could ask for the square of its length.
    const most = LONGEST_SPELLING * (tape[node + 2] - tape[node + 1])
    const filled = this.startFilled(literals[0])
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      if (part === OWN_PART) {
        filled.append(text, own + 1, ownEnd - 1)
      } else {
        const cell = part >= 0 ? noted[base + 2 * part] : this.rowKey
        if (cell < 0 || !isInsertable(tape[cell] & KIND_MASK)) return false
        filled.append(source, tape[cell + 1], part >= 0 ? tape[cell + 2] : this.keyEnd(cell))
      }
      filled.appendSpan(literals[p + 1])
      if (filled.length > most) return false
    }
    return this.saysFilled(tape[node + 1], filled)
  }

  /** A string that starts so, to be put together; most texts need none. */
  protected startFilled (literal: Span): FilledString {
    const filled = this.filled ??= new FilledString()
    filled.clear()
    filled.appendSpan(literal)
    return filled
  }

  /** Whether what was put together says the same as the string at `from` in the source. */
  protected saysFilled (from: number, filled: FilledString): boolean {
    const string = filled.take()
    return matchSpelling(this.document, from, string, 0, string.length) === string.length
  }
}

function isInsertable (kind: number): boolean {
  return kind === STRING || kind === NUMBER || kind === KEY
}
