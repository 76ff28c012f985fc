import type { Document } from '../../json/document.js'
import { KIND_MASK, OBJECT, SHAPE } from '../../json/tape.js'

/** Objects are alike where at least this share of their keys, and of the keys of the objects in them, is the same. */
const LEAST_ALIKE = 0.5

/** Tells where among the values of an array or object a run of like objects ends. */
export class Runs {
  private shape = -1
  private keys = new Set<string>()

  constructor (private readonly document: Document) {}

  /** Whether the value is an object that is like the one before it. */
  continues (value: number): boolean {
    const { tape } = this.document
    if ((tape[value] & KIND_MASK) !== OBJECT) {
      this.shape = -1
      return false
    }
    const shape = tape[value + SHAPE]
    if (shape === this.shape) return true
    const isFirst = this.shape < 0
    const { keys } = this
    this.shape = shape
    this.keys = this.keysOf(shape)
    return !isFirst && isAlike(keys, this.keys)
  }

  private keysOf (shape: number): Set<string> {
    const { shapes } = this.document
    const keys = new Set<string>()
    for (const { key, child } of shapes.fields(shape)) {
      keys.add(String(key))
      if (child > 0) for (const inner of shapes.fields(child)) keys.add(`${key}.${inner.key}`)
    }
    return keys
  }
}

function isAlike (a: Set<string>, b: Set<string>): boolean {
  let same = 0
  for (const key of a) if (b.has(key)) same++
  return same >= LEAST_ALIKE * (a.size + b.size - same)
}
