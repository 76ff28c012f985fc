import { Failure } from '../json/errors.js'
import type { Sink } from '../json/sink.js'
import { toText } from '../json/utf8.js'

const DOT = 0x2e

/**
 * Stands between a decoder and a sink and splits keys at their dots: members in a row whose keys begin with
 * the same parts become one nested object. An object that is entered, left and entered again comes out as
 * a key that stands twice, which is for the sink behind it to refuse.
 */
export class UnflattenSink implements Sink {
  /** For each open object of the text the parts of the latest key whose objects are still open. */
  private readonly opened: Uint8Array[][] = []
  private readonly names: Uint8Array[][] = []
  private readonly handles = new Map<string, number>()
  private level = 0

  /** @param maxDepth levels that the nested document may have; 1 or more */
  constructor (private readonly sink: Sink, private readonly maxDepth: number) {}

  get position (): number {
    return this.sink.position
  }

  set position (position: number) {
    this.sink.position = position
  }

  beginObject (): void {
    this.enter()
    this.sink.beginObject()
    this.opened.push([])
  }

  endObject (): void {
    this.close(this.opened.pop() as Uint8Array[], 0)
    this.sink.endObject()
    this.level--
  }

  beginArray (): void {
    this.enter()
    this.sink.beginArray()
  }

  endArray (): void {
    this.sink.endArray()
    this.level--
  }

  key (bytes: Uint8Array, start: number, end: number): void {
    this.member(split(bytes, start, end))
  }

  defineKey (bytes: Uint8Array, start: number, end: number): number {
    const name = toText(bytes.subarray(start, end))
    let handle = this.handles.get(name)
    if (handle === undefined) {
      handle = this.names.push(split(bytes, start, end)) - 1
      this.handles.set(name, handle)
    }
    return handle
  }

  definedKey (handle: number): void {
    this.member(this.names[handle])
  }

  string (bytes: Uint8Array, start: number, end: number): void {
    this.sink.string(bytes, start, end)
  }

  number (bytes: Uint8Array, start: number, end: number): void {
    this.sink.number(bytes, start, end)
  }

  literal (kind: number): void {
    this.sink.literal(kind)
  }

  private member (parts: Uint8Array[]): void {
    const { sink, opened } = this
    const open = opened[opened.length - 1]
    const last = parts.length - 1
    let common = 0
    while (common < last && common < open.length && isSame(parts[common], open[common])) common++
    this.close(open, common)
    for (let i = common; i < last; i++) {
      sink.key(parts[i], 0, parts[i].length)
      this.enter()
      sink.beginObject()
      open.push(parts[i])
    }
    sink.key(parts[last], 0, parts[last].length)
  }

  private close (open: Uint8Array[], remaining: number): void {
    while (open.length > remaining) {
      this.sink.endObject()
      this.level--
      open.pop()
    }
  }

  private enter (): void {
    if (++this.level > this.maxDepth) throw new Failure(this.position, `no more than ${this.maxDepth} levels`)
  }
}

/** The parts of a key; copies, since a decoder's spans are short-lived. */
function split (bytes: Uint8Array, start: number, end: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = start
  for (let i = start; i < end; i++) {
    if (bytes[i] !== DOT) continue
    parts.push(bytes.slice(from, i))
    from = i + 1
  }
  parts.push(bytes.slice(from, end))
  return parts
}

function isSame (a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
  }
  return true
}
