/**
 * Everything around a server process: the log and the stored queues, which outlive it, the clients and their
 * connections. Its methods are the single steps that a schedule is made of.
 */
import { idSpan, lastIdOf, positionOf, userSet } from "../../../src/events/event.ts"
import type { EndReason, Queue } from "../../../src/events/queue.ts"
import { QueueId, type UserId, WireId } from "../../../src/ids.ts"
import { Client } from "./client.ts"
import { noop, randomDraft } from "./drafts.ts"
import type { Description } from "./expected.ts"
import { type Founding, Journal, type State } from "./journal.ts"
import { Link } from "./link.ts"
import { renderings } from "./model-events.ts"
import { type Parts, Process, type Sizes } from "./process.ts"
import type { Random } from "./random.ts"
import { Violation } from "./violation.ts"
import { Whispers } from "./whispers.ts"

interface StoredQueue {
  readonly description: Description
  acked: number
}

/** A register between its statement and its reply. */
interface Registering {
  readonly user: UserId
  readonly saw: number
  readonly sawWidth: number
  readonly stored: number
}

const projected: ReadonlyArray<string> = ["subscription", "count"]
const stateless: ReadonlyArray<string> = ["secret", "role", "message", "notice", "wide", "signal"]
const everyType: ReadonlyArray<string> = [...projected, "stored", ...stateless]

export class World {
  readonly random: Random
  readonly journal: Journal
  readonly whispers = new Whispers()
  readonly clients: Array<Client> = []
  readonly registering: Array<Registering> = []
  /** Queues that are being removed because their past is gone. */
  readonly gaps: Array<Queue> = []
  readonly #parts: Parts
  readonly #sizes: Sizes
  readonly #stored = new Map<string, StoredQueue>()
  /** Those that the server holds open, or a client still reads. */
  #links: Array<Link> = []
  #registered = 0
  process: Process

  constructor(random: Random, parts: Parts, sizes: Sizes, founding: Founding, rowsBefore: number) {
    this.random = random
    this.#parts = parts
    this.#sizes = sizes
    this.journal = new Journal(founding)
    for (let count = 0; count < rowsBefore; count++) this.commit()
    this.process = this.#begin()
  }

  #begin(): Process {
    return new Process(this.#parts, this.#sizes, this.journal, (queue) => this.#onGap(queue))
  }

  #client(queue: Queue): Client | undefined {
    return this.clients.find((client) => client.queue.id === queue.spec.id)
  }

  #onGap(queue: Queue): void {
    if (this.journal.oldest <= Math.max(1, positionOf(queue.examined)))
      throw new Violation(`a queue at ${queue.examined} is given up, though the log begins at ${this.journal.oldest}`)
    const client = this.#client(queue)
    if (client !== undefined) client.mayGo = true
    if (!this.gaps.includes(queue)) this.gaps.push(queue)
  }

  get links(): ReadonlyArray<Link> {
    this.#links = this.#links.filter((link) => !link.isNoticed || !link.isDropped)
    return this.#links
  }

  /** The queue whose connection this is. */
  queueOf(link: Link): Queue | undefined {
    const queue = this.process.queues.get(link.client.queue.id)
    return queue?.connection === link ? queue : undefined
  }

  commit(): void {
    this.journal.commit(
      randomDraft(
        this.random,
        this.journal,
        [...this.#stored.values()].map((each) => each.description),
      ),
    )
  }

  /** The process learns of committed rows, with some that it knows already before them. */
  advance(count: number): boolean {
    const { feed } = this.process
    const { position } = feed
    const later = this.journal.rows(position + 1, position + 2)
    if (later.length > 0 && feed.advance(later)) throw new Violation("a row is taken before the one that precedes it")
    const rows = this.journal.rows(Math.max(0, position - this.random.between(0, 2)), position + count)
    if (!feed.advance(rows)) throw new Violation("rows in order are refused")
    return feed.position > position
  }

  /** The commit of a no-op that the hub asked for. */
  settleNoop(isDone: boolean): boolean {
    if (this.process.noops === 0) return false
    this.process.noops--
    if (isDone) this.journal.commit(noop)
    else this.process.hub.noopFailed()
    return true
  }

  settleGap(): boolean {
    const queue = this.gaps.pop()
    if (queue === undefined) return false
    this.#remove(queue, "gone")
    return true
  }

  #remove(queue: Queue, reason: EndReason): void {
    this.#stored.delete(queue.spec.id)
    if (this.process.queues.get(queue.spec.id) !== queue) return
    this.process.queues.delete(queue.spec.id)
    queue.end(reason)
  }

  /** The client ends its queue. */
  remove(client: Client): void {
    const stored = this.#stored.get(client.queue.id)
    if (stored === undefined) return
    client.mayGo = true
    this.#remove(this.process.load(stored.description, stored.acked), "deleted")
  }

  beginRegister(): void {
    const { journal, random } = this
    this.registering.push({
      user: random.pick(journal.founding.users),
      saw: journal.head,
      sawWidth: journal.newest?.width ?? 0,
      stored: journal.state.get("stored") ?? 0,
    })
  }

  finishRegister(begun: Registering): void {
    const { random, process, journal } = this
    this.registering.splice(this.registering.indexOf(begun), 1)
    process.catchUp(begun.saw)
    const fetched = random.some([...projected, "stored"], 0.7)
    // Most clients ask for what others have asked for.
    const like = random.chance(0.7) ? random.find(this.clients)?.queue : undefined
    const clientOptions = like ?? {
      rendering: random.pick(renderings),
      types: random.chance(0.6) ? null : random.some(everyType, 0.7),
      openToPublic: random.chance(0.3),
      narrow: random.chance(0.2) ? random.pick(journal.founding.users) : null,
    }
    const description: Description = {
      id: QueueId(`queue-${++this.#registered}`),
      user: begun.user,
      rendering: clientOptions.rendering,
      types: clientOptions.types,
      openToPublic: clientOptions.openToPublic,
      narrow: clientOptions.narrow,
      saw: begun.saw,
      sawWidth: begun.sawWidth,
      took: process.feed.position,
      contained: projected.filter((section) => fetched.includes(section)),
    }
    const state: State = new Map([...process.realm.state(), ["stored", begun.stored]])
    const start = lastIdOf(begun.saw, begun.sawWidth)
    this.#stored.set(description.id, { description, acked: start })
    process.reader.begin(process.load(description, start))
    if (random.chance(0.9)) this.clients.push(new Client(description, fetched, state, journal, this.whispers))
  }

  connect(client: Client, kind: "poll" | "socket", waits: boolean, cursor: number): void {
    const { process } = this
    const room = this.random.pick([1, 2, 3, Number.POSITIVE_INFINITY])
    const link = new Link(client, kind, waits, cursor, room, this.#sizes, () => process.hub.newestId)
    this.#links.push(link)
    client.links.push(link)
    const stored = this.#stored.get(client.queue.id)
    if (stored === undefined) return link.end("gone")
    const queue = process.load(stored.description, stored.acked)
    if (WireId(cursor) > process.newestId) process.catchUp(this.journal.head)
    if (WireId(cursor) > process.newestId) throw new Violation(`last_event_id ${cursor} is refused`)
    queue.attach(link, WireId(cursor))
    link.mustGo = this.#isPastGone(queue)
  }

  #isPastGone(queue: Queue): boolean {
    const { ring, pages, reads } = this.process
    const first = Math.max(1, positionOf(queue.examined))
    // Rows that the log has pruned are still in memory until the process hears of it, or on their way there.
    const isOnTheWay = reads.some(({ page }) => page?.rows.some(({ position }) => position === first) === true)
    const isKept = !pages.isGone(first) && (isOnTheWay || pages.find(first) !== undefined)
    const isInMemory = (ring.oldest ?? 0) <= first || isKept
    return queue.state === "behind" && this.journal.oldest > first && !isInMemory
  }

  /** The client reads the next message of a connection. */
  receive(link: Link): boolean {
    if (link.isDropped) return false
    const message = link.inbox.shift()
    if (message === undefined) return false
    const { client } = link
    if (message.kind === "events") {
      for (const event of message.events) client.accept(event)
      if (link.kind === "poll") client.drop(link)
      return true
    }
    client.drop(link)
    if (message.reason === "gone" || message.reason === "deleted") {
      client.isGone = true
      client.rewind(client.last)
    }
    return true
  }

  drain(link: Link): boolean {
    if (!link.isOpen || !link.isDrained) return false
    const queue = this.queueOf(link)
    if (queue === undefined) throw new Violation("an open connection belongs to no queue")
    link.drained()
    queue.drained()
    return true
  }

  /** The server hears that a connection is closed, whoever closed it; once for each. */
  notice(link: Link): boolean {
    if (link.isNoticed || (link.isOpen && !link.isDropped)) return false
    link.isNoticed = true
    link.isOpen = false
    this.process.queues.get(link.client.queue.id)?.detach(link)
    return true
  }

  acknowledge(link: Link, id: number): boolean {
    const queue = this.queueOf(link)
    if (queue === undefined || link.kind !== "socket") return false
    const before = queue.acked
    const isKnown = queue.acknowledge(WireId(id), this.process.newestId)
    const wasGiven = id <= link.client.last || link.client.ids.includes(id)
    if (wasGiven && !isKnown) throw new Violation(`ack ${id} is refused`)
    if (id === this.idOfTheFuture && isKnown) throw new Violation(`ack ${id} is taken for an id that was given`)
    if (queue.acked < before || queue.acked > Math.max(before, queue.sent)) throw new Violation(`ack ${id} is taken`)
    if (!isKnown) queue.disconnect("bad-ack")
    return true
  }

  signal(users: ReadonlyArray<UserId>): void {
    const receivers = userSet(users)
    const includes = (user: UserId) => users.includes(user)
    const mark = this.whispers.announce(users)
    this.process.hub.ephemeral(
      { type: "signal", payload: { mark } },
      this.random.chance(0.5) ? { users: receivers, includes } : { users: null, includes },
    )
  }

  /** Acks are written back lazily. */
  save(queue: Queue): void {
    const stored = this.#stored.get(queue.spec.id)
    if (stored !== undefined) stored.acked = queue.acked
  }

  /** Never past what the process has seen: rows are kept for days. */
  prune(): void {
    this.journal.prune(this.random.between(this.journal.oldest, Math.max(1, this.process.feed.position)))
  }

  kill(): void {
    for (const link of this.#links) if (link.isOpen) link.cut()
    // A commit that is on its way may happen yet.
    if (this.process.noops > 0 && this.random.chance(0.5)) this.journal.commit(noop)
    this.registering.length = 0
    this.gaps.length = 0
    this.process = this.#begin()
  }

  check(): void {
    this.process.check(this.random.pick(this.journal.founding.users))
  }

  /** An id inside the newest rows: as if a client had read on elsewhere. */
  get idAhead(): number {
    const { head, oldest } = this.journal
    const position = this.random.between(Math.max(oldest, head - 3), head)
    return position * idSpan + this.random.between(0, Math.min(this.journal.widthOf(position) - 1, 4))
  }

  /** An id that nobody can have yet. */
  get idOfTheFuture(): number {
    return (this.journal.head + this.random.between(1, 3)) * idSpan
  }
}
