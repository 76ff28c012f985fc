/** Up to so many shapes are looked up one by one, which for few costs less than to empty a map. */
const FEW = 8

/** Where the columns of the members of each shape start; one list of rows is gathered at a time. */
export class ShapeStarts {
  private readonly shapes = new Int32Array(FEW)
  private readonly starts = new Int32Array(FEW)
  private count = 0
  private readonly others = new Map<number, number>()

  clear (): void {
    this.count = 0
    if (this.others.size > 0) this.others.clear()
  }

  /** Where those of a shape start; -1 where it is not known. */
  of (shape: number): number {
    const { count, shapes } = this
    for (let n = 0; n < count; n++) if (shapes[n] === shape) return this.starts[n]
    return count === FEW ? this.others.get(shape) ?? -1 : -1
  }

  /** Makes a shape known that is not. */
  set (shape: number, start: number): void {
    if (this.count === FEW) {
      this.others.set(shape, start)
      return
    }
    this.shapes[this.count] = shape
    this.starts[this.count++] = start
  }
}
