/** Moves of more messages than one commit takes: wherever the server is killed, each is moved and told of once. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { partSize } from "../../../../src/chat/changing/message-moves/move-steps.ts"
import { Database } from "../../../../src/db/database.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { Gate } from "../../../kit/chunk-gate.ts"
import { numbersIn } from "../../../kit/client-sections.ts"
import { testDatabase } from "../../../kit/lent-database.ts"
import type { Reader } from "../../../kit/reader.ts"
import { until } from "../../../kit/test-database.ts"
import { withServer } from "../../../kit/with-server.ts"

const patience = 20_000
const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia", "iago"], isPrivate: true },
] as const
const parts = 3
const count = parts * partSize - 10

/** Messages of hamlet in a topic of a channel, every second id from 1001 on. */
const messages = `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content,
    rendered, client, read_by_sender, sent_at)
  select 1, id, $1::integer, $2::integer, id, 'plans', 'plans', 'c', '<p>c</p>', 'test', false, $3::bigint
    from generate_series(1, $4::integer) as n, lateral (select 1000 + 2 * n as id) each`
const head = `insert into log (realm_id, position, type, payload, audience, at)
  values (1, 10000, 'noop', '{}', '{"kind": "servers"}', $1::bigint)`

const told = async (reader: Reader | undefined, type: string): Promise<ReadonlyArray<number>> =>
  ((await reader?.rest()) ?? [])
    .filter((event) => event.type === type)
    .flatMap((event) => numbersIn(event["message_ids"]))

t.test("a topic is moved in parts, over a kill", async (t) => {
  const gate = new Gate()
  const { database, layer } = await testDatabase(t)
  const databaseLayer = Layer.effect(Database, Effect.map(Database, gate.wrap)).pipe(Layer.provide(layer))
  await withServer(t, { channels, config: { database }, databaseLayer }, async (server) => {
    const [lobby, den] = [channelId(server, "lobby"), channelId(server, "den")]
    await server.rows(messages, [server.idOf("hamlet"), lobby, server.clock.now(), count])
    await server.rows(head, [server.clock.now()])
    await server.restart()
    const finished = () =>
      until("no work is left", patience, async () => (await server.rows("select from unfinished_work")).length === 0)
    const all = Array.from({ length: count }, (_, n) => 1002 + 2 * n)
    const types = {
      event_types: ["update_message", "delete_message"],
      client_capabilities: { bulk_message_deletion: true },
    }
    const reader = await server.queue("cordelia", types)
    gate.fate = (chunk) => (chunk === 2 ? "never" : "sent")
    const moved = { topic: "elsewhere", propagate_mode: "change_all" }
    const cut = t.rejects(
      server.as("hamlet").patch(`/messages/${all.at(-1)}`, moved),
      "nobody is told that it was done",
    )
    await until("it is in the middle", patience, () => gate.chunks === 2)
    await server.restart()
    await cut
    const late = await server.as("hamlet").send("lobby", "late", { topic: "Plans" })
    await finished()
    const toldOf = await told(server.resume("cordelia", reader), "update_message")
    t.same(
      [...toldOf].sort((a, b) => a - b),
      all,
      "each is told of once",
    )
    t.match(
      await server.rows("select count(*)::integer as n from message where topic_folded = 'elsewhere' and id < 10000"),
      [{ n: count }],
    )
    t.match(await server.rows("select count(*)::integer as n from message where cardinality(moves) = 1"), [
      { n: count },
    ])
    t.match(await server.rows("select topic from message where id = $1", [late]), [{ topic: "Plans" }])

    const [kept, lost] = [await server.queue("cordelia", types), await server.queue("hamlet", types)]
    gate.chunks = 0
    gate.fate = () => "sent"
    await server.as("iago").must.patch(`/messages/${all[0]}`, { stream_id: den, propagate_mode: "change_all" })
    t.equal(gate.chunks, parts)
    t.same((await told(kept, "update_message")).slice(0, count), all)
    t.same((await told(lost, "delete_message")).slice(0, count), all, "who loses them is told that they are deleted")
    t.equal(server.realm.realm.channels.get(den)?.first_message_id, all[0])
    t.equal(server.realm.realm.channels.get(lobby)?.first_message_id, late)
  })
})
