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

const comma = Buffer.from(",")
const open = Buffer.from("[")
const close = Buffer.from("]")
const bodyOpen = Buffer.from('{"result":"success","msg":"","events":')
const bodyClose = Buffer.from("}")
/** How many continuations of a list are remembered: more than there are variants. A forgotten one is built again. */
const branches = 16

export class Chain {
  readonly count: number
  readonly bytes: number
  readonly #before: Chain | null
  readonly #item: Item | null
  #next: Array<WeakRef<Chain>> | null = null
  #newest: WeakRef<Chain> | null = null
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
    const known = this.#next ?? []
    for (const link of known) {
      const chain = link.deref()
      if (chain !== undefined && chain.#item === item) {
        this.#newest = link
        return chain
      }
    }
    const chain = new Chain(this, item)
    const link = new WeakRef(chain)
    this.#newest = link
    this.#next = [...known.filter((each) => each.deref() !== undefined), link].slice(-branches)
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
    if (this.#frame !== null) return this.#frame
    const parts: Array<Buffer> = [open]
    for (const [index, item] of this.items().entries()) {
      if (index > 0) parts.push(comma)
      parts.push(item.bytes)
    }
    parts.push(close)
    this.#frame = Buffer.concat(parts)
    return this.#frame
  }

  /** A whole success response: what a poll gets. */
  body(): Buffer {
    this.#body ??= Buffer.concat([bodyOpen, this.frame(), bodyClose])
    return this.#body
  }
}
