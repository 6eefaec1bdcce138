/** The hub's slices: how much work one takes, and that a fault in one queue concerns no other. The test runs the loop. */
import t from "tap"
import { type EventType, makeEncoder } from "../../src/events/encode.ts"
import { DeliveryHub } from "../../src/events/hub.ts"
import { Queue } from "../../src/events/queue.ts"
import { ChannelId, QueueId, UserId } from "../../src/ids.ts"
import { queueHost } from "../kit/queue-host.ts"
import { noop } from "./model/drafts.ts"
import { Journal } from "./model/journal.ts"
import { echo, renderings, typeOf } from "./model/model-events.ts"
import { ModelRealm } from "./model/model-realm.ts"
import { at } from "./model/queue-subject.ts"

const founding = { users: [], channels: [], secret: ChannelId(1), roles: new Map(), subscribers: [] }

interface Options {
  readonly terms: number
  /** What the wire form of a row takes for each receiver. */
  readonly weight?: number
  /** Queues whose connection cannot be ended. */
  readonly stubborn?: number
  /** Each look at the clock is a millisecond later than the one before. */
  readonly ticks?: boolean
  /** Milliseconds until a task that was deferred begins. */
  readonly pause?: number
}

/** A hub with live queues, each with options of its own, whose narrows count what they compare. */
const stage = (queueCount: number, { terms, weight = 0, stubborn = -1, ticks = false, pause = 0 }: Options) => {
  const journal = new Journal(founding)
  const tasks: Array<() => void> = []
  const faults: Array<string> = []
  /** Comparisons between two looks at the clock. */
  const compared: Array<number> = []
  let offered = 0
  /** Lengths of the slices, in looks at the clock; each look is a millisecond later. */
  let now = 0
  const slices: Array<number> = []
  let begun = 0
  const heavy: EventType = {
    personal: true,
    weight: () => weight,
    variant: (_body, { user }) => {
      compared[compared.length - 1] = (compared.at(-1) ?? 0) + weight
      return `${user}`
    },
    wire: () => [{ n: 0, event: { type: "message" } }],
  }
  const hub = new DeliveryHub({
    encoder: makeEncoder(
      (type) => (weight === 0 ? typeOf(type) : heavy),
      echo,
      () => {},
      () => {},
    ),
    people: new ModelRealm(journal),
    started: { position: 0, width: 0 },
    appendNoop: () => {},
    defer: (task) => {
      slices.push(now - begun)
      tasks.push(task)
    },
    elapsed: () => {
      compared.push(0)
      return ticks ? now++ : 0
    },
    onFault: (fault) => void faults.push(String(fault)),
  })
  const host = queueHost({
    wake: ({ spec }) => {
      if (spec.id === `${stubborn}`) throw new Error("cannot be woken")
      offered++
    },
    turnedLive: (queue) => hub.enter(queue),
    fellBehind: (queue) => hub.leave(queue),
  })
  for (let n = 0; n < queueCount; n++) {
    const passes = () => {
      compared[compared.length - 1] = (compared.at(-1) ?? 0) + terms
      return true
    }
    const clientOptions = { rendering: renderings[0], openToPublic: false, wants: () => true, terms, passes }
    const spec = {
      id: QueueId(`${n}`),
      user: UserId(1),
      clientOptions,
      start: at(0),
      contained: null,
      idleMilliseconds: 0,
    }
    const queue = new Queue(spec, host, at(0))
    const end = () => {
      if (n === stubborn) throw new Error("cannot be ended")
    }
    queue.turnLive(queue.beginReading())
    queue.attach({ kind: "socket", waits: true, send: () => "open" as const, end }, at(0))
  }
  offered = 0
  const commit = () => {
    journal.commit({ ...noop, type: "message", payload: { sender: 1, text: "" }, audience: { kind: "realm" } })
    for (const row of journal.rows(0, 1)) hub.put(row, { users: null, includes: () => true })
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      now += pause
      begun = now
      task()
    }
  }
  return { hub, commit, compared, slices, faults, offered: () => offered }
}

t.test("a slice looks at the clock the more often, the longer the narrows are that it compares", async (t) => {
  const long = stage(2000, { terms: 100 })
  long.commit()
  t.equal(long.offered(), 2000)
  t.equal(
    long.compared.reduce((sum, each) => sum + each, 0),
    200_000,
  )
  t.ok(Math.max(...long.compared) <= 1000, `${Math.max(...long.compared)} terms between two looks`)
  const none = stage(2000, { terms: 0 })
  none.commit()
  t.equal(none.offered(), 2000)
  t.ok(none.compared.length <= 4, "without narrows the clock is looked at after 1000 offers")
})

t.test("and the more often, the more the wire form of a row compares for each receiver", async (t) => {
  const heavy = stage(2000, { terms: 0, weight: 300 })
  heavy.commit()
  t.equal(heavy.offered(), 2000)
  t.equal(
    heavy.compared.reduce((sum, each) => sum + each, 0),
    600_000,
  )
  t.ok(Math.max(...heavy.compared) <= 1200, `${Math.max(...heavy.compared)} things between two looks`)
})

t.test("what has waited for long is offered in longer slices", async (t) => {
  const quick = stage(2000, { terms: 100, ticks: true })
  quick.commit()
  t.ok(quick.slices.length > 10)
  const usual = quick.slices[1] ?? 0
  const late = stage(2000, { terms: 100, ticks: true, pause: 30 })
  late.commit()
  t.equal(late.offered(), 2000)
  t.equal(late.slices[0], quick.slices[0], "the first ones are as always")
  t.ok(Math.min(...late.slices.slice(3)) >= 2 * usual && usual > 0, `${late.slices} milliseconds`)
  t.ok(Math.max(...late.slices) <= 8, "never so long that others would notice")
})

t.test("a queue that cannot take an event, and whose connection cannot be ended, stops no other", async (t) => {
  const { hub, commit, faults, offered } = stage(5, { terms: 0, stubborn: 2 })
  commit()
  t.equal(offered(), 4)
  t.equal(hub.newest, 1)
  t.same(faults, ["Error: cannot be woken", "Error: cannot be ended"])
})
