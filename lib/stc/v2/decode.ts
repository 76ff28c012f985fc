import type { Sink } from '../../json/sink.js'
import { CellReader } from './decode/cells.js'
import type { Layout } from './layout.js'
import { NO_SINK } from './no-sink.js'

/** Output bound: constants, defaults and templates let a short text stand for a long document. */
export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

const NOTHING = new Uint8Array(0)

/** Reads single headers of a text, for whoever reads its rows by other means. */
export class HeaderSource {
  private readonly decoder = new Decoder(NOTHING, 0, NO_SINK, DEFAULT_MAX_BYTES)

  /**
   * Goes on with another text.
   *
   * @param view of the text
   */
  begin (text: Uint8Array, maxDepth: number, view: DataView): void {
    this.decoder.begin(text, maxDepth, view)
  }

  /** Behind the header that was read last. */
  get position (): number {
    return this.decoder.position
  }

  /**
   * The header whose fields, or what row keys have in common, start at `at`.
   *
   * @param depth levels of JSON around it
   * @throws Failure
   */
  read (at: number, isKeyed: boolean, depth: number): Layout {
    return this.decoder.header(at, isKeyed, depth)
  }
}

/**
 * Reads a document of STC 2 in a single pass; of a row whose templates stand before the cells that they
 * refer to, the cells are looked up first.
 *
 * @param maxBytes bound of what constants, defaults and templates may bring, in bytes of text
 * @throws Failure at the first byte that the grammar does not allow
 */
export function readStc2 (bytes: Uint8Array, maxDepth: number, sink: Sink, maxBytes = DEFAULT_MAX_BYTES): void {
  new Decoder(bytes, maxDepth, sink, maxBytes).document()
}

/** Reads a whole text. */
class Decoder extends CellReader {
  get position (): number {
    return this.i
  }

  header (at: number, isKeyed: boolean, depth: number): Layout {
    this.i = at
    this.depth = depth
    return this.rowLayout(isKeyed)
  }

  document (): void {
    this.value(false)
    if (this.i < this.end) this.fail('the end of the text')
  }
}
