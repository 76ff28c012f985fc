/** Some bytes of an array. */
export class Span {
  constructor (public bytes: Uint8Array = EMPTY, public start = 0, public end = 0) {}

  get length (): number {
    return this.end - this.start
  }
}

const EMPTY = new Uint8Array(0)
