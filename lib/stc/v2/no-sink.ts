import type { Sink } from '../../json/sink.js'

/** Takes what is read only to find where it ends. */
class NoSink implements Sink {
  position = 0
  beginObject (): void {}
  endObject (): void {}
  beginArray (): void {}
  endArray (): void {}
  key (): void {}
  defineKey (): number {
    return 0
  }

  definedKey (): void {}
  string (): void {}
  number (): void {}
  literal (): void {}
}

export const NO_SINK: Sink = new NoSink()
