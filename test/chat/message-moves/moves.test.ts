/** Moves of messages to other topics and channels (contract 3.6, 5.2, 6.7, 6.10): what everybody hears and may read. */
import t from "tap"
import { channelId } from "../../kit/channel-scene.ts"
import type { Fields } from "../../kit/client.ts"
import { objectIn, objectsIn } from "../../kit/client-sections.ts"
import { recordsIn } from "../../kit/records.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "square", users: ["hamlet", "othello", "iago"] },
  { name: "den", users: ["cordelia", "iago"], isPrivate: true },
] as const

const move = (server: TestServer, by: Name, message: number, fields: Fields) =>
  server.as(by).must.patch(`/messages/${message}`, fields)
const quiet = { send_notification_to_new_thread: false }

const found = async (server: TestServer, by: Name, ...narrow: ReadonlyArray<unknown>) => {
  const page = { anchor: "newest", num_before: 1000, num_after: 0, narrow, allow_empty_topic_name: true }
  return recordsIn((await server.as(by).must.get("/messages", page))["messages"])
}
const idsIn = async (server: TestServer, by: Name, ...narrow: ReadonlyArray<unknown>) =>
  (await found(server, by, ...narrow)).map(({ id }) => id)
const types = { event_types: ["message", "update_message", "delete_message", "stream"] }

t.test("messages are moved to another topic, one, the later ones, or all", (t) =>
  withServer(t, { channels }, async (server) => {
    const lobby = channelId(server, "lobby")
    const send = (content: string) => server.as("hamlet").send("lobby", content, { topic: "Plans" })
    const [one, two, three] = [await send("one"), await send("two"), await send("three")]
    const other = await server.as("hamlet").send("lobby", "other", { topic: "other" })
    const queue = await server.queue("cordelia", types)
    await move(server, "hamlet", two, { topic: "New", propagate_mode: "change_later" })
    const [event, notice] = await queue.rest()
    t.match(event, {
      type: "update_message",
      user_id: server.idOf("hamlet"),
      rendering_only: false,
      message_id: two,
      message_ids: [two, three],
      flags: [],
      stream_id: lobby,
      stream_name: "lobby",
      propagate_mode: "change_later",
      orig_subject: "Plans",
      subject: "New",
      topic_links: [],
    })
    t.notOk("new_stream_id" in (event ?? {}))
    const text = `2 messages were moved here from #**lobby>Plans** by @_**${server.realm.realm.users.get(server.idOf("hamlet"))?.full_name}|${server.idOf("hamlet")}**.`
    const raw = await server.as("hamlet").must.get(`/messages/${objectIn(notice?.["message"])["id"]}`)
    t.equal(raw["raw_content"], text)
    t.same(await idsIn(server, "cordelia", ["channel", "lobby"], ["topic", "plans"]), [one])
    await move(server, "hamlet", one, { ...quiet, topic: "new" })
    await move(server, "iago", three, { ...quiet, topic: "Other", propagate_mode: "change_all" })
    const rest = await queue.rest()
    t.match(rest, [
      { message_ids: [one], propagate_mode: "change_one", subject: "new" },
      { message_ids: [one, two, three, Number], propagate_mode: "change_all", orig_subject: "New", subject: "Other" },
    ])
    const there = await idsIn(server, "cordelia", ["channel", "lobby"], ["topic", "other"])
    t.same(there.slice(0, 4), [one, two, three, other])
    const respelt = await server
      .as("hamlet")
      .must.patch(`/messages/${other}`, { topic: "OTHER", propagate_mode: "change_all" })
    t.same(respelt["detached_uploads"], [])
    t.same(
      new Set((await found(server, "cordelia", ["topic", "other"])).map(({ subject }) => subject)),
      new Set(["OTHER"]),
    )
    t.same((await queue.rest()).length, 1, "no notice about another spelling")
    const [topics] = objectsIn((await server.as("cordelia").must.get(`/users/me/${lobby}/topics`))["topics"])
    t.match(topics, { name: "OTHER" })
    const edits = await server.rows(
      "select prev_topic, topic, channel_id from message_edit where message_id = $1 order by position",
      [one],
    )
    t.same(edits, [
      { prev_topic: "Plans", topic: "new", channel_id: null },
      { prev_topic: "new", topic: "Other", channel_id: null },
      { prev_topic: "Other", topic: "OTHER", channel_id: null },
    ])
  }),
)

t.test("a topic is resolved, and that is undone", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "one", { topic: "plans" })
    server.clock.advance(100 * 24 * 3600 * 1000)
    await move(server, "cordelia", id, { topic: "\u2714 plans", propagate_mode: "change_all" })
    const [, notice] = await found(server, "hamlet", ["channel", "lobby"])
    t.match(notice, { subject: "\u2714 plans", content: /has marked this topic as resolved\./ })
    t.same(await server.rows("select moved_at from message where id = $1", [id]), [{ moved_at: null }])
    await move(server, "cordelia", id, { topic: "plans", propagate_mode: "change_all" })
    t.match((await found(server, "hamlet", ["channel", "lobby"])).at(-1), {
      subject: "plans",
      content: /has marked this topic as unresolved\./,
    })
    const resolvers = { can_resolve_topics_group: { new: 5 } }
    await server.as("desdemona").must.patch("/realm", resolvers)
    const answer = await server.as("cordelia").patch(`/messages/${id}`, { topic: "\u2714 plans" })
    t.match(answer.body, { msg: "You don't have permission to resolve topics in this channel." })
  }),
)

t.test("a move to another channel: who may read it there keeps it, who may not is told that it is deleted", (t) =>
  withServer(t, { channels }, async (server) => {
    const [lobby, square, den] = ["lobby", "square", "den"].map((name) => channelId(server, name))
    const one = await server.as("iago").send("lobby", "one", { topic: "plans" })
    const two = await server.as("iago").send("lobby", "two", { topic: "plans" })
    await server.as("hamlet").must.post("/messages/flags", { op: "add", flag: "read", messages: [one] })
    await server.as("cordelia").must.post("/messages/flags", { op: "add", flag: "starred", messages: [two] })
    const [hamlet, cordelia, othello] = await Promise.all(
      (["hamlet", "cordelia", "othello"] as const).map((name) => server.queue(name, types)),
    )
    await move(server, "iago", one, { ...quiet, stream_id: square, propagate_mode: "change_all" })
    const moved = {
      type: "update_message",
      message_ids: [one, two],
      stream_id: lobby,
      new_stream_id: square,
      orig_subject: "plans",
    }
    const [toHamlet] = (await hamlet?.rest()) ?? []
    t.match(toHamlet, { ...moved, flags: ["read"] })
    t.notOk("subject" in (toHamlet ?? {}))
    t.match(await cordelia?.rest(), [{ ...moved }, { property: "first_message_id", value: null }, { value: one }])
    t.match(await othello?.rest(), [{ ...moved, flags: ["read"] }, {}, {}])
    const unread = (name: Name) => idsIn(server, name, ["is", "unread"])
    t.same([await unread("hamlet"), await unread("cordelia"), await unread("othello")], [[two], [], []])
    t.same(await idsIn(server, "cordelia", ["is", "starred"]), [two], "what is starred stays where it may be read")
    await hamlet?.rest()

    await move(server, "iago", two, { ...quiet, stream_id: den, topic: "secret" })
    const gone = { type: "delete_message", message_type: "stream", stream_id: square, topic: "plans" }
    t.match(await hamlet?.rest(), [{ ...gone, message_id: two }])
    t.match(await othello?.rest(), [{ ...gone, message_id: two }])
    const [toCordelia] = (await cordelia?.rest()) ?? []
    t.match(toCordelia, { message_ids: [two], stream_id: square, new_stream_id: den, subject: "secret" })
    for (const name of ["hamlet", "othello"] as const)
      t.equal((await server.as(name).get(`/messages/${two}`)).body["msg"], "Invalid message(s)")
    t.same(await unread("hamlet"), [])
    t.match(await server.as("cordelia").must.get(`/messages/${two}`), { message: { subject: "secret" } })
    t.same(await idsIn(server, "cordelia", ["is", "starred"]), [two])
    await move(server, "iago", two, { ...quiet, stream_id: lobby })
    t.same(await unread("hamlet"), [two], "who gets it back finds it as they left it")
    await server.restart()
    t.equal(server.realm.realm.findChannelByName("lobby")?.first_message_id, two)
  }),
)
