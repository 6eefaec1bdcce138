/** The start of a realm: which of its newest rows are in memory then. */
import t from "tap"
import { pageBytes, pageRows } from "../../../../src/events/log.ts"
import { withServer } from "../../../kit/with-server.ts"

t.test("a starting server reads as many of the newest rows as its memory may hold, and no more", (t) =>
  withServer(
    t,
    { channels: [{ name: "lobby", users: ["hamlet"] }], limits: { ringBytes: 1024 * 1024 } },
    async (server) => {
      const id = await server.as("hamlet").send("lobby", '"'.repeat(9_900))
      const head = server.realm.realm.position
      await server.rows(
        `insert into message
       select realm_id, $1::bigint + n, sender_id, channel_id, $1::bigint + n, topic, conversation_id, content, rendered,
              client, read_by_sender, sent_at, topic_folded
         from message, generate_series(1, 2500) n where id = $2::bigint`,
        [head, id],
      )
      await server.rows(
        `insert into log (realm_id, position, type, payload, audience, message_id, at)
       select realm_id, $1::bigint + n, type, payload, audience, $1::bigint + n, at
         from log, generate_series(1, 2500) n where position = $2::bigint`,
        [head, id],
      )
      const [page] = await server.rows("select log_rows_v1(1, $1, 1000000, $2, $3) as text", [
        head,
        pageRows,
        pageBytes,
      ])
      const { rows }: { readonly rows: ReadonlyArray<unknown> } = JSON.parse(String(page?.["text"]))
      t.ok(rows.length > 5 && rows.length < 50, `${rows.length} rows are a page`)
      await server.restart()
      const { ring } = server.realm
      t.equal(ring.newest?.position, head + 2500, "a starting server has the newest rows in memory")
      t.ok(ring.bytes <= 1024 * 1024 && (ring.oldest ?? 0) > head + 2400, `as many as it may hold: ${ring.bytes} bytes`)
      const all = Math.ceil(2500 / rows.length)
      t.ok(
        server.database.statements() < all / 2,
        `${server.database.statements()} statements; all rows are ${all} pages`,
      )
    },
  ),
)
