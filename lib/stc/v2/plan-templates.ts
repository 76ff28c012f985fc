import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import { KIND_MASK, NUMBER, STRING } from '../../json/tape.js'
import { toText } from '../../json/utf8.js'
import { ABSENT, ALWAYS, COPY, DEFAULT, FILLED, GROUP, OWN, PLAIN, TEMPLATE } from './layout.js'
import type { Column } from './plan.js'
import { isSpelledAlike, readSpan, sourceLength } from './spans.js'
import type { Span } from './spans.js'
import { searchTemplate } from './search-template.js'

/** A column that templates may refer to. */
export interface Source {
  /** Null for the key of the row. */
  column: Column | null
  /** The names of the keys from the row to the column. */
  path: string
  /** The node of the value in each row of the target. */
  nodes: Int32Array
}

/** What a string is made of, from its start and from its end; what is left between is the row's own cell. */
export interface RowTemplate {
  left: (Uint8Array | Source)[]
  /** From the end of the string backwards. */
  right: (Uint8Array | Source)[]
  hasOwn: boolean
}

const MOST_SOURCES = 48
const LONGEST_SOURCE = 120
const ROUNDS = 5
const STRINGS = 1 << STRING
const INSERTABLE = 1 << STRING | 1 << NUMBER

interface Target {
  column: Column
  /** Mean length of the strings. */
  length: number
}

/** Finds columns of strings that other columns of their row tell, or that have a beginning or an end in common. */
export function planTemplates (document: Document, fields: Column[], rows: Int32Array, isKeyed: boolean): void {
  const outer: Source[] = isKeyed ? [{ column: null, path: '@', nodes: rows.map(row => row - 3) }] : []
  new TemplatePlanner(document).scope(fields, rows.length, '', outer)
}

class TemplatePlanner {
  private readonly span: Span = { bytes: new Uint8Array(0), start: 0, end: 0 }

  constructor (private readonly document: Document) {}

  /** @param outer the sources outside of an optional group, by the rows that have the group */
  scope (fields: Column[], rows: number, path: string, outer: Source[]): void {
    const sources = [...outer]
    const targets: Target[] = []
    const optional: { column: Column, path: string }[] = []
    this.collect(fields, rows, path, sources, targets, optional)
    targets.sort((a, b) => a.length - b.length)
    for (const target of targets) this.plan(target.column, sources)
    this.copies(fields, path)
    for (const { column, path } of optional) this.optionalGroup(column, path, sources)
  }

  /** Columns that hold in every row what another one holds. */
  private copies (fields: Column[], path: string): void {
    const leaves: { column: Column, path: string }[] = []
    this.leaves(fields, path, leaves)
    const bySample = new Map<string, { column: Column, path: string }[]>()
    for (const leaf of leaves) {
      const sample = this.sampleOf(leaf.column)
      const before = bySample.get(sample)
      if (before === undefined) {
        if (leaf.path !== '?') bySample.set(sample, [leaf])
        continue
      }
      const source = leaf.column.isSource ? undefined : before.find(({ column }) => this.isCopy(column, leaf.column))
      if (source !== undefined) {
        const { column } = leaf
        column.kind = COPY
        column.empty = ALWAYS
        column.copy = source.path
        source.column.isSource = true
      } else if (before.length < 3 && leaf.path !== '?') {
        before.push(leaf)
      }
    }
  }

  private leaves (fields: Column[], path: string, leaves: { column: Column, path: string }[]): void {
    const { keys } = this.document
    for (const column of fields) {
      const isNamed = path !== '?' && (keys.flags[column.key] & KEY_IDENTIFIER) !== 0
      const name = isNamed ? path + toText(keys.bytes.subarray(keys.starts[column.key], keys.starts[column.key + 1])) : '?'
      if (column.kind === GROUP && column.empty === ALWAYS) this.leaves(column.fields as Column[], name === '?' ? '?' : `${name}.`, leaves)
      else if (column.kind === PLAIN && !column.isShared && column.template === null) leaves.push({ column, path: name })
    }
  }

  private sampleOf ({ nodes }: Column): string {
    const { tape, bytes } = this.document
    let sample = ''
    const step = Math.max(1, nodes.length / 4)
    for (let r = nodes.length - 1; r >= 0; r -= step) {
      const node = nodes[Math.floor(r)]
      if (node === 0) {
        sample += '/'
        continue
      }
      const kind = tape[node] & KIND_MASK
      const length = sourceLength(tape, node)
      let hash = kind
      for (let i = 0; i < Math.min(length, 40); i++) hash = Math.imul(hash ^ bytes[tape[node + 1] + i], 0x01000193)
      sample += `${length}:${hash}/`
    }
    return sample
  }

  private isCopy (a: Column, b: Column): boolean {
    if (a.present !== b.present) return false
    for (let r = 0; r < a.nodes.length; r++) {
      const x = a.nodes[r]
      const y = b.nodes[r]
      if (x === 0 && y === 0) continue
      if (x === 0 || y === 0 || !isSpelledAlike(this.document, x, y)) return false
    }
    return true
  }

  private optionalGroup (column: Column, path: string, sources: Source[]): void {
    const { tape } = this.document
    const rows: number[] = []
    for (let r = 0; r < column.nodes.length; r++) if (column.nodes[r] !== 0 && (tape[column.nodes[r]] & KIND_MASK) === 1) rows.push(r)
    const kept = sources.filter(({ column }) => column === null || (column.kind === PLAIN && column.empty === ABSENT)).slice(0, 12)
    const outer = kept.map(source => ({ ...source, nodes: Int32Array.from(rows, r => source.nodes[r]) }))
    this.scope(column.fields as Column[], rows.length, path, outer)
  }

  private collect (fields: Column[], rows: number, path: string, sources: Source[], targets: Target[], optional: { column: Column, path: string }[]): void {
    const { keys } = this.document
    for (const column of fields) {
      const isNamed = (keys.flags[column.key] & KEY_IDENTIFIER) !== 0
      const name = path === '?' || !isNamed ? '?' : path + toText(keys.bytes.subarray(keys.starts[column.key], keys.starts[column.key + 1]))
      if (column.kind === GROUP) {
        const inner = name === '?' ? '?' : `${name}.`
        if (column.empty === ALWAYS) this.collect(column.fields as Column[], rows, inner, sources, targets, optional)
        else optional.push({ column, path: inner })
      } else if (column.kind === PLAIN) {
        if (column.kinds & STRINGS && column.present > 1) {
          const length = this.meanLength(column)
          if (length >= 3) targets.push({ column, length })
        }
        if (name !== '?' && !column.isShared && column.present === rows && (column.kinds & ~INSERTABLE) === 0 && sources.length < MOST_SOURCES &&
          this.meanLength(column) <= LONGEST_SOURCE) {
          sources.push({ column, path: name, nodes: column.nodes })
        }
      }
    }
  }

  private meanLength ({ nodes }: Column): number {
    const { document: { tape }, span } = this
    const step = Math.max(1, nodes.length / 6)
    let sum = 0
    let count = 0
    for (let r = 0; r < nodes.length; r += step) {
      const node = nodes[Math.floor(r)]
      if (node === 0 || (tape[node] & KIND_MASK) > NUMBER || (tape[node] & KIND_MASK) < STRING) continue
      readSpan(this.document, node, span)
      sum += span.end - span.start
      count++
    }
    return count === 0 ? 0 : sum / count
  }

  private plan (column: Column, sources: Source[]): void {
    if (column.isSource || column.kind !== PLAIN) return
    const { document: { tape } } = this
    const { nodes } = column
    const strings: number[] = []
    for (let r = 0; r < nodes.length; r++) if (nodes[r] !== 0 && (tape[nodes[r]] & KIND_MASK) === STRING) strings.push(r)
    if (strings.length < 2) return
    const others = sources.filter(source => source.column === null || (source.column !== column && source.column.kind === PLAIN && source.column.empty === ABSENT))
    const sample: number[] = []
    for (let k = 0; k < 4; k++) {
      const r = strings[Math.floor(k * (strings.length - 1) / 3)]
      if (!sample.includes(r)) sample.push(r)
    }
    const first = [...sample]
    let best: RowTemplate | null = null
    let most = 0
    for (let round = 0; round < ROUNDS; round++) {
      const template = this.search(nodes, others, sample)
      if (template === null) break
      const { failing, saved } = this.check(template, nodes, strings)
      if (failing < 0) {
        best = template
        most = saved
        break
      }
      sample.push(failing)
    }
    if ((best === null || best.hasOwn) && column.present === nodes.length && this.fill(column, others, strings, first, most)) return
    if (best !== null) this.adopt(column, best, most, strings.length)
  }

  private search (nodes: Int32Array, sources: Source[], sample: number[]): RowTemplate | null {
    return searchTemplate(sample.map(r => this.bytesOf(nodes[r])), sources, sample.map(r => sources.map(source => this.bytesOf(source.nodes[r]))))
  }

  /** Looks for a template that tells all of most strings; it is a default then. */
  private fill (column: Column, sources: Source[], strings: number[], sample: number[], least: number): boolean {
    const { nodes } = column
    let best: RowTemplate | null = null
    for (let k = 1; k < sample.length; k++) {
      const template = this.search(nodes, sources, [sample[k - 1], sample[k]])
      if (template === null || template.hasOwn) continue
      let saved = 0
      for (const r of strings) if (this.ownLength(template, nodes[r], r) === 0) saved += this.span.end - this.span.start + 2
      if (saved <= least * 1.1 + 8) continue
      least = saved
      best = template
    }
    if (best === null) return false
    if (this.saves(column, best, least, strings.length)) this.use(column, best, FILLED)
    return column.template !== null
  }

  private bytesOf (node: number): Uint8Array {
    readSpan(this.document, node, this.span)
    return this.span.bytes.subarray(this.span.start, this.span.end)
  }

  private check (template: RowTemplate, nodes: Int32Array, rows: number[]): { failing: number, saved: number } {
    let saved = 0
    for (const r of rows) {
      const own = this.ownLength(template, nodes[r], r)
      if (own < 0) return { failing: r, saved }
      saved += this.span.end - this.span.start - own
    }
    return { failing: -1, saved }
  }

  /** Length of what the template leaves to the row's own cell; -1 where it does not fit. The string is in `span`. */
  private ownLength ({ left, right, hasOwn }: RowTemplate, node: number, r: number): number {
    const { span } = this
    readSpan(this.document, node, span)
    ownRange(this.document, left, right, span, r)
    if (range.start < 0) return -1
    if (!hasOwn) return range.start === range.end ? 0 : -1
    if (span.bytes.subarray(range.start, range.end).includes(0x5c) && !endsBetweenEscapes(span.bytes, range.start, range.end)) return -1
    return range.end - range.start
  }

  /** Whether a template is shorter than what it saves, and better than the default that the column has. */
  private saves (column: Column, template: RowTemplate, saved: number, strings: number): boolean {
    const { nodes } = column
    let header = 6
    for (const part of [...template.left, ...template.right]) header += part instanceof Uint8Array ? part.length : part.path.length + 3
    if (saved - header < 2 + strings * 0.5) return false
    if (column.empty !== DEFAULT) return true
    // The default saves what it stands for in the rows that have it.
    let same = 0
    for (let r = 0; r < nodes.length; r++) if (isSpelledAlike(this.document, column.value, nodes[r])) same++
    return same * sourceLength(this.document.tape, column.value) < saved
  }

  private use (column: Column, template: RowTemplate, empty: number): void {
    column.template = template
    column.empty = empty
    for (const part of [...template.left, ...template.right]) if (!(part instanceof Uint8Array) && part.column !== null) part.column.isSource = true
  }

  private adopt (column: Column, template: RowTemplate, saved: number, strings: number): void {
    const { nodes } = column
    const isPartial = strings < nodes.length
    if (!template.hasOwn) saved += strings * 2
    if (!this.saves(column, template, saved, strings)) return
    if (!template.hasOwn && isPartial) {
      if (column.present === nodes.length) this.use(column, template, FILLED)
      return
    }
    this.use(column, template, ALWAYS)
    column.kind = template.hasOwn ? OWN : TEMPLATE
    if (!isPartial) return
    const other = column.present < nodes.length ? 0 : this.firstOther(nodes)
    column.empty = other === 0 ? ABSENT : DEFAULT
    column.value = other
  }

  /** The first primitive that is no string; 0 where there is none. */
  private firstOther (nodes: Int32Array): number {
    const { tape } = this.document
    for (const node of nodes) if ((tape[node] & KIND_MASK) > STRING) return node
    return 0
  }
}

/** What `ownRange` found. */
export const range = { start: 0, end: 0 }
const part2: Span = { bytes: new Uint8Array(0), start: 0, end: 0 }

/** Which part of a string the template leaves to the row's own cell; `range.start` is -1 where the template does not fit. */
export function ownRange (document: Document, left: RowTemplate['left'], right: RowTemplate['right'], span: Span, r: number): void {
  const { bytes } = span
  let { start, end } = span
  for (const part of left) {
    pointAt(document, part, r)
    const length = part2.end - part2.start
    if (start + length > end || !isEqual(bytes, start, part2)) {
      range.start = -1
      return
    }
    start += length
  }
  for (const part of right) {
    pointAt(document, part, r)
    const length = part2.end - part2.start
    if (start + length > end || !isEqual(bytes, end - length, part2)) {
      range.start = -1
      return
    }
    end -= length
  }
  range.start = start
  range.end = end
}

function pointAt (document: Document, part: Uint8Array | Source, r: number): void {
  if (part instanceof Uint8Array) {
    part2.bytes = part
    part2.start = 0
    part2.end = part.length
  } else {
    readSpan(document, part.nodes[r], part2)
  }
}

function isEqual (bytes: Uint8Array, at: number, part: Span): boolean {
  for (let i = part.start; i < part.end; i++, at++) if (bytes[at] !== part.bytes[i]) return false
  return true
}

/** Whether a part of a string's spelling that starts between two characters ends between two. */
function endsBetweenEscapes (bytes: Uint8Array, start: number, end: number): boolean {
  let i = start
  while (i < end) i += bytes[i] !== 0x5c ? 1 : bytes[i + 1] === 0x75 ? 6 : 2
  return i === end
}
