/** Deleting messages: who may, until when, who hears of it, and that nothing of them is left. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { objectIn } from "../../../kit/client-sections.ts"
import type { Reader } from "../../../kit/reader.ts"
import { pluck } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "den", users: ["hamlet", "cordelia"], isPrivate: true },
] as const

const pathOf = (message: number) => `/messages/${message}`
const types = { event_types: ["message", "update_message", "delete_message", "submessage", "stream"] }
const bulk = { ...types, client_capabilities: { bulk_message_deletion: true } }

t.test("a message is deleted: holders and the deleter hear of it, and it is nowhere any more", (t) =>
  withServer(t, { channels }, async (server) => {
    const lobby = channelId(server, "lobby")
    const send = (content: string) => server.as("hamlet").send("lobby", content, { topic: "Plans" })
    const [one, two] = [await send("the secret one"), await send("two")]
    const [old, modern] = [await server.queue("cordelia", types), await server.queue("cordelia", bulk)]
    await server.as("cordelia").must.post("/messages/flags", { messages: [one], op: "add", flag: "starred" })
    await server.as("hamlet").must.delete(pathOf(one))
    const deleted = { type: "delete_message", message_type: "stream", stream_id: lobby, topic: "Plans" }
    const first = { type: "stream", op: "update", property: "first_message_id", value: two }
    t.match(await modern.rest(), [{ ...deleted, message_ids: [one] }, first])
    t.match(await old.rest(), [{ ...deleted, message_id: one }, first])
    t.match(await server.as("hamlet").get(pathOf(one)), refusal("Invalid message(s)"))
    t.match(await server.as("hamlet").delete(pathOf(one)), refusal("Invalid message(s)"))
    const { starred_messages, unread_msgs } = await server.as("cordelia").must.post("/register")
    t.same(starred_messages, [])
    t.same(pluck(objectIn(unread_msgs)["streams"], "unread_message_ids"), [[two]])
    await server.as("desdemona").must.delete(pathOf(two))
    t.match(await modern.rest(), [{ message_ids: [two] }, { property: "first_message_id", value: null }])
    const to = [server.idOf("cordelia")]
    const { id } = await server.as("hamlet").must.post("/messages", { type: "direct", to, content: "to be" })
    await server.as("hamlet").must.delete(pathOf(Number(id)))
    const [, event] = await modern.rest()
    t.match(event, { type: "delete_message", message_type: "private", message_ids: [id] })
    t.notOk("stream_id" in (event ?? {}) || "topic" in (event ?? {}))
  }),
)

t.test("a deletion is refused: others' messages, unseen ones, too late, without the permission", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "to be")
    const hidden = await server.as("hamlet").send("den", "to be")
    const remove = (by: Name, message: number) => server.as(by).delete(pathOf(message))
    const forbidden = refusal("You don't have permission to delete this message")
    t.match(await remove("cordelia", id), forbidden)
    t.match(await remove("othello", hidden), refusal("Invalid message(s)"))
    t.match(await remove("othello", 999_999), refusal("Invalid message(s)"))
    server.clock.advance(621_000)
    t.match(await remove("hamlet", id), refusal("The time limit for deleting this message has passed"))
    await server.as("iago").must.patch("/realm", { message_content_delete_limit_seconds: '"unlimited"' })
    await server
      .as("iago")
      .must.patch("/realm", { can_delete_own_message_group: { new: systemGroups["role:administrators"] } })
    t.match(await remove("hamlet", id), forbidden)
    const lobby = channelId(server, "lobby")
    const group = { direct_members: [server.idOf("cordelia")], direct_subgroups: [] }
    await server.as("iago").must.patch(`/streams/${lobby}`, { can_delete_any_message_group: { new: group } })
    t.equal((await remove("cordelia", id)).status, 200, "the channel lets her")
  }),
)

t.test("owners delete what their bots wrote, as long as they could delete their own", (t) =>
  withServer(t, { channels }, async (server) => {
    const made = await server.as("hamlet").must.post("/bots", { full_name: "Ghost", short_name: "ghost" })
    const ghost = server.asEmail(`ghost-bot@${server.realm.realm.host}`)
    await server.as("hamlet").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "lobby" }],
      principals: [made["user_id"]],
    })
    const haunt = async () => {
      const to = { type: "channel", to: "lobby", topic: "castle", content: "Mark me" }
      return Number((await ghost.must.post("/messages", to))["id"])
    }
    const [one, two, three] = [await haunt(), await haunt(), await haunt()]
    const forbidden = refusal("You don't have permission to delete this message")
    t.match(await server.as("cordelia").delete(pathOf(one)), forbidden)
    const watching = await server.queue("cordelia", bulk)
    await server.as("hamlet").must.delete(pathOf(one))
    t.match((await watching.rest())[0], { type: "delete_message", message_ids: [one] })
    const to = [server.idOf("cordelia")]
    const { id } = await ghost.must.post("/messages", { type: "direct", to, content: "Adieu" })
    t.match(await server.as("hamlet").delete(pathOf(Number(id))), refusal("Invalid message(s)"), "they cannot read it")
    await server.as("desdemona").must.patch(`/bots/${String(made["user_id"])}`, { bot_owner_id: to[0] })
    t.match(await server.as("hamlet").delete(pathOf(two)), forbidden, "it is another's bot now")
    await server.as("cordelia").must.delete(pathOf(two))
    server.clock.advance(621_000)
    const late = refusal("The time limit for deleting this message has passed")
    t.match(await server.as("cordelia").delete(pathOf(three)), late)
  }),
)

/** Number of rows of all tables that have the word, once the index of words has caught up. */
const secrets = async (server: TestServer, word = "secret"): Promise<number> => {
  for (let left = 1; left > 0; )
    left = Number((await server.rows("select index_messages_v3(1, 40, 16000) as count"))[0]?.["count"])
  const tables = await server.rows("select tablename as name from pg_tables where schemaname = 'public'")
  let count = 0
  for (const { name } of tables)
    for (const row of await server.rows(`select count(*) as count from ${name} t where t::text like $1`, [`%${word}%`]))
      count += Number(row["count"])
  return count
}

t.test("queues that read late get no content: from memory, from what they were owed, and after a restart", (t) =>
  withServer(t, { channels }, async (server) => {
    const [owed, away] = [await server.queue("cordelia", types), await server.queue("iago", types)]
    // It is live from here on, and the events after this wait in its list.
    await owed.rest()
    const message = await server.as("hamlet").send("lobby", "a secret")
    await server.as("hamlet").must.patch(pathOf(message), { content: "another secret" })
    const poll = await server.as("hamlet").send("lobby", "/poll secret?")
    const vote = JSON.stringify({ type: "new_option", idx: 1, option: "secret" })
    await server.as("iago").must.post("/submessage", { message_id: poll, msg_type: "widget", content: vote })
    // The second question replaces the first one.
    for (const question of ["a first secret", "a second secret"]) {
      const content = JSON.stringify({ type: "question", question })
      await server.as("hamlet").must.post("/submessage", { message_id: poll, msg_type: "widget", content })
    }
    t.not(await secrets(server), 0)
    await server.as("hamlet").must.delete(pathOf(message))
    await server.as("hamlet").must.delete(pathOf(poll))
    t.equal(await secrets(server), 0, "no table has it")
    const check = async (reader: Reader, what: string) => {
      const events = (await reader.rest()).filter(({ type }) => type !== "stream")
      t.match(events, [
        { type: "message", message: { id: message, content: "" } },
        { type: "update_message", content: "", orig_content: "" },
        { type: "message", message: { id: poll, content: "", submessages: [] } },
        { type: "submessage", content: "{}" },
        { type: "submessage", content: "{}" },
        { type: "submessage", content: "{}" },
        { type: "delete_message", message_id: message },
        { type: "delete_message", message_id: poll },
      ])
      t.notMatch(JSON.stringify(events), /secret/, what)
    }
    await check(owed, "what a live queue was owed")
    await server.restart()
    await check(server.resume("iago", away), "the log")
  }),
)

t.test(
  "the words of deleted messages leave the index: edited ones, moved ones, and those that many messages had",
  inTurn(2, "words of deleted messages"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const send = (content: string, topic = "plans") => server.as("hamlet").send("lobby", content, { topic })
      const edited = await send("a former word of hamlet")
      await send("what cordelia keeps")
      t.not(await secrets(server, "former"), 0)
      await server.as("hamlet").must.patch(pathOf(edited), { content: "a newer word of cordelia" })
      const moved = await send("the wanderer", "leaving")
      const common: Array<number> = []
      for (let n = 0; n < 20; n++) common.push(await send("frequent"))
      await secrets(server)
      await server.as("desdemona").must.post("/users/me/subscriptions", { subscriptions: [{ name: "attic" }] })
      const attic = channelId(server, "attic")
      await server
        .as("desdemona")
        .must.patch(pathOf(moved), { stream_id: attic, send_notification_to_new_thread: false })
      await secrets(server)
      for (const id of [edited, moved, ...common.slice(1)]) await server.as("desdemona").must.delete(pathOf(id))
      for (const word of ["former", "newer", "wander"]) t.equal(await secrets(server, word), 0, word)
      t.match(await server.rows("select from search_word where word = 'frequent'"), { length: 1 })
      await server.as("desdemona").must.delete(pathOf(common[0] ?? 0))
      t.equal(await secrets(server, "frequent"), 0)
      t.match(
        await server.rows("select messages from search_word where word = 'cordelia'"),
        { length: 1 },
        "others stay",
      )
      t.same(await server.rows("select from search_deleted union all select from search_stale"), [])
      const narrow = [{ operator: "search", operand: "cordelia" }]
      const { messages } = await server
        .as("hamlet")
        .must.get("/messages", { anchor: "newest", num_before: 9, num_after: 0, narrow })
      t.match(messages, { length: 1 })
    }),
)
