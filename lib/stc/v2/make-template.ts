import type { Document } from '../../json/document.js'
import { KIND_MASK, STRING } from '../../json/tape.js'
import type { Column, Part, RowTemplate, Source } from './column.js'
import { ABSENT, ALWAYS, DEFAULT, FILLED, OWN, TEMPLATE } from './layout.js'
import type { Nodes } from './nodes.js'
import { fitTemplate, own } from './own-range.js'
import { sampleRow } from './sample-row.js'
import { TemplateSearch } from './search-template.js'
import { Span } from './span.js'
import { isWorth, literalLength, pays } from './template-gain.js'
import { MOST_SAMPLES } from './template-samples.js'
import { readSpan } from './values.js'

/** Rows that a template is made from at first. */
export const SAMPLES = 4
/** A template is tried as a default where so many rows hold a string. */
const FEWEST_FILLED = 5
const STRINGS = 1 << STRING

/** One for all: nothing of it is kept from one search to the next. */
const searching = new TemplateSearch()
const span = new Span()
const NOTHING = new Uint8Array(0)
/** The rows that were sampled of a column. */
const sampled = new Int32Array(SAMPLES)

/** Lets go of the bytes of the document that was planned last. */
export function releaseSpans (): void {
  searching.release()
  span.bytes = NOTHING
}

/** Makes templates of columns of strings. */
export class TemplateMaker {
  private sources: Source[] = []
  /** Whether what the sources hold in rows at equal distances is loaded. */
  private areSampled = false
  private failing = 0
  private saved = 0

  constructor (private readonly document: Document, private readonly nodes: Nodes) {}

  /** Goes on with these sources, all of which may be used. */
  begin (sources: Source[]): void {
    this.sources = sources
    this.areSampled = false
    searching.begin(sources.length)
  }

  /** Says whether a source may be used. */
  setUsable (source: number, isUsable: boolean): void {
    searching.isUsable[source] = isUsable ? 1 : 0
  }

  /** Gives a column the template that tells it best, if one pays. */
  make (column: Column): void {
    const { rows } = column
    const isWhole = column.kinds === STRINGS && column.present === rows
    const strings = isWhole ? rows : this.countStrings(column)
    const mayFill = column.present === rows && strings >= FEWEST_FILLED
    const samples = isWhole ? this.sampleAll(column) : this.sampleStrings(column, strings)
    if (samples < 2) return
    const best = this.find(column, samples, strings)
    const saved = best === null ? 0 : this.saved
    if (mayFill && (best === null || best.hasOwn) && this.fill(column, samples, saved)) return
    if (best !== null) this.adopt(column, best, saved, strings)
  }

  /** A template that fits all strings of the column, or null; `saved` is what it saves. */
  private find (column: Column, samples: number, strings: number): RowTemplate | null {
    const { document, sources } = this
    for (let count = samples; count < MOST_SAMPLES; count++) {
      const template = searching.search(sources, 0, count, false)
      if (template === null) return null
      const literal = literalLength(template)
      // What is too little in some rows is no more in all.
      if (literal >= 0 && !isWorth(document, column, template, strings * literal)) return null
      if (this.fitsAll(template, column)) return template
      this.load(column, count, this.failing)
    }
    return null
  }

  private load (column: Column, k: number, r: number): void {
    const { document, nodes: { words }, sources } = this
    searching.setText(document, k, words[column.at + r])
    searching.setValues(document, words, sources, k, r)
  }

  private countStrings ({ at, rows }: Column): number {
    const { document: { tape }, nodes: { words } } = this
    let strings = 0
    for (let r = 0; r < rows; r++) if (words[at + r] !== 0 && (tape[words[at + r]] & KIND_MASK) === STRING) strings++
    return strings
  }

  /** Loads strings of rows at equal distances, and what the sources hold there; returns how many, 0 where they are all alike. */
  private sampleAll ({ at, rows }: Column): number {
    const { document, nodes: { words }, sources } = this
    const count = rows < SAMPLES ? rows : SAMPLES
    for (let k = 0; k < count; k++) searching.setText(document, k, words[at + sampleRow(k, count, rows)])
    if (searching.areAlike(count)) return 0
    if (!this.areSampled) for (let k = 0; k < count; k++) searching.setValues(document, words, sources, k, sampleRow(k, count, rows))
    this.areSampled = true
    return count
  }

  /** The same among the rows that hold a string. */
  private sampleStrings (column: Column, strings: number): number {
    const { document, nodes: { words }, sources } = this
    const { tape } = document
    const count = strings < SAMPLES ? strings : SAMPLES
    let k = 0
    let n = 0
    for (let r = 0; r < column.rows && k < count; r++) {
      const node = words[column.at + r]
      if (node === 0 || (tape[node] & KIND_MASK) !== STRING || n++ !== sampleRow(k, count, strings)) continue
      sampled[k] = r
      searching.setText(document, k++, node)
    }
    if (searching.areAlike(k)) return 0
    this.areSampled = false
    for (let n = 0; n < k; n++) searching.setValues(document, words, sources, n, sampled[n])
    return k
  }

  /** Whether the template fits all strings of a column; `saved` is what it saves then, `failing` else a row that it does not fit. */
  private fitsAll (template: RowTemplate, { at, rows }: Column): boolean {
    const { document, nodes: { words } } = this
    const { tape } = document
    let saved = 0
    for (let r = 0; r < rows; r++) {
      const node = words[at + r]
      if (node === 0 || (tape[node] & KIND_MASK) !== STRING) continue
      readSpan(document, node, span)
      if (!fitTemplate(document, words, template, span, r)) {
        this.failing = r
        return false
      }
      saved += span.end - span.start - own.end + own.start
    }
    this.saved = saved
    return true
  }

  /** Looks for a template that tells all of most strings; it is a default then. */
  private fill (column: Column, samples: number, least: number): boolean {
    const { document, sources, nodes: { words } } = this
    const { tape } = document
    let best: RowTemplate | null = null
    for (let k = 1; k < samples; k++) {
      const template = searching.search(sources, k - 1, k + 1, true)
      if (template === null || !this.fitsAnother(template, column, k, samples)) continue
      let saved = 0
      for (let r = 0; r < column.rows; r++) {
        const node = words[column.at + r]
        if ((tape[node] & KIND_MASK) !== STRING) continue
        readSpan(document, node, span)
        if (fitTemplate(document, words, template, span, r)) saved += span.end - span.start + 2
      }
      if (saved <= least * 1.1 + 8) continue
      least = saved
      best = template
    }
    if (best === null || !pays(document, words, column, best, least)) return false
    use(column, best, FILLED)
    return true
  }

  /** Whether a template fits one of the sampled rows that it was not made from; by chance it hardly does. */
  private fitsAnother (template: RowTemplate, { at, rows }: Column, k: number, samples: number): boolean {
    if (samples < 3) return true
    const { document, nodes: { words } } = this
    const { tape } = document
    for (let n = 0; n < samples; n++) {
      const r = sampleRow(n, samples, rows)
      if (n === k || n === k - 1 || (tape[words[at + r]] & KIND_MASK) !== STRING) continue
      readSpan(document, words[at + r], span)
      if (fitTemplate(document, words, template, span, r)) return true
    }
    return false
  }

  private adopt (column: Column, template: RowTemplate, saved: number, strings: number): void {
    const { document, nodes: { words } } = this
    const isPartial = strings < column.rows
    if (!template.hasOwn) saved += strings * 2
    if (!pays(document, words, column, template, saved)) return
    if (!template.hasOwn && isPartial) {
      if (column.present === column.rows) use(column, template, FILLED)
      return
    }
    use(column, template, ALWAYS)
    column.kind = template.hasOwn ? OWN : TEMPLATE
    if (!isPartial) return
    const other = column.present < column.rows ? 0 : this.firstOther(column)
    column.empty = other === 0 ? ABSENT : DEFAULT
    column.value = other
  }

  /** The first primitive that is no string; 0 where there is none. */
  private firstOther ({ at, rows }: Column): number {
    const { document: { tape }, nodes: { words } } = this
    let other = 0
    for (let r = 0; r < rows && other === 0; r++) if ((tape[words[at + r]] & KIND_MASK) > STRING) other = words[at + r]
    return other
  }
}

function use (column: Column, template: RowTemplate, empty: number): void {
  column.template = template
  column.empty = empty
  markSources(template.left)
  markSources(template.right)
}

function markSources (parts: Part[]): void {
  for (let p = 0; p < parts.length; p++) {
    const { source } = parts[p]
    if (source !== null && source.column !== null) source.column.isSource = true
  }
}
