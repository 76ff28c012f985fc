/** Texts that are longer are worked out anew each time, so that what is kept stays small. */
const MAX_LENGTH = 512
/** With so many texts kept, all are forgotten: whoever sends new ones all the time gains nothing from us. */
const MAX_ENTRIES = 256

/** Keeps what was worked out from texts that come again and again, such as the values of header fields; bounded. */
export class Memo<Value extends NonNullable<unknown> | null> {
  readonly #values = new Map<string, Value>()
  readonly #work: (text: string) => Value

  /** @param work gives the same for the same text, and what it gives is never changed by anyone */
  constructor (work: (text: string) => Value) {
    this.#work = work
  }

  get (text: string): Value {
    const known = this.#values.get(text)
    if (known !== undefined) return known
    const value = this.#work(text)
    if (text.length > MAX_LENGTH) return value
    if (this.#values.size >= MAX_ENTRIES) this.#values.clear()
    this.#values.set(text, value)
    return value
  }
}
