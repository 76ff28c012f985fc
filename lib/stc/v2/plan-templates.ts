import type { Document } from '../../json/document.js'
import { KIND_MASK, NUMBER, OBJECT, STRING, WIDE } from '../../json/tape.js'
import type { Column, Source } from './column.js'
import { findCopies } from './find-copies.js'
import { IntRoom } from './int-room.js'
import { isNamed } from './is-named.js'
import { ABSENT, ALWAYS, GROUP, PLAIN } from './layout.js'
import { SAMPLES, TemplateMaker } from './make-template.js'
import type { Nodes } from './nodes.js'
import { sampleRow } from './sample-row.js'
import { MOST_SOURCES } from './template-samples.js'

/** Longer texts are no sources, and shorter ones no templates. */
const LONGEST_SOURCE = 120
const SHORTEST_TARGET = 3
/** An optional group is offered so many columns from outside. */
const MOST_OUTER = 12
const STRINGS = 1 << STRING
const INSERTABLE = 1 << STRING | 1 << NUMBER

/** Up to so many are sorted by insertion, which makes nothing. */
const FEW = 32

/* One scope is planned at a time, and nothing of this is kept. */
/** The leaves that may be templates, how many these are, and the mean length of each leaf's strings. */
const targets: number[] = []
let targetCount = 0
const lengths: number[] = []
/** For each leaf which source it is, or -1. */
const sourceOf = new IntRoom()

/** Finds columns that other columns of their row tell, and strings that have a beginning or an end in common. */
export class TemplatePlanner {
  private readonly maker: TemplateMaker

  constructor (private readonly document: Document, private readonly nodes: Nodes) {
    this.maker = new TemplateMaker(document, nodes)
  }

  /** @param rows where the list of the rows starts */
  planRows (fields: Column[], rows: number, count: number, isKeyed: boolean): void {
    const outer: Source[] = []
    if (isKeyed) {
      const at = this.nodes.takeRaw(count)
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
    if (this.findTargets(leaves, rows)) this.planTargets(leaves, this.gatherSources(leaves, rows, outer))
    if (leaves.length > 1) findCopies(this.document, this.nodes.words, leaves)
    for (let c = 0; c < optional.length; c++) this.planOptional(optional[c], leaves, outer)
  }

  /** Lists the leaves that may be templates, from the shortest to the longest. */
  private findTargets (leaves: Column[], rows: number): boolean {
    targetCount = 0
    for (let c = 0; c < leaves.length; c++) {
      const { kinds, present } = leaves[c]
      if ((kinds & STRINGS) === 0 || present < 2) continue
      const length = this.meanLength(leaves[c], rows)
      if (length < SHORTEST_TARGET) continue
      lengths[c] = length
      targets[targetCount] = c
      for (let t = targetCount++; t > 0 && t <= FEW && lengths[targets[t - 1]] > length; t--) {
        targets[t] = targets[t - 1]
        targets[t - 1] = c
      }
    }
    if (targetCount > FEW) {
      targets.length = targetCount
      targets.sort(byLength)
    }
    return targetCount > 0
  }

  private meanLength ({ at }: Column, rows: number): number {
    const { document: { tape }, nodes: { words } } = this
    const count = rows < SAMPLES ? rows : SAMPLES
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

  private gatherSources (leaves: Column[], rows: number, outer: Source[]): Source[] {
    const { document } = this
    const sources: Source[] = []
    for (let s = 0; s < outer.length; s++) sources.push(outer[s])
    const places = sourceOf.of(leaves.length)
    for (let c = 0; c < leaves.length; c++) {
      const column = leaves[c]
      places[c] = -1
      if (sources.length === MOST_SOURCES || column.present < rows || (column.kinds & ~INSERTABLE) !== 0 || column.empty !== ABSENT) continue
      if (!isNamed(document, column) || this.isLong(column)) continue
      places[c] = sources.length
      sources.push({ column, at: column.at })
    }
    return sources
  }

  /** Whether texts are too long to be part of others. */
  private isLong ({ at, rows }: Column): boolean {
    const { document: { tape }, nodes: { words } } = this
    const node = words[at + (rows >> 1)]
    return ((tape[node] & WIDE) !== 0 ? tape[node + 4] - tape[node + 3] : tape[node + 2] - tape[node + 1]) > LONGEST_SOURCE
  }

  private planTargets (leaves: Column[], sources: Source[]): void {
    const { maker } = this
    const places = sourceOf.words
    maker.begin(sources)
    for (let t = 0; t < targetCount; t++) {
      const column = leaves[targets[t]]
      if (column.isSource) continue
      const source = places[targets[t]]
      if (source >= 0) maker.setUsable(source, false)
      maker.make(column)
      if (source >= 0) maker.setUsable(source, column.kind === PLAIN && column.empty === ABSENT)
    }
  }

  /** The templates within a group that not every row has. */
  private planOptional (group: Column, leaves: Column[], outer: Source[]): void {
    const fields = group.fields as Column[]
    const { rows } = fields[0]
    const inner: Source[] = []
    for (let s = 0; s < outer.length; s++) inner.push(this.narrow(group, outer[s], rows))
    for (let c = 0; c < leaves.length; c++) {
      const column = leaves[c]
      if (inner.length < MOST_OUTER && column.kind === PLAIN && column.empty === ABSENT && column.present === column.rows &&
        (column.kinds & ~INSERTABLE) === 0 && isNamed(this.document, column)) inner.push(this.narrow(group, { column, at: column.at }, rows))
    }
    this.scope(fields, rows, inner)
  }

  /** A source, listed by the rows that have the group. */
  private narrow (group: Column, { column, at }: Source, rows: number): Source {
    const { document: { tape }, nodes } = this
    const list = nodes.takeRaw(rows)
    const { words } = nodes
    let i = list
    for (let r = 0; r < group.rows; r++) {
      const node = words[group.at + r]
      if (node !== 0 && (tape[node] & KIND_MASK) === OBJECT) words[i++] = words[at + r]
    }
    return { column, at: list }
  }
}

function byLength (a: number, b: number): number {
  return lengths[a] - lengths[b]
}

function collect (fields: Column[], leaves: Column[], optional: Column[]): void {
  for (let c = 0; c < fields.length; c++) {
    const column = fields[c]
    if (column.kind === PLAIN) leaves.push(column)
    else if (column.kind === GROUP && column.empty === ALWAYS) collect(column.fields as Column[], leaves, optional)
    else if (column.kind === GROUP) optional.push(column)
  }
}
