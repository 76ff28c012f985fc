/** Key: stands bare in STC, ^[A-Za-z_][A-Za-z0-9_]*$. */
export const KEY_IDENTIFIER = 1
/** Key: stands bare in TOON, ^[A-Za-z_][A-Za-z0-9_.]*$ (TOON 4.0 section 7.3). */
export const KEY_DOTTED_IDENTIFIER = 2
/** Key: its spelling holds escapes other than \" \\ \n \r \t. */
export const KEY_ODD_ESCAPES = 4
/** Key: its spelling holds a backslash. */
export const KEY_ESCAPED = 8

/** By how many bytes a key as a member has it, "key":, is longer than its spelling. */
export const MEMBER_EXTRA = 3

const IDENTIFIER_START = 1
const IDENTIFIER_PART = 2
const DOT = 4
const CLASSES = new Uint8Array(256)
for (let c = 0; c < 128; c++) {
  const char = String.fromCharCode(c)
  if (/[A-Za-z_]/.test(char)) CLASSES[c] = IDENTIFIER_START | IDENTIFIER_PART
  else if (/[0-9]/.test(char)) CLASSES[c] = IDENTIFIER_PART
  else if (char === '.') CLASSES[c] = DOT
}

/** A seed of its own for each process, so that nobody can prepare keys that all fall into one slot. */
const SEED = Math.floor(Math.random() * 0x7fffffff)

/**
 * The distinct keys of documents, each once, by number. A key is kept in its shortest JSON spelling,
 * so two keys are the same string exactly if they have the same id. It only grows, so a scan that
 * fails leaves it whole.
 */
export class KeyTable {
  /** The spellings, one behind the other, without quotes. */
  bytes = new Uint8Array(4096)
  /** A view of the same bytes. */
  view = new DataView(this.bytes.buffer)
  /** Where the spelling of key `id` starts; it ends where that of `id + 1` starts. */
  starts = new Int32Array(257)
  /**
   * The spellings as they mostly stand in a text: in quotes and with a colon behind. That of key `id` starts at
   * `starts[id] + id * MEMBER_EXTRA`. A view, so that the scanner compares words.
   */
  members = new DataView(new ArrayBuffer(8192))
  flags = new Uint8Array(256)
  /**
   * At id + 1: a key with which an object below the key `id` began, most likely the last; at 0 the same for objects
   * below no key. Only a guess, which may be wrong or no key at all.
   */
  firstKeys = new Int32Array(257)
  count = 0
  /** Open addressing: id + 1, or 0 where the slot is free. */
  private slots = new Int32Array(512)
  private hashes = new Int32Array(256)

  /**
   * The id of the key that is spelled in `source` from `start` to `end`, which must be its shortest
   * spelling; `escapes` says what that holds: 0, KEY_ESCAPED, or KEY_ESCAPED | KEY_ODD_ESCAPES.
   */
  intern (source: Uint8Array, start: number, end: number, escapes: number): number {
    const hash = hashBytes(source, start, end)
    const slot = this.findSlot(hash, source, start, end)
    const id = this.slots[slot]
    return id !== 0 ? id - 1 : this.add(source, start, end, escapes, hash, slot)
  }

  /** The id of the key that has this shortest spelling, or -1 where no document had it. */
  find (source: Uint8Array, start: number, end: number): number {
    return this.slots[this.findSlot(hashBytes(source, start, end), source, start, end)] - 1
  }

  /** The slot that holds the key, or the free one where it would go. */
  private findSlot (hash: number, source: Uint8Array, start: number, end: number): number {
    const mask = this.slots.length - 1
    let slot = hash & mask
    for (let id = this.slots[slot]; id !== 0; id = this.slots[slot]) {
      if (this.hashes[id - 1] === hash && this.holds(id - 1, source, start, end)) break
      slot = slot + 1 & mask
    }
    return slot
  }

  private holds (id: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[id]
    if (this.starts[id + 1] - from !== end - start) return false
    for (let i = start, k = from; i < end; i++, k++) {
      if (source[i] !== this.bytes[k]) return false
    }
    return true
  }

  private add (source: Uint8Array, start: number, end: number, escapes: number, hash: number, slot: number): number {
    const id = this.count++
    if (id === this.flags.length) this.growEntries()
    const at = this.starts[id]
    const after = at + end - start
    if (after > this.bytes.length) this.growBytes(after)
    this.bytes.set(source.subarray(start, end), at)
    this.starts[id + 1] = after
    this.addMember(id, at, after)
    this.flags[id] = escapes | classifyKey(source, start, end)
    this.hashes[id] = hash
    this.slots[slot] = id + 1
    if (this.count * 2 > this.slots.length) this.growSlots()
    return id
  }

  private addMember (id: number, start: number, end: number): void {
    let at = start + id * MEMBER_EXTRA
    // Whoever copies eight bytes at once reads up to seven behind the end.
    const needed = at + end - start + MEMBER_EXTRA + 7
    if (needed > this.members.byteLength) {
      const larger = new Uint8Array(Math.max(needed, this.members.byteLength * 2))
      larger.set(new Uint8Array(this.members.buffer))
      this.members = new DataView(larger.buffer)
    }
    const { members } = this
    members.setUint8(at++, 0x22)
    for (let i = start; i < end; i++) members.setUint8(at++, this.bytes[i])
    members.setUint8(at++, 0x22)
    members.setUint8(at, 0x3a)
  }

  private growBytes (needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    bytes.set(this.bytes)
    this.bytes = bytes
    this.view = new DataView(bytes.buffer)
  }

  private growEntries (): void {
    const size = this.flags.length * 2
    const starts = new Int32Array(size + 1)
    starts.set(this.starts)
    this.starts = starts
    const flags = new Uint8Array(size)
    flags.set(this.flags)
    this.flags = flags
    const firstKeys = new Int32Array(size + 1)
    firstKeys.set(this.firstKeys)
    this.firstKeys = firstKeys
    const hashes = new Int32Array(size)
    hashes.set(this.hashes)
    this.hashes = hashes
  }

  private growSlots (): void {
    const slots = new Int32Array(this.slots.length * 2)
    const mask = slots.length - 1
    for (let id = 0; id < this.count; id++) {
      let slot = this.hashes[id] & mask
      while (slots[slot] !== 0) slot = slot + 1 & mask
      slots[slot] = id + 1
    }
    this.slots = slots
  }
}

function hashBytes (source: Uint8Array, start: number, end: number): number {
  let hash = SEED
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ source[i], 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return hash ^ hash >>> 13
}

function classifyKey (source: Uint8Array, start: number, end: number): number {
  if (start === end || (CLASSES[source[start]] & IDENTIFIER_START) === 0) return 0
  let dots = 0
  for (let i = start; i < end; i++) {
    const cls = CLASSES[source[i]]
    if (cls === 0) return 0
    dots |= cls & DOT
  }
  return dots ? KEY_DOTTED_IDENTIFIER : KEY_DOTTED_IDENTIFIER | KEY_IDENTIFIER
}
