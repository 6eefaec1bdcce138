/** Queues of a database that another process writes to, too: heads that are passed, and marks that come late. */
import t from "tap"
import { Database } from "../../../src/db/database.ts"
import { lastIdOf } from "../../../src/events/event.ts"
import { saveMarks } from "../../../src/events/queue-store.ts"
import { QueueId, WireId } from "../../../src/ids.ts"
import { openElsewhere } from "../../kit/elsewhere.ts"
import { withServer } from "../../kit/with-server.ts"

t.test("what is written while the head is asked for is no database that was put back", (t) =>
  // The server took the head for that of a restored backup, and ended.
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    const { feed } = server.realm
    server.faults.slow("log_head_v1", async () => {
      await server.as("hamlet").send("lobby", "meanwhile")
      await server.as("hamlet").send("lobby", "again")
    })
    const at = lastIdOf(feed.position + 30, 1)
    const fields = { queue_id: reader.queueId, last_event_id: at, dont_block: true }
    t.match(await server.as("hamlet").get("/events", fields), { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } })
    server.faults.flow()
    t.equal((await server.as("hamlet").get("/users/me", {})).status, 200)
  }),
)

t.test("a mark that is stored late does not take an acknowledgement back", (t) =>
  withServer(t, {}, async (server) => {
    const { queueId, lastId } = await server.queue("hamlet", { event_types: ["message"] })
    const elsewhere = await openElsewhere(t, server)
    const acked = () => elsewhere.number(`select acked::bigint as n from event_queue where id = '${queueId}'`)
    const database = await server.run(Database)
    const mark = { id: QueueId(queueId), seen: 0, since: 0, connected: false }
    const save = (id: number) => server.run(saveMarks(database, server.realmId, [{ ...mark, acked: WireId(id) }], null))
    await save(lastId + 65_536)
    await save(lastId)
    t.equal(await acked(), lastId + 65_536)
  }),
)
