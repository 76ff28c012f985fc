import { Arena } from '../../json/arena.js'
import { respell } from '../../json/spelling.js'

/** The shortest spelling of a string that is spelled in these bytes, without quotes. */
export function respellAll (spelling: Uint8Array): Uint8Array {
  const quoted = new Uint8Array(spelling.length + 1)
  quoted.set(spelling)
  quoted[spelling.length] = 0x22
  const shortest = new Arena(spelling.length)
  return shortest.bytes.subarray(0, respell(quoted, new DataView(quoted.buffer), 0, quoted.length, shortest, 0))
}
