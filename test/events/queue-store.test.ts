/** The table of event queues: deletions whose answer is lost, the index by owner, ids that cannot be stored. */
import * as Context from "effect/Context"
import t from "tap"
import { findAwaited, loadQueues, loadSql } from "../../src/events/queue-store.ts"
import { Refusals } from "../../src/fairness/refusals.ts"
import { addNeighbour } from "../kit/neighbour.ts"
import type { Reader } from "../kit/reader.ts"
import { inTurn } from "../kit/share.ts"
import { connect, UpgradeRefused } from "../kit/socket-client.ts"
import { until } from "../kit/test-database.ts"
import { type Name, withServer } from "../kit/with-server.ts"

const deletion = /delete from event_queue where realm_id = \$1 and id = \$2/

t.test("DELETE /events answers 200 only when the queue is gone and 503 only when it is not", (t) =>
  // It answered 503, "nothing was done", where the queue was gone.
  withServer(t, {}, async (server) => {
    const { faults } = server
    const hamlet = server.as("hamlet")
    const register = async () => (await server.queue("hamlet", { event_types: ["message"] })).queueId
    const remove = (queue_id: string) => hamlet.delete("/events", { queue_id })
    const look = (queue_id: string) => hamlet.get("/events", { queue_id, last_event_id: -1, dont_block: true })
    const isStored = async (id: string) =>
      (await server.rows("select from event_queue where id = $1", [id])).length === 1
    const gone = { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }

    const lost = await register()
    faults.failStatements(deletion, "lost")
    t.match(await remove(lost), { status: 200, body: { result: "success" } })
    t.match([await isStored(lost), await look(lost), await remove(lost)], [false, gone, gone])

    const kept = await register()
    faults.failStatements(deletion, "unsent")
    t.match(await remove(kept), { status: 503 })
    t.match([await isStored(kept), await look(kept)], [true, { status: 200 }])

    // Sent and lost, then not sent for a while: nobody knows whether it is gone until it has been deleted again.
    faults.failStatements(deletion, "lost")
    faults.failStatements(deletion, "unsent", 2)
    t.match(await remove(kept), { status: 200 })
    t.match([await isStored(kept), await look(kept)], [false, gone])

    const unknown = await register()
    faults.failStatements(deletion, "lost", 1000)
    const cut = t.rejects(remove(unknown), "the connection is cut")
    await until("it is deleted again", 10_000, () => faults.statementsToFail() < 999)
    server.clock.advance(30_000)
    await cut
    faults.forgetStatements()
    t.match(await look(unknown), gone)
  }),
)

t.test(
  "queues are loaded, and a user's deleted under the log's lock, by an index",
  inTurn(2, "deleted queues of a user"),
  (t) =>
    withServer(t, {}, async (server) => {
      await server.rows(
        `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
       select 1, n, 'many' || n || '@test.example', 'many' || n || '@test.example', 'Many', 0 from generate_series(8, 2000) n`,
      )
      await server.rows(
        `insert into event_queue (realm_id, id, user_id, description, acked, idle_ms, seen)
       select 1, 'queue-' || n, 8 + n % 1990, '{}', 0, 0, 0 from generate_series(1, 10000) n`,
      )
      /** The plan that `body`, of plpgsql, explains. */
      const explained = async (setting: string, body: string): Promise<string> => {
        await server.rows(
          `create or replace function test_plan_v1() returns setof text language plpgsql set ${setting} as $$
         begin ${body} end $$`,
        )
        const lines = await server.rows("select test_plan_v1() as line")
        await server.rows("drop function test_plan_v1()")
        return lines.map(({ line }) => String(line)).join("\n")
      }
      const loads = (mode: string) =>
        explained(
          `plan_cache_mode = ${mode}`,
          `prepare load_queues (bigint, text, bigint) as ${loadSql};
         return query execute 'explain execute load_queues (1, ''["queue-1", "queue-2"]'', 1)';
         deallocate load_queues;`,
        )
      // What a database knows of its tables outlives its reset, and tests before this one had other queues.
      const unknown = `with known as (delete from pg_statistic where starelid = 'event_queue'::regclass)
        update pg_class set reltuples = -1, relpages = 0 where oid = 'event_queue'::regclass`
      for (const step of [unknown, "analyze event_queue"]) {
        await server.rows(step)
        for (const mode of ["force_custom_plan", "force_generic_plan"]) {
          const plan = await loads(mode)
          t.notMatch(plan, /Seq Scan|event_queue_owner/, `${mode} after ${step.slice(0, 20)}`)
          t.equal(plan.match(/Scan (?:using|on) event_queue_pkey/g)?.length, 2, plan)
        }
      }

      const [source] = await server.rows("select prosrc from pg_proc where proname = 'apply_queue_end_v1'")
      const [statement = ""] = /delete from event_queue[^;]*/.exec(String(source?.["prosrc"])) ?? []
      const values = statement.replaceAll("p_realm", "1").replaceAll("p_payload", "'{}'::jsonb")
      // As in a commit, which plans without sequential scans.
      const plan = await explained(
        "enable_seqscan = off",
        `return query execute 'explain ${values.replaceAll("'", "''")}';`,
      )
      t.match(plan, /event_queue_owner/)
      t.match(plan, /Index Cond: .*user_id/)
    }),
)

t.test(
  "loading a queue writes its row only where half of its idle time is over; its use is saved soon",
  inTurn(2, "written uses of queues"),
  (t) =>
    withServer(t, {}, async (server) => {
      const { clock, realm } = server
      const [reader, expired] = [await server.queue("hamlet"), await server.queue("cordelia")]
      const seenOf = async ({ queueId }: Reader) =>
        Number((await server.rows("select seen from event_queue where id = $1", [queueId]))[0]?.["seen"])
      const idle = Number((await server.rows("select max(idle_ms) as ms from event_queue"))[0]?.["ms"])
      const born = await seenOf(reader)
      const now = (part: number) => born + part * idle
      const load = (...readers: ReadonlyArray<Reader>) =>
        server.run(
          loadQueues(
            server.database,
            server.realmId,
            readers.map(({ queueId }) => queueId),
            now(0.4),
          ),
        )
      t.match(await load(reader, expired), [{ seen: born }, { seen: born }])
      await server.rows("update event_queue set seen = seen - $1::bigint where id = $2", [idle / 2, expired.queueId])
      const loaded = await load(reader, expired)
      t.same(
        [reader, expired].map(({ queueId }) => loaded.find(({ id }) => id === queueId)?.seen),
        [born, now(0.4)],
      )
      t.same([await seenOf(reader), await seenOf(expired)], [born, now(0.4)])

      await server.restart()
      clock.advance(1000)
      const look = () =>
        server.as("hamlet").get("/events", { queue_id: reader.queueId, last_event_id: -1, dont_block: true })
      t.match(await look(), { status: 200 })
      t.equal(await seenOf(reader), born, "it was only read")
      t.equal(realm === server.realm, false)
      await server.run(server.realm.queues.save())
      t.ok((await seenOf(reader)) >= born + 1000, "its use is stored with the next save")
      const saved = await seenOf(reader)
      await server.run(server.realm.queues.save())
      t.equal(await seenOf(reader), saved)
    }),
)

t.test("an organization whose clients are about to return is loaded before the server listens", (t) =>
  withServer(t, {}, async (server) => {
    const insert = (from: number, to: number, seen: number) =>
      server.rows(
        `insert into event_queue (realm_id, id, user_id, description, acked, idle_ms, seen)
         select 1, 'queue-' || n, $4::bigint, '{}', 0, 3600000, $3::bigint from generate_series($1::integer, $2::integer) n`,
        [from, to, seen, server.idOf("hamlet")],
      )
    await addNeighbour(server)
    await insert(1, 99, 0)
    await insert(100, 200, -7200_000)
    await server.restart()
    t.equal(server.loadedAtStart, 0, "99 that have not expired are too few")
    await insert(201, 201, 0)
    await server.restart()
    t.equal(server.loadedAtStart, 1)
    const find = (least: number, most: number) => server.run(findAwaited(server.database, 0, { least, most }))
    t.same([await find(100, 8), await find(101, 8), await find(100, 0)], [[server.realmId], [], []])
    const setDeactivated = (deactivated: boolean) =>
      server.rows("update realm set settings = settings || $1::text::jsonb", [JSON.stringify({ deactivated })])
    await setDeactivated(true)
    t.same(await find(100, 8), [], "nobody returns to one that is deactivated")
    await setDeactivated(false)
    server.faults.failQueries("select realm_id as realm from event_queue")
    await server.restart()
    t.equal(server.loadedAtStart, 0, "a start does not fail by it")
    t.equal(server.faults.failed, 1)
    server.faults.flow()
    // Nor by an organization that cannot be loaded.
    let times = 0
    server.faults.slow("load_realm", async () => {
      times += 1
      if (times === 1) throw new Error("planted")
    })
    await server.restart()
    t.equal(server.loadedAtStart, 0)
    t.ok(times >= 1)
  }),
)

t.test("the only organization there is is loaded before the server says that it is ready", (t) =>
  withServer(t, {}, async (server) => {
    let asked = false
    server.faults.slow("from account where", async () => {
      asked = true
    })
    await server.restart()
    t.equal(server.loadedAtStart, 1, "without any client that is about to return")
    t.ok(asked)
    t.match(await (await fetch(`${server.origin}/ready`)).json(), { status: "ready" })
    server.faults.flow()
    let times = 0
    server.faults.slow("load_realm", async () => {
      times += 1
      if (times === 1) throw new Error("planted")
    })
    await server.restart()
    t.equal(server.loadedAtStart, 0, "one that cannot be loaded does not stop a start")
    server.faults.flow()
    t.match(await server.as("hamlet").get("/users/me"), { status: 200 }, "and is loaded by a request")
  }),
)

t.test("a queue id that no database can store harms nobody else's queue", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    // Loads of one turn share a statement; this one made it fail, and the others were never answered.
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    await server.as("cordelia").send("lobby", "one")
    await server.restart()
    const { key } = server.as("hamlet").account
    const [epoch] = reader.queueId.split("-")
    const bad = connect({
      port: server.port,
      path: `/api/v1/events/ws?queue_id=${epoch}-%00&last_event_id=-1`,
      headers: { Authorization: `Basic ${Buffer.from(`hamlet@test.example:${key}`).toString("base64")}` },
    })
    const [events] = await Promise.all([
      server.resume("hamlet", reader).take(1),
      bad.then(
        () => t.fail("the bad one was let in"),
        (fault: unknown) => t.ok(fault instanceof UpgradeRefused && fault.status === 400),
      ),
    ])
    t.match(events, [{ message: { content: "one" } }])
  }),
)

t.test("a user has so many queues at most, those from before a restart included; the oldest idle one goes", (t) =>
  withServer(t, { limits: { queuesPerUser: 3 } }, async (server) => {
    const fieldsOf = ({ queueId, lastId }: Reader) => ({ queue_id: queueId, last_event_id: lastId })
    const look = (reader: Reader) => {
      server.clock.advance(1000)
      return server.as("hamlet").get("/events", { ...fieldsOf(reader), dont_block: true })
    }
    const register = () => {
      server.clock.advance(1000)
      return server.queue("hamlet", { event_types: ["message"] })
    }
    const works = async (...readers: ReadonlyArray<Reader>) => {
      for (const reader of readers) t.match(await look(reader), { status: 200 })
    }
    const isGone = async (...readers: ReadonlyArray<Reader>) => {
      for (const reader of readers) t.match(await look(reader), { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } })
    }
    const stored = async (name: Name) =>
      (await server.rows("select from event_queue where user_id = $1", [server.idOf(name)])).length
    const counted = () => Context.get(server.app.services, Refusals).counts().get("queues of a user")

    await server.queue("cordelia")
    const [first, second, third] = [await register(), await register(), await register()]
    await works(first)
    t.equal(counted(), undefined)
    const fourth = await register()
    await isGone(second)
    await works(first, third, fourth)
    t.equal(counted(), 1)

    await server.restart()
    const [fifth, sixth] = [await register(), await register()]
    t.equal(await stored("hamlet"), 3, "queues that are only in the database count")
    await isGone(first, third)
    await works(fourth)

    const hold = async (reader: Reader) => {
      const before = server.realm.queues.connected().length
      server.clock.advance(1000)
      const answer = server.as("hamlet").get("/events", fieldsOf(reader))
      await until("one more is connected", 10_000, () => server.realm.queues.connected().length === before + 1)
      return { answer }
    }
    const { answer: ofFifth } = await hold(fifth)
    const { answer: ofSixth } = await hold(sixth)
    await works(fourth)
    const seventh = await register()
    await isGone(fourth)
    const { answer: ofSeventh } = await hold(seventh)
    const eighth = await register()
    t.match(await ofFifth, { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }, "all were connected")
    t.equal(server.realm.queues.connected().length, 2)
    const made = await Promise.all([register(), register(), register()])
    t.same([await stored("hamlet"), await stored("cordelia")], [3, 1], "three made at once count each other")
    await isGone(eighth)
    const answers = await Promise.all(made.map(look))
    t.same(answers.map(({ status }) => status).sort(), [200, 400, 400])
    for (const { queueId } of [sixth, seventh]) await server.as("hamlet").delete("/events", { queue_id: queueId })
    t.match([await ofSixth, await ofSeventh], [{ status: 200 }, { status: 200 }], "connected queues stayed")
  }),
)

t.test("an old queue that only memory has ends too, if the answer that it had ended was lost", (t) =>
  withServer(t, { limits: { queuesPerUser: 1 } }, async (server) => {
    const first = await server.queue("hamlet")
    server.faults.failStatements(/insert into event_queue/, "lost")
    const second = await server.queue("hamlet")
    const third = await server.queue("hamlet")
    t.same(await server.rows("select id from event_queue"), [{ id: third.queueId }])
    for (const { queueId } of [first, second]) {
      const answer = await server
        .as("hamlet")
        .get("/events", { queue_id: queueId, last_event_id: -1, dont_block: true })
      t.match(answer, { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } })
    }
  }),
)

t.test("what a queue stores of its narrow and event types is bounded", (t) =>
  withServer(t, {}, async (server) => {
    const register = (terms: number, types: number) =>
      server.as("hamlet").post("/register", {
        fetch_event_types: [],
        narrow: Array.from({ length: terms }, (_, n) => ["topic", `${n}`.padEnd(47, "字")]),
        event_types: Array.from({ length: types }, (_, n) => `${n}`.padEnd(9, "x")),
      })
    const tooLong = { status: 400, body: { msg: "narrow and event_types are too long (limit: 6656 bytes together)" } }
    t.match(await register(100, 0), tooLong)
    t.match(await register(42, 100), tooLong)
    t.match(await register(38, 60), { status: 200 })
    t.match(await register(0, 200), { status: 200 })
    const twice = Array.from({ length: 100 }, () => ["topic", "字".repeat(250)])
    t.match(await server.as("hamlet").post("/register", { fetch_event_types: [], narrow: twice }), { status: 200 })
    const rows = await server.rows("select octet_length(description::text) as bytes from event_queue")
    t.equal(rows.length, 3)
    for (const { bytes } of rows) t.ok(Number(bytes) <= 8192, `${bytes} bytes`)
  }),
)
