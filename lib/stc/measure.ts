import { countDigits } from '../json/count-digits.js'
import type { Document } from '../json/document.js'
import { measureFieldList } from '../json/field-list.js'
import { KEY_IDENTIFIER } from '../json/key-table.js'
import { COUNT, KIND_MASK, MEMBER, OBJECT, SHAPE } from '../json/tape.js'
import { isColumnar, isCompactArray } from './forms.js'

/**
 * Size in bytes of the dense STC 1 text of a document: that of minified JSON, plus what each array and
 * object adds or saves. Values cost the same in both, so none is looked at.
 */
export function measureStc (document: Document): number {
  const { tape, shapes, containers, containerCount } = document
  let size = document.minifiedBytes
  for (let index = 0; index < containerCount;) {
    const node = containers[index++]
    if ((tape[node] & KIND_MASK) === OBJECT) {
      // Two quotes around each identifier.
      size -= 2 * (tape[node + COUNT] - shapes.quotedKeys(tape[node + SHAPE]))
    } else if (isColumnar(document, node)) {
      const rows = tape[node + COUNT]
      const fields = measureFieldList(document, tape[node + SHAPE], sizeOfKey)
      // [N]{...}: for the brackets of JSON, and commas for all that JSON has in a row beside its values; slashes for commas.
      size += 1 + countDigits(rows) + fields.list + rows * (fields.cells - 1 - fields.json)
      while (index < containerCount && containers[index] < tape[node + 2]) index++
    } else if ((tape[node] & MEMBER) !== 0 && isCompactArray(tape, node)) {
      // key[N]:1,2 for "key":[1,2]
      size += countDigits(tape[node + COUNT])
    }
  }
  return size
}

function sizeOfKey ({ keys }: Document, key: number): number {
  return keys.starts[key + 1] - keys.starts[key] + (keys.flags[key] & KEY_IDENTIFIER ? 0 : 2)
}
