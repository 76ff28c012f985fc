import { KeyTable } from './key-table.js'
import { ShapeTree } from './shape-tree.js'

/** Tables that grew beyond these bounds are not used for the next document. */
const MAX_WARM_KEYS = 8192
const MAX_WARM_KEY_BYTES = 1 << 18
const MAX_WARM_SHAPES = 16384

/** The keys and shapes that documents are read with, which all of them share that are read one after the other. */
export class Tables {
  readonly keys = new KeyTable()
  readonly shapes = new ShapeTree(this.keys)
  private documents = 0

  /** Says that one document more is read with them. */
  take (): void {
    this.documents++
  }

  /** Says that one of these documents is not needed any more. */
  giveBack (): void {
    if (--this.documents === 0 && this !== warm) this.shapes.dispose()
  }

  /** Drops what is only of use within one scan; tables that have grown large are left to the documents that have them. */
  endScan (): void {
    this.shapes.endScan()
    if (this.keys.count > MAX_WARM_KEYS || this.keys.bytes.length > MAX_WARM_KEY_BYTES || this.shapes.count > MAX_WARM_SHAPES) warm = new Tables()
  }
}

let warm = new Tables()

/** The tables for the next document. */
export function takeTables (): Tables {
  warm.take()
  return warm
}
