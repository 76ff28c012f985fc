/*
 * The tape: what the scanner writes and all others walk. One Int32Array of records of three words.
 *
 *   primitive   [ kind | flags, start, end ]      span in the source; a string's is without its quotes
 *   wide string the same with WIDE set, then [ start, end, 0 ]: span of its shortest spelling in the arena, which has quotes around it too
 *   key         [ KEY, start, key id ]            then the record of its value
 *   container   [ kind | flags, start, next ]     next: where the tape goes on behind it
 *               [ count, shape, end ]             shape: of an object its own, of an array that of its rows
 *
 * A node is the index of its first word.
 */

export const OBJECT = 1
export const ARRAY = 2
export const STRING = 3
export const NUMBER = 4
export const TRUE = 5
export const FALSE = 6
export const NULL = 7
export const KEY = 8

export const KIND_MASK = 15
export const RECORD = 3
export const WIDE_RECORD = 6

/** String: a second record holds the span of its shortest spelling (RFC 8259 section 7) in the arena. */
export const WIDE = 1 << 4
/** String: stands without quotes between commas and is still read as this string. Number: in plain decimal form. */
export const PLAIN = 1 << 5
/** String: its spelling holds a backslash. */
export const ESCAPED = 1 << 6
/** String: its spelling holds escapes other than \" \\ \n \r \t. */
export const ODD_ESCAPES = 1 << 7

/** Container: its values are all non-empty objects of one shape that holds no array and no empty object. */
export const ROWS = 1 << 4
/** Container: its values would be ROWS but for the order of their keys. */
export const ROWS_UNORDERED = 1 << 5
/** Container: it is the value of a member. */
export const MEMBER = 1 << 6
/** Container: where the set of the kinds of its values starts; the bit of a kind is 1 << (KINDS_SHIFT + kind). */
export const KINDS_SHIFT = 8

export const COUNT = 3
export const SHAPE = 4
export const END = 5

export const kindBit = (kind: number): number => 1 << KINDS_SHIFT + kind
export const KINDS_MASK = 0xff << KINDS_SHIFT
export const PRIMITIVE_KINDS = kindBit(STRING) | kindBit(NUMBER) | kindBit(TRUE) | kindBit(FALSE) | kindBit(NULL)

/** The node behind `node`: the next key, element or, behind the last, what follows the container. */
export function nextNode (tape: Int32Array, node: number): number {
  const head = tape[node]
  if ((head & KIND_MASK) <= ARRAY) return tape[node + 2]
  return node + (head & WIDE ? WIDE_RECORD : RECORD)
}
