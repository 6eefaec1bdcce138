/** The table of event queues: deletions whose answer is lost, the index by owner, ids that cannot be stored. */
import t from "tap"
import { connect, UpgradeRefused } from "../kit/socket-client.ts"
import { until } from "../kit/test-database.ts"
import { withServer } from "../kit/with-server.ts"

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

t.test("the deletion of a user's queues, which runs under the log's lock, uses an index", (t) =>
  withServer(t, {}, async (server) => {
    await server.rows(
      `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
       select 1, n, 'many' || n || '@test.example', 'many' || n || '@test.example', 'Many', 0 from generate_series(8, 2000) n`,
    )
    await server.rows(
      `insert into event_queue (realm_id, id, user_id, description, acked, idle_ms, seen)
       select 1, 'queue-' || n, 8 + n % 1990, '{}', 0, 0, 0 from generate_series(1, 10000) n`,
    )
    await server.rows("analyze event_queue")
    const [source] = await server.rows("select prosrc from pg_proc where proname = 'apply_queue_end_v1'")
    const [statement = ""] = /delete from event_queue[^;]*/.exec(String(source?.["prosrc"])) ?? []
    const values = statement.replaceAll("p_realm", "1").replaceAll("p_payload", "'{}'::jsonb")
    // As in a commit, which plans without sequential scans.
    await server.rows(
      `create or replace function test_plan_v1() returns setof text language plpgsql set enable_seqscan = off as
       $$ begin return query execute 'explain ${values.replaceAll("'", "''")}'; end $$`,
    )
    const plan = (await server.rows("select test_plan_v1() as line")).map(({ line }) => String(line)).join("\n")
    await server.rows("drop function test_plan_v1()")
    t.match(plan, /event_queue_owner/)
    t.match(plan, /Index Cond: .*user_id/)
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
