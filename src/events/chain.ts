/**
 * Lists of encoded events that queues share. A queue's pending list is a node in a tree, and the path to the node is
 * the list: queues that are to send the same events hold the same node, so the frame is built once for all of them.
 * Links to longer lists are weak: a waiting queue keeps only its own list in memory.
 */
import type { WireId } from "../ids.ts"

/** One event as one kind of client reads it: the bytes of a JSON object, id included. */
export interface Item {
  readonly id: WireId
  readonly bytes: Buffer
  /** Ephemerals are lost, not replayed, when a pending list is dropped. */
  readonly stored: boolean
}

const comma = ",".charCodeAt(0)
const open = "["
const close = "]"
const bodyOpen = '{"result":"success","msg":"","events":['
const bodyClose = "]}"
const none: ReadonlyArray<never> = []
/** How many continuations of a list are remembered: more than there are variants. A forgotten one is built again. */
const branches = 16

export class Chain {
  readonly count: number
  readonly bytes: number
  readonly #before: Chain | null
  readonly #item: Item | null
  #newest: WeakRef<Chain> | null = null
  #older: ReadonlyArray<WeakRef<Chain>> = none
  #frame: Buffer | null = null
  #body: Buffer | null = null

  private constructor(before: Chain | null, item: Item | null) {
    this.#before = before
    this.#item = item
    this.count = before === null || item === null ? 0 : before.count + 1
    this.bytes = before === null || item === null ? 0 : before.bytes + item.bytes.length + 1
  }

  /** An empty list. */
  static root(): Chain {
    return new Chain(null, null)
  }

  /** The id of the last event; undefined for an empty list. */
  get lastId(): WireId | undefined {
    return this.#item?.id
  }

  /** This list and one more event. Every queue that appends the same event to the same list gets the same object. */
  append(item: Item): Chain {
    const newest = this.#newest?.deref()
    if (newest !== undefined && newest.#item === item) return newest
    for (const link of this.#older) {
      const chain = link.deref()
      if (chain !== undefined && chain.#item === item) return chain
    }
    const chain = new Chain(this, item)
    // Nearly always there is one continuation, so only further ones need a list.
    if (this.#newest !== null && newest !== undefined)
      this.#older = [...this.#older.filter((each) => each.deref() !== undefined), this.#newest].slice(1 - branches)
    this.#newest = new WeakRef(chain)
    return chain
  }

  /** The events in order. */
  items(): ReadonlyArray<Item> {
    const found: Array<Item> = []
    for (let at: Chain | null = this; at !== null; at = at.#before) if (at.#item !== null) found.push(at.#item)
    return found.reverse()
  }

  /** The events after `id`, as a list that starts from `root`. */
  after(id: WireId, root: Chain): Chain {
    let rest = root
    for (const item of this.items()) if (item.id > id) rest = rest.append(item)
    return rest
  }

  /** A JSON array: what a socket gets as one frame. */
  frame(): Buffer {
    this.#frame ??= this.#between(open, close)
    return this.#frame
  }

  /** A whole success response: what a poll gets. */
  body(): Buffer {
    this.#body ??= this.#between(bodyOpen, bodyClose)
    return this.#body
  }

  /** The events with commas between them, written from the last to the first: that is how they hang together. */
  #between(before: string, after: string): Buffer {
    // `bytes` counts a comma for each event.
    const length = before.length + Math.max(0, this.bytes - 1) + after.length
    const whole = Buffer.allocUnsafeSlow(length)
    let at = length - after.length
    whole.write(after, at, "latin1")
    for (let chain: Chain | null = this; chain !== null; chain = chain.#before) {
      const item = chain.#item
      if (item === null) continue
      if (chain !== this) {
        at -= 1
        whole[at] = comma
      }
      at -= item.bytes.length
      whole.set(item.bytes, at)
    }
    whole.write(before, 0, "latin1")
    return whole
  }
}
