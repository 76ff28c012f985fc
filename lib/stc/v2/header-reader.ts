import { Span } from './span.js'
import { respellAll } from './respell-all.js'
import { Cursor } from './cursor.js'
import { ABSENT, ALWAYS, CONSTANT, COPIED, COPY, DEFAULT, FILLED, Field, GROUP, KEYED, KEY_PART, Layout, OWN, OWN_PART, PLAIN, ROWS, TEMPLATE } from './layout.js'
import type { Template } from './layout.js'

/** A path of a template or copy whose header is not yet complete. */
interface OpenPath {
  /** Of a path in a template: where its slot goes. */
  template: Template | null
  part: number
  /** Of a copy: the field. */
  field: Field | null
  /** The path, up to `end`. */
  at: number
  end: number
}

/** Reads headers of tables. */
export abstract class HeaderReader extends Cursor {
  private paths: OpenPath[] = []
  /** The slots of the row so far that tell whether it has a key of several places. */
  private onces = 0
  /** Whether the rows of the header that is read have keys. */
  private isKeyed = false

  /** Passes over the value that stands here, inside of a table. */
  protected abstract skipValue (): void

  /** {a,b}: behind the count of a table or column table; the paths of templates start at these fields. */
  protected rowLayout (isKeyed: boolean): Layout {
    const keyTemplate = isKeyed && this.text[this.i] === 0x22 ? this.keyTemplate() : null
    const { paths, onces, isKeyed: isOuterKeyed } = this
    this.paths = []
    this.onces = 0
    this.isKeyed = isKeyed
    const layout = this.fields()
    layout.keyTemplate = keyTemplate
    layout.slots = layout.onces = this.onces
    this.resolve(layout)
    this.paths = paths
    this.onces = onces
    this.isKeyed = isOuterKeyed
    return layout
  }

  /** What the keys of all rows have in common: a template with ${} alone. */
  private keyTemplate (): Template {
    const start = this.i
    const template = this.template()
    if (template?.parts.length !== 1 || template.parts[0] !== OWN_PART) this.fail('a template with ${} alone', start)
    return template
  }

  private fields (): Layout {
    this.expect(0x7b, '{')
    this.descend()
    const layout = new Layout()
    do {
      const at = this.i
      layout.add(this.field(layout, at))
    } while (this.take(0x2c))
    this.expect(0x7d, 'a comma or }')
    this.depth--
    return layout
  }

  private field (layout: Layout, at: number): Field {
    const { strings } = this
    this.key()
    const isRespelled = strings.bytes !== this.text
    const key = isRespelled ? strings.bytes.slice(strings.start, strings.end) : strings.bytes
    const field = isRespelled ? new Field(at, key, 0, key.length) : new Field(at, key, strings.start, strings.end)
    this.name(layout, field, at)
    if (this.take(0x3f)) field.empty = ABSENT
    else if (this.take(0x7e)) this.default(field)
    this.form(field)
    return field
  }

  /** Makes the field known by its key; a caret behind it says that this is one more place of the key. */
  private name (layout: Layout, field: Field, at: number): void {
    const first = layout.find(field.keyBytes, field.keyStart, field.keyEnd)
    if (!this.take(0x5e)) {
      if (first !== undefined) this.fail('a key that is not yet there', at)
      return
    }
    if (first === undefined) this.fail('a first place of a key before ^')
    if (first.once < 0) first.once = this.onces++
    field.once = first.once
  }

  /** Behind the tilde: a value, or a template behind an equals sign. */
  private default (field: Field): void {
    field.start = this.i
    if (this.text[this.i] === 0x3d) {
      field.empty = this.text[this.i + 1] === 0x24 ? COPIED : FILLED
      return
    }
    field.empty = DEFAULT
    this.skipValue()
    field.end = this.i
    const next = this.text[this.i]
    // The end of a container could not be told from the form.
    if ((next === 0x7b || next === 0x5b || next === 0x3d) && (this.text[field.start] === 0x7b || this.text[field.start] === 0x5b)) {
      this.fail('a comma or }')
    }
  }

  private form (field: Field): void {
    const byte = this.text[this.i]
    if (byte === 0x7b && this.text[this.i + 1] === 0x7d) {
      field.kind = KEYED
      this.i += 2
      this.descend()
      field.layout = this.rowLayout(true)
      this.depth--
    } else if (byte === 0x7b) {
      field.kind = GROUP
      field.layout = this.fields()
    } else if (byte === 0x5b) {
      field.kind = ROWS
      this.i++
      this.expect(0x5d, ']')
      this.descend()
      field.layout = this.rowLayout(false)
      this.depth--
    } else if (byte === 0x3d) {
      this.equals(field)
    } else if (field.empty === ABSENT) {
      this.fail('{, {}, [] or = behind ?')
    } else if (field.empty === ALWAYS) {
      field.empty = ABSENT
    }
  }

  /** Behind the equals sign: a constant or a template. */
  private equals (field: Field): void {
    const start = ++this.i
    if ((field.empty === ALWAYS || field.empty === COPIED) && this.take(0x24)) {
      if (field.empty === ALWAYS) field.kind = COPY
      this.openPath(null, 0, field)
      return
    }
    if (this.text[start] === 0x22) field.template = this.template()
    if (field.template === null) {
      if (field.empty !== ALWAYS) this.fail('a template', start)
      field.kind = CONSTANT
      field.start = start
      if (this.i === start) this.skipValue()
      field.end = this.i
      return
    }
    const { hasOwn } = field.template
    if (field.empty === FILLED && hasOwn) this.fail('a template without ${}', start)
    if ((field.empty === ABSENT || field.empty === DEFAULT) && !hasOwn) this.fail('a template with ${}', start)
    field.kind = hasOwn ? OWN : field.empty === FILLED ? PLAIN : TEMPLATE
  }

  /** The string that stands here as a template; null where it has no gap. */
  private template (): Template | null {
    const { text, i: open } = this
    const close = this.strings.readJson(open) - 1
    let template: Template | null = null
    let from = open + 1
    let isEscaped = false
    for (let i = from; i < close; i++) {
      const byte = text[i]
      if (byte === 0x5c) {
        isEscaped = true
        i++
      } else if (byte === 0x24 && text[i + 1] === 0x7b) {
        template ??= { literals: [], parts: [], hasOwn: false }
        template.literals.push(this.spell(from, i, isEscaped))
        isEscaped = false
        this.i = i + 2
        this.gap(template, i)
        i = this.i - 1
        from = this.i
      }
    }
    this.i = close + 1
    template?.literals.push(this.spell(from, close, isEscaped))
    return template
  }

  /** Behind ${ of a template. */
  private gap (template: Template, at: number): void {
    if (this.take(0x7d)) {
      if (template.hasOwn) this.fail('no second ${}', at)
      template.hasOwn = true
      template.parts.push(OWN_PART)
      return
    }
    if (this.isKeyed && this.take(0x40)) {
      template.parts.push(KEY_PART)
    } else {
      this.openPath(template, template.parts.length, null)
      template.parts.push(0)
    }
    this.expect(0x7d, 'a dot or }')
  }

  private openPath (template: Template | null, part: number, field: Field | null): void {
    const at = this.i
    do {
      const stop = this.identifierEnd()
      if (stop === this.i) this.fail('a path of identifiers')
      this.i = stop
    } while (this.take(0x2e))
    this.paths.push({ template, part, field, at, end: this.i })
  }

  /** The shortest spelling of a part of a string. */
  private spell (start: number, end: number, isEscaped: boolean): Span {
    const { text } = this
    if (!isEscaped) return new Span(text, start, end)
    const shortest = respellAll(text.subarray(start, end))
    return new Span(shortest, 0, shortest.length)
  }

  private resolve (layout: Layout): void {
    const { paths } = this
    for (let p = 0; p < paths.length; p++) {
      const { template, part, field, at, end } = paths[p]
      const source = this.findSource(layout, at, end, field !== null)
      if (source === null) this.fail('the path of a plain column', at)
      if (source.slot < 0) source.slot = layout.slots++
      if (template !== null) template.parts[part] = source.slot
      else if (field !== null) field.copy = source.slot
      if (source.at > at) layout.looksAhead = true
    }
  }

  private findSource (layout: Layout, at: number, end: number, mayHaveDefault: boolean): Field | null {
    const { text } = this
    let within = layout
    let start = at
    for (let i = at; i < end; i++) {
      if (text[i] !== 0x2e) continue
      const group = within.find(text, start, i)
      if (group?.kind !== GROUP) return null
      within = group.layout as Layout
      start = i + 1
    }
    const field = within.find(text, start, end)
    if (field?.kind !== PLAIN || field.once >= 0) return null
    return field.empty === ABSENT || (mayHaveDefault && field.empty === DEFAULT) ? field : null
  }
}
