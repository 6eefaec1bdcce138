/** The line in which users' reads stand. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import t from "tap"
import { Unavailable } from "../../src/api/errors.ts"
import { makeReads } from "../../src/db/reads.ts"
import type { RestAfterTurn } from "../../src/fairness/fair-turns.ts"
import { makeRefusals } from "../../src/fairness/refusals.ts"
import { manualClock } from "../kit/manual-clock.ts"

const withoutRest: RestAfterTurn = (_milliseconds, task) => task()

/** A database that answers when the test says so. */
const stage = (readsAtOnce: number, rest: RestAfterTurn = withoutRest) => {
  const clock = manualClock()
  const refusals = makeRefusals(clock, () => {})
  const begun: Array<string> = []
  const answers = new Map<string, Deferred.Deferred<void, Unavailable>>()
  const reads = makeReads(
    {
      readsAtOnce,
      read: (sql) => {
        const answer = Deferred.makeUnsafe<void, Unavailable>()
        begun.push(sql)
        answers.set(sql, answer)
        return Effect.as(Deferred.await(answer), [])
      },
    },
    clock,
    refusals,
    10,
    rest,
  )
  const ask = (reader: string, sql: string) => Effect.runFork(reads.begin(reader).query(sql))
  const answer = async (sql: string, outcome: Effect.Effect<void, Unavailable> = Effect.void) => {
    const asked = answers.get(sql)
    if (asked === undefined) throw new Error(`${sql} has not been asked`)
    Deferred.doneUnsafe(asked, outcome)
    // The fiber that was waiting goes on in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, refusals, begun, reads, ask, answer }
}

const failureOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Effect.flip(Fiber.join(fiber)))

t.test("somebody with many reads delays another by one", async (t) => {
  const { begun, ask, answer } = stage(2)
  for (let n = 0; n < 20; n++) ask("a", `a${n}`)
  ask("b", "b0")
  t.same(begun, ["a0", "b0"], "a connection is left for others")
  ask("c", "c0")
  await answer("a0")
  t.same(begun, ["a0", "b0", "c0"])
  await answer("b0", Effect.fail(new Unavailable({ reason: "gone" })))
  t.same(begun, ["a0", "b0", "c0", "a1"], "a read that fails gives its turn back")
})

t.test("a read has a time limit, all of its statements together", async (t) => {
  const { clock, refusals, reads, ask, answer } = stage(1)
  const reading = reads.begin("a")
  const first = Effect.runFork(reading.query("a0"))
  const waiting = ask("b", "b0")
  clock.advance(10_000)
  const failure = await failureOf(waiting)
  t.match(failure, { _tag: "ApiError", status: 503, code: "SERVICE_UNAVAILABLE" })
  t.match(failure, { msg: "This takes longer than 10 seconds: ask for less" })
  await answer("a0")
  await Effect.runPromise(Fiber.join(first))
  t.match(await failureOf(Effect.runFork(reading.query("a1"))), { _tag: "ApiError", status: 503 })
  t.equal(refusals.counts().get("time of a read"), 2)
  refusals.stop()
  t.equal(clock.pending(), 0)
})

t.test("the line is bounded, for each user and in all", async (t) => {
  const { refusals, ask } = stage(1)
  for (let n = 0; n < 101; n++) ask("a", `a${n}`)
  t.match(await failureOf(ask("a", "one more")), { code: "RATE_LIMIT_HIT", headers: { "Retry-After": "1" } })
  for (let n = 0; n < 19 * 100; n++) ask(`b${n % 19}`, `b${n}`)
  t.match(await failureOf(ask("c", "one more")), { code: "SERVICE_UNAVAILABLE" })
  t.same([...refusals.counts()].sort(), [
    ["reads in all", 1],
    ["reads of a user", 1],
  ])
})

t.test("reads that wait when the database goes away all fail, and give their turns back", async (t) => {
  const clock = manualClock()
  const refusals = makeRefusals(clock, () => {})
  const answers: Array<Deferred.Deferred<void, Unavailable>> = []
  let isUp = true
  const gone = new Unavailable({ reason: "gone" })
  const read = () => {
    if (!isUp) return Effect.fail(gone)
    const answer = Deferred.makeUnsafe<void, Unavailable>()
    answers.push(answer)
    return Effect.as(Deferred.await(answer), [])
  }
  const reads = makeReads({ readsAtOnce: 2, read }, clock, refusals, 10, withoutRest)
  const ask = (n: number) => Effect.runFork(reads.begin(`user ${n % 100}`).query("select"))
  const fibers = Array.from({ length: 1900 }, (_, n) => ask(n))
  isUp = false
  for (const answer of answers.splice(0)) Deferred.doneUnsafe(answer, Effect.fail(gone))
  const exits = new Set((await Promise.all(fibers.map(failureOf))).map((failure) => failure._tag))
  t.same([...exits], ["Unavailable"])
  isUp = true
  for (const n of [1, 2]) ask(n)
  t.equal(answers.length, 2)
  t.equal(clock.pending(), 0)
})

t.test("however many visitors there are, they delay a user by one statement, and refuse them none", async (t) => {
  const { refusals, begun, reads, ask, answer } = stage(2)
  for (let n = 0; n < 2500; n++) Effect.runFork(reads.begin(`10.0.0.${n % 250}`, "visitor").query(`visit ${n}`))
  t.same(begun, ["visit 0"])
  ask("a", "a0")
  ask("b", "b0")
  t.same(begun, ["visit 0", "a0"])
  await answer("visit 0")
  t.same(begun, ["visit 0", "a0", "b0"])
  await answer("a0")
  t.same(begun, ["visit 0", "a0", "b0", "visit 1"], "each address in its turn")
  t.equal(refusals.counts().get("reads in all"), 1999)
  refusals.stop()
})

t.test("while others wait, a statement is followed by a rest", async (t) => {
  const rests: Array<{ readonly milliseconds: number; readonly end: () => void }> = []
  const { begun, ask, answer } = stage(1, (milliseconds, end) => void rests.push({ milliseconds, end }))
  ask("a", "a0")
  ask("b", "b0")
  await answer("a0")
  t.same(begun, ["a0"], "b waits until the rest is over")
  t.ok((rests[0]?.milliseconds ?? 0) > 0, "it is as long as the statement was")
  rests[0]?.end()
  t.same(begun, ["a0", "b0"])
  await answer("b0")
  t.equal(rests[1]?.milliseconds, 0, "nobody waits any more")
})
