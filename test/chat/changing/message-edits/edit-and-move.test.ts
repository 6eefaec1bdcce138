/** A request that edits a message and moves it, with others maybe: both or neither, told of once. */
import { createHash } from "node:crypto"
import t from "tap"
import { partSize } from "../../../../src/chat/changing/message-moves/move-steps.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "den", users: ["hamlet"], isPrivate: true },
] as const
const types = { event_types: ["message", "update_message", "delete_message"] }
const quiet = { topic: "after", propagate_mode: "change_all", send_notification_to_new_thread: false }

t.test("an edit that is refused leaves the messages where they were, a move that is refused the content", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("iago").must.post("/user_groups/create", {
      name: "quiet",
      description: "",
      members: [server.idOf("iago")],
      can_mention_group: { direct_members: [server.idOf("iago")], direct_subgroups: [] },
    })
    const id = await server.as("hamlet").send("lobby", "one", { topic: "before" })
    const reader = await server.queue("cordelia", types)
    const refused = await server.as("hamlet").patch(`/messages/${id}`, { ...quiet, content: "@*quiet*" })
    t.match(refused, { status: 400, body: { msg: "You are not allowed to mention user group 'quiet'." } })
    await server.as("iago").must.patch("/realm", { move_messages_within_stream_limit_seconds: 60 })
    server.clock.advance(100_000)
    const late = await server.as("hamlet").patch(`/messages/${id}`, { ...quiet, content: "two" })
    t.match(late, { status: 400, body: { msg: "The time limit for editing this message's topic has passed." } })
    const old = { ...quiet, content: "two", prev_content_sha256: "0".repeat(64) }
    t.match(await server.as("hamlet").patch(`/messages/${id}`, old), { body: { code: "EXPECTATION_MISMATCH" } })
    t.same(await reader.rest(), [])
    t.match(await server.rows("select topic, content from message where id = $1", [id]), [
      { topic: "before", content: "one" },
    ])
  }),
)

t.test("both are one event, one entry of the history and one commit", (t) =>
  withServer(t, { channels }, async (server) => {
    const [first, id] = [
      await server.as("hamlet").send("lobby", "zero", { topic: "before" }),
      await server.as("hamlet").send("lobby", "one", { topic: "before" }),
    ]
    const reader = await server.queue("cordelia", types)
    await server.as("hamlet").must.patch(`/messages/${id}`, { ...quiet, content: "two @**topic**" })
    const [event, ...more] = await reader.rest()
    t.same(more, [])
    t.match(event, {
      type: "update_message",
      rendering_only: false,
      message_id: id,
      message_ids: [first, id],
      stream_id: channelId(server, "lobby"),
      propagate_mode: "change_all",
      orig_subject: "before",
      subject: "after",
      orig_content: "one",
      content: "two @**topic**",
      is_me_message: false,
    })
    const { message_history: history } = await server.as("iago").must.get(`/messages/${id}/history`)
    t.match(recordsIn(history), [
      { content: "one", topic: "before" },
      { content: "two @**topic**", prev_content: "one", topic: "after", prev_topic: "before" },
    ])
    t.equal(recordsIn(history).length, 2)

    await server.as("iago").must.delete(`/messages/${first}`)
    t.match(await server.rows("select payload -> 'content' ->> 'raw' as raw from log where type = 'update_message'"), [
      { raw: "two @**topic**" },
    ])
    await server.as("iago").must.delete(`/messages/${id}`)
    t.match(await server.rows("select payload -> 'content' as content from log where type = 'update_message'"), [
      { content: { raw: "", rendered: "", orig_raw: "", orig_rendered: "" } },
    ])
  }),
)

t.test("the answer names the files that no message links any more", (t) =>
  withServer(t, { channels }, async (server) => {
    const url = await uploaded(server, "hamlet", { name: "a.txt", bytes: "to be" })
    const id = await server.as("hamlet").send("lobby", `[it](${url})`, { topic: "before" })
    t.match(await server.as("hamlet").must.patch(`/messages/${id}`, { ...quiet, content: "nothing" }), {
      detached_uploads: [{ name: "a.txt", path_id: url.slice("/user_uploads/".length), messages: [] }],
    })
  }),
)

t.test("a move whose client has an older content is refused, also where it only became older meanwhile", (t) =>
  withServer(t, { channels }, async (server) => {
    const sha = (text: string) => createHash("sha256").update(text).digest("hex")
    const id = await server.as("hamlet").send("lobby", "one", { topic: "before" })
    const reader = await server.queue("cordelia", types)
    const move = (prev_content_sha256: string, fields = {}) =>
      server.as("iago").patch(`/messages/${id}`, { ...quiet, ...fields, prev_content_sha256 })
    const mismatch = { status: 400, body: { code: "EXPECTATION_MISMATCH", field_name: "prev_content_sha256" } }
    t.match(await move(sha("else")), mismatch)
    const den = channelId(server, "den")
    const patch = (fields: Fields) => server.as("hamlet").patch(`/messages/${id}`, { ...quiet, ...fields })
    t.match(await patch({ stream_id: den, prev_content_sha256: sha("else") }), mismatch)
    t.same(await reader.rest(), [])
    let isEdited = false
    server.faults.slow("select other_holders_v1", async () => {
      if (isEdited) return
      isEdited = true
      await server.as("hamlet").must.patch(`/messages/${id}`, { content: "two" })
    })
    t.match(await move(sha("one")), mismatch, "it is edited between the reading and the commit")
    t.match(await reader.rest(), [{ content: "two" }])
    t.equal((await move(sha("two"))).status, 200)
    t.match(await reader.rest(), [{ subject: "after" }])
    t.match(await move(sha("two")), { status: 400, body: { msg: "Nothing to change" } })
  }),
)

t.test("a topic that is the present one is no move", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "one", { topic: "before" })
    const reader = await server.queue("cordelia", types)
    await server.as("hamlet").must.patch(`/messages/${id}`, { content: "two", topic: "before" })
    const events = await reader.rest()
    t.match(events, [{ content: "two" }])
    t.notOk("subject" in (events[0] ?? {}))
    t.match(await server.as("hamlet").patch(`/messages/${id}`, { topic: "before" }), {
      body: { msg: "Nothing to change" },
    })
    await server.as("hamlet").must.patch(`/messages/${id}`, { content: "two", topic: "before" })
    await server.as("hamlet").must.patch(`/messages/${id}`, { content: "two", ...quiet })
    t.match(await reader.rest(), [
      { orig_content: "two", content: "two" },
      { orig_content: "two", content: "two", subject: "after" },
    ])
  }),
)

t.test("who holds only others of the messages is not told of the content", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await server.as("hamlet").send("den", "secret", { topic: "before" })
    await server.as("hamlet").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("cordelia")],
    })
    const seen = await server.as("hamlet").send("den", "for both", { topic: "before" })
    const reader = await server.queue("cordelia", types)
    await server.as("hamlet").must.patch(`/messages/${id}`, { ...quiet, content: "secret still" })
    const events = await reader.rest()
    t.match(events, [{ message_id: seen, message_ids: [seen], subject: "after" }])
    t.notMatch(JSON.stringify(events), /secret/)
  }),
)

t.test("of a long topic the part with the edited message is the first one", (t) =>
  withServer(t, { channels }, async (server) => {
    const count = 2 * partSize
    await server.rows(
      `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content, rendered,
         client, read_by_sender, sent_at)
       select 1, 1000 + each, $1::integer, $2::integer, 1000 + each, 'before', 'before', 'c', '<p>c</p>', 'test', false,
         $3::bigint
         from generate_series(1, $4::integer) as each`,
      [server.idOf("hamlet"), channelId(server, "lobby"), server.clock.now(), count],
    )
    await server.rows(
      `insert into log (realm_id, position, type, payload, audience, at)
       values (1, 10000, 'noop', '{}', '{"kind": "servers"}', $1::bigint)`,
      [server.clock.now()],
    )
    await server.restart()
    const id = await server.as("hamlet").send("lobby", "one", { topic: "before" })
    const reader = await server.queue("cordelia", types)
    await server.as("hamlet").must.patch(`/messages/${id}`, { ...quiet, content: "two" })
    t.match(await server.rows("select count(*)::integer as n from message where topic = 'after'"), [{ n: count + 1 }])
    const events = await reader.rest()
    t.match(events[0], { message_id: id, content: "two", subject: "after" })
    t.equal(events.filter((event) => "content" in event).length, 1)
  }),
)
