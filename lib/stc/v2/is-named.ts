import type { Document } from '../../json/document.js'
import { KEY_IDENTIFIER } from '../../json/key-table.js'
import type { Column } from './column.js'

/** Whether a path can name the column: its key and those of the groups that hold it are identifiers, each with one place. */
export function isNamed ({ keys: { flags } }: Document, column: Column): boolean {
  for (let at: Column | null = column; at !== null; at = at.parent) {
    if ((flags[at.key] & KEY_IDENTIFIER) === 0 || at.isShared) return false
  }
  return true
}
