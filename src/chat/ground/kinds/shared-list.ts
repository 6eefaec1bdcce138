/**
 * Lists that nearly everybody gets alike, as blocks that all of them share: all people, all groups, all channels that
 * are open to a kind of viewer. A block is the items of a range of ids. Where a viewer's list differs from the common
 * one, the range is divided until the difference stands alone, so that what is shared is exactly what all who get it
 * would have been written themselves.
 */
import { JsonBlock, type JsonItem, type ListPart } from "../../../json-pieces.ts"
import type { Realm } from "../realm/realm.ts"

/** Each range is divided into so many. */
const partsOfRange = 4

/** The blocks of one size, by their place. */
interface BlockLevel {
  /** Ids of a range. */
  readonly size: number
  readonly blocks: Map<number, JsonBlock>
}

const isSame = (a: ReadonlyArray<JsonItem>, b: ReadonlyArray<JsonItem>): boolean =>
  a.length === b.length && a.every((item, n) => item === b[n])

export class SharedList<I extends JsonItem> {
  /** The state that the list showed when it was last found to be up to date; for its owner. */
  madeOf = -1
  /** By id. */
  readonly #items: Array<I | undefined> = []
  /** The largest ranges first. */
  readonly #levels: ReadonlyArray<BlockLevel>
  /** Lists whose blocks may be the same. */
  readonly #alike: Iterable<SharedList<I>>

  constructor(largest: number, alike: Iterable<SharedList<I>>) {
    const levels: Array<BlockLevel> = []
    for (let size = largest; size > 1; size /= partsOfRange) levels.push({ size, blocks: new Map() })
    this.#levels = levels
    this.#alike = alike
  }

  item(id: number): I | undefined {
    return this.#items[id]
  }

  /** All ids are below it. */
  get end(): number {
    return this.#items.length
  }

  /** Sets the item with an id, or that there is none. An item with another text must be another object. */
  set(id: number, item: I | undefined): void {
    if (this.#items[id] === item) return
    while (this.#items.length < id) this.#items.push(undefined)
    this.#items[id] = item
    for (const { size, blocks } of this.#levels) blocks.delete(Math.floor(id / size))
  }

  /** Bytes of the blocks that it keeps. */
  get kept(): number {
    let kept = 0
    for (const { blocks } of this.#levels) for (const block of blocks.values()) kept += block.cachedBytes
    return kept
  }

  /**
   * The parts of a list that differs from this one at some ids, in ascending order. `alone`: what stands for a single
   * id, differing or not; undefined: nothing.
   */
  parts(differing: ReadonlyArray<number>, alone: (id: number) => ListPart | undefined): ReadonlyArray<ListPart> {
    const parts: Array<ListPart> = []
    let next = 0
    const isDifferent = (id: number) => {
      if (differing[next] !== id) return false
      next += 1
      return true
    }
    const visit = (depth: number, place: number): void => {
      const level = this.#levels[depth]
      if (level === undefined) {
        const part = isDifferent(place) || this.#items[place] !== undefined ? alone(place) : undefined
        if (part !== undefined) parts.push(part)
        return
      }
      if ((differing[next] ?? Number.POSITIVE_INFINITY) >= (place + 1) * level.size) {
        const block = this.#block(depth, level, place)
        if (block.items.length > 0) parts.push(block)
        return
      }
      for (let n = 0; n < partsOfRange; n++) visit(depth + 1, place * partsOfRange + n)
    }
    const largest = this.#levels[0]?.size ?? 1
    const end = Math.max(this.#items.length, 1 + (differing.at(-1) ?? -1))
    for (let place = 0; place * largest < end; place++) visit(0, place)
    return parts
  }

  /** Makes the largest blocks, one for each step, for lists so long that `parts` would take too long to do it. */
  *prepare(): Iterable<unknown> {
    const [level] = this.#levels
    if (level === undefined) return
    for (let place = 0; place * level.size < this.#items.length; place++) yield this.#block(0, level, place)
  }

  #block(depth: number, { size, blocks }: BlockLevel, place: number): JsonBlock {
    const known = blocks.get(place)
    if (known !== undefined) return known
    const items = this.#items.slice(place * size, (place + 1) * size).filter((item) => item !== undefined)
    const block = this.#findAlike(depth, place, items) ?? new JsonBlock(items)
    blocks.set(place, block)
    return block
  }

  /** Viewers with different rights mostly see the same all the same. */
  #findAlike(depth: number, place: number, items: ReadonlyArray<JsonItem>): JsonBlock | undefined {
    for (const list of this.#alike) {
      const block = list.#levels[depth]?.blocks.get(place)
      if (block !== undefined && isSame(block.items, items)) return block
    }
    return undefined
  }
}

/** Most bytes that all variants of one list keep for a realm, and the most variants. */
const mostKept = 64 * 1024 * 1024
const mostVariants = 24

/**
 * Keeps the variants of one list for each realm; those that were not used for longest are given up. What answers hold of
 * them stays until these have left. `largest`: ids of the largest range, a power of four.
 */
export const cachedLists = <I extends JsonItem>(
  largest: number,
): ((realm: Realm, variant: string) => SharedList<I>) => {
  const byRealm = new WeakMap<Realm, Map<string, SharedList<I>>>()
  return (realm, variant) => {
    const lists = byRealm.get(realm) ?? new Map<string, SharedList<I>>()
    byRealm.set(realm, lists)
    const list = lists.get(variant) ?? new SharedList<I>(largest, { [Symbol.iterator]: () => lists.values() })
    // To the end: the first is the one that was not used for longest.
    lists.delete(variant)
    lists.set(variant, list)
    let kept = 0
    for (const each of lists.values()) kept += each.kept
    for (const [oldest, each] of lists) {
      if (lists.size === 1 || (kept <= mostKept && lists.size <= mostVariants)) break
      kept -= each.kept
      lists.delete(oldest)
    }
    return list
  }
}
