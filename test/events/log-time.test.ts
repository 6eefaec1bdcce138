/**
 * A clock that is wrong for a while: messages bear its time, later ones the right time again, they are found by time,
 * and nothing young is pruned from the log.
 */
import t from "tap"
import { pruneJob } from "../../src/chat/server/runtime/runtime-jobs.ts"
import { defaultLimits } from "../../src/config/config.ts"
import { forgetOld, pruneLog } from "../../src/events/log-retention.ts"
import { RealmId } from "../../src/ids.ts"
import { untilRun, workOf } from "../kit/jobs.ts"
import { recordsIn } from "../kit/records.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const second = 1000
const day = 24 * 3600 * second
const channels = [{ name: "lobby", users: ["hamlet", "othello"] as const }]
const minute = 60 * second

/** The ages that pruning leaves of a log whose rows have these ages in days, by the times that they bear. */
const prunedOf = async (server: TestServer, ages: ReadonlyArray<number>, now: number, limits = defaultLimits) => {
  await server.rows("delete from log where realm_id = 9")
  await server.rows(
    `insert into log (realm_id, position, type, payload, audience, at)
     select 9, n, 'old', '{}', '{"kind": "servers"}', $2::bigint - (age::text::float8 * 86400000)::bigint
       from jsonb_array_elements($1::text::jsonb) with ordinality as each(age, n)`,
    [JSON.stringify(ages), now],
  )
  const oldest = await server.run(pruneLog(server.database, RealmId(9), limits, now))
  const left = await server.rows("select position from log where realm_id = 9 order by position")
  const positions = left.map(({ position }) => Number(position))
  if (oldest !== positions[0]) throw new Error(`${oldest} was answered as the oldest position of ${positions}`)
  return positions.map((position) => ages[position - 1])
}

t.test("a clock that jumps 400 days ahead and back", (t) =>
  withServer(t, { channels }, async (server) => {
    const { clock } = server
    const began = clock.now()
    const reader = await server.queue("othello", { event_types: ["message"] })
    const ids: Array<number> = []
    const sendAt = async (time: number) => {
      clock.jump(began + time - clock.now())
      ids.push(await server.as("hamlet").send("lobby", `at ${time}`))
    }
    const times = [0, 5 * second, 400 * day, 400 * day + second, 6 * second, -50 * day, 7 * second, 8 * second]
    for (const time of times) await sendAt(time)
    const seconds = times.map((time) => (began + time) / second)

    await t.test("each message bears the clock's time, in events, in answers and after a restart", async (t) => {
      const events = await reader.take(times.length)
      const stamps = (messages: unknown) => recordsIn(messages).map(({ timestamp }) => timestamp)
      t.same(stamps(events.map(({ message }) => message)), seconds)
      const page = { anchor: "newest", num_before: 100, num_after: 0 }
      const { messages } = await server.as("hamlet").must.get("/messages", page)
      t.same(stamps(messages), seconds)
      await server.restart()
      t.same(stamps((await server.as("hamlet").must.get("/messages", page))["messages"]), seconds)
    })

    await t.test("a search by time never misses a message", async (t) => {
      const stored = await server.rows(
        "select id, sent_at, coalesce(ordered_at, sent_at) as ordered from message order by id",
      )
      const ordered = stored.map((row) => Number(row["ordered"]))
      t.same(
        ordered,
        ordered.toSorted((a, b) => a - b),
        "there is a time that never falls",
      )
      for (const { sent_at } of stored)
        for (const time of [-1, 0, 1].map((off) => Number(sent_at) + off)) {
          const [row] = await server.rows("select messages_since_v1(1, $1) as id", [time])
          const missed = stored.filter(
            (each) => Number(each["sent_at"]) >= time && Number(each["id"]) < Number(row?.["id"]),
          )
          t.same(missed, [], `since ${time}`)
        }
      const count = "select sent, newest_at from count_messages_v2(1, (select jsonb_agg(id) from channel), 0, $1, $2)"
      t.match(await server.rows(count, [began, began + 3600 * second]), [{ sent: 5, newest_at: began + 8 * second }])
    })

    await t.test("a prune while the clock is ahead takes nothing", async (t) => {
      const advance = (ms: number) => untilRun(workOf(server), pruneJob, () => clock.advance(ms))
      // The first hour of a server is over, so that the job does its work. What it forgets by right is older than the hour
      // that outcomes are kept.
      await advance(2 * 60 * minute)
      const written = clock.now()
      await server.as("hamlet").send("lobby", "before the jump")
      const keysOf = async (key: string, rows: string) =>
        (await server.rows(`select ${key} as key from ${rows}`)).map((row) => row["key"])
      const outcomes = await keysOf("commit_id", `commit_outcome where at = ${written}`)
      t.not(outcomes.length, 0)
      const before = [...outcomes, ...(await keysOf("position", "log"))]
      clock.jump(400 * day)
      // The job runs every quarter of an hour; the newest row would stay in any case.
      for (let quarter = 0; quarter < 3; quarter++) await advance(15 * minute)
      const after = new Set([...(await keysOf("commit_id", "commit_outcome")), ...(await keysOf("position", "log"))])
      t.same(
        before.filter((key) => !after.has(key)),
        [],
      )
      clock.jump(-400 * day)
    })

    await t.test("pruning takes the oldest rows up to the first that is young", async (t) => {
      const now = clock.now()
      const cases: ReadonlyArray<readonly [when: string, ages: ReadonlyArray<number>, left: ReadonlyArray<number>]> = [
        ["a usual log", [20, 16, 15, 13, 1, 0], [13, 1, 0]],
        ["the newest row stays", [20, 16], [16]],
        ["the only row stays", [20], [20]],
        ["nothing is old", [13, 1], [13, 1]],
        ["the clock was set back for a while: what looks old is protected", [20, 13, 60, 60, 5, 0], [13, 60, 60, 5, 0]],
        ["once older ones are old, so is it", [20, 16, 60, 5, 0], [5, 0]],
        ["the clock was ahead: as old as the next row", [20, -400, -400, 16, 5, 0], [5, 0]],
        ["which may be young", [20, -400, -400, 5, 0], [-400, -400, 5, 0]],
        ["or still to come", [20, -400, -400], [-400, -400]],
        ["it was ahead from the beginning", [-400, -400, 16, 5, 0], [5, 0]],
        ["all of it", [-400, -400, -400], [-400, -400, -400]],
        ["a little ahead is young", [20, -0.01, 16, 5], [-0.01, 16, 5]],
      ]
      for (const [when, ages, left] of cases) t.same(await prunedOf(server, ages, now), left, when)
      const small = { ...defaultLimits, logRetentionBytes: 0 }
      t.same(await prunedOf(server, [20, 13, -400, 9, 7, 0], now, small), [7, 0], "a large log is pruned sooner")
      const many = [...Array<number>(6000).fill(-400), ...Array<number>(6000).fill(20), 1]
      t.same(await prunedOf(server, many, now), [1], "more than a statement deletes")
    })

    await t.test("outcomes and sends of a wrong time are forgotten in their turn", async (t) => {
      const now = clock.now()
      await server.rows(
        "insert into commit_outcome (realm_id, commit_id, at) values (9, 'ahead', $1), (9, 'old', $2)",
        [now + 400 * day, now - day],
      )
      const left = async (time: number) => {
        await server.run(forgetOld(server.database, defaultLimits, time))
        const rows = await server.rows("select commit_id from commit_outcome where realm_id = 9")
        return rows.map((row) => row["commit_id"])
      }
      t.same(await left(now), ["ahead"])
      t.same(await left(now + defaultLimits.commitMemoryMinutes * minute), ["ahead"])
      t.same(await left(now + defaultLimits.commitMemoryMinutes * minute + 1), [])
    })
  }),
)

t.test("the log of an organization that nobody has asked for since the start is pruned too", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.rows(
      `insert into realm (id, host, epoch, created_at, settings)
       select 2, 'quiet.test.example', epoch, created_at, settings from realm where id = 1`,
    )
    await server.rows(
      `insert into log (realm_id, position, type, payload, audience, at)
       select 2, n, 'old', '{}', '{"kind": "servers"}', $1::bigint from generate_series(1, 3) as n`,
      [server.clock.now() - 20 * day],
    )
    const left = () => server.rows("select position from log where realm_id = 2")
    // The job does its work when the first hour of a server is over.
    await untilRun(workOf(server), pruneJob, () => server.clock.advance(2 * 60 * minute))
    t.match(await left(), [{ position: 3 }], "the newest row stays")
  }),
)
