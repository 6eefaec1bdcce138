/**
 * A reader of one event queue. It registers the queue, gives its state and then every event once, in order, by WebSocket
 * where that works and else by long poll; it comes back with its last id after whatever cuts it off, and registers again
 * where the queue is gone, which it says by a new state. It asks for more only when its events have been taken.
 */
import type { Event } from "./api.ts"
import { encode } from "./encode.ts"
import { Refused, Replaced, Unanswered } from "./errors.ts"
import { type Account, type ClientWire, exchange } from "./exchange.ts"
import { type FrameForm, jsonFrames } from "./frame-forms.ts"
import type { Operation, Params, Reply } from "./operations.ts"
import { type PauseBounds, Pauses, pause } from "./pauses.ts"
import { QueueSocket, type SocketConstructor, type SocketEnd } from "./queue-socket.ts"

export type State = Reply<"POST /register">

/** What a reader gives. After a `state` that is not the first something may be missing: the state has what became of it. */
export type Item = { readonly kind: "state"; readonly state: State } | { readonly kind: "event"; readonly event: Event }

export interface ReadOptions {
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
  /** A queue from before: nothing is registered as long as it is there. */
  readonly queue?: { readonly queueId: string; readonly lastEventId: number } | undefined
  /** The queue outlives the reader, to be gone on with. */
  readonly keepQueue?: boolean | undefined
  /** Gives `heartbeat` events, too. */
  readonly heartbeats?: boolean | undefined
  /** False: by poll only. */
  readonly sockets?: boolean | undefined
  readonly frames?: FrameForm | undefined
}

export interface ReaderParts extends Omit<ReadOptions, "queue"> {
  readonly wire: ClientWire
  readonly account: Account
  readonly WebSocket: SocketConstructor | undefined
  readonly register: Params<"POST /register">
  readonly queue: Queue | null
}

interface Queue {
  readonly id: string
  lastId: number
}

const defaultPauses = { firstMilliseconds: 250, mostMilliseconds: 30_000 }
/** Sockets that do not work, while polls do, are left alone for longer than a server that is away. */
const socketPausesOf = ({ firstMilliseconds, mostMilliseconds }: PauseBounds): PauseBounds => ({
  firstMilliseconds: 8 * firstMilliseconds,
  mostMilliseconds: 10 * mostMilliseconds,
})
const registerMilliseconds = 60_000
/** The server answers within a minute. */
const pollMilliseconds = 90_000
const farewellMilliseconds = 5_000
/** A poll that was given up may reach the server so much later than the socket that came after it. */
const lateMilliseconds = 10_000

/** Close codes that say: not with this queue, key or client. A poll tells what is wrong, by a code. */
const gone = 4001
const replaced = 4004
const final: ReadonlySet<number> = new Set([4002, 4006, 4007])

const isQueueGone = (error: unknown): boolean => error instanceof Refused && error.code === "BAD_EVENT_QUEUE_ID"

export class QueueReader implements AsyncIterable<Item> {
  readonly #parts: ReaderParts
  readonly #ended = new AbortController()
  readonly #pauses: Pauses
  readonly #socketPauses: Pauses
  #queue: Queue | null
  #isRead = false
  #isReplaced = false
  #socket: QueueSocket | null = null
  /** When a socket may be tried; by performance.now. */
  #socketFrom = 0
  #pollLeftAt = Number.NEGATIVE_INFINITY
  /** Events that came under an id that was there before; they are not given. */
  doubles = 0

  constructor(parts: ReaderParts) {
    this.#parts = parts
    this.#queue = parts.queue
    const { pauses = defaultPauses } = parts.wire
    this.#pauses = new Pauses(pauses)
    this.#socketPauses = new Pauses(socketPausesOf(pauses))
  }

  /** Null before the first state, and while the queue is gone. */
  get queueId(): string | null {
    return this.#queue?.id ?? null
  }

  /** That of the last event that was given: to go on from. */
  get lastEventId(): number | null {
    return this.#queue?.lastId ?? null
  }

  /** What the queue is read by at this moment. */
  get transport(): "socket" | "poll" {
    return this.#socket === null ? "poll" : "socket"
  }

  /** Ends the reading, wherever it is; the loop over the reader ends. */
  close(): void {
    this.#ended.abort()
    this.#socket?.close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    if (this.#isRead) throw new Error("a queue has one reader: ask for another one")
    this.#isRead = true
    const { signal } = this.#parts
    const close = () => this.close()
    if (signal?.aborted === true) this.close()
    signal?.addEventListener("abort", close)
    try {
      while (!this.#ended.signal.aborted) yield* this.#turn()
    } finally {
      signal?.removeEventListener("abort", close)
      this.close()
      await this.#leave()
    }
  }

  /** One register, poll or socket. What passes by itself is waited for here, and what does not is thrown. */
  async *#turn(): AsyncGenerator<Item, void, undefined> {
    try {
      if (this.#queue === null) return yield* this.#register()
      return yield* this.#maySocket() ? this.#bySocket(this.#queue) : this.#byPoll(this.#queue)
    } catch (error) {
      if (this.#ended.signal.aborted) return
      // The whole server is away: that says nothing of sockets.
      if (error instanceof Unanswered) this.#trySockets()
      if (isQueueGone(error)) this.#queue = null
      else if (error instanceof Refused && error.status < 500 && !error.isForNow) throw error
      else if (!(error instanceof Refused || error instanceof Unanswered)) throw error
      await this.#wait(error instanceof Refused ? (error.retryAfterMilliseconds ?? 0) : 0)
    }
  }

  #wait(asked = 0): Promise<void> {
    return pause(this.#pauses.next(asked), this.#ended.signal)
  }

  #ask<Op extends Operation>(
    operation: Op,
    params: Params<Op>,
    milliseconds: number,
    signal = this.#ended.signal,
  ): Promise<Reply<Op>> {
    return exchange(this.#parts.wire, operation, encode(operation, { ...params }), { signal, milliseconds })
  }

  async *#register(): AsyncGenerator<Item, void, undefined> {
    const state = await this.#ask("POST /register", this.#parts.register, registerMilliseconds)
    const { queue_id: id, last_event_id: lastId } = state
    if (id === null || id === undefined || lastId === undefined) throw new Error("visitors have no queue")
    this.#queue = { id, lastId }
    this.#pauses.reset()
    yield { kind: "state", state }
  }

  #trySockets(): void {
    this.#socketPauses.reset()
    this.#socketFrom = 0
  }

  #maySocket(): boolean {
    const { WebSocket, sockets = true } = this.#parts
    return WebSocket !== undefined && sockets && performance.now() >= this.#socketFrom
  }

  *#give(queue: Queue, events: ReadonlyArray<Event>): Generator<Item, void, undefined> {
    for (const event of events) {
      if (event.id <= queue.lastId) {
        this.doubles++
        continue
      }
      queue.lastId = event.id
      if (event.type !== "heartbeat" || this.#parts.heartbeats === true) yield { kind: "event", event }
      // A loop that goes on with its last event after `close` gets no more.
      if (this.#ended.signal.aborted) return
    }
  }

  async *#byPoll(queue: Queue): AsyncGenerator<Item, void, undefined> {
    const { WebSocket, sockets = true } = this.#parts
    const left = new AbortController()
    const leave = () => left.abort()
    // Back to a socket as soon as one may be tried, though nothing comes.
    const timer =
      WebSocket === undefined || !sockets
        ? undefined
        : setTimeout(leave, Math.max(0, this.#socketFrom - performance.now()))
    this.#ended.signal.addEventListener("abort", leave)
    try {
      const params = { queue_id: queue.id, last_event_id: queue.lastId }
      const { events } = await this.#ask("GET /events", params, pollMilliseconds, left.signal)
      // Without events it was ended for another connection, or because the server stops.
      if (events.length === 0) return await this.#wait()
      this.#pauses.reset()
      yield* this.#give(queue, events)
    } catch (error) {
      if (!left.signal.aborted) throw error
      this.#pollLeftAt = performance.now()
    } finally {
      clearTimeout(timer)
      this.#ended.signal.removeEventListener("abort", leave)
    }
  }

  async *#bySocket(queue: Queue): AsyncGenerator<Item, void, undefined> {
    const { wire, account, WebSocket, frames: form = jsonFrames } = this.#parts
    if (WebSocket === undefined) return
    const query = new URLSearchParams({ queue_id: queue.id, last_event_id: String(queue.lastId) })
    const url = `${wire.server.replace(/^http/, "ws")}/api/v1/events/ws?${query}`
    const socket = new QueueSocket({ open: () => new WebSocket(url, form.subprotocol), account, form })
    this.#socket = socket
    try {
      for (;;) {
        const next = await socket.next()
        if (this.#ended.signal.aborted) return
        if ("didWork" in next) return await this.#afterSocket(next)
        this.#pauses.reset()
        this.#trySockets()
        yield* this.#give(queue, next)
        socket.acknowledge(queue.lastId)
      }
    } finally {
      this.#socket = null
      socket.close()
    }
  }

  async #afterSocket({ code, didWork }: SocketEnd): Promise<void> {
    if (code === gone) {
      this.#queue = null
    } else if (code === replaced && performance.now() - this.#pollLeftAt > lateMilliseconds) {
      this.#isReplaced = true
      throw new Replaced()
    } else if (final.has(code) || !didWork) {
      // A poll, now: it works where sockets do not, and if nothing does it says why.
      this.#socketFrom = performance.now() + this.#socketPauses.next()
      return
    }
    if (code !== 1000) await this.#wait()
  }

  /** Ends the queue, so that the server keeps nothing for it. */
  async #leave(): Promise<void> {
    if (this.#queue === null || this.#isReplaced || this.#parts.keepQueue === true) return
    const signal = new AbortController().signal
    await this.#ask("DELETE /events", { queue_id: this.#queue.id }, farewellMilliseconds, signal).catch(() => undefined)
  }
}
