/**
 * A queue in a test: the client's reader, by which events are taken one by one, each within a bounded time. Whatever no
 * client should ever see is an error here: an id that does not rise, a queue that is gone.
 */
import type { Client, Event, Item, Params, QueueReader, State } from "../client/index.ts"
import type { EventOf, QueueOptions, TestQueue } from "./types.ts"

const defaultPatience = 5_000

/** What came while something else was waited for, as few words. */
const summary = (events: ReadonlyArray<Event>): string =>
  events.length === 0 ? "nothing came" : `there came ${events.map(({ type, id }) => `${type} (${id})`).join(", ")}`

const isOf = <Type extends Event["type"]>(event: Event, type: Type): event is EventOf<Type> => event.type === type

class Queue implements TestQueue {
  readonly state: State
  readonly events: Array<Event> = []
  readonly #reader: QueueReader
  readonly #items: AsyncIterator<Item>
  readonly #patience: number
  /** An item that is waited for; it stays so when `next` gives up. */
  #pending: Promise<IteratorResult<Item>> | null = null

  constructor(reader: QueueReader, items: AsyncIterator<Item>, state: State, patience: number) {
    this.#reader = reader
    this.#items = items
    this.state = state
    this.#patience = patience
  }

  next(): Promise<Event>
  next<Type extends Event["type"]>(type: Type): Promise<EventOf<Type>>
  async next(type?: Event["type"]): Promise<Event> {
    const giveUpAt = performance.now() + this.#patience
    const passed: Array<Event> = []
    for (;;) {
      const event = await this.#take(giveUpAt)
      if (event === null) {
        const wanted = type === undefined ? "no event" : `no event of type ${type}`
        throw new Error(`${wanted} within ${this.#patience} ms: ${summary(passed)}`)
      }
      if (type === undefined || isOf(event, type)) return event
      passed.push(event)
    }
  }

  /** The next event; null where none comes in time. */
  async #take(giveUpAt: number): Promise<Event | null> {
    this.#pending ??= this.#items.next()
    const item = await within(this.#pending, giveUpAt - performance.now())
    if (item === null) return null
    this.#pending = null
    if (item.done === true) throw new Error("the queue is closed")
    if (item.value.kind === "state") throw new Error("the queue is gone: the client had to register another one")
    if (this.#reader.doubles > 0) throw new Error(`an event came under an id that was not above the one before it`)
    this.events.push(item.value.event)
    return item.value.event
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (;;) yield await this.next()
  }

  async close(): Promise<void> {
    this.#reader.close()
    // Ended by `close` already; this waits until the queue is deleted.
    await this.#pending?.catch(() => {})
    await this.#items.return?.()
  }
}

/** Null where it takes longer. */
const within = async <A>(promise: Promise<A>, milliseconds: number): Promise<A | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, milliseconds))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Registers it, so that whatever happens from then on is in it. */
export const openQueue = async (
  client: Client,
  register: Params<"POST /register">,
  { transport, patienceMilliseconds = defaultPatience }: QueueOptions,
): Promise<TestQueue> => {
  const hasSocket = Reflect.get(globalThis, "WebSocket") !== undefined
  if (transport === "socket" && !hasSocket)
    throw new Error("this Node has no WebSocket: put one, that of undici or ws, at globalThis.WebSocket")
  const reader = client.read(register, { sockets: transport !== "poll" })
  const items = reader[Symbol.asyncIterator]()
  const first = await items.next()
  if (first.done === true || first.value.kind !== "state") throw new Error("the queue was not registered")
  return new Queue(reader, items, first.value.state, patienceMilliseconds)
}
