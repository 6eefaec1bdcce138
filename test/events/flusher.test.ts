/** When the flusher serves queues: in one turn, over several turns, after a rest. The test drives clock and loop. */
import t from "tap"
import type { EventChain } from "../../src/events/event-chain.ts"
import { QueueFlusher } from "../../src/events/flusher.ts"
import { Queue } from "../../src/events/queue.ts"
import { QueueId, UserId } from "../../src/ids.ts"
import { queueHost } from "../kit/queue-host.ts"
import { renderings } from "./model/model-events.ts"
import { at, item } from "./model/queue-subject.ts"

/** Each send takes `sendMilliseconds`. Answers what was sent as `queue:events`, and lets the test run turns and rests. */
const stage = (queueCount: number, sendMilliseconds: number, broken = -1) => {
  let now = 0
  let expected = true
  const tasks: Array<() => void> = []
  const rests: Array<() => void> = []
  const sent: Array<string> = []
  const faults: Array<string> = []
  const flusher = new QueueFlusher({
    defer: (task) => void tasks.push(task),
    after: (_milliseconds, task) => void rests.push(task),
    expects: () => expected,
    elapsed: () => now,
    queuesPerLook: 1,
    onFault: (fault) => {
      faults.push(String(fault))
      throw new Error("nor can it be told")
    },
  })
  const host = queueHost({ root: flusher.root, wake: flusher.wake })
  const clientOptions = {
    rendering: renderings[0],
    openToPublic: false,
    wants: () => true,
    terms: 0,
    passes: () => true,
  }
  const queues = Array.from({ length: queueCount }, (_, n) => {
    const spec = {
      id: QueueId(`${n}`),
      user: UserId(1),
      clientOptions,
      start: at(1),
      contained: null,
      idleMilliseconds: 0,
    }
    const queue = new Queue(spec, host, at(1))
    const send = (events: EventChain) => {
      if (n === broken) throw new Error("cannot send")
      now += sendMilliseconds
      sent.push(`${n}:${events.count}`)
      return "open" as const
    }
    const end = () => {
      if (n === broken) throw new Error("cannot end")
    }
    queue.attach({ kind: "socket", waits: true, send, end }, at(1))
    queue.turnLive(queue.beginReading())
    return queue
  })
  const turn = () => tasks.shift()?.()
  const turns = () => {
    while (tasks.length > 0) turn()
  }
  turns()
  const put = (position: number) => {
    for (const queue of queues) queue.offer([item(position)], at(position))
  }
  /** The clock moves, and whoever rests looks again. */
  const pass = (milliseconds: number) => {
    now += milliseconds
    for (const look of rests.splice(0)) look()
    turns()
  }
  /** Nothing more is being committed. */
  const expectNothing = () => {
    expected = false
  }
  return { faults, put, sent, turn, turns, rests, pass, expectNothing }
}

t.test("a long flush goes on in the next turn; queues woken meanwhile are served in the next flush", async (t) => {
  const { put, sent, turn, turns } = stage(4, 6)
  put(2)
  turn()
  t.same(sent, ["0:1", "1:1"], "10 ms are over after two sends of 6 ms")
  put(3)
  turn()
  t.same(sent, ["0:1", "1:1", "2:2", "3:2"], "the rest first, with all that has come")
  turns()
  t.same(sent.slice(4).sort(), [], "who has shared frames rests before the next flush")
})

t.test("after a long flush with frames of several events the next flush waits for more events", async (t) => {
  const { put, sent, turns, pass } = stage(2, 2)
  put(2)
  put(3)
  turns()
  t.same(sent, ["0:2", "1:2"])
  put(4)
  turns()
  t.equal(sent.length, 2, "it rests")
  pass(10)
  put(5)
  t.equal(sent.length, 2, "and goes on, while more is expected")
  pass(5)
  t.same(sent.slice(2), ["0:2", "1:2"], "what came meanwhile leaves together")
})

t.test("a rest ends as soon as nothing more is expected", async (t) => {
  const { put, sent, turns, rests, pass, expectNothing } = stage(2, 2)
  put(2)
  put(3)
  turns()
  put(4)
  turns()
  t.equal(sent.length, 2, "it rests")
  expectNothing()
  pass(1)
  t.same(sent.slice(2), ["0:1", "1:1"])
  t.same(rests, [])
})

t.test("one event at a time never waits, however long its flush", async (t) => {
  const { put, sent, turns, rests } = stage(2, 8)
  for (const position of [2, 3, 4]) {
    put(position)
    turns()
  }
  t.same(sent, ["0:1", "1:1", "0:1", "1:1", "0:1", "1:1"])
  t.same(rests, [])
})

t.test("a rest that has ended before the next event delays nothing", async (t) => {
  const { put, sent, turns, rests, pass } = stage(2, 2)
  put(2)
  put(3)
  turns()
  pass(15)
  put(4)
  turns()
  t.equal(sent.length, 4)
  t.same(rests, [])
})

t.test("other queues are served where one throws in send and in fail", async (t) => {
  const { faults, put, sent, turns } = stage(3, 1, 1)
  put(2)
  turns()
  t.same(sent, ["0:1", "2:1"])
  t.same(faults, ["Error: cannot send", "Error: cannot end"])
  put(3)
  turns()
  t.same(sent.slice(2), ["0:1", "2:1"], "and the next flush comes")
})
