/**
 * The outbox of several processes: what one has added, or begun and not ended when it was killed, another does, once; by the
 * database's time, whatever their own clocks say.
 */
import t from "tap"
import { exportKind } from "../../../src/chat/organization/realm-exports/export-work.ts"
import { scheduledKind } from "../../../src/chat/personal/scheduled/scheduled-kind.ts"
import { waitUntilIdle } from "../../../src/testing/wait-until-idle.ts"
import { after, schedule, sentTexts } from "../../chat/personal/scheduled/scheduled-scene.ts"
import { channelId } from "../../kit/channel-scene.ts"
import { asleep, runsOf, underWay, untilRun, workOf } from "../../kit/jobs.ts"
import { manualClock } from "../../kit/manual-clock.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const patience = 20_000

/** Lets time pass at servers until it is so. */
const passUntil = (what: string, servers: ReadonlyArray<TestServer>, isSo: () => Promise<boolean>) =>
  until(what, patience, async () => {
    if (await isSo()) return true
    for (const { clock } of servers) clock.advance(500)
    return false
  })

const isSent = (server: TestServer, text: string) => async () => (await sentTexts(server)).includes(text)

t.test("a scheduled message of a process that is stopped is sent by another when it is due", (t) =>
  withServers(t, 2, { channels, bus: "none" }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    // Its own look of once a minute was a moment ago.
    await untilRun(workOf(two), scheduledKind.job, () => two.clock.advance(60_000))
    one.clock.advance(60_000)
    await schedule(one, "of the first", { scheduled_delivery_timestamp: after(one, 20) })
    // The time of the first stands still from here on.
    two.clock.advance(19_000)
    t.same(await sentTexts(two), [], "it is not due")
    // What comes of one half second is over before the next.
    for (let seconds = 0; seconds < 5; seconds += 0.5) {
      two.clock.advance(500)
      await waitUntilIdle(two.app)
    }
    t.same(await sentTexts(two), ["of the first"], "within five seconds")
  }),
)

t.test("one that was killed while its commit was under way: another sends it, and the commit comes too late", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    await schedule(one, "once")
    await asleep(workOf(one), scheduledKind)
    one.faults.failCommits("late")
    one.faults.settling = "lost"
    one.clock.advance(60_000)
    await until("its commit is under way", patience, () => one.faults.onTheWay === 1)
    const [row] = await two.rows("select claim from outbox where kind = 'scheduled'")
    t.ok(String(row?.["claim"]).startsWith(`${one.database.cluster?.process}:`), "the claim names its process")
    await one.faults.kill()
    two.clock.advance(60_000)
    await passUntil("it is sent", [two], isSent(two, "once"))
    await one.faults.arrive()
    t.same(await sentTexts(two), ["once"], "what comes then does nothing")
  }),
)

t.test("claims of a process that has not said for 15 seconds that it lives are free, those of others are not", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const claim = (text: string, process: string) =>
      one.rows(
        `update outbox set claim = $2 || ':x', next_at = next_at + 3600000
          where (payload ->> 'id')::bigint = (select id from scheduled_item where value ->> 'content' = $1) returning id`,
        [text, process],
      )
    await schedule(one, "of one that is gone")
    await schedule(one, "of one that lives", { by: "cordelia" })
    const living = one.database.cluster?.process ?? ""
    t.equal((await claim("of one that is gone", "gone")).length, 1)
    t.equal((await claim("of one that lives", living)).length, 1)
    await one.rows(
      `insert into process (id, address, program, secret_fingerprint, seen_at)
       select 'gone', 'x', program, secret_fingerprint, cluster_now_v1() - 13000 from process limit 1`,
    )
    await until("it is among the living", patience, () =>
      [one, two].every(({ database }) => database.cluster?.lastTick()?.processes.some(({ id }) => id === "gone")),
    )
    for (const { clock } of [one, two]) clock.advance(60_000)
    await passUntil("it is sent", [one, two], isSent(one, "of one that is gone"))
    t.same(await sentTexts(one), ["of one that is gone"])
    t.match(await one.rows("select claim from outbox where kind = 'scheduled'"), [{ claim: `${living}:x` }])
  }),
)

t.test("with clocks that are two minutes apart it is sent once, and not early", (t) =>
  withServers(
    t,
    1,
    { channels, isTimeOfDatabase: true, clock: manualClock(Date.now() - 60_000) },
    async ([one], join) => {
      if (one === undefined) return
      const two = await join({ clock: manualClock(Date.now() + 60_000) })
      const due = Math.ceil(Date.now() / 1000) + 6
      const whole = { type: "channel", to: channelId(one, "lobby"), topic: "t", scheduled_delivery_timestamp: due }
      for (const [n, server] of [one, two].entries())
        await server.as("hamlet").must.post("/scheduled_messages", { ...whole, content: `n ${n}` })
      await passUntil("both are sent", [one, two], async () => (await sentTexts(one)).length === 2)
      const [row] = await one.rows("select min(sent_at) as first from message")
      t.ok(Number(row?.["first"]) >= due * 1000, `${row?.["first"]}, due ${due}`)
      t.same([...(await sentTexts(one))].sort(), ["n 0", "n 1"])
      await t.rejects(join({ clock: manualClock(Date.now() + 7 * 60_000) }), {
        message: "The clock of this machine is 7 minutes ahead of that of the database: set it, best by NTP",
      })
      t.ok((await two.as("hamlet").get("/users/me")).status === 200)
    },
  ),
)

t.test("as many exports as one process may make at a time are made by all together", (t) =>
  withServers(t, 2, { channels }, async (servers) => {
    const [one, two] = servers
    if (one === undefined || two === undefined) return
    // Two are claimed by a process that is at them.
    await one.rows(
      `insert into outbox (realm_id, kind, payload, added_at, due_at, next_at, claim)
       select 1, $1, '{}', 0, 0, $2, $3 || n from generate_series(1, 2) as n`,
      [exportKind.name, one.clock.now() + 120_000, `${one.database.cluster?.process}:`],
    )
    await one.rows(
      "insert into outbox (realm_id, kind, payload, added_at, due_at, next_at) values (1, $1, '{}', 0, 0, 0)",
      [exportKind.name],
    )
    const before = runsOf(workOf(two), exportKind.job)
    await passUntil("it has looked", [two], async () => runsOf(workOf(two), exportKind.job) > before)
    t.equal(underWay(workOf(two), exportKind), 0)
    const claimed = "select from outbox where claim is not null and given_up_at is null"
    t.equal((await one.rows(claimed)).length, 2)
    await one.rows("delete from outbox where claim is not null")
    await passUntil(
      "it is tried",
      [two],
      async () => (await one.rows("select from outbox where attempts > 0")).length > 0,
    )
    await one.rows("delete from outbox")
  }),
)
