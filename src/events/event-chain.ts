/**
 * Lists of encoded events that queues share. A queue's pending list is a node in a tree, and the path to the node is
 * the list: queues that are to send the same events hold the same node, so the frame is built once for all of them.
 * Links to longer lists are weak: a waiting queue keeps only its own list in memory.
 */
import type { WireId } from "../ids.ts"
import type { EncodedEvent } from "./bytes/encoded-event.ts"

const comma = ",".charCodeAt(0)
const open = "["
const close = "]"
const bodyOpen = '{"result":"success","msg":"","events":['
const bodyClose = "]}"
const noChains: ReadonlyArray<never> = []
/** Most continuations of a list that are remembered: more than there are variants. A forgotten one is built again. */
const branches = 16

/** The head of an array of MessagePack. A frame has a thousand events at most. */
const arrayHead = (count: number): Buffer =>
  count < 16 ? Buffer.of(0x90 + count) : Buffer.of(0xdc, count >>> 8, count & 0xff)

export class EventChain {
  readonly count: number
  readonly bytes: number
  readonly #before: EventChain | null
  /** The last event. */
  readonly #item: EncodedEvent | null
  /** All events of a list that was made at once. */
  readonly #all: ReadonlyArray<EncodedEvent>
  #newest: WeakRef<EventChain> | null = null
  #older: ReadonlyArray<WeakRef<EventChain>> = noChains
  #frame: Buffer | null = null
  #packedFrame: Buffer | null = null
  #body: Buffer | null = null

  private constructor(before: EventChain | null, item: EncodedEvent | null, all: ReadonlyArray<EncodedEvent>) {
    this.#before = before
    this.#item = item
    this.#all = all
    this.count = before === null || item === null ? all.length : before.count + 1
    this.bytes =
      before === null || item === null
        ? all.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)
        : before.bytes + item.bytes.length + 1
  }

  /** An empty list. */
  static root(): EventChain {
    return new EventChain(null, null, noChains)
  }

  /** A list of many events, made at once: without a link for each, so it shares nothing with shorter lists. */
  static of(items: ReadonlyArray<EncodedEvent>): EventChain {
    return new EventChain(null, items.at(-1) ?? null, items)
  }

  /** Whether it is a list of exactly these events that was made at once. */
  isOf(items: ReadonlyArray<EncodedEvent>): boolean {
    const all = this.#all
    return this.#before === null && all.length === items.length && items.every((item, index) => item === all[index])
  }

  /** The id of the last event; undefined for an empty list. */
  get lastId(): WireId | undefined {
    return this.#item?.id
  }

  /** This list and one more event. Every queue that appends the same event to the same list gets the same object. */
  append(item: EncodedEvent): EventChain {
    const newest = this.#newest?.deref()
    if (newest !== undefined && newest.#item === item) return newest
    for (const link of this.#older) {
      const chain = link.deref()
      if (chain !== undefined && chain.#item === item) return chain
    }
    const chain = new EventChain(this, item, noChains)
    // Nearly always there is one continuation, so only further ones need a list.
    if (this.#newest !== null && newest !== undefined)
      this.#older = [...this.#older.filter((each) => each.deref() !== undefined), this.#newest].slice(1 - branches)
    this.#newest = new WeakRef(chain)
    return chain
  }

  /** The events in order. */
  items(): ReadonlyArray<EncodedEvent> {
    const found: Array<EncodedEvent> = []
    let chain: EventChain = this
    for (let before = chain.#before; before !== null; before = chain.#before) {
      if (chain.#item !== null) found.push(chain.#item)
      chain = before
    }
    return [...chain.#all, ...found.reverse()]
  }

  /** The events after `id`, as a list that starts from `root`. */
  after(id: WireId, root: EventChain): EventChain {
    const last = this.lastId
    if (last === undefined || last <= id) return root
    let rest = root
    for (const item of this.items()) if (item.id > id) rest = rest.append(item)
    return rest
  }

  /** A JSON array: what a socket gets as one frame. */
  frame(): Buffer {
    this.#frame ??= this.#between(open, close)
    return this.#frame
  }

  /** An array of MessagePack: the same frame for a socket that reads that. */
  packedFrame(): Buffer {
    this.#packedFrame ??= Buffer.concat([arrayHead(this.count), ...this.items().map((item) => item.packed())])
    return this.#packedFrame
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
    const end = length - after.length
    let at = end
    const write = ({ bytes }: EncodedEvent): void => {
      if (at < end) {
        at -= 1
        whole[at] = comma
      }
      at -= bytes.length
      whole.set(bytes, at)
    }
    let chain: EventChain = this
    for (let shorter = chain.#before; shorter !== null; shorter = chain.#before) {
      if (chain.#item !== null) write(chain.#item)
      chain = shorter
    }
    for (let index = chain.#all.length - 1; index >= 0; index--) {
      const item = chain.#all[index]
      if (item !== undefined) write(item)
    }
    whole.write(after, end, "latin1")
    whole.write(before, 0, "latin1")
    return whole
  }
}

/** Most lists that are remembered: as many as there may be kinds of clients that return together. */
const rememberedLists = 8

/** Lists that were made at once, so that queues that lack the same events share one, and its bytes. */
export class ManyEvents {
  /** The newest last. Weak: a list is kept by the queues that are to send it. */
  #known: ReadonlyArray<WeakRef<EventChain>> = noChains

  listOf(items: ReadonlyArray<EncodedEvent>): EventChain {
    for (const link of this.#known) {
      const known = link.deref()
      if (known?.isOf(items) === true) return known
    }
    const made = EventChain.of(items)
    this.#known = [...this.#known.slice(1 - rememberedLists), new WeakRef(made)]
    return made
  }
}
