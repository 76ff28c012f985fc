import type { Sink } from '../../json/sink.js'

const ignore = (): void => {}

/** Takes what is read only to find where it ends. Keys are defined when they are written, so none is asked for here. */
export const NO_SINK: Sink = {
  position: 0,
  beginObject: ignore,
  endObject: ignore,
  beginArray: ignore,
  endArray: ignore,
  key: ignore,
  defineKey: () => 0,
  definedKey: ignore,
  string: ignore,
  number: ignore,
  literal: ignore
}
