/** Deleting a topic: who may, what of it, and that each message is deleted and told of once. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { partSize } from "../../../../src/chat/changing/message-deletions/topic-deletion-steps.ts"
import { Database } from "../../../../src/db/database.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { Gate } from "../../../kit/chunk-gate.ts"
import { numbersIn } from "../../../kit/client-sections.ts"
import { testDatabase } from "../../../kit/lent-database.ts"
import type { Reader } from "../../../kit/reader.ts"
import { refusal } from "../../../kit/rows.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["hamlet", "cordelia", "desdemona"], isPrivate: true },
] as const
const types = {
  event_types: ["message", "delete_message", "stream"],
  client_capabilities: { bulk_message_deletion: true },
}

const remove = (server: TestServer, by: Name, channel: string, topic: string) =>
  server.as(by).post(`/streams/${channelId(server, channel)}/delete_topic`, { topic_name: topic })

t.test("a topic is deleted: subscribers and the deleter hear of it, other topics stay", (t) =>
  withServer(t, { channels }, async (server) => {
    const send = (content: string, topic: string) => server.as("hamlet").send("lobby", content, { topic })
    const [one, kept, two] = [await send("a secret", "Plans"), await send("kept", "other"), await send("two", "plans")]
    const readers = [await server.queue("cordelia", types), await server.queue("iago", types)]
    const late = await server.queue("cordelia", types)
    const three = await send("a third secret", "PLANS")
    t.match(await remove(server, "iago", "lobby", "plans"), { status: 200, body: { complete: true } })
    const deleted = { type: "delete_message", message_type: "stream", message_ids: [one, two, three] }
    for (const reader of readers) t.match((await reader.rest()).slice(-2), [deleted, { type: "stream", value: kept }])
    await server.restart()
    const events = await server.resume("cordelia", late).rest()
    t.match(events, [{ type: "message", message: { id: three, content: "" } }, deleted, { type: "stream" }])
    t.same(await server.rows("select id::integer as id from message order by id"), [{ id: kept }])
    t.match(
      await remove(server, "iago", "lobby", "plans"),
      { status: 200, body: { complete: true } },
      "nothing is there",
    )
  }),
)

t.test("a topic is not deleted by whoever may not, nor what they may not read", (t) =>
  withServer(t, { channels }, async (server) => {
    const den = channelId(server, "den")
    await server
      .as("desdemona")
      .must.patch(`/streams/${den}`, { history_public_to_subscribers: false, is_private: true })
    const old = await server.as("hamlet").send("den", "before iago", { topic: "plans" })
    t.match(
      await remove(server, "cordelia", "den", "plans"),
      refusal("You don't have permission to delete this message"),
    )
    t.match(await remove(server, "othello", "den", "plans"), refusal("Invalid channel ID"))
    t.match(await remove(server, "iago", "den", "plans"), await remove(server, "iago", "den", "no such topic"))
    t.match(await server.rows("select id::integer as id from message where id = $1", [old]), [{ id: old }])
    const subscriptions = [{ name: "den" }]
    const principals = [server.idOf("iago")]
    await server.as("desdemona").must.post("/users/me/subscriptions", { subscriptions, principals })
    const held = await server.as("hamlet").send("den", "after", { topic: "plans" })
    const reader = await server.queue("cordelia", types)
    t.equal((await remove(server, "iago", "den", "plans")).status, 200)
    t.match(await reader.rest(), [{ type: "delete_message", message_ids: [held] }], "only what iago holds")
    t.match(await server.rows("select id::integer as id from message where topic = 'plans'"), [{ id: old }])
  }),
)

const patience = 20_000
const parts = 3
const count = parts * partSize - 10

/** Messages of hamlet in a topic of a channel, every second id from 1002 on. */
const messages = `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content,
    rendered, client, read_by_sender, sent_at)
  select 1, id, $1::integer, $2::integer, id, 'plans', 'plans', 'c', '<p>c</p>', 'test', false, $3::bigint
    from generate_series(1, $4::integer) as n, lateral (select 1000 + 2 * n as id) each`
const head = `insert into log (realm_id, position, type, payload, audience, at)
  values (1, 10000, 'noop', '{}', '{"kind": "servers"}', $1::bigint)`

const told = async (reader: Reader): Promise<ReadonlyArray<number>> =>
  (await reader.rest())
    .filter((event) => event.type === "delete_message")
    .flatMap((event) => numbersIn(event["message_ids"]))
    .sort((a, b) => a - b)

t.test("a topic is deleted in parts, over a kill", async (t) => {
  const gate = new Gate()
  const { database, layer } = await testDatabase(t)
  const databaseLayer = Layer.effect(Database, Effect.map(Database, gate.wrap)).pipe(Layer.provide(layer))
  await withServer(t, { channels, config: { database }, databaseLayer }, async (server) => {
    await server.rows(messages, [server.idOf("hamlet"), channelId(server, "lobby"), server.clock.now(), count])
    await server.rows(head, [server.clock.now()])
    await server.restart()
    const all = Array.from({ length: count }, (_, n) => 1002 + 2 * n)
    const [reader, deleter] = [await server.queue("cordelia", types), await server.queue("iago", types)]
    gate.fate = (chunk) => (chunk === 2 ? "never" : "sent")
    const cut = t.rejects(remove(server, "iago", "lobby", "plans"), "nobody is told that it was done")
    await until("it is in the middle", patience, () => gate.chunks === 2)
    t.match(await server.rows("select count(*)::integer as n from message"), [{ n: (parts - 1) * partSize }])
    await server.restart()
    await cut
    const late = await server.as("hamlet").send("lobby", "late", { topic: "plans" })
    await until(
      "no work is left",
      patience,
      async () => (await server.rows("select from unfinished_work")).length === 0,
    )
    t.same(await told(server.resume("cordelia", reader)), all, "each is told of once")
    t.same(await told(server.resume("iago", deleter)), all, "to whoever deletes them too")
    t.same(await server.rows("select id::integer as id from message"), [{ id: late }])
  })
})
