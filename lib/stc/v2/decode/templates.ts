import { isDigit } from '../../../json/bare.js'
import { FilledString } from '../filled-string.js'
import { KEY_PART, OWN_PART } from '../layout.js'
import type { Field, Template } from '../layout.js'
import type { Span } from '../span.js'
import { ValueReader } from './values.js'

/** Fills in templates from the cells of their row. */
export abstract class TemplateReader extends ValueReader {
  /** Templates of open rows that are being passed over, each with the base of its row's places. */
  protected readonly unproved: { template: Template, base: number }[] = []
  /** Where the key of the row stands, and what it has in common with those of the other rows. */
  protected rowKey = 0
  protected rowKeys: Template | null = null
  protected readonly filled = new FilledString()

  /** The key of a field that the row has. */
  protected abstract fieldKey (field: Field, base: number): void

  /** The template of a field as the value of a row; `own` is where the row's own cell stands. */
  protected fill (field: Field, base: number, own: number): void {
    const template = field.template as Template
    if (this.isSkipping) {
      this.fieldKey(field, base)
      this.unproved.push({ template, base })
      return
    }
    const { text, strings, places, filled } = this
    const { literals, parts } = template
    this.fieldKey(field, base)
    filled.clear()
    this.appendLiteral(literals[0])
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]
      if (part === KEY_PART) {
        this.readRowKey()
        this.appendKey()
      } else {
        const start = part === OWN_PART ? own : this.placeOf(part, base)
        if (text[start] === 0x22) strings.readJson(start)
        else strings.point(text, start, places[base + 2 * part + 1])
        this.spend(1)
        this.append(strings.bytes, strings.start, strings.end)
      }
      this.appendLiteral(literals[p + 1])
    }
    const string = filled.take()
    this.sink.string(string, 0, string.length)
  }

  protected prove (first: number): void {
    const { unproved } = this
    for (let n = first; n < unproved.length; n++) {
      const { template, base } = unproved[n]
      for (const part of template.parts) {
        if (part >= 0) this.placeOf(part, base)
      }
    }
    unproved.length = first
  }

  private placeOf (slot: number, base: number): number {
    const start = this.places[base + 2 * slot]
    if (start === 0 || !isInsertable(this.text[start])) this.fail('a string or number in each cell that a template refers to')
    return start
  }

  /** Reads the text of the row's key once more. */
  private readRowKey (): void {
    const { i } = this
    this.i = this.rowKey
    this.key()
    this.i = i
  }

  /** Appends the row's key, of which `strings` read last what stands in the row. */
  protected appendKey (): void {
    const { strings, rowKeys } = this
    this.spend(1)
    if (rowKeys !== null) this.appendLiteral(rowKeys.literals[0])
    this.append(strings.bytes, strings.start, strings.end)
    if (rowKeys !== null) this.appendLiteral(rowKeys.literals[1])
  }

  private appendLiteral ({ bytes, start, end }: Span): void {
    this.append(bytes, start, end)
  }

  private append (bytes: Uint8Array, start: number, end: number): void {
    this.spend(end - start)
    this.filled.append(bytes, start, end)
  }
}

/** Whether a value that starts with this byte is a string or a number. */
function isInsertable (byte: number): boolean {
  return byte === 0x22 || byte === 0x2d || isDigit(byte)
}
