import type { Column } from './column.js'
import { ABSENT, ALWAYS, CONSTANT, COPY, GROUP, PLAIN, TEMPLATE } from './layout.js'

/**
 * Sees to it that no row is an empty text, since [] in a column table is no row.
 *
 * @returns false where that cannot be
 */
export function keepCell (fields: Column[]): boolean {
  const cells: Column[] = []
  const constants: Column[] = []
  collectCells(fields, cells, constants)
  if (cells.length > 1) return true
  if (constants.length > 0) {
    constants[0].kind = PLAIN
    constants[0].empty = ABSENT
    return true
  }
  const [only] = cells
  if (only.kind !== PLAIN || only.present < only.rows) return only.empty === ALWAYS
  only.empty = ABSENT
  only.template = null
  return true
}

function collectCells (fields: Column[], cells: Column[], constants: Column[]): void {
  for (const column of fields) {
    if (column.kind === CONSTANT) constants.push(column)
    else if (column.kind === GROUP && column.empty === ALWAYS) collectCells(column.fields as Column[], cells, constants)
    else if (column.kind !== TEMPLATE && column.kind !== COPY) cells.push(column)
  }
}
