/** What a process does when it hears that another has a queue, and how it knows the database's clock and that it was stopped. */
import t from "tap"
import { makeDatabaseClock } from "../../../src/db/postgres/database-clock.ts"
import { watchLoopStops } from "../../../src/db/postgres/loop-stops.ts"
import type { NoteListener } from "../../../src/events/peers/notes.ts"
import { Queue, type QueueConnection } from "../../../src/events/queue.ts"
import { HeldQueues } from "../../../src/events/queues/held-queues.ts"
import { makeQueueMoves } from "../../../src/events/queues/queue-moves.ts"
import { QueueId, UserId, WireId } from "../../../src/ids.ts"
import type { Json } from "../../../src/json.ts"
import { queueHost } from "../../kit/queue-host.ts"
import { renderings } from "../model/model-events.ts"

const specOf = (id: string) => ({
  id: QueueId(id),
  user: UserId(1),
  clientOptions: { rendering: renderings[0], openToPublic: false, wants: () => true, terms: 0, passes: () => true },
  start: WireId(-1),
  contained: null,
  idleMilliseconds: 0,
})

const connection = (): QueueConnection => ({ kind: "socket", waits: true, send: () => "open", end: () => {} })

const makeMoves = () => {
  const told: Array<readonly [subject: string, body: Json]> = []
  const listeners = new Map<string, NoteListener>()
  const happened: Array<string> = []
  const held = new HeldQueues()
  const tasks: Array<() => void> = []
  let now = 5
  let stopped = false
  const moves = makeQueueMoves({
    peers: {
      own: { name: "own", now: () => now, wasStopped: () => stopped, living: () => ["own"] },
      tell: (...note) => void told.push(note),
      hear: (subject, listener) => void listeners.set(subject, listener),
    },
    held,
    letGo: ({ queue }, reason) => void happened.push(`${queue.spec.id} is let go: ${reason}`),
    forget: (id, reason) => void happened.push(`${id} is forgotten: ${reason}`),
    defer: (task) => void tasks.push(task),
  })
  return {
    moves,
    told,
    happened,
    hold: (id: string, since: number, connected: boolean, isStored = true) => {
      const queue = new Queue(specOf(id), queueHost(), WireId(-1))
      if (connected) queue.attach(connection(), WireId(-1))
      held.add(queue, 0, 0, { since, isStored, isTold: isStored })
    },
    hear: (subject: string, body: unknown) => listeners.get(subject)?.(body, "other"),
    turn: () => {
      for (const task of tasks.splice(0)) task()
    },
    set: (time: number, isStopped: boolean) => {
      now = time
      stopped = isStopped
    },
  }
}

t.test(
  "the newest request has the queue; one that is older, of a process that was stopped, is told to let go",
  async (t) => {
    const { hold, hear, told, happened } = makeMoves()
    hold("connected", 10, true)
    hold("idle", 10, false)
    hear("taken", [
      ["unknown", 1],
      ["connected", 9],
      ["idle", 9],
    ])
    t.same(told, [["kept", [["connected", 10]]]])
    t.same(happened.splice(0), ["idle is let go: replaced"])
    hear("taken", [["connected", 11]])
    t.same(happened.splice(0), ["connected is let go: replaced"])
    hear("kept", [["connected", 10]])
    t.same(happened, [], "it is as new as that itself")
    hear("kept", [["connected", 12]])
    t.same(happened, ["connected is let go: going-away"], "nobody is sent away for good by it")
  },
)

t.test("queues that end are forgotten; what is no note of this program is nothing", async (t) => {
  const { hear, happened, told } = makeMoves()
  hear("ended", ["deleted", ["a", "b"]])
  t.same(happened.splice(0), ["a is forgotten: deleted", "b is forgotten: deleted"])
  for (const body of [null, 5, ["unknown", ["a"]], [["a"]], [["a", "b"]], {}]) {
    hear("ended", body)
    hear("taken", body)
    hear("kept", body)
  }
  t.same([...happened, ...told], [])
})

t.test("queues that are taken up in a turn are told together, some in a note", async (t) => {
  const { moves, hold, turn, told } = makeMoves()
  for (let n = 0; n < 70; n++) hold(`queue ${n}`, n, false, false)
  for (let n = 0; n < 70; n++) moves.attached(`queue ${n}`)
  moves.attached("queue 0")
  t.same(told, [])
  turn()
  t.same(
    told.map(([subject, body]) => [subject, Array.isArray(body) ? body.length : body]),
    [
      ["taken", 64],
      ["taken", 6],
    ],
  )
})

t.test("a request comes at the database's time, and at none where the process was stopped", async (t) => {
  const { moves, hear, set } = makeMoves()
  set(7.0004, false)
  t.equal(moves.arrival(), 7000)
  t.equal(moves.arrival(), 7001)
  hear("taken", [["a", 9000]])
  t.equal(moves.arrival(), 9001, "after what another one has heard, whose clock is a little ahead")
  t.equal(moves.above(9001, 9500), 9501)
  t.equal(moves.above(9001, 9), 9001)
  set(8, true)
  t.equal(moves.arrival(), null)
  t.equal(moves.above(9001, 9600), 9001, "what had come before the stop is as old as it is")
})

t.test("of the database's answers the quickest tells the time, until its clock is set", async (t) => {
  let now = 0
  const clock = makeDatabaseClock(() => now)
  clock.heard(1_000_010, 0, 20)
  t.equal(clock.now(), 1_000_000)
  clock.heard(1_001_000, 1_000, 1_002)
  now = 1_002
  t.equal(clock.now(), 1_001_001, "1 ms of round trip")
  clock.heard(1_002_030, 2_000, 2_040)
  now = 2_040
  t.equal(clock.now(), 1_002_039, "one that took 40 ms changes nothing")
  clock.heard(5_000_000, 3_000, 3_002)
  now = 3_002
  t.equal(clock.now(), 5_000_001, "it was set")
})

t.test("a stop is seen before and after the first turn that follows it", async (t) => {
  let now = 0
  let worked = 0
  const stops = watchLoopStops({ elapsed: () => now, worked: () => worked })
  t.teardown(stops.end)
  t.equal(stops.wasStopped(), false)
  now = 2_900
  t.equal(stops.wasStopped(), false)
  now = 30_000
  t.equal(stops.wasStopped(), true, "the timer has not come yet")
  worked = 5_000
  t.equal(stops.wasStopped(), false, "it had the processor: it was only slow")
})
