/**
 * Queues, hub, ring and reader against a small model, under random schedules: commits, ephemerals, a hub that lags behind,
 * loops that end in the middle, polls whose answers are lost, older ids, two connections at once, sockets that drop frames,
 * kills, pruning. PARLEY_SEED=<seed> runs the schedules from that one on.
 */
import t from "tap"
import { lastIdOf } from "../../src/events/event.ts"
import type { QueueConnection } from "../../src/events/queue.ts"
import { QueueId, UserId } from "../../src/ids.ts"
import { isFull, seed, some } from "../kit/share.ts"
import { noop } from "./model/drafts.ts"
import type { Description } from "./model/expected.ts"
import { faults } from "./model/faults.ts"
import { channelsUpTo, Journal, usersUpTo } from "./model/journal.ts"
import { renderings } from "./model/model-events.ts"
import { soundParts } from "./model/parts.ts"
import { Process, type Sizes } from "./model/process.ts"
import { findFailure, runOne, tell } from "./model/search.ts"
import { Violation } from "./model/violation.ts"

const schedules = isFull ? 100 : 50
/** From seed 1 on the rarest planted fault is found by the 39th. */
const schedulesForFaults = 500

t.test("I3, I4, I5, I10, I13: random schedules break no promise", async (t) => {
  const { failure } = await findFailure(soundParts, seed, (count) => count < schedules)
  t.equal(tell(failure), "nothing", `${schedules} schedules from seed ${seed} on`)
})

t.test("each planted fault is found, and found again with its seed", async (t) => {
  for (const [name, part] of some(Object.entries(faults), 2, "planted faults")) {
    const parts = { ...soundParts, ...part }
    const { failure } = await findFailure(parts, seed, (count) => count < schedulesForFaults)
    t.ok(failure?.cause instanceof Violation, `${name}: ${tell(failure)}`)
    if (failure !== null) t.equal(tell(runOne(failure.seed, parts)), tell(failure))
  }
})

const roomy: Sizes = {
  ringBytes: 1_000_000,
  ringRowsAtStart: 1000,
  pendingEvents: 1000,
  pendingBytes: 1_000_000,
  offersPerLook: 1000,
  sendsPerTurn: 3,
  fetchesAtOnce: 4,
  pageRows: 1000,
  pageSpan: 1000,
  pastBytes: 1_000_000,
}

const socketInto = (frames: Array<Buffer>): QueueConnection => ({
  kind: "socket",
  waits: true,
  send: (events) => {
    frames.push(events.frame())
    return "open"
  },
  end: () => {},
})

const describe = (user: UserId): Description => ({
  id: QueueId(`queue-${user}`),
  user,
  rendering: renderings[user % 2] ?? renderings[0],
  types: null,
  openToPublic: false,
  narrow: null,
  saw: 0,
  sawWidth: 0,
  took: 0,
  contained: [],
})

/** A process with some waiting sockets, and the frames that they are given. */
const startProcess = (sockets: number, sizes = roomy) => {
  const users = usersUpTo(sockets)
  const [channel] = channelsUpTo(1)
  if (channel === undefined) throw new Error("no channel")
  const roles = new Map(users.map((user) => [user, 400 as const]))
  const journal = new Journal({ users, channels: [channel], secret: channel, roles, subscribers: [] })
  const server = new Process(soundParts, sizes, journal, () => {})
  const frames: Array<Buffer> = []
  const turns = () => {
    for (let task = server.tasks.shift(); task !== undefined; task = server.tasks.shift()) task()
  }
  for (const user of users) {
    const queue = server.load(describe(user), -1)
    queue.attach(socketInto(frames), queue.sent)
  }
  turns()
  return { server, journal, frames, turns }
}

t.test("an event is encoded once for each variant, and queues with equal events share one frame", async (t) => {
  const { server, journal, frames, turns } = startProcess(20)
  const payload = { sender: 1, text: "hello" }
  for (const type of ["message", "notice"]) journal.commit({ ...noop, type, payload, audience: { kind: "realm" } })
  server.feed.advance(journal.rows(0, 2))
  turns()
  t.equal(frames.length, 20)
  t.equal(new Set(frames).size, 2)
  t.equal(server.encoder.encodes(), 4)
})

t.test("events that depend on the user are not shared by queues of different users", async (t) => {
  const { server, journal, frames, turns } = startProcess(20)
  const readers = [[0, ...journal.founding.users]]
  journal.commit({ ...noop, type: "wide", payload: { readers }, audience: { kind: "realm" } })
  server.feed.advance(journal.rows(0, 1))
  turns()
  t.same(
    frames.map((frame) => /"reader":(\d+)/.exec(String(frame))?.[1]).sort(),
    journal.founding.users.map(String).sort(),
  )
})

t.test("I4: a queue that has read a row between the hub's slices does not take it from the hub again", async (t) => {
  const { server, journal, turns } = startProcess(3, { ...roomy, offersPerLook: 1 })
  const commit = () => journal.commit({ ...noop, type: "count", payload: { by: 1 }, audience: { kind: "realm" } })
  commit()
  server.feed.advance(journal.rows(0, 1))
  turns()
  for (let count = 0; count < 3; count++) commit()
  // Row 2 is put to the first queue; two more slices are to come, and then the other rows.
  server.feed.advance(journal.rows(1, 4))
  const frames: Array<Buffer> = []
  const queue = [...server.queues.values()].at(-1)
  queue?.attach(socketInto(frames), queue.spec.start)
  t.equal(queue?.state, "behind")
  // The flush, which finds it behind, and its turn to read; the hub's next slice is due between them.
  server.tasks.shift()?.()
  server.tasks.pop()?.()
  t.equal(queue?.state, "live", "it has read all rows")
  t.equal(server.hub.newest, 1, "and row 2 has yet to be offered to it")
  turns()
  t.equal(server.hub.newest, 4)
  const came = frames.flatMap((frame) =>
    [...String(frame).matchAll(/"at":(\d+)/g)].map(([, position]) => Number(position)),
  )
  t.strictSame(came, [1, 2, 3, 4])
})

t.test(
  "a new queue is live from its register on where the ring holds what it lacks, else from its first connection",
  async (t) => {
    for (const [ringBytes, state] of [
      [1_000_000, "live"],
      [1, "behind"],
    ] as const) {
      const { server, journal, turns } = startProcess(1, { ...roomy, ringBytes })
      const [known] = [...server.queues.values()]
      for (let count = 0; count < 3; count++) journal.commit(noop)
      server.feed.advance(journal.rows(0, 3))
      turns()
      const description = { ...describe(UserId(1)), id: QueueId("new"), saw: 1, sawWidth: 1, took: 1 }
      const queue = server.load(description, lastIdOf(1, 1))
      server.reader.begin(queue)
      t.equal(queue.state, state)
      const frames: Array<Buffer> = []
      const signal = (mark: number) =>
        server.hub.ephemeral({ type: "signal", payload: { mark } }, { users: null, includes: () => true })
      signal(1)
      turns()
      queue.attach(socketInto(frames), queue.sent)
      while (queue.state === "behind") {
        turns()
        for (const read of [...server.reads]) server.answer(read, false)
      }
      signal(2)
      turns()
      const heard = frames.flatMap((frame) =>
        [...String(frame).matchAll(/"mark":(\d+)/g)].map(([, mark]) => Number(mark)),
      )
      t.same(heard, state === "live" ? [1, 2] : [2])
      t.equal(known?.state, "live")
    }
  },
)

t.test("I4: the first ephemerals of a new process wait for one no-op row", async (t) => {
  const { server, journal, frames, turns } = startProcess(1)
  const everybody = { users: null, includes: (user: UserId) => user === UserId(1) }
  const whisper = () => {
    for (const mark of [1, 2]) server.hub.ephemeral({ type: "signal", payload: { mark } }, everybody)
    server.hub.heartbeat([...server.queues.values()])
    turns()
  }
  whisper()
  t.equal(server.noops, 1, "one is asked for")
  server.hub.noopFailed()
  whisper()
  t.equal(server.noops, 2, "and, where it could not be written, another one")
  t.strictSame(frames, [])
  journal.commit(noop)
  server.feed.advance(journal.rows(0, 1))
  turns()
  t.strictSame(
    frames.map((frame): unknown => JSON.parse(frame.toString())),
    [
      [
        { type: "signal", mark: 1, id: 65537 },
        { type: "signal", mark: 2, id: 65538 },
        { type: "heartbeat", at: 0, id: 65539 },
      ],
    ],
  )
})
