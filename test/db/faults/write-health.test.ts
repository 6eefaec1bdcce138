/** A database whose disk is full: the statements that it is still asked, and the lines of the log about it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import t from "tap"
import { Unavailable } from "../../../src/api/errors.ts"
import { type DatabaseShape, OutcomeUncertain, StatementRejected } from "../../../src/db/database.ts"
import { probeSql, watchWrites } from "../../../src/db/faults/write-health.ts"
import { manualClock } from "../../kit/manual-clock.ts"

type Failure = Unavailable | OutcomeUncertain | StatementRejected

const full = new Unavailable({ reason: "no space left", code: "53100" })

const setup = () => {
  const clock = manualClock()
  const lines: Array<string> = []
  const asked: Array<string> = []
  const disk: { failure: Failure | null } = { failure: null }
  const database: DatabaseShape = {
    kind: "pglite",
    query: (sql, _parameters, plan) =>
      Effect.suspend(() =>
        sql === "insert" && disk.failure === full
          ? Effect.fail(full)
          : Effect.succeed(plan === undefined ? [] : [{ plan }]),
      ),
    write: (sql) =>
      Effect.suspend(() => {
        asked.push(sql)
        return disk.failure === null ? Effect.succeed([{ done: true }]) : Effect.fail(disk.failure)
      }),
    read: () => Effect.succeed([]),
    snapshot: () => Effect.die("not asked"),
    readsAtOnce: 1,
    up: () => true,
    statements: () => 0,
    holder: "",
    durability: { lostNothing: false, isCopy: false, begin: Effect.void },
  }
  const watched = watchWrites(database, clock, (text) => lines.push(text))
  const write = (sql: string) =>
    Effect.runSync(
      Effect.map(Effect.result(watched.database.write(sql)), (told) =>
        Result.isSuccess(told) ? "done" : told.failure._tag,
      ),
    )
  /** A try each second, as probes are made. */
  const probeFor = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000)
      Effect.runSync(watched.probe)
    }
  }
  return { ...watched, clock, lines, asked, disk, write, probeFor }
}

t.test("a query keeps the plan that it asks for", (t) => {
  const { database } = setup()
  t.same(Effect.runSync(database.query("select", [], "kept")), [{ plan: "kept" }])
  t.same(Effect.runSync(database.query("select")), [])
  t.end()
})

t.test("a full disk: commits are refused at once, tried now and then, and done again as soon as one works", (t) => {
  const { disk, write, asked, lines, health, probeFor, clock } = setup()
  t.equal(write("a"), "done")
  probeFor(10)
  t.same(asked.splice(0), ["a"], "no probes while all is well")
  disk.failure = full
  t.same([write("b"), write("c"), write("d")], ["Unavailable", "Unavailable", "Unavailable"])
  t.same(asked.splice(0), ["b"], "the others were not sent")
  t.equal(health.fault(), "no space left")
  probeFor(32)
  t.same(
    asked.splice(0),
    Array<string>(5).fill(probeSql),
    "probed after 1, 2, 4, 8 and 10 seconds more and more rarely",
  )
  probeFor(60)
  t.equal(asked.splice(0).length, 6)
  disk.failure = null
  clock.advance(10_000)
  t.equal(write("e"), "done", "a commit takes the place of a probe")
  t.equal(health.fault(), null)
  t.match(lines, [
    "writes fail, only reads are served: no space left",
    /^writes still fail \(\d+ tries since the last line\): no space left$/,
    "writes work again, after 102 s",
  ])
  t.equal(lines.length, 3)
  t.end()
})

t.test("what is taken for a fault of the disk", (t) => {
  const cases: ReadonlyArray<readonly [failure: Failure, isFault: boolean]> = [
    [full, true],
    [new Unavailable({ reason: "input or output", code: "58030" }), true],
    [new OutcomeUncertain({ reason: "PANIC", code: "53100" }), true],
    [new OutcomeUncertain({ reason: "the connection is lost" }), false],
    [new Unavailable({ reason: "deadlock", code: "40P01" }), false],
    [new Unavailable({ reason: "the database is being opened" }), false],
    [new StatementRejected({ code: "22P02", reason: "bad number" }), false],
  ]
  for (const [failure, isFault] of cases) {
    const { disk, write, health } = setup()
    disk.failure = failure
    write("a")
    t.equal(health.fault() !== null, isFault, failure.reason)
  }
  t.end()
})

t.test("a read that fails for want of disk counts, one that succeeds says nothing about writes", (t) => {
  const { disk, database, health, write, clock } = setup()
  disk.failure = full
  Effect.runSync(Effect.ignore(database.query("insert")))
  t.equal(health.fault(), "no space left")
  Effect.runSync(database.query("select"))
  t.equal(health.fault(), "no space left")
  disk.failure = new OutcomeUncertain({ reason: "the connection is lost" })
  clock.advance(1000)
  t.equal(write("a"), "Uncertain")
  disk.failure = null
  t.equal(write("b"), "done", "after a try that says nothing about the disk the next may try at once")
  t.end()
})
