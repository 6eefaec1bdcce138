/** Queues that are asked for in one turn are loaded together, some in a statement, and few statements at a time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import { Unavailable } from "../../../src/api/errors.ts"
import type { StoredQueue } from "../../../src/events/queue-store.ts"
import { makeQueueLoader } from "../../../src/events/queues/queue-loader.ts"
import { QueueId, UserId, WireId } from "../../../src/ids.ts"

const stored = (id: string): StoredQueue => ({
  id: QueueId(id),
  user: UserId(1),
  description: {},
  acked: WireId(-1),
  idleMilliseconds: 1000,
  seen: 0,
  heldBy: null,
  heldSince: 0,
})

/** Statements are noted; those with an id in `failing` fail, and queues named "none" do not exist. */
const stage = (failing = "") => {
  const statements: Array<ReadonlyArray<string>> = []
  const tasks: Array<() => void> = []
  const { find } = makeQueueLoader({
    load: (ids) =>
      Effect.suspend(() => {
        statements.push(ids)
        if (ids.includes(failing)) return Effect.fail(new Unavailable({ reason: "gone" }))
        return Effect.succeed(ids.filter((id) => id !== "none").map(stored))
      }),
    defer: (task) => void tasks.push(task),
  })
  const ask = (ids: ReadonlyArray<string>) => Promise.all(ids.map((id) => Effect.runPromiseExit(find(id))))
  const turn = () => {
    for (const task of tasks.splice(0)) task()
  }
  return { statements, tasks, ask, turn }
}

t.test("each is asked for once, whoever wants it", async (t) => {
  const { statements, tasks, ask, turn } = stage()
  const asked = ask(["a", "b", "a", "none"])
  t.equal(tasks.length, 1)
  turn()
  const found = (await asked).map((exit) => (Exit.isSuccess(exit) ? (exit.value?.id ?? null) : "failed"))
  t.same(found, ["a", "b", "a", null])
  t.same(statements, [["a", "b", "none"]])
  const again = ask(["a"])
  turn()
  await again
  t.same(statements.at(-1), ["a"], "what was loaded is not kept here")
})

t.test("ten thousand take few statements, and one that fails fails its own", async (t) => {
  const { statements, ask, turn } = stage("id 600")
  const asked = ask(Array.from({ length: 10_000 }, (_, n) => `id ${n}`))
  turn()
  const exits = await asked
  t.equal(statements.length, Math.ceil(10_000 / 32))
  t.ok(statements.every((ids) => ids.length <= 32))
  t.same(
    exits.flatMap((exit, n) => (Exit.isFailure(exit) ? [n] : [])),
    Array.from({ length: 32 }, (_, n) => 576 + n),
  )
})

t.test("a statement that throws fails its own queues, and the next are loaded", async (t) => {
  let statements = 0
  const tasks: Array<() => void> = []
  const { find } = makeQueueLoader({
    load: (ids) => {
      statements += 1
      if (statements === 1) throw new Error("not in the plan")
      return Effect.succeed(ids.map(stored))
    },
    defer: (task) => void tasks.push(task),
  })
  const asked = Promise.all(Array.from({ length: 40 }, (_, n) => Effect.runPromiseExit(find(`id ${n}`))))
  for (const task of tasks.splice(0)) task()
  const exits = await asked
  t.same(exits.flatMap((exit, n) => (Exit.isFailure(exit) ? [n] : [])).length, 32)
  t.equal(statements, 2)
})

t.test("who wants a queue that a statement is under way for gets its answer", async (t) => {
  const gate = Deferred.makeUnsafe<void>()
  const tasks: Array<() => void> = []
  const statements: Array<ReadonlyArray<string>> = []
  const { find } = makeQueueLoader({
    load: (ids) => {
      statements.push(ids)
      return Effect.as(Deferred.await(gate), ids.map(stored))
    },
    defer: (task) => void tasks.push(task),
  })
  const run = () => {
    for (const task of tasks.splice(0)) task()
  }
  const first = Effect.runPromise(find("a"))
  run()
  const second = Effect.runPromise(find("a"))
  run()
  Deferred.doneUnsafe(gate, Effect.void)
  t.match([await first, await second], [{ id: "a" }, { id: "a" }])
  t.same(statements, [["a"]])
  const third = Effect.runPromise(find("a"))
  run()
  t.match(await third, { id: "a" })
  t.equal(statements.length, 2, "what was given is asked for again")
})

t.test("who waits for a queue that is deleted meanwhile does not get it, though it was read", async (t) => {
  const gate = Deferred.makeUnsafe<void>()
  const tasks: Array<() => void> = []
  const { find, end } = makeQueueLoader({
    load: (ids) => Effect.as(Deferred.await(gate), ids.map(stored)),
    defer: (task) => void tasks.push(task),
  })
  const run = () => {
    for (const task of tasks.splice(0)) task()
  }
  end("a")
  const found = ["a", "b"].map((id) => Effect.runPromise(find(id)))
  run()
  end("a")
  Deferred.doneUnsafe(gate, Effect.void)
  t.match(await Promise.all(found), [null, { id: "b" }])
  const again = Effect.runPromise(find("a"))
  run()
  t.match(await again, { id: "a" }, "what was deleted before the statement is not there for it to read")
})

t.test("the next statement does not wait until all have got their queues of the last", async (t) => {
  const tasks: Array<() => void> = []
  const order: Array<string> = []
  const { find } = makeQueueLoader({
    load: (ids) =>
      Effect.sync(() => {
        order.push("statement")
        return ids.map(stored)
      }),
    defer: (task) => void tasks.push(task),
  })
  const asked = Array.from({ length: 64 }, (_, n) =>
    Effect.runPromise(
      Effect.tap(
        find(`id ${n}`),
        Effect.sync(() => order.push("found")),
      ),
    ),
  )
  for (const task of tasks.splice(0)) task()
  await Promise.all(asked)
  t.same(order.slice(0, 2), ["statement", "statement"])
})

t.test("three statements are under way at a time, however many turns ask for queues", async (t) => {
  const gate = Deferred.makeUnsafe<void>()
  const turns: Array<() => void> = []
  let underWay = 0
  const { find } = makeQueueLoader({
    load: (ids) => {
      underWay += 1
      return Effect.as(Deferred.await(gate), ids.map(stored))
    },
    defer: (task) => void turns.push(task),
  })
  const asked = Array.from({ length: 10 }, (_, n) => {
    const found = Effect.runPromise(find(`id ${n}`))
    for (const task of turns.splice(0)) task()
    return found
  })
  t.equal(underWay, 3)
  Deferred.doneUnsafe(gate, Effect.void)
  const queues = await Promise.all(asked)
  t.same(
    queues.map((queue) => queue?.id),
    asked.map((_, n) => `id ${n}`),
  )
  t.equal(underWay, 4, "those who waited are loaded together")
})
