/** Rows of other processes that come late, twice, in another order or not at all; and who asks for the head meanwhile. */
import * as Effect from "effect/Effect"
import t from "tap"
import { Unavailable } from "../../../src/api/errors.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { makeHeadReads } from "../../../src/events/exchange/head-reads.ts"
import { RowReceiver } from "../../../src/events/exchange/row-receiver.ts"
import { Position } from "../../../src/ids.ts"
import { until } from "../../kit/test-database.ts"

const row = (position: number): LogRow => ({
  position: Position(position),
  type: "noop",
  payload: {},
  audience: { kind: "servers" },
  width: 1,
  origin: null,
  at: 0,
  content: null,
  bytes: 0,
})

/** A projection that has the rows up to a position. `read`: what the log's head is then. */
const stage = (head = 0) => {
  const taken: Array<number> = []
  const feed = {
    position: 0,
    advance: (rows: ReadonlyArray<LogRow>) => {
      for (const { position } of rows) {
        if (position <= feed.position) continue
        if (position !== feed.position + 1) return false
        feed.position = position
        taken.push(position)
      }
      return true
    },
  }
  let reads = 0
  const fresh = Effect.sync(() => {
    reads++
    while (feed.position < head) taken.push(++feed.position)
  })
  const receiver = new RowReceiver({
    feed,
    fresh,
    onFault: (fault) => {
      throw fault
    },
  })
  const give = (first: number, last = first) => {
    const rows = Array.from({ length: last - first + 1 }, (_, n) => row(first + n))
    receiver.take(first, rows, 100)
  }
  return { taken, feed, receiver, give, reads: () => reads }
}

t.test("pieces in any order, and twice, move the projection over each row once", async (t) => {
  const { taken, give, reads } = stage()
  for (const [first, last] of [
    [4, 5],
    [1, 1],
    [1, 1],
    [6, 6],
    [2, 3],
    [4, 5],
  ] as const)
    give(first, last)
  t.same(taken, [1, 2, 3, 4, 5, 6])
  t.equal(reads(), 0)
})

t.test("what does not come is read from the log", async (t) => {
  const { feed, give, reads } = stage(5)
  give(3)
  await until("it is read", 5_000, () => reads() === 1)
  t.equal(feed.position, 5)
})

t.test("of what waits there is not more than so many pieces", async (t) => {
  const { feed, give, reads } = stage(200)
  for (let n = 0; n < 65; n++) give(3 + n)
  t.equal(reads(), 1, "at once")
  t.equal(feed.position, 200)
})

t.test("a commit waits a moment for the rows before its own", async (t) => {
  const { receiver, give } = stage()
  const came = Effect.runPromise(receiver.awaitRows(2))
  give(1, 2)
  await came
  await Effect.runPromise(receiver.awaitRows(2))
  await Effect.runPromise(receiver.awaitRows(99))
  t.pass("it does not wait for ever")
  receiver.stop()
})

t.test("one head is read at a time, and who comes meanwhile gets the next", async (t) => {
  const asked: Array<(head: number) => void> = []
  const feed = {
    position: 0,
    catchUp: (head: number) =>
      Effect.sync(() => {
        feed.position = Math.max(feed.position, head)
      }),
  }
  let isLost = false
  const fresh = makeHeadReads({
    feed,
    readHead: Effect.callback((resume) => void asked.push((head) => resume(Effect.succeed(head)))),
    onLostLog: () => {
      isLost = true
    },
  })
  const reached = () => Effect.runPromise(Effect.map(fresh, () => feed.position))
  const first = reached()
  await until("the head is asked for", 5_000, () => asked.length === 1)
  const later = [reached(), reached()]
  asked[0]?.(3)
  t.equal(await first, 3)
  await until("the next is asked for", 5_000, () => asked.length === 2)
  asked[1]?.(5)
  t.same(await Promise.all(later), [5, 5])
  // The projection moves on while the head is read: that is no lost log. One below what was known before is.
  const passed = reached()
  await until("again", 5_000, () => asked.length === 3)
  feed.position = 9
  asked[2]?.(6)
  t.equal(await passed, 9)
  t.notOk(isLost)
  const lost = Effect.runPromise(Effect.flip(fresh))
  await until("once more", 5_000, () => asked.length === 4)
  asked[3]?.(8)
  t.ok((await lost) instanceof Unavailable)
  t.ok(isLost)
})
