/** The outbox: what is done beside commits, on a test clock and a real database. */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import t from "tap"
import { Unavailable } from "../../src/api/errors.ts"
import { Clock, type ClockShape } from "../../src/clock.ts"
import { Database, type DatabaseShape } from "../../src/db/database.ts"
import { change, done } from "../../src/events/command.ts"
import { Jobs } from "../../src/jobs/jobs.ts"
import { Outbox } from "../../src/jobs/outbox/outbox.ts"
import { ending, GiveUp, type OutboxEntry } from "../../src/jobs/outbox/outbox-entry.ts"
import { type OutboxItem, type OutboxKind, type OutboxOptions, outboxKind } from "../../src/jobs/outbox/outbox-kind.ts"
import { emitArgs, further } from "../kit/further.ts"
import { asleep, atRest, untilRun } from "../kit/jobs.ts"
import { inTurn } from "../kit/share.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const patience = 10_000
const payload = Schema.Struct({ n: Schema.Number })
type Payload = typeof payload.Type
type Entry = OutboxEntry<Payload>

const kindOf = (
  run: (entry: Entry) => Effect.Effect<void, unknown>,
  options: Partial<OutboxOptions<Payload, never>> = {},
) => outboxKind({ name: "errand", payload, run, ...options })

/** Commits rows of the outbox, as a capability does. */
const add = (server: TestServer, kind: OutboxKind<Payload, never>, items: ReadonlyArray<OutboxItem<Payload>>) =>
  server.run(server.realm.writer.submit({ judge: () => change([kind.adding(items)]) }))

/** A process that works on the outbox. `kill` cuts it off from the database. */
const startClaimer = async ({ database, clock, closeAfter }: TestServer, kind: OutboxKind<Payload, never>) => {
  const lines: Array<string> = []
  let isKilled = false
  const asked = { queries: 0, answers: 0 }
  /** Milliseconds that it has begun to wait for, in this order. */
  const waits: Array<number> = []
  let held: Promise<void> = Promise.resolve()
  const cut: DatabaseShape = {
    ...database,
    query: (...statement) =>
      Effect.suspend(() => {
        if (isKilled) return Effect.never
        asked.queries += 1
        return Effect.tap(database.query(...statement), () =>
          Effect.promise(async () => {
            await held
            asked.answers += 1
          }),
        )
      }),
  }
  const watched: ClockShape = {
    ...clock,
    after: (ms, task) => {
      waits.push(ms)
      return clock.after(ms, task)
    },
  }
  const log = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
  const started = Layer.effectDiscard(Effect.flatMap(Jobs, (jobs) => jobs.start([kind.job])))
  const runtime = ManagedRuntime.make(
    started.pipe(
      Layer.provideMerge(Outbox.layer),
      Layer.provideMerge(Jobs.layer),
      Layer.provide(Layer.merge(Layer.succeed(Clock, watched), Layer.succeed(Database, cut))),
      Layer.provideMerge(Logger.layer([log])),
    ),
  )
  closeAfter(() => runtime.dispose())
  const outbox = await runtime.runPromise(Outbox)
  const jobs = await runtime.runPromise(Jobs)
  const work = { jobs, outbox }
  const wake = () => runtime.runPromise(kind.wake)
  return {
    lines,
    report: () => outbox.report()[0],
    queries: () => asked.queries,
    answers: () => asked.answers,
    /** How often it has begun to wait for so long. */
    waitsOf: (ms: number) => waits.filter((each) => each === ms).length,
    wake,
    /** Waits until its job has looked, whatever is worked on. */
    looked: () => atRest(work, kind.job),
    look: () => untilRun(work, kind.job, wake),
    asleep: () => asleep(work, kind),
    /** Advances the clock to where its job looks, when everything is done so far, and waits until it has looked. */
    advance: async (ms: number) => {
      await asleep(work, kind)
      await untilRun(work, kind.job, () => clock.advance(ms))
    },
    stop: () => runtime.dispose(),
    /** Has the database's answers wait. */
    hold: (until: Promise<void>) => {
      held = until
    },
    isEnding: jobs.isEnding,
    kill: () => {
      isKilled = true
    },
  }
}

const rowsOf = (server: TestServer) =>
  server.rows(
    "select id, attempts, last_error, claim is not null as claimed, next_at, given_up_at from outbox order by id",
  )
const isEmpty = async (server: TestServer) => (await rowsOf(server)).length === 0

/** A handler that waits for the test. */
class Hand {
  readonly begun: Array<number> = []
  readonly #held: Array<(outcome: Effect.Effect<void, unknown>) => void> = []
  readonly run = ({ payload: { n } }: Entry) =>
    Effect.callback<void, unknown>((resume) => {
      this.begun.push(n)
      this.#held.push(resume)
    })
  end(outcome: Effect.Effect<void, unknown> = Effect.void): void {
    for (const resume of this.#held.splice(0)) resume(outcome)
  }
}

t.test("rows are done when they are due, and nothing is asked meanwhile", (t) =>
  withServer(t, {}, async (server) => {
    const did: Array<number> = []
    const kind = kindOf(({ payload: { n } }) => Effect.sync(() => void did.push(n)))
    const { clock } = server
    const now = clock.now()
    const claimer = await startClaimer(server, kind)
    await claimer.looked()
    await add(server, kind, [
      { payload: { n: 1 } },
      { payload: { n: 2 }, dueAt: now + 5000 },
      { payload: { n: 3 }, dueAt: now + 20_000 },
    ])
    await claimer.wake()
    await until("the first is done", 5000, async () => (await rowsOf(server)).length === 2)
    t.same(did, [1])
    await claimer.asleep()
    const asked = claimer.queries()
    clock.advance(4999)
    await claimer.looked()
    t.equal(claimer.queries(), asked, "nothing is asked before the next is due")
    await claimer.advance(1)
    await until("the second is done", 5000, async () => (await rowsOf(server)).length === 1)
    t.same(did, [1, 2])
    await claimer.stop()
    // A row that was there before the start.
    const next = await startClaimer(server, kind)
    await next.advance(15_000)
    await until("the third is done", 5000, () => isEmpty(server))
    t.same(did, [1, 2, 3])
    t.match(next.report(), { kind: "errand", done: 1, failedAttempts: 0, givenUp: 0 })
  }),
)

t.test("no more rows are claimed at once than may be under way", (t) =>
  withServer(t, {}, async (server) => {
    const hand = new Hand()
    const kind = kindOf(hand.run, { concurrency: 2 })
    const items = [1, 2, 3, 4, 5, 6].map((n) => ({ payload: { n } }))
    await add(server, kind, items)
    const claimer = await startClaimer(server, kind)
    // The second of each pair begins when both before it are over.
    for (const begun of [2, 4, 6]) {
      await until(`${begun} have begun`, 5000, () => hand.begun.length >= begun)
      t.equal(claimer.report()?.underWay, 2)
      t.equal((await rowsOf(server)).filter(({ claimed }) => claimed === true).length, 2)
      hand.end()
    }
    await until("all are done", 5000, () => isEmpty(server))
    t.same([...hand.begun].sort(), [1, 2, 3, 4, 5, 6])
  }),
)

t.test(
  "owners of lanes take turns, and an organization has its share",
  inTurn(2, "owners of lanes take turns, and an organization has its share"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { concurrency: 10, shares: { perOwner: 2, perRealm: 3 } })
      const claimer = await startClaimer(server, kind)
      const lanes = ["a/1", "a/2", "a/3", "a/1", "b/1", "b/2", "c"]
      const items = lanes.map((lane, n) => ({ payload: { n }, lane }))
      await add(server, kind, items)
      await claimer.wake()
      // Each owner's first goes before anybody's second; of the organization three are under way, and the lane a/1 goes on.
      const turns = [[0, 4, 6], [1, 3, 5], [2]]
      for (const [n, turn] of turns.entries()) {
        await until(`turn ${n}`, 10_000, () => hand.begun.length === turn.length)
        await claimer.look()
        t.same(hand.begun.splice(0).sort(), turn)
        hand.end()
      }
      await until("all are done", 10_000, () => isEmpty(server))
      t.match(claimer.report(), { done: lanes.length, givenUp: 0 })
    }),
)

t.test(
  "an owner with more lanes than a claim looks at does not hide the others",
  inTurn(2, "an owner with more lanes than a claim looks at does not hide the others"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { concurrency: 10, shares: { perOwner: 2, perRealm: 4 } })
      const many = 1100
      const items = Array.from({ length: many }, (_, n) => ({ payload: { n }, lane: `flood/${n}` }))
      await add(server, kind, [...items, { payload: { n: many }, lane: "other/1" }])
      const claimer = await startClaimer(server, kind)
      await until("both owners have begun", 5000, () => hand.begun.length === 3)
      t.same(new Set(hand.begun), new Set([0, 1, many]), "without any time that goes by")
      await server.rows("delete from outbox where lane not in ('flood/0', 'flood/1', 'other/1')")
      hand.end()
      await until("all are done", 10_000, () => isEmpty(server))
      t.match(claimer.report(), { done: 3 })
    }),
)

t.test(
  "a row without a wake is found within a minute",
  inTurn(2, "a row without a wake is found within a minute"),
  (t) =>
    withServer(t, {}, async (server) => {
      const kind = kindOf(() => Effect.void)
      const claimer = await startClaimer(server, kind)
      await claimer.looked()
      await add(server, kind, [{ payload: { n: 1 } }])
      await claimer.advance(60_000)
      await until("it is done", 5000, () => isEmpty(server))
    }),
)

t.test(
  "what fails is tried again with growing waits, and given up in the end",
  inTurn(2, "what fails is tried again with growing waits, and given up in the end"),
  (t) =>
    withServer(t, {}, async (server) => {
      const { clock } = server
      const times: Array<number> = []
      const kind = kindOf(
        () =>
          Effect.suspend(() => {
            times.push(clock.elapsed())
            return Effect.fail(new Unavailable({ reason: "nobody answers" }))
          }),
        {
          mostAttempts: 5,
          backOff: { firstMilliseconds: 1000, longestMilliseconds: 4000 },
          title: ({ n }) => `the one called ${n}`,
        },
      )
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      for (const [n, wait] of [1000, 2000, 4000, 4000].entries()) {
        await until("it was put off", 5000, async () => {
          const [row] = await rowsOf(server)
          return row?.["attempts"] === n + 1 && row["claimed"] === false
        })
        t.match(await rowsOf(server), [
          { attempts: n + 1, last_error: "nobody answers", next_at: clock.now() + wait, given_up_at: null },
        ])
        await claimer.asleep()
        await claimer.advance(wait)
      }
      await until("it is given up", 5000, () => claimer.report()?.givenUp === 1)
      t.same(
        times.map((time) => time - (times[0] ?? 0)),
        [0, 1000, 3000, 7000, 11_000],
      )
      const [row] = await rowsOf(server)
      t.match(row, { attempts: 5, given_up_at: clock.now() })
      t.same(claimer.lines, [
        `the outbox gave up errand ${row?.["id"]} (the one called 1) of realm 1 after 5 attempts: nobody answers`,
      ])
      t.match(claimer.report(), { done: 0, failedAttempts: 5, givenUp: 1 })
      await claimer.advance(60_000)
      t.equal(times.length, 5, "it stays in the table and is not tried again")
    }),
)

t.test(
  "no attempt follows a GiveUp or the deadline, and a payload that cannot be read is given up, too",
  inTurn(2, "no attempt follows a GiveUp or the deadline, and a payload that cannot be read is given up, too"),
  (t) =>
    withServer(t, {}, async (server) => {
      const kind = kindOf(
        ({ payload: { n } }) =>
          Effect.fail(n === 1 ? new GiveUp({ reason: "no such address\0" }) : new Error("away\0")),
        {
          deadlineMilliseconds: 1500,
          mostAttempts: 3,
          backOff: { firstMilliseconds: 1000, longestMilliseconds: 1000 },
        },
      )
      await add(server, kind, [{ payload: { n: 1 } }, { payload: { n: 2 } }])
      const claimer = await startClaimer(server, kind)
      await until("the first is given up", 5000, () => claimer.report()?.givenUp === 1)
      await claimer.asleep()
      t.match(await rowsOf(server), [
        { attempts: 1, last_error: "no such address\uFFFD", given_up_at: server.clock.now() },
        { attempts: 1, last_error: "away\uFFFD", given_up_at: null },
      ])
      await claimer.advance(1000)
      await until("the second is given up", 5000, () => claimer.report()?.givenUp === 2)
      t.match((await rowsOf(server))[1], { attempts: 2 }, "the third attempt would be after the deadline")
      await server.rows(
        "update outbox set payload = '{}', given_up_at = null, attempts = 2, next_at = 0 where attempts = 2",
      )
      await claimer.asleep()
      await claimer.wake()
      await until("an unreadable one is given up", 5000, () => claimer.report()?.givenUp === 3)
    }),
)

t.test(
  "a row is not tried for the first time after its deadline",
  inTurn(2, "a row is not tried for the first time after its deadline"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { deadlineMilliseconds: 1500 })
      await add(server, kind, [{ payload: { n: 1 } }])
      await server.rows("update outbox set added_at = $1, due_at = $1", [server.clock.now() - 1501])
      const claimer = await startClaimer(server, kind)
      await until("it is given up", 5000, () => claimer.report()?.givenUp === 1)
      t.match(await rowsOf(server), [{ attempts: 0, last_error: "its time was over before it was tried" }])
      t.same(hand.begun, [])
    }),
)

t.test(
  "a handler that ends by an interruption of its own has failed",
  inTurn(2, "a handler that ends by an interruption of its own has failed"),
  (t) =>
    withServer(t, {}, async (server) => {
      const kind = kindOf(() => Effect.interrupt)
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      await until("it is put off", 5000, async () => (await rowsOf(server))[0]?.["last_error"] !== null)
      await claimer.asleep()
      t.match(await rowsOf(server), [{ attempts: 1, claimed: false, next_at: server.clock.now() + 1000 }])
      t.match(claimer.report(), { failedAttempts: 1 })
    }),
)

t.test(
  "an attempt that takes too long is a failed one",
  inTurn(2, "an attempt that takes too long is a failed one"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { patienceMilliseconds: patience })
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      await until("it has begun", 5000, () => hand.begun.length === 1 && claimer.waitsOf(patience) === 1)
      server.clock.advance(patience)
      await until("it is cut off", 5000, () => claimer.report()?.failedAttempts === 1)
      await until("it is put off", 5000, () => claimer.report()?.underWay === 0)
      t.match(await rowsOf(server), [{ last_error: `it took longer than ${patience} ms`, claimed: false }])
    }),
)

t.test("a lane is done in its order, and waits for the one of it that fails; others do not", (t) =>
  withServer(t, {}, async (server) => {
    const did: Array<number> = []
    let fails = true
    const kind = kindOf(({ payload: { n } }) =>
      Effect.suspend(() => {
        if (n === 11 && fails) return Effect.fail("not yet")
        did.push(n)
        return Effect.void
      }),
    )
    const now = server.clock.now()
    const item = (n: number, due: number, lane: string): OutboxItem<Payload> => ({
      payload: { n },
      dueAt: now + due,
      lane,
    })
    await add(server, kind, [
      item(12, -1000, "a"),
      item(10, -3000, "a"),
      item(11, -2000, "a"),
      item(13, 500, "a"),
      item(21, -500, "b"),
      item(20, -500 - 1, "b"),
    ])
    const claimer = await startClaimer(server, kind)
    await until(
      "all are over",
      5000,
      async () => (await rowsOf(server)).length === 3 && claimer.report()?.underWay === 0,
    )
    t.same([...did].sort(), [10, 20, 21])
    t.ok(did.indexOf(20) < did.indexOf(21))
    fails = false
    await claimer.advance(1000)
    await until("all are done", 5000, () => isEmpty(server))
    t.same(did.slice(3), [11, 12, 13])
  }),
)

t.test(
  "a row that is due before the one of its lane in work waits for that",
  inTurn(2, "a row that is due before the one of its lane in work waits for that"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run)
      const now = server.clock.now()
      await add(server, kind, [
        { payload: { n: 1 }, dueAt: now - 1000, lane: "a" },
        { payload: { n: 2 }, dueAt: now - 500, lane: "a" },
      ])
      const claimers = [await startClaimer(server, kind), await startClaimer(server, kind)]
      await until("one has begun", 5000, () => hand.begun.length === 1)
      await add(server, kind, [
        { payload: { n: 3 }, dueAt: now - 2000, lane: "a" },
        { payload: { n: 4 }, dueAt: now, lane: "b" },
      ])
      await Promise.all(claimers.map(({ wake }) => wake()))
      await until("the other lane has begun", 5000, () => hand.begun.length === 2)
      for (const claimer of claimers) await claimer.look()
      t.same(hand.begun, [1, 4])
      for (const n of [3, 4, 5]) {
        hand.end()
        if (n < 5) await until("the next begins", 5000, () => hand.begun.length === n)
      }
      await until("all are done", 5000, () => isEmpty(server))
      t.same(hand.begun, [1, 4, 2, 3])
    }),
)

t.test(
  "two claimers share the rows: none is done twice, and lanes keep their order",
  inTurn(2, "two claimers share the rows: none is done twice, and lanes keep their order"),
  (t) =>
    withServer(t, {}, async (server) => {
      const did: Array<{ readonly n: number; readonly by: string }> = []
      let bothBegan = () => {}
      const bothAtWork = new Promise<void>((resolve) => {
        bothBegan = resolve
      })
      const kindBy = (by: string) =>
        kindOf(({ payload: { n } }) =>
          // None ends before both are at work.
          Effect.promise(() => {
            did.push({ n, by })
            if (did.some((each) => each.by !== by)) bothBegan()
            return bothAtWork
          }),
        )
      const now = server.clock.now()
      const count = 600
      const items = Array.from({ length: count }, (_, n) => ({
        payload: { n },
        dueAt: now - count + n,
        ...(n % 3 === 0 ? {} : { lane: `author ${n % 20}` }),
      }))
      await add(server, kindBy("nobody"), items)
      const claimers = await Promise.all(["first", "second"].map((by) => startClaimer(server, kindBy(by))))
      const wakeAll = () => Promise.all(claimers.map(({ wake }) => wake()))
      await until("all are done", 60_000, async () => {
        await wakeAll()
        return isEmpty(server)
      })
      t.equal(did.length, count)
      t.equal(new Set(did.map(({ n }) => n)).size, count)
      t.equal(new Set(did.map(({ by }) => by)).size, 2, "both had a part")
      for (let author = 0; author < 20; author++) {
        const ofAuthor = did.map(({ n }) => n).filter((n) => n % 3 !== 0 && n % 20 === author)
        t.same(
          ofAuthor,
          [...ofAuthor].sort((a, b) => a - b),
          `lane ${author}`,
        )
      }
    }),
)

t.test(
  "what a killed process has claimed is done by another when the claim ends",
  inTurn(2, "what a killed process has claimed is done by another when the claim ends"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { patienceMilliseconds: patience, mostAttempts: 2 })
      await add(server, kind, [
        { payload: { n: 1 }, lane: "a" },
        { payload: { n: 2 }, lane: "a" },
      ])
      const killed = await startClaimer(server, kind)
      await until("it is in the middle", 5000, () => hand.begun.length === 1)
      t.match(await rowsOf(server), [{ attempts: 1 }, { attempts: 0 }], "what has not begun counts no attempt")
      killed.kill()
      const next = await startClaimer(server, kind)
      await next.asleep()
      t.same(hand.begun, [1])
      server.clock.advance(2 * patience - 1)
      await next.look()
      t.same(hand.begun, [1], "the claim holds")
      await next.advance(1)
      await until("it is begun again", 5000, () => hand.begun.length === 2)
      hand.end()
      await until("the second of the lane follows", 5000, () => hand.begun.length === 3)
      hand.end()
      await until("all is done", 5000, () => isEmpty(server))
      t.same(hand.begun, [1, 1, 2])

      // One that ends each process that tries it is not tried for ever. It is not to be seen before it has that many attempts.
      await next.asleep()
      await add(server, kind, [{ payload: { n: 3 } }])
      await server.rows("update outbox set attempts = 2")
      await next.wake()
      await until("it is given up", 5000, () => next.report()?.givenUp === 1)
      t.same(hand.begun, [1, 1, 2])
    }),
)

t.test(
  "a long attempt renews its claim, and ends where another has its row",
  inTurn(2, "a long attempt renews its claim, and ends where another has its row"),
  (t) =>
    withServer(t, {}, async (server) => {
      const [each, hand] = [6000, new Hand()]
      const kind = kindOf(hand.run, { patienceMilliseconds: 100 * patience, renewsMilliseconds: each })
      await add(server, kind, [{ payload: { n: 1 } }])
      const first = await startClaimer(server, kind)
      const renewal = each / 3
      await until("it is in the middle", 5000, () => hand.begun.length === 1 && first.waitsOf(renewal) === 1)
      for (let n = 1; n <= 10; n++) {
        server.clock.advance(renewal)
        await until("it waits for the next renewal", 5000, () => first.waitsOf(renewal) === n + 1)
        t.match(await rowsOf(server), [{ attempts: 1, claimed: true, next_at: server.clock.now() + each }])
      }
      const second = await startClaimer(server, kind)
      await second.looked()
      t.same(hand.begun, [1], "nobody else begins, however long it takes")
      await server.rows("update outbox set claim = 'another'")
      server.clock.advance(renewal)
      await until("the attempt has ended", 5000, () => first.report()?.underWay === 0)
      t.match(first.report(), { done: 0, failedAttempts: 1, givenUp: 0 })
      t.match(await rowsOf(server), [{ attempts: 1, last_error: null, claimed: true }], "its row is the other's")

      // The first looks once more when its attempt has ended; the row is to be the second's.
      await first.asleep()
      await server.rows("update outbox set claim = null, next_at = 0")
      await second.wake()
      await until("it is begun again", 5000, () => hand.begun.length === 2)
      second.kill()
      const third = await startClaimer(server, kind)
      await third.advance(each)
      await until("it is begun soon after the kill", 5000, () => hand.begun.length === 3)
      hand.end()
      await until("it is done", 5000, () => isEmpty(server))
    }),
)

t.test(
  "an attempt that has ended its row itself has not failed, though its claim cannot be renewed any more",
  inTurn(2, "an attempt that has ended its row itself has not failed, though its claim cannot be renewed any more"),
  (t) =>
    withServer(t, {}, async (server) => {
      const [each, hand] = [6000, new Hand()]
      const kind = kindOf(hand.run, {
        patienceMilliseconds: 100 * patience,
        renewsMilliseconds: each,
        endsItself: true,
      })
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      await until("it is in the middle", 5000, () => hand.begun.length === 1 && claimer.waitsOf(each / 3) === 1)
      // Its commit, of which it has not heard yet.
      await server.rows("delete from outbox")
      await claimer.looked()
      const answered = claimer.answers()
      server.clock.advance(each / 3)
      await until("its claim could not be renewed", 5000, () => claimer.answers() > answered)
      hand.end()
      await until("it has ended", 5000, () => claimer.report()?.underWay === 0)
      t.match(claimer.report(), { done: 1, failedAttempts: 0, givenUp: 0 })
    }),
)

t.test(
  "the end of the server waits for what is under way, and gives back the rest",
  inTurn(2, "the end of the server waits for what is under way, and gives back the rest"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { patienceMilliseconds: patience })
      await add(server, kind, [
        { payload: { n: 1 }, lane: "a" },
        { payload: { n: 2 }, lane: "a" },
      ])
      const claimer = await startClaimer(server, kind)
      await until("it is in the middle", 5000, () => hand.begun.length === 1)
      const stopped = claimer.stop()
      hand.end()
      await stopped
      t.match(await rowsOf(server), [{ attempts: 0, claimed: false }], "the first is done, the second as it was")

      const second = await startClaimer(server, kind)
      await until("the next begins at once", 5000, () => hand.begun.length === 2)
      await second.stop()
      t.match(
        await rowsOf(server),
        [{ attempts: 0, claimed: false }],
        "one that does not end is interrupted and given back",
      )
      t.same(second.lines, [])
    }),
)

t.test(
  "what is claimed while the server begins to end is given back",
  inTurn(2, "what is claimed while the server begins to end is given back"),
  (t) =>
    withServer(t, {}, async (server) => {
      const hand = new Hand()
      const kind = kindOf(hand.run, { mostAttempts: 1 })
      const now = server.clock.now()
      await add(server, kind, [{ payload: { n: 1 } }, { payload: { n: 2 }, lane: "a" }])
      // The database's clock may be ahead.
      await server.rows("update outbox set due_at = $1", [now + 500])
      const claimer = await startClaimer(server, kind)
      let answer = () => {}
      claimer.hold(
        new Promise((resolve) => {
          answer = resolve
        }),
      )
      await until("they are claimed", 5000, async () => (await rowsOf(server)).every(({ claimed }) => claimed === true))
      const stopped = claimer.stop()
      await until("it ends", 5000, claimer.isEnding)
      answer()
      await stopped
      const asBefore = { attempts: 0, claimed: false, next_at: now }
      t.match(await rowsOf(server), [asBefore, asBefore])
      t.same(hand.begun, [])
    }),
)

t.test(
  "a handler whose effect is a commit is done exactly once",
  inTurn(2, "a handler whose effect is a commit is done exactly once"),
  (t) =>
    withServer(t, { further }, async (server) => {
      const outcomes: Array<string> = []
      let isLost = true
      const kind = kindOf(
        (entry) =>
          Effect.gen(function* () {
            const { guard, step } = ending(entry)
            const effect = {
              fn: "test_emit_v1",
              calls: [emitArgs({ type: "test_wide", payload: { name: entry.payload.n } })],
            }
            const outcome = yield* server.realm.writer.submit({
              judge: () =>
                change<string>([effect, step], { answer: () => "done", guard, refused: { gone: done("gone") } }),
            })
            outcomes.push(outcome)
            if (isLost) return yield* Effect.fail("the answer was lost")
          }),
        { endsItself: true },
      )
      const effects = () =>
        server.rows("select payload ->> 'name' as n from log where type = 'test_wide' order by position")
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      await until("it is done", 5000, () => claimer.report()?.failedAttempts === 1)
      t.ok(await isEmpty(server))
      t.same(await effects(), [{ n: "1" }])
      isLost = false
      await claimer.asleep()

      const now = server.clock.now()
      await add(server, kind, [{ payload: { n: 2 }, dueAt: now + 1000 }])
      // A second attempt on a row whose claim is another's by now, and one on a row that was taken back.
      const [row] = await server.rows("select id from outbox")
      const late = { id: Number(row?.["id"]), claim: "a former claim" }
      const judge = () =>
        change<string>([ending(late).step], {
          answer: () => "done",
          guard: ending(late).guard,
          refused: { gone: done("gone") },
        })
      t.equal(await server.run(server.realm.writer.submit({ judge })), "gone")
      t.match(await server.rows("select drop_outbox_v1(1, $1) as dropped", [late.id]), [{ dropped: true }])
      t.match(await server.rows("select drop_outbox_v1(1, $1) as dropped", [late.id]), [{ dropped: false }])
      await claimer.advance(60_000)
      await claimer.asleep()
      t.same(await effects(), [{ n: "1" }])
      t.same(outcomes, ["done"])
    }),
)

t.test(
  "rows of kinds that this program does not know stay",
  inTurn(2, "rows of kinds that this program does not know stay"),
  (t) =>
    withServer(t, {}, async (server) => {
      const other = outboxKind({ name: "other", payload, run: () => Effect.void })
      await add(server, other, [{ payload: { n: 1 } }])
      const kind = kindOf(() => Effect.void)
      const claimer = await startClaimer(server, kind)
      await claimer.looked()
      t.equal((await rowsOf(server)).length, 1)
    }),
)

t.test(
  "what an error quotes is not in the log, however long it is",
  inTurn(2, "what an error quotes is not in the log, however long it is"),
  (t) =>
    withServer(t, {}, async (server) => {
      const said = `invalid input syntax for type json: "private ${"x".repeat(1500)}"`
      const kind = kindOf(() => Effect.fail(new Error(said)), { mostAttempts: 1 })
      await add(server, kind, [{ payload: { n: 1 } }])
      const claimer = await startClaimer(server, kind)
      await until("it is given up", 5000, () => claimer.lines.some((line) => line.includes("gave up errand")))
      t.notMatch(claimer.lines.join("\n"), /private|xxx/)
      t.match(await rowsOf(server), [{ last_error: /invalid input syntax/ }])
    }),
)
