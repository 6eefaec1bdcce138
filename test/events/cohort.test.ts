/**
 * Queues that are served together get exactly what each would get alone, whatever happens to one of them in the middle of a
 * burst, before or after its turn in a flush. Each story is told to queues that may gather and to queues that may not.
 */
import t from "tap"
import type { Item } from "../../src/events/bytes/item.ts"
import { Chain } from "../../src/events/chain.ts"
import { Cohorts } from "../../src/events/cohorts.ts"
import { makeEncoder } from "../../src/events/encode.ts"
import { type LogRow, lastOf, type Receivers, userSet } from "../../src/events/event.ts"
import { Flusher, failQueue } from "../../src/events/flusher.ts"
import { Hub } from "../../src/events/hub.ts"
import { type Connection, Queue } from "../../src/events/queue.ts"
import { ChannelId, Position, QueueId, UserId, type WireId } from "../../src/ids.ts"
import { queueHost } from "../kit/queue-host.ts"
import { Journal } from "./model/journal.ts"
import { echo, renderings, typeOf } from "./model/model-events.ts"
import { ModelRealm } from "./model/model-realm.ts"
import { at } from "./model/queue-subject.ts"

const size = 7
const pendingEvents = 6
const users = Array.from({ length: size }, (_, n) => n + 1)
const clientOptions = { rendering: renderings[0], openToPublic: false, wants: () => true, terms: 0, passes: () => true }
const founding = { users: [], channels: [], secret: ChannelId(1), roles: new Map(), subscribers: [] }

/** A queue with its client, and what the next send to it does. */
class Reader {
  readonly queue: Queue
  /** The events that its connections got, as JSON. */
  readonly got: Array<string> = []
  /** How connections ended. */
  readonly ended: Array<string> = []
  last: WireId = at(0)
  next: "open" | "stalled" | "throws" = "open"

  constructor(queue: Queue) {
    this.queue = queue
  }

  connect(cursor = this.last): void {
    const connection: Connection = {
      kind: "socket",
      waits: true,
      send: (events) => {
        const act = this.next
        this.next = "open"
        if (act === "throws") throw new Error("cannot send")
        for (const item of events.items()) this.got.push(item.bytes.toString())
        this.last = events.lastId ?? this.last
        return act
      },
      end: (reason) => void this.ended.push(reason),
    }
    this.queue.attach(connection, cursor)
  }
}

class Stage {
  readonly readers: ReadonlyArray<Reader>
  readonly faults: Array<string> = []
  readonly cohorts: Cohorts
  readonly hub: Hub
  readonly #tasks: Array<() => void> = []
  readonly #rows: Array<{ readonly row: LogRow; readonly receivers: Receivers }> = []

  constructor(mayGather: boolean) {
    const defer = (task: () => void) => void this.#tasks.push(task)
    const onFault = (fault: unknown) => void this.faults.push(String(fault))
    const after = (_milliseconds: number, task: () => void) => defer(task)
    let looks = 0
    // A turn is over at each look at the clock: two connections are served in a turn.
    const elapsed = () => (looks += 1000)
    const flusher = new Flusher({ defer, after, expects: () => false, elapsed, queuesPerLook: 2, onFault })
    const pendingBytes = 1_000_000
    const failed = (queue: Queue, fault: unknown) => failQueue(queue, fault, onFault)
    this.cohorts = new Cohorts({ root: flusher.root, pendingEvents, pendingBytes, wake: flusher.wake, failed })
    const nothing = () => {}
    const encoder = makeEncoder(typeOf, echo, nothing, onFault)
    const started = { position: 0, width: 0 }
    const people = new ModelRealm(new Journal(founding))
    const gathering = mayGather ? { cohorts: this.cohorts } : {}
    this.hub = new Hub({ ...gathering, encoder, people, started, appendNoop: nothing, defer, onFault })
    const host = queueHost({
      root: flusher.root,
      pendingEvents,
      wake: flusher.wake,
      read: (queue) => {
        const reading = queue.beginReading()
        const items = this.#rows
          .filter(({ receivers }) => receivers.includes(queue.spec.user))
          .flatMap(({ row }) => encoder.row(row, queue.receiver, false))
          .filter(({ id }: Item) => id > queue.examined)
        const newest = this.#rows.at(-1)
        queue.pageRead(reading, Chain.of(items), newest === undefined ? at(0) : lastOf(newest.row))
        queue.turnLive(reading)
      },
      turnedLive: (queue) => this.hub.enter(queue),
      fellBehind: (queue) => this.hub.leave(queue),
      gather: mayGather ? this.cohorts.gather : nothing,
    })
    this.readers = users.map((user) => {
      const id = QueueId(`queue ${user}`)
      const common = { clientOptions, start: at(0), contained: null, idleMilliseconds: 0 }
      const reader = new Reader(new Queue({ ...common, id, user: UserId(user) }, host, at(0)))
      reader.queue.turnLive(reader.queue.beginReading())
      reader.connect()
      return reader
    })
  }

  reader(n: number): Reader {
    const reader = this.readers[n]
    if (reader === undefined) throw new Error(`there is no reader ${n}`)
    return reader
  }

  put(to: ReadonlyArray<number> = users, origin: LogRow["origin"] = null, sender = 0): void {
    const position = Position(this.#rows.length + 1)
    const row: LogRow = {
      type: "message",
      payload: { sender, text: `${position}` },
      position,
      audience: { kind: "realm" },
      width: 1,
      origin,
      at: 0,
      content: null,
      bytes: 100,
    }
    const receivers = { users: to === users ? everybody : userSet(to), includes: (user: UserId) => to.includes(user) }
    this.#rows.push({ row, receivers })
    this.hub.put(row, receivers)
  }

  /** Runs tasks, all where no number is given. */
  run(most = Number.POSITIVE_INFINITY): void {
    for (let left = most; left > 0; left--) {
      const task = this.#tasks.shift()
      if (task === undefined) return
      task()
    }
  }
}
const everybody = userSet(users)

/** What happens to one reader; `later`: once the burst is over. */
interface Story {
  readonly now: (stage: Stage, reader: Reader) => void
  readonly later?: (stage: Stage, reader: Reader) => void
}

const stories: Record<string, Story> = {
  nothing: { now: () => {} },
  stalls: {
    now: (_stage, reader) => {
      reader.next = "stalled"
    },
    later: (_stage, { queue }) => queue.drained(),
  },
  "is detached": {
    now: (_stage, { queue }) => {
      if (queue.connection !== null) queue.detach(queue.connection)
    },
    later: (_stage, reader) => reader.connect(),
  },
  "is attached anew": { now: (_stage, reader) => reader.connect() },
  "is rewound": { now: (_stage, reader) => reader.connect(at(1)) },
  "is dismissed": {
    now: (_stage, { queue }) => queue.dismiss("going-away"),
    later: (_stage, reader) => reader.connect(),
  },
  "is ended": { now: (_stage, { queue }) => queue.end("deleted") },
  "is disconnected": { now: (_stage, { queue }) => queue.disconnect("slow") },
  fails: {
    now: (_stage, reader) => {
      reader.next = "throws"
    },
    later: (_stage, reader) => reader.connect(),
  },
  "sends a message itself": {
    now: (stage, { queue: { spec } }) => stage.put(users, { queueId: spec.id, localId: "local" }, spec.user),
  },
  "is not a receiver": { now: (stage, { queue: { spec } }) => stage.put(users.filter((user) => user !== spec.user)) },
  "is the only receiver": { now: (stage, { queue: { spec } }) => stage.put([spec.user]) },
  "has rows read again": { now: (_stage, { queue }) => queue.reread(new Set([2, 3, 4])) },
  "all overflow": {
    now: (stage) => {
      for (let n = 0; n <= pendingEvents; n++) stage.put()
    },
  },
}

/** Tells a story: what each reader has got at its end, and in which state its queue is. */
const tell = ({ now, later }: Story, mayGather: boolean, turns: number, who: number) => {
  const stage = new Stage(mayGather)
  stage.put()
  stage.run()
  const gathered = stage.cohorts.count
  stage.put()
  stage.put()
  stage.run(turns)
  now(stage, stage.reader(who))
  stage.put()
  stage.run(turns)
  stage.put()
  stage.run()
  later?.(stage, stage.reader(who))
  stage.run()
  stage.put()
  stage.run()
  for (const { queue, last } of stage.readers) queue.acknowledge(last, last)
  const ends = stage.readers.map(({ queue, got, ended, last }) => {
    const { state, sent, examined, acked, pendingCount, isStalled, isReady } = queue
    return { got, ended, last, state, sent, examined, acked, pendingCount, isStalled, isReady }
  })
  return { gathered, ends, faults: stage.faults, count: stage.cohorts.count }
}

for (const [name, story] of Object.entries(stories)) {
  t.test(`one of a cohort ${name} in a burst: everybody gets what they would alone`, async (t) => {
    for (let turns = 0; turns < 6; turns++)
      for (let who = 0; who < size; who++) {
        const together = tell(story, true, turns, who)
        const alone = tell(story, false, turns, who)
        t.equal(together.gathered, size, "all stood together")
        t.equal(alone.count, 0)
        t.same(together.ends, alone.ends, `reader ${who} after ${turns} turns`)
        t.same(together.faults, alone.faults)
        const others = together.ends.filter((_, n) => n !== who)
        t.ok(others.every(({ got }) => got.length >= 5))
      }
  })
}

t.test("who has left stands with the others again once all have sent the same", async (t) => {
  for (const name of ["is detached", "sends a message itself", "is the only receiver", "all overflow"]) {
    const story = stories[name]
    if (story !== undefined) t.equal(tell(story, true, 2, 3).count, size, name)
  }
})

t.test("acknowledgements count up to what was sent, on both sides of a flush under way", async (t) => {
  const stage = new Stage(true)
  stage.put()
  stage.run()
  stage.put()
  stage.run(1)
  t.equal(stage.cohorts.count, size)
  for (const { queue } of stage.readers) queue.acknowledge(at(2), at(2))
  t.same(
    stage.readers.map(({ queue }) => queue.acked),
    stage.readers.map(({ last }) => last),
  )
  t.equal(new Set(stage.readers.map(({ last }) => last)).size, 2, "some have it and some do not")
})
