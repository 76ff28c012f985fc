import { Spare } from './allocate.js'
import { KEY_DOTTED_IDENTIFIER, KEY_IDENTIFIER, KEY_ODD_ESCAPES } from './key-table.js'
import type { KeyTable } from './key-table.js'
import { NO_WORDS, makeWords } from './word-room.js'

/** The shape of an object without members, where every object starts. */
export const EMPTY_SHAPE = 0
/** What stands for a primitive where a shape names the kind of a value. */
export const PRIMITIVE_CHILD = 0
/** What stands for an array, an empty object, or an object that holds either. */
export const OPAQUE_CHILD = -1

/** Shape: some value is OPAQUE_CHILD. */
export const SHAPE_OPAQUE = 1
/** Shape: some key stands twice. */
export const SHAPE_DUPLICATE = 2
/** Shape: some value is an object. */
export const SHAPE_NESTED = 4

/** Shape: the spelling of some key holds escapes that TOON has not. */
export const SHAPE_ODD_KEYS = 8

/** Words of a shape in `ShapeTree.words`, and what they hold. */
export const STRIDE = 8
const PARENT = 0
const KEY_ID = 1
const CHILD = 2
/** The number of members, and below it the flags. */
const SIZE = 3
const FLAGS_BITS = 4
const FLAGS_MASK = (1 << FLAGS_BITS) - 1
/** The key that followed this shape last, or -1; with LAST_CHILD it led to LAST_NEXT. */
export const LAST_KEY = 4
export const LAST_CHILD = 5
export const LAST_NEXT = 6
/** A sum over its members, so that shapes with the same members in whatever order have the same. */
const FIELDS_HASH = 7

/** By how much the tables grow: what is copied then has been touched for nothing. */
const GROWTH = 4
/** How many shapes a tree has room for that is used for more than one document; what is larger is kept for the next large one. */
const WARM_ROOM = 1 << 15
const FIRST_ROOM = 128

/** Room for so many shapes. One object, so that what belongs together is kept or collected together. */
class ShapeRoom {
  readonly words: Int32Array
  readonly quoted: Int32Array

  constructor (readonly length: number) {
    this.words = new Int32Array(STRIDE * length)
    this.quoted = new Int32Array(2 * length)
  }
}

const NO_ROOM = new ShapeRoom(0)
const spareRooms = new Spare<ShapeRoom>(length => length === 0 ? NO_ROOM : new ShapeRoom(length), WARM_ROOM)
const spareSlots = new Spare<Int32Array>(makeWords, WARM_ROOM * 4)

/** Up to this many keys an object is searched for a duplicate by walking up the tree. */
const WALK_LIMIT = 24

/** A member that all objects of a shape have: its key, and what stands for its value. */
export interface Field {
  key: number
  child: number
}

/** How many lists of fields are kept for who asks next, a power of two, and how long they may be. */
const LISTED_SHAPES = 256
const LISTED_FIELDS = 64

/**
 * The shapes of objects: which keys in which order, and below each key a primitive, an object of a
 * known shape or something opaque. A tree of transitions from the empty shape, so that two objects
 * look alike exactly if they have the same shape number. Each shape remembers where it went last,
 * which in rows is where it goes next. It only grows, so a scan that fails leaves it whole.
 */
export class ShapeTree {
  private room = new ShapeRoom(FIRST_ROOM)
  words = this.room.words
  /** Two for each shape: how many keys do not stand bare in STC, and in TOON. */
  private quoted = this.room.quoted
  count = 1
  private slots: Int32Array = new Int32Array(256)
  /** For each shape the number of its set of fields, in any order; 0 where not yet known. */
  private fieldSets = new Int32Array(128)
  /** Lists of fields that were asked for, at the slot of their shape. */
  private readonly listed: ({ shape: number, fields: readonly Field[] } | undefined)[] = new Array(LISTED_SHAPES)
  private fieldSetIds = new Map<string, number>()
  /** Keys of wide objects that are being read, by the depth of the object. */
  private wide = new Map<number, { shape: number, keys: Set<number> }>()

  /** @param keys whose keys the shapes are made of */
  constructor (private readonly keys: KeyTable) {
    this.words[LAST_KEY] = -1
  }

  flags (shape: number): number {
    return this.words[shape * STRIDE + SIZE] & FLAGS_MASK
  }

  /** Number of members of an object of this shape. */
  size (shape: number): number {
    return this.words[shape * STRIDE + SIZE] >>> FLAGS_BITS
  }

  /** How many of its keys are no identifiers. */
  quotedKeys (shape: number): number {
    return this.quoted[2 * shape]
  }

  /** How many of its keys are no identifiers that may hold dots. */
  quotedDottedKeys (shape: number): number {
    return this.quoted[2 * shape + 1]
  }

  /** The members of a shape in order. */
  fields (shape: number): readonly Field[] {
    const slot = shape & LISTED_SHAPES - 1
    if (this.listed[slot]?.shape === shape) return this.listed[slot].fields
    const fields: Field[] = []
    for (let at = shape * STRIDE; at !== 0; at = this.words[at + PARENT] * STRIDE) {
      fields.push({ key: this.words[at + KEY_ID], child: this.words[at + CHILD] })
    }
    fields.reverse()
    if (fields.length <= LISTED_FIELDS) this.listed[slot] = { shape, fields }
    return fields
  }

  /**
   * The shape that an object of this shape has with one member more, remembered as where it went last;
   * `depth` tells open objects apart.
   */
  next (shape: number, key: number, child: number, depth: number): number {
    const at = shape * STRIDE
    const next = this.find(shape, key, child, depth)
    this.words[at + LAST_KEY] = key
    this.words[at + LAST_CHILD] = child
    this.words[at + LAST_NEXT] = next
    return next
  }

  /** Whether two shapes hold the same keys with the same kinds of values, in whatever order. */
  haveSameFields (a: number, b: number): boolean {
    if (a === b) return true
    const { words } = this
    return this.size(a) === this.size(b) && words[a * STRIDE + FIELDS_HASH] === words[b * STRIDE + FIELDS_HASH] &&
      this.fieldSet(a) === this.fieldSet(b)
  }

  private find (shape: number, key: number, child: number, depth: number): number {
    const mask = this.slots.length - 1
    let slot = hashTransition(shape, key, child) & mask
    for (let id = this.slots[slot]; id !== 0; id = this.slots[slot]) {
      const at = id * STRIDE
      if (this.words[at + PARENT] === shape && this.words[at + KEY_ID] === key && this.words[at + CHILD] === child) return id
      slot = slot + 1 & mask
    }
    const duplicate = this.hasKey(shape, key, depth)
    return this.add(shape, key, child, duplicate, slot)
  }

  private add (shape: number, key: number, child: number, duplicate: boolean, slot: number): number {
    const id = this.count++
    if (id === this.room.length) this.growRoom()
    const at = id * STRIDE
    const parent = shape * STRIDE
    this.words[at + PARENT] = shape
    this.words[at + KEY_ID] = key
    this.words[at + CHILD] = child
    const keyFlags = this.keys.flags[key]
    const flags = this.flags(shape) | (duplicate ? SHAPE_DUPLICATE : 0) | (keyFlags & KEY_ODD_ESCAPES ? SHAPE_ODD_KEYS : 0) |
      (child === OPAQUE_CHILD ? SHAPE_OPAQUE : child === PRIMITIVE_CHILD ? 0 : SHAPE_NESTED | this.flags(child) & SHAPE_DUPLICATE)
    this.words[at + SIZE] = this.size(shape) + 1 << FLAGS_BITS | flags
    this.quoted[2 * id] = this.quoted[2 * shape] + (keyFlags & KEY_IDENTIFIER ? 0 : 1)
    this.quoted[2 * id + 1] = this.quoted[2 * shape + 1] + (keyFlags & KEY_DOTTED_IDENTIFIER ? 0 : 1)
    this.words[at + FIELDS_HASH] = this.words[parent + FIELDS_HASH] + hashField(key, child > 0 ? this.words[child * STRIDE + FIELDS_HASH] : child)
    this.words[at + LAST_KEY] = -1
    this.slots[slot] = id
    if (this.count * 2 > this.slots.length) this.growSlots()
    return id
  }

  /** Whether the shape has the key; linear in all over the members of one object. */
  private hasKey (shape: number, key: number, depth: number): boolean {
    if (this.size(shape) > WALK_LIMIT) return this.hasKeyInWide(shape, key, depth)
    for (let at = shape * STRIDE; at !== 0; at = this.words[at + PARENT] * STRIDE) {
      if (this.words[at + KEY_ID] === key) return true
    }
    return false
  }

  /**
   * In a wide object the keys are kept in a set that is brought up to date from the members that came
   * since the last question, so that a map of a million keys costs a million steps.
   */
  private hasKeyInWide (shape: number, key: number, depth: number): boolean {
    let known = this.wide.get(depth)
    const fresh: number[] = []
    let at = shape
    while (at !== EMPTY_SHAPE && at !== known?.shape) {
      fresh.push(this.words[at * STRIDE + KEY_ID])
      at = this.words[at * STRIDE + PARENT]
    }
    if (known === undefined || at === EMPTY_SHAPE) {
      known = { shape, keys: new Set() }
      this.wide.set(depth, known)
    }
    for (const id of fresh) known.keys.add(id)
    known.shape = shape
    return known.keys.has(key)
  }

  /** Drops what is only of use within one scan. */
  endScan (): void {
    if (this.wide.size > 0) this.wide.clear()
  }

  private fieldSet (shape: number): number {
    if (shape < this.fieldSets.length && this.fieldSets[shape] !== 0) return this.fieldSets[shape]
    const fields = this.fields(shape).map(({ key, child }) => `${key}:${child > 0 ? this.fieldSet(child) : child}`)
    const name = fields.sort().join()
    const id = this.fieldSetIds.get(name) ?? this.fieldSetIds.size + 1
    this.fieldSetIds.set(name, id)
    if (shape >= this.fieldSets.length) {
      const sets = new Int32Array(Math.max(shape + 1, this.fieldSets.length * 2))
      sets.set(this.fieldSets)
      this.fieldSets = sets
    }
    this.fieldSets[shape] = id
    return id
  }

  /** Says that neither the tree nor a document that was read with it is needed any more. */
  dispose (): void {
    spareRooms.give(this.room)
    spareSlots.give(this.slots)
    this.use(NO_ROOM)
    this.slots = NO_WORDS
  }

  private growRoom (): void {
    const { words, quoted, room } = this
    this.use(spareRooms.take(room.length * GROWTH))
    this.words.set(words)
    this.quoted.set(quoted)
  }

  private use (room: ShapeRoom): void {
    this.room = room
    this.words = room.words
    this.quoted = room.quoted
  }

  private growSlots (): void {
    const slots = spareSlots.take(this.slots.length * GROWTH)
    slots.fill(0)
    const mask = slots.length - 1
    for (let id = 1; id < this.count; id++) {
      const at = id * STRIDE
      let slot = hashTransition(this.words[at + PARENT], this.words[at + KEY_ID], this.words[at + CHILD]) & mask
      while (slots[slot] !== 0) slot = slot + 1 & mask
      slots[slot] = id
    }
    this.slots = slots
  }
}

function hashField (key: number, child: number): number {
  const hash = Math.imul(key + 1, 0x9e3779b1) ^ Math.imul(child + 2, 0x85ebca6b)
  return Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d)
}

function hashTransition (shape: number, key: number, child: number): number {
  let hash = Math.imul(shape, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b) ^ Math.imul(child + 2, 0xc2b2ae35)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return hash ^ hash >>> 12
}
