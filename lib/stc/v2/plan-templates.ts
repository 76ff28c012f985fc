import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { KIND_MASK, NUMBER, OBJECT, STRING } from '../../json/tape.js'
import type { Column, Part, RowTemplate, Source } from './column.js'
import { ABSENT, ALWAYS, COPY, DEFAULT, FILLED, GROUP, OWN, PLAIN, TEMPLATE } from './layout.js'
import type { Nodes } from './nodes.js'
import { fitTemplate, own } from './own-range.js'
import { MOST_SAMPLES, MOST_SOURCES, TemplateSearch } from './search-template.js'
import { Span } from './span.js'
import { isSpelledAlike, readSpan, sourceLength } from './values.js'

/** Rows that a template is made from at first. */
const SAMPLES = 4
/** A template is tried as a default where so many rows hold a string. */
const FEWEST_FILLED = 5
/** Longer texts are no sources, and shorter ones no templates. */
const LONGEST_SOURCE = 120
const SHORTEST_TARGET = 3
/** An optional group is offered so many columns from outside. */
const MOST_OUTER = 12
/** Up to so many columns, those that may be copies are compared one by one. */
const FEW_LEAVES = 16
/** A template with a cell of its own saves at least so many bytes a row; less is often no token. */
const LEAST_SAVED_BY_OWN = 3
const STRINGS = 1 << STRING
const INSERTABLE = 1 << STRING | 1 << NUMBER

/** One for all: nothing of it is kept from one search to the next. */
const searching = new TemplateSearch()
const span = new Span()
const NOTHING = new Uint8Array(0)

/** Lets go of the bytes of the document that was planned last. */
export function releaseBytes (): void {
  searching.release()
  span.bytes = NOTHING
}

/** Finds columns that other columns of their row tell, and strings that have a beginning or an end in common. */
export class TemplatePlanner {
  private sources: Source[] = []
  /** Whether what the sources hold in rows at equal distances is loaded. */
  private areSampled = false
  private failing = 0
  private saved = 0

  constructor (private readonly document: Document, private readonly nodes: Nodes) {}

  /** @param rows where the list of the rows starts */
  planRows (fields: Column[], rows: number, count: number, isKeyed: boolean): void {
    const outer: Source[] = []
    if (isKeyed) {
      const at = this.nodes.take(count)
      const { words } = this.nodes
      for (let r = 0; r < count; r++) words[at + r] = words[rows + r] - 3
      outer.push({ column: null, at })
    }
    this.scope(fields, count, outer)
  }

  /** @param outer sources outside of an optional group, listed by the rows that have it */
  private scope (fields: Column[], rows: number, outer: Source[]): void {
    const leaves: Column[] = []
    const optional: Column[] = []
    collect(fields, leaves, optional)
    const targets = leaves.filter(({ kinds, present }) => (kinds & STRINGS) !== 0 && present > 1)
    if (targets.length > 0) {
      this.sources = this.gatherSources(leaves, rows, outer)
      this.planTargets(targets, rows)
    }
    if (leaves.length > 1) this.findCopies(leaves)
    for (const column of optional) this.planOptional(column, leaves, outer)
  }

  private gatherSources (leaves: Column[], rows: number, outer: Source[]): Source[] {
    const sources = [...outer]
    for (let c = 0; c < leaves.length && sources.length < MOST_SOURCES; c++) {
      const column = leaves[c]
      if (column.present === rows && (column.kinds & ~INSERTABLE) === 0 && column.empty === ABSENT && this.isNamed(column) && !this.isLong(column)) {
        sources.push({ column, at: column.at })
      }
    }
    this.areSampled = false
    return sources
  }

  /** Whether texts are too long to be part of others. */
  private isLong ({ at, rows }: Column): boolean {
    const { document, nodes: { words } } = this
    readSpan(document, words[at + (rows >> 1)], span)
    return span.end - span.start > LONGEST_SOURCE
  }

  private loadSources (sources: Source[], k: number, r: number): void {
    const { document, nodes: { words } } = this
    for (let s = 0; s < sources.length; s++) {
      const v = s * MOST_SAMPLES + k
      readSpan(document, words[sources[s].at + r], span)
      searching.valueBytes[v] = span.bytes
      searching.valueStart[v] = span.start
      searching.valueEnd[v] = span.end
    }
  }

  private loadText (column: Column, k: number, r: number): void {
    const { document, nodes: { words } } = this
    readSpan(document, words[column.at + r], span)
    searching.textBytes[k] = span.bytes
    searching.textStart[k] = span.start
    searching.textEnd[k] = span.end
  }

  private planTargets (targets: Column[], rows: number): void {
    const lengths = targets.map(column => this.meanLength(column))
    const order = targets.map((_, t) => t).sort((a, b) => lengths[a] - lengths[b])
    for (const t of order) if (lengths[t] >= SHORTEST_TARGET) this.plan(targets[t], rows)
  }

  private meanLength ({ at, rows }: Column): number {
    const { document: { tape }, nodes: { words } } = this
    const count = Math.min(rows, SAMPLES)
    let sum = 0
    let strings = 0
    for (let k = 0; k < count; k++) {
      const node = words[at + sampleRow(k, count, rows)]
      if (node === 0 || (tape[node] & KIND_MASK) !== STRING) continue
      sum += tape[node + 2] - tape[node + 1]
      strings++
    }
    return strings === 0 ? SHORTEST_TARGET : sum / strings
  }

  private plan (column: Column, rows: number): void {
    if (column.isSource) return
    const { sources } = this
    for (let s = 0; s < sources.length; s++) {
      const source = sources[s].column
      searching.isUsable[s] = source === null || (source !== column && source.kind === PLAIN && source.empty === ABSENT) ? 1 : 0
    }
    const isWhole = column.kinds === STRINGS && column.present === rows
    const strings = isWhole ? rows : this.countStrings(column)
    const count = isWhole ? this.sampleAll(column, rows) : this.sampleStrings(column, strings)
    if (count < 2) return
    let best: RowTemplate | null = null
    let most = 0
    for (let samples = count; samples < MOST_SAMPLES; samples++) {
      const template = searching.search(sources, 0, samples)
      if (template === null) break
      if (this.fitsAll(template, column)) {
        best = template
        most = this.saved
        break
      }
      this.loadText(column, samples, this.failing)
      this.loadSources(sources, samples, this.failing)
    }
    if ((best === null || best.hasOwn) && column.present === rows && strings >= FEWEST_FILLED && this.fill(column, count, most)) return
    if (best !== null) this.adopt(column, best, most, strings)
  }

  private countStrings ({ at, rows }: Column): number {
    const { document: { tape }, nodes: { words } } = this
    let strings = 0
    for (let r = 0; r < rows; r++) if (words[at + r] !== 0 && (tape[words[at + r]] & KIND_MASK) === STRING) strings++
    return strings
  }

  /** Loads strings of rows at equal distances, and what the sources hold there. */
  private sampleAll (column: Column, rows: number): number {
    const count = Math.min(rows, SAMPLES)
    for (let k = 0; k < count; k++) {
      const r = sampleRow(k, count, rows)
      this.loadText(column, k, r)
      if (!this.areSampled) this.loadSources(this.sources, k, r)
    }
    this.areSampled = true
    return count
  }

  /** The same among the rows that hold a string. */
  private sampleStrings (column: Column, strings: number): number {
    const { document: { tape }, nodes: { words } } = this
    const count = Math.min(strings, SAMPLES)
    this.areSampled = false
    let k = 0
    let n = 0
    for (let r = 0; r < column.rows && k < count; r++) {
      const node = words[column.at + r]
      if (node === 0 || (tape[node] & KIND_MASK) !== STRING) continue
      if (n++ !== sampleRow(k, count, strings)) continue
      this.loadText(column, k, r)
      this.loadSources(this.sources, k, r)
      k++
    }
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
      const template = searching.search(sources, k - 1, k + 1)
      if (template === null || template.hasOwn || !this.fitsAnother(template, column, k, samples)) continue
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
    if (best === null || !this.pays(column, best, least)) return false
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
    const isPartial = strings < column.rows
    if (!template.hasOwn) saved += strings * 2
    if (!this.pays(column, template, saved)) return
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

  /** Whether a template is shorter than what it saves, and better than the default that the column has. */
  private pays (column: Column, template: RowTemplate, saved: number): boolean {
    const { document, nodes: { words } } = this
    const { keys } = document
    let header = 8
    for (const { literal, source } of [...template.left, ...template.right]) {
      if (literal !== null) header += literal.length
      else header += source === null || source.column === null ? 4 : keys.starts[source.column.key + 1] - keys.starts[source.column.key] + 3
    }
    if (saved <= header || saved < column.present * (template.hasOwn ? LEAST_SAVED_BY_OWN : 1)) return false
    if (column.empty !== DEFAULT) return true
    // The default saves what it stands for in the rows that have it.
    let same = 0
    for (let r = 0; r < column.rows; r++) if (isSpelledAlike(document, column.value, words[column.at + r])) same++
    return same * sourceLength(document.tape, column.value) < saved
  }

  /** The first primitive that is no string; 0 where there is none. */
  private firstOther ({ at, rows }: Column): number {
    const { document: { tape }, nodes: { words } } = this
    let other = 0
    for (let r = 0; r < rows && other === 0; r++) if ((tape[words[at + r]] & KIND_MASK) > STRING) other = words[at + r]
    return other
  }

  /** Columns that hold in every row what another one holds. */
  private findCopies (leaves: Column[]): void {
    if (leaves.length > FEW_LEAVES) {
      const bySignature = new Map<number, Column>()
      for (const column of leaves) {
        const original = bySignature.get(column.signature)
        if (original === undefined) bySignature.set(column.signature, column)
        else this.copy(original, column)
      }
      return
    }
    for (let c = 1; c < leaves.length; c++) {
      const { signature } = leaves[c]
      for (let o = 0; o < c; o++) if (leaves[o].signature === signature && this.copy(leaves[o], leaves[c])) break
    }
  }

  /** Makes a column a copy of another one where it is. */
  private copy (original: Column, column: Column): boolean {
    if (column.kind !== PLAIN || column.template !== null || column.isShared || column.isSource) return false
    if (original.kind !== PLAIN || original.template !== null || !this.isNamed(original) || !this.isCopy(original, column)) return false
    column.kind = COPY
    column.empty = ALWAYS
    column.original = original
    original.isSource = true
    return true
  }

  private isCopy (a: Column, b: Column): boolean {
    const { document, nodes: { words } } = this
    if (a.present !== b.present) return false
    for (let r = 0; r < a.rows; r++) {
      const x = words[a.at + r]
      const y = words[b.at + r]
      if (x === 0 || y === 0 ? x !== y : !isSpelledAlike(document, x, y)) return false
    }
    return true
  }

  /** Whether a path can name the column. */
  private isNamed (column: Column): boolean {
    const { keys } = this.document
    if (column.isShared) return false
    for (let at: Column | null = column; at !== null; at = at.parent) if ((keys.flags[at.key] & KEY_IDENTIFIER) === 0 || at.isShared) return false
    return true
  }

  /** The templates within a group that not every row has. */
  private planOptional (group: Column, leaves: Column[], outer: Source[]): void {
    const { document: { tape }, nodes } = this
    const fields = group.fields as Column[]
    const { rows } = fields[0]
    const offered: Source[] = [...outer]
    for (const column of leaves) {
      if (offered.length < MOST_OUTER && column.kind === PLAIN && column.empty === ABSENT && column.present === column.rows &&
        (column.kinds & ~INSERTABLE) === 0 && this.isNamed(column)) offered.push({ column, at: column.at })
    }
    const inner = offered.map(({ column, at }) => {
      const list = nodes.take(rows)
      const { words } = nodes
      let i = list
      for (let r = 0; r < group.rows; r++) {
        const node = words[group.at + r]
        if (node !== 0 && (tape[node] & KIND_MASK) === OBJECT) words[i++] = words[at + r]
      }
      return { column, at: list }
    })
    this.scope(fields, rows, inner)
  }
}

function collect (fields: Column[], leaves: Column[], optional: Column[]): void {
  for (let c = 0; c < fields.length; c++) {
    const column = fields[c]
    if (column.kind === PLAIN) leaves.push(column)
    else if (column.kind === GROUP && column.empty === ALWAYS) collect(column.fields as Column[], leaves, optional)
    else if (column.kind === GROUP) optional.push(column)
  }
}

function sampleRow (k: number, count: number, rows: number): number {
  return count === 1 ? 0 : Math.floor(k * (rows - 1) / (count - 1))
}

function use (column: Column, template: RowTemplate, empty: number): void {
  column.template = template
  column.empty = empty
  markSources(template.left)
  markSources(template.right)
}

function markSources (parts: Part[]): void {
  for (const { source } of parts) if (source !== null && source.column !== null) source.column.isSource = true
}
