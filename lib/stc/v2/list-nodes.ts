import { COUNT, KEY, KINDS_MASK, KIND_MASK, OBJECT, RECORD, kindBit } from '../../json/tape.js'
import type { Column } from './column.js'
import type { Nodes } from './nodes.js'

const ONLY_OBJECTS = kindBit(OBJECT)

export function countCells (tape: Int32Array, words: Int32Array, { at, rows }: Column, kind: number): number {
  let count = 0
  for (let r = 0; r < rows; r++) {
    const node = words[at + r]
    if (node !== 0 && (tape[node] & KIND_MASK) === kind) count++
  }
  return count
}

/** The cells of one kind, of which there are so many, in a list of their own; returns where that starts. */
export function selectCells (tape: Int32Array, nodes: Nodes, { at, rows }: Column, kind: number, count: number): number {
  const list = nodes.takeRaw(count)
  const { words } = nodes
  let i = list
  for (let r = 0; r < rows; r++) {
    const node = words[at + r]
    if (node !== 0 && (tape[node] & KIND_MASK) === kind) words[i++] = node
  }
  return list
}

/** How many objects the containers of a list hold; 0 where one holds something else. */
export function countObjects (tape: Int32Array, words: Int32Array, containers: number, containerCount: number): number {
  let count = 0
  for (let c = containers; c < containers + containerCount; c++) {
    const node = words[c]
    if (tape[node + COUNT] === 0) continue
    if ((tape[node] & KINDS_MASK) !== ONLY_OBJECTS) return 0
    count += tape[node + COUNT]
  }
  return count
}

/** The objects that the containers of a list hold, of which there are so many, in a list of their own. */
export function listObjects (tape: Int32Array, nodes: Nodes, containers: number, containerCount: number, count: number): number {
  const list = nodes.takeRaw(count)
  const { words } = nodes
  let i = list
  for (let c = containers; c < containers + containerCount; c++) {
    const node = words[c]
    const end = tape[node + 2]
    for (let at = node + 6; at < end; at = tape[at + 2]) {
      if ((tape[at] & KIND_MASK) === KEY) at += RECORD
      words[i++] = at
    }
  }
  return list
}
