/** A register that is taken under the log's lock while another process writes: I13 holds for it, too. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { Database, type DatabaseShape } from "../../../../src/db/database.ts"
import { commitSql } from "../../../../src/events/log-commit.ts"
import { openElsewhere } from "../../../kit/elsewhere.ts"
import { testDatabase } from "../../../kit/lent-database.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const

t.test(
  "a row of another process between the lock and the projection is in the state or comes as an event",
  async (t) => {
    const { database, layer } = await testDatabase(t)
    /** Called when what was read under the lock is on its way back. */
    let locked: () => Promise<void> = async () => {}
    const wrap = (under: DatabaseShape): DatabaseShape => ({
      ...under,
      write: (sql, parameters = []) =>
        Effect.tap(under.write(sql, parameters), () =>
          sql === commitSql && String(parameters[4]).includes("register_state_v2")
            ? Effect.promise(() => locked())
            : Effect.void,
        ),
    })
    const databaseLayer = Layer.effect(Database, Effect.map(Database, wrap)).pipe(Layer.provide(layer))
    await withServer(t, { channels, config: { database }, databaseLayer }, async (server) => {
      const elsewhere = await openElsewhere(t, server)
      const { feed } = server.realm
      // Whatever the program itself writes for such a change, written by somebody else.
      await server.as("hamlet").must.patch("/settings", { enable_drafts_synchronization: false })
      const [written] = await server.rows(
        "select type, payload, audience, width from log where type = 'user_settings' order by position desc limit 1",
      )
      const change = (n: number) =>
        elsewhere.query(
          `insert into log (realm_id, position, type, payload, audience, width, at)
         select 1, log_head_v1(1) + 1, $1, $2::text::jsonb, $3::text::jsonb, 1, 0`,
          [
            String(written?.["type"]),
            JSON.stringify({ ...Object(written?.["payload"]), value: n % 2 === 0 }),
            JSON.stringify(written?.["audience"]),
          ],
        )
      let changes = 0
      const overtake = async () => {
        await change(++changes)
        await server.run(feed.catchUp(await elsewhere.head()))
      }
      server.faults.slow(" as state", overtake)
      let taken = 0
      locked = async () => {
        if (++taken === 1) await overtake()
      }
      const types = { fetch_event_types: ["user_settings", "drafts"], event_types: ["user_settings", "drafts"] }
      const reader = await server.queue("hamlet", types)
      t.equal(taken, 2, "it was overtaken under the lock, and taken once more")
      t.equal(changes, 6)
      t.equal(reader.lastId, (await elsewhere.head()) * 65_536, "the events go on after the newest row")
    })
  },
)
