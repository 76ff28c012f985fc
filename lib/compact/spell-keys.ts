import type { Group } from './group.js'

/** TOON 4.0 section 9.3: the list of fields, with those of objects behind their keys. */
export function spellToonFields ({ keys, groups }: Group): string {
  let list = ''
  for (let column = 0; column < keys.length; column++) {
    const group = groups[column]
    list += (column === 0 ? '{' : ',') + spellToonKey(keys[column])
    if (group !== null) list += spellToonFields(group)
  }
  return `${list}}`
}

/** The list of fields of a columnar list. */
export function spellStcFields ({ keys }: Group): string {
  return `{${keys.map(spellStcKey).join()}}`
}

/** Each key and its colon, also those of objects below, in order. */
export function spellMembers (group: Group): string[] {
  const members: string[] = []
  addMembers(group, members)
  return members
}

function addMembers ({ keys, groups }: Group, members: string[]): void {
  for (let column = 0; column < keys.length; column++) {
    members.push(`${spellStcKey(keys[column])}:`)
    const group = groups[column]
    if (group !== null) addMembers(group, members)
  }
}

function spellStcKey (key: string): string {
  return isIdentifier(key) ? key : JSON.stringify(key)
}

/** TOON has no \b and no \f. */
function spellToonKey (key: string): string {
  if (isIdentifier(key) || /^[A-Za-z_][A-Za-z0-9_.]*$/.test(key)) return key
  return JSON.stringify(key).replace(/\\(.)/g, (escape, letter: string) => letter === 'b' ? '\\u0008' : letter === 'f' ? '\\u000c' : escape)
}

/** ^[A-Za-z_][A-Za-z0-9_]*$ */
export function isIdentifier (key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    const lower = unit | 0x20
    if (!((lower >= 0x61 && lower <= 0x7a) || unit === 0x5f || (i > 0 && unit >= 0x30 && unit <= 0x39))) return false
  }
  return key !== ''
}
