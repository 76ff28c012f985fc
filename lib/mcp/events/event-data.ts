import { CR, LF, LineEnds } from './line-ends.js'

const SPACE = 0x20
const COLON = 0x3a
const DATA = [0x64, 0x61, 0x74, 0x61]
const START = Uint8Array.of(...DATA, COLON, SPACE)

/** A line of an event; positions in the event's bytes. */
interface DataLine {
  start: number
  /** Where the value starts: behind the colon and the one space that may follow it. */
  value: number
  /** Where the line's end starts. */
  valueEnd: number
  /** Behind the line's end. */
  end: number
}

/**
 * The data of one event: the values of its data lines, joined by line feeds (WHATWG HTML, section 9.2.6).
 *
 * @param event the bytes of whole lines
 */
export function readData (event: Uint8Array): Uint8Array {
  const lines = findDataLines(event)
  if (lines.length === 1) return event.subarray(lines[0].value, lines[0].valueEnd)
  const data = new Uint8Array(lines.reduce((size, { value, valueEnd }) => size + valueEnd - value + 1, -1))
  let at = 0
  for (let i = 0; i < lines.length; i++) {
    if (i > 0) data[at++] = LF
    data.set(event.subarray(lines[i].value, lines[i].valueEnd), at)
    at += lines[i].valueEnd - lines[i].value
  }
  return data
}

/**
 * The event with other data. It stands where the first data line stood, in lines that start and end as that
 * one did; the other data lines are gone, and all other lines stay where they were, byte for byte.
 *
 * @param data no CR; each line of it becomes a data line
 */
export function replaceData (event: Uint8Array, data: Uint8Array): Uint8Array {
  const lines = findDataLines(event)
  const parts = [event.subarray(0, lines[0].start), ...writeDataLines(event, lines[0], data)]
  for (let i = 0; i < lines.length; i++) {
    parts.push(event.subarray(lines[i].end, lines[i + 1]?.start ?? event.length))
  }
  return concat(parts.filter(({ length }) => length > 0))
}

function writeDataLines (event: Uint8Array, { start, value, valueEnd, end }: DataLine, data: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  const own = event.subarray(start, value)
  const lineEnd = event.subarray(valueEnd, end)
  for (let from = 0; from <= data.length;) {
    const lf = data.indexOf(LF, from)
    const to = lf < 0 ? data.length : lf
    // Of a value that starts with a space the reader takes that one off; a line without a colon has no value.
    const fits = data[from] === SPACE ? own[own.length - 1] === SPACE : own.length > DATA.length || from === to
    parts.push(fits ? own : START, data.subarray(from, to), lineEnd)
    from = to + 1
  }
  return parts
}

function findDataLines (event: Uint8Array): DataLine[] {
  const lines: DataLine[] = []
  const ends = new LineEnds(event)
  for (let start = 0; start < event.length;) {
    const valueEnd = ends.find(start)
    const end = event[valueEnd] === CR && event[valueEnd + 1] === LF ? valueEnd + 2 : valueEnd + 1
    const value = findValue(event, start, valueEnd)
    if (value >= 0) lines.push({ start, value, valueEnd, end })
    start = end
  }
  return lines
}

/** Where a data line's value starts; -1 for any other line. */
function findValue (event: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < DATA.length; i++) if (event[start + i] !== DATA[i]) return -1
  const colon = start + DATA.length
  if (colon === end) return end
  if (event[colon] !== COLON) return -1
  return event[colon + 1] === SPACE ? colon + 2 : colon + 1
}

/** Where a line was taken out, a CR before it and an empty line's LF behind it must not become one line end. */
function concat (parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length + 1, 0))
  let at = 0
  for (const part of parts) {
    if (part[0] === LF && whole[at - 1] === CR) whole[at++] = LF
    whole.set(part, at)
    at += part.length
  }
  return whole.subarray(0, at)
}
