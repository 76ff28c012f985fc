import { isDigit } from '../json/bare.js'
import { CellReader } from './cell-reader.js'
import type { Written } from './cell-reader.js'
import type { Group } from './group.js'
import type { Form } from './layout.js'
import type { Table } from './table.js'

const COMMA = 0x2c
const SPACE = 0x20
const NEWLINE = 0x0a
const SLASH = 0x2f
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Whether a text is this table in this form: decodes it, cell by cell, and compares each with the value that it
 * should be.
 */
export function holdsTable (written: Written, table: Table, form: Form): boolean {
  return new TableReader(written, form === 'toon').read(table, form)
}

class TableReader extends CellReader {
  /** What stands before the next cell. */
  private lead = COLON

  read (table: Table, form: Form): boolean {
    return (form === 'objects' ? this.objects(table) : this.table(table)) && this.isAtEnd()
  }

  private table ({ rows, count, layout: { root } }: Table): boolean {
    const { isToon } = this
    if (!this.header(count, root) || (isToon && !this.take(COLON))) return false
    for (let r = 0; r < count; r++) {
      if (isToon && !(this.take(NEWLINE) && this.take(SPACE))) return false
      this.lead = isToon ? SPACE : r === 0 ? COLON : SLASH
      if (!this.cells(rows[r], root)) return false
    }
    return true
  }

  /** `[2]{id,customer{name}}` */
  private header (count: number, root: Group): boolean {
    return this.take(OPEN_BRACKET) && this.count(count) && this.take(CLOSE_BRACKET) && this.fields(root)
  }

  private count (expected: number): boolean {
    const { bytes, i: start } = this
    let count = 0
    for (; isDigit(bytes[this.i]); this.i++) count = count * 10 + bytes[this.i] - 0x30
    return count === expected && bytes[start] !== 0x30
  }

  private fields ({ keys, groups }: Group): boolean {
    for (let column = 0; column < keys.length; column++) {
      if (!this.take(column === 0 ? OPEN_BRACE : COMMA) || !this.key(keys[column])) return false
      const group = groups[column]
      // STC has no groups.
      if (group !== null && !(this.isToon && this.fields(group))) return false
    }
    return this.take(CLOSE_BRACE)
  }

  /** The cells of a row, in order, with what stands before each. */
  private cells (row: unknown, { keys, groups }: Group): boolean {
    const members = row as Record<string, unknown>
    let column = 0
    // A for-in loop is what V8 reads the members of rows fastest with.
    for (const key in members) {
      if (column === keys.length || key !== keys[column]) return false
      const group = groups[column++]
      if (group !== null) {
        if (!this.cells(members[key], group)) return false
      } else {
        if (!this.take(this.lead) || !this.cell(members[key])) return false
        this.lead = COMMA
      }
    }
    return column === keys.length
  }

  /** `[{id:1,name:"a"}]` */
  private objects ({ rows, count, layout: { root } }: Table): boolean {
    for (let r = 0; r < count; r++) {
      if (!this.take(r === 0 ? OPEN_BRACKET : COMMA) || !this.object(rows[r], root)) return false
    }
    return this.take(CLOSE_BRACKET)
  }

  private object (row: unknown, { keys, groups }: Group): boolean {
    const members = row as Record<string, unknown>
    let column = 0
    for (const key in members) {
      if (column === keys.length || key !== keys[column]) return false
      if (!this.take(column === 0 ? OPEN_BRACE : COMMA) || !this.key(key) || !this.take(COLON)) return false
      const group = groups[column++]
      if (group === null ? !this.cell(members[key]) : !this.object(members[key], group)) return false
    }
    return column === keys.length && this.take(CLOSE_BRACE)
  }
}
