import { isDigit } from '../../../json/bare.js'
import type { Document } from '../../../json/document.js'
import { readCharacter, readTo } from '../../../json/read-character.js'
import { KEY, KIND_MASK, OBJECT, nextNode } from '../../../json/tape.js'
import { HeaderSource } from '../decode.js'
import type { Layout } from '../layout.js'
import { growNotes, noted } from './row-notes.js'
import { TemplateVerifier } from './templates.js'
import { IS_KEY_BYTE } from './values.js'

/** Compares the rows of tables with objects of the document. */
export abstract class RowVerifier extends TemplateVerifier {
  private readonly headers = new HeaderSource()
  private areHeadersBegun = false
  protected hasCell = false
  /** The next member of the object that is read, and where its members end. */
  protected at = 0
  protected last = 0
  /** How much is noted of open rows. */
  private notedTo = 0

  protected override begin (text: Uint8Array, document: Document, maxDepth: number): void {
    super.begin(text, document, maxDepth)
    this.areHeadersBegun = false
  }

  /** The cells of a row, or of a group in it. */
  protected abstract cells (layout: Layout, base: number): boolean

  protected tableRows (at: number, end: number, isInner: boolean): number {
    const { tape, rowKey } = this
    const isKeyed = this.text[this.i] === 0x7b
    if (!this.take(isKeyed ? 0x7b : 0x5b)) return -1
    const count = this.count()
    if (count === 0 || !this.take(isKeyed ? 0x7d : 0x5d)) return -1
    const layout = this.header(isKeyed)
    if (layout === null || !this.take(0x3a) || (!isInner && !this.take(0x0a))) return -1
    for (let r = 0; r < count; r++) {
      if (at >= end || (isInner && r > 0 && !this.take(0x2f))) return -1
      if (isKeyed) {
        if ((tape[at] & KIND_MASK) !== KEY || !this.startKeyed(layout, at)) return -1
        at += 3
      }
      if (!this.row(layout, at) || (!isInner && !this.take(0x0a))) return -1
      at = nextNode(tape, at)
    }
    this.rowKey = rowKey
    return at
  }

  /**
   * The header that stands here; null where it is no UTF-8. The rest of a text is as the document has it, so that
   * it is UTF-8 where the document is.
   */
  private header (isKeyed: boolean): Layout | null {
    const start = this.i
    const { headers } = this
    if (!this.areHeadersBegun) {
      headers.begin(this.text, this.maxDepth, this.textView)
      this.areHeadersBegun = true
    }
    const layout = headers.read(start, isKeyed, this.depth)
    this.i = headers.position
    return this.isUtf8(start, this.i) ? layout : null
  }

  /** Whether the text up to an ASCII character is UTF-8. */
  private isUtf8 (start: number, end: number): boolean {
    const { text, textView } = this
    const last = end - 4
    let i = start
    while (i < end) {
      if (i <= last && (textView.getInt32(i, true) & 0x80808080) === 0) i += 4
      else if (text[i] < 0x80) i++
      else if (readCharacter(text, i, end) < 0) return false
      else i = readTo()
    }
    return true
  }

  /** The key of a row and its colon. */
  protected startKeyed ({ keyTemplate }: Layout, node: number): boolean {
    this.rowKey = node
    if (keyTemplate === null) return this.key(node) && this.take(0x3a)
    const { text, i: start } = this
    const end = this.skipKey()
    if (end < 0) return false
    const quote = text[start] === 0x22 ? 1 : 0
    const filled = this.startFilled(keyTemplate.literals[0])
    filled.append(text, start + quote, end - quote)
    filled.appendSpan(keyTemplate.literals[1])
    this.i = end
    return this.saysFilled(this.tape[node + 1], filled) && this.take(0x3a)
  }

  /** Behind the key that stands here; -1 where none does. */
  private skipKey (): number {
    const { text } = this
    if (text[this.i] === 0x22) return this.skipString(this.i)
    let { i } = this
    if (isDigit(text[i])) return -1
    while (IS_KEY_BYTE[text[i]] === 1) i++
    return i > this.i ? i : -1
  }

  protected row (layout: Layout, node: number): boolean {
    const { at, hasCell, last, looksAhead, tape } = this
    if ((tape[node] & KIND_MASK) !== OBJECT || ++this.depth > this.maxDepth) return false
    const base = this.notedTo
    const firstPending = this.pendingTo
    if (layout.slots > 0) {
      const to = base + 2 * layout.slots
      if (to > noted.length) growNotes(to)
      for (let n = base; n < to; n++) noted[n] = -1
      this.notedTo = to
    }
    this.at = node + 6
    this.last = tape[node + 2]
    this.hasCell = false
    this.looksAhead = layout.looksAhead
    if (!this.cells(layout, base) || this.at !== this.last) return false
    if (this.pendingTo > firstPending) {
      if (!this.settle(firstPending, base)) return false
      this.pendingTo = firstPending
    }
    this.at = at
    this.last = last
    this.hasCell = hasCell
    this.looksAhead = looksAhead
    this.depth--
    this.notedTo = base
    return true
  }
}
