import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields, Person } from "../../../kit/client.ts"
import { objectsIn } from "../../../kit/client-sections.ts"
import { pluck } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia", "othello"], isPrivate: true },
] as const

const open = { fetch_event_types: ["message", "update_message_flags", "starred_messages"] }
const noUnread = { count: 0, pms: [], huddles: [], streams: [], mentions: [], old_unreads_missing: false }

const flagsOf = async (person: Person, ...ids: ReadonlyArray<number>): Promise<ReadonlyArray<unknown>> => {
  const { messages } = await person.must.get("/messages", { message_ids: ids })
  return objectsIn(messages).map(({ flags }) => flags)
}
const unreadOf = async (person: Person): Promise<unknown> => (await person.must.post("/register", open))["unread_msgs"]
const starredOf = async (person: Person): Promise<unknown> =>
  (await person.must.post("/register", open))["starred_messages"]
const idsOf = async (person: Person, ...terms: ReadonlyArray<unknown>): Promise<ReadonlyArray<unknown>> => {
  const page = { anchor: "newest", num_before: 100, num_after: 0, narrow: terms }
  const { messages } = await person.must.get("/messages", page)
  return objectsIn(messages).map(({ id }) => id)
}
const direct = async (
  server: TestServer,
  from: Name,
  to: ReadonlyArray<Name>,
  fields: Fields = {},
): Promise<number> => {
  const body = { type: "direct", to: to.map(server.idOf), content: "c", ...fields }
  return Number((await server.as(from).must.post("/messages", body))["id"])
}
const change = (person: Person, op: string, flag: string, messages: ReadonlyArray<number>) =>
  person.post("/messages/flags", { op, flag, messages })
const is = (operand: string, negated = false) => ({ operator: "is", operand, negated })

t.test("messages are unread until they are read, and may be unread again", (t) =>
  withServer(t, { channels }, async (server) => {
    const [hamlet, cordelia] = [server.as("hamlet"), server.as("cordelia")]
    const lobby = channelId(server, "lobby")
    const first = await hamlet.send("lobby", "one", { topic: "Plans" })
    const second = await hamlet.send("lobby", "two", { topic: "plans" })
    const other = await hamlet.send("lobby", "three", { topic: "", read_by_sender: true })
    const whisper = await direct(server, "hamlet", ["cordelia"], { read_by_sender: true })
    const group = await direct(server, "hamlet", ["cordelia", "othello"])
    const note = await direct(server, "hamlet", ["hamlet"])
    t.same(await flagsOf(hamlet, first, other), [[], ["read"]])
    t.same(await unreadOf(cordelia), {
      ...noUnread,
      count: 5,
      pms: [{ other_user_id: server.idOf("hamlet"), sender_id: server.idOf("hamlet"), unread_message_ids: [whisper] }],
      huddles: [
        {
          user_ids_string: [server.idOf("hamlet"), server.idOf("cordelia"), server.idOf("othello")]
            .sort((a, b) => a - b)
            .join(","),
          unread_message_ids: [group],
        },
      ],
      streams: [
        { stream_id: lobby, topic: "general chat", unread_message_ids: [other] },
        { stream_id: lobby, topic: "plans", unread_message_ids: [first, second] },
      ],
    })
    const own = server.idOf("hamlet")
    t.match(await unreadOf(hamlet), {
      count: 4,
      pms: [{ other_user_id: own, unread_message_ids: [note] }],
      streams: [{ topic: "plans", unread_message_ids: [first, second] }],
    })

    const reader = await server.queue("cordelia", { event_types: ["update_message_flags"] })
    const read = await cordelia.must.post("/messages/flags", {
      op: "add",
      flag: "read",
      messages: [second, first, second],
    })
    t.match(read, { messages: [second, first, second], ignored_because_not_subscribed_channels: [] })
    const common = { type: "update_message_flags", flag: "read", all: false }
    t.match(await reader.take(1), [{ ...common, op: "add", operation: "add", messages: [first, second] }])
    t.same(await flagsOf(cordelia, first, second, other, whisper), [["read"], ["read"], [], []])
    t.same(await idsOf(cordelia, is("unread")), [other, whisper, group])
    t.same(await idsOf(cordelia, is("unread", true)), [first, second])
    await change(cordelia, "add", "read", [first, other])
    t.match(await reader.take(1), [{ op: "add", messages: [other] }], "only what changes")

    await change(cordelia, "remove", "read", [first, whisper, group])
    t.match(await reader.take(1), [
      {
        ...common,
        op: "remove",
        operation: "remove",
        messages: [first],
        message_details: { [first]: { type: "stream", stream_id: lobby, topic: "Plans", unmuted_stream_msg: true } },
      },
    ])
    await change(cordelia, "add", "read", [whisper, group])
    await change(cordelia, "remove", "read", [whisper, group])
    t.match((await reader.take(2)).at(-1), {
      message_details: {
        [whisper]: { type: "private", user_ids: [server.idOf("hamlet")] },
        [group]: { type: "private", user_ids: [server.idOf("hamlet"), server.idOf("othello")].sort((a, b) => a - b) },
      },
    })
    t.same(await idsOf(cordelia, is("unread")), [first, whisper, group])

    t.match(await cordelia.must.post("/mark_all_as_read"), { complete: true })
    t.match(await reader.take(1), [{ ...common, op: "add", messages: [], all: true }])
    t.same(await unreadOf(cordelia), noUnread)
    t.same(await idsOf(cordelia, is("unread")), [])
    const late = await hamlet.send("lobby", "four", { topic: "plans" })
    t.match(await unreadOf(cordelia), { count: 1, streams: [{ unread_message_ids: [late] }] })
    await change(cordelia, "remove", "read", [first, group])
    t.match(await reader.take(1), [{ op: "remove", messages: [first, group] }], "what all reading has read")
    t.same(await idsOf(cordelia, is("unread")), [first, group, late])
    t.match(await unreadOf(cordelia), { count: 3, streams: [{ topic: "plans", unread_message_ids: [first, late] }] })
    await server.restart()
    t.same(await idsOf(server.as("cordelia"), is("unread")), [first, group, late])
    await server.as("cordelia").must.post("/mark_topic_as_read", { stream_id: lobby, topic_name: "PLANS" })
    t.same(await idsOf(server.as("cordelia"), is("unread")), [group])
    t.match(
      await server.as("cordelia").must.get("/messages", { anchor: "first_unread", num_before: 0, num_after: 0 }),
      {
        anchor: group,
        found_anchor: true,
      },
    )
    await server.as("cordelia").must.post("/mark_all_as_read")
    t.same(await unreadOf(server.as("cordelia")), noUnread, "those of personal rows too")
    t.same(await server.rows("select from personal_message"), [], "and nothing of them is left")
  }),
)

t.test("somebody who has read every second of many messages finds the others", inTurn(2, "every second message"), (t) =>
  withServer(t, { channels, config: { rateLimit: false } }, async (server) => {
    const hamlet = server.as("hamlet")
    const ids: Array<number> = []
    for (let n = 0; n < 260; n++) ids.push(await server.as("cordelia").send("lobby", `message ${n}`))
    const [read, unread] = [ids.filter((_, n) => n % 2 === 1), ids.filter((_, n) => n % 2 === 0)]
    await change(hamlet, "add", "read", read)
    const found = async (anchor: string, negated: boolean) => {
      const page = { anchor, num_before: anchor === "newest" ? 1000 : 0, num_after: anchor === "newest" ? 0 : 1 }
      return (await hamlet.must.get("/messages", { ...page, narrow: [is("unread", negated)] }))["messages"]
    }
    t.same(pluck(await found("newest", false), "id"), unread)
    t.same(pluck(await found("newest", true), "id").slice(-read.length), read)
    t.equal(pluck(await found("first_unread", false), "id")[0], unread[0])
    t.match(await unreadOf(hamlet), { count: unread.length, streams: [{ unread_message_ids: unread }] })
    t.match(await change(hamlet, "remove", "read", read), { status: 200 })
    t.match(await unreadOf(hamlet), { count: ids.length, streams: [{ unread_message_ids: ids }] })
  }),
)

const both = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "square", users: ["hamlet"] },
] as const

t.test("a message that was marked as unread while it was elsewhere counts once when it is back", (t) =>
  withServer(t, { channels: both }, async (server) => {
    const cordelia = server.as("cordelia")
    const id = await server.as("hamlet").send("lobby", "one", { topic: "plans" })
    const move = (channel: string) =>
      server.as("iago").must.patch(`/messages/${id}`, {
        stream_id: channelId(server, channel),
        send_notification_to_new_thread: false,
      })
    await move("square")
    await cordelia.must.post("/users/me/subscriptions", { subscriptions: [{ name: "square" }] })
    t.match(await change(cordelia, "remove", "read", [id]), { status: 200 })
    t.match(await unreadOf(cordelia), { count: 1, streams: [{ unread_message_ids: [id] }] })
    await move("lobby")
    t.same(await unreadOf(cordelia), {
      ...noUnread,
      count: 1,
      streams: [{ stream_id: channelId(server, "lobby"), topic: "plans", unread_message_ids: [id] }],
    })
    t.same(await idsOf(cordelia, is("unread")), [id])
    await change(cordelia, "add", "read", [id])
    t.same(await unreadOf(cordelia), noUnread)
  }),
)

t.test("stars and collapsed messages", (t) =>
  withServer(t, { channels }, async (server) => {
    const [hamlet, othello] = [server.as("hamlet"), server.as("othello")]
    const old = await hamlet.send("lobby", "one", { read_by_sender: true })
    const own = await hamlet.send("lobby", "two", { read_by_sender: true })
    const reader = await server.queue("othello", { event_types: ["update_message_flags"] })
    await change(othello, "add", "starred", [old])
    await change(hamlet, "add", "starred", [own, old])
    await change(hamlet, "add", "collapsed", [own])
    t.match(await reader.take(1), [{ op: "add", flag: "starred", messages: [old], all: false }])
    t.same(await flagsOf(othello, old, own), [
      ["read", "starred", "historical"],
      ["read", "historical"],
    ])
    t.same(await flagsOf(hamlet, old, own), [
      ["read", "starred"],
      ["read", "starred", "collapsed"],
    ])
    t.same(await starredOf(hamlet), [old, own])
    t.same(await idsOf(hamlet, is("starred")), [old, own])
    t.same(await idsOf(othello, is("starred")), [old], "whoever stars a message of the history holds it")
    t.same(await idsOf(othello), [old])
    const lobby = { operator: "channel", operand: "lobby" }
    t.same(await idsOf(othello, lobby), [old, own])
    t.same(await idsOf(othello, is("starred", true), lobby), [own], "who has not received a message has not starred it")
    await change(othello, "remove", "starred", [old])
    t.same(await idsOf(othello, is("starred")), [])
    t.same(await flagsOf(othello, old), [["read", "historical"]])
    await change(hamlet, "remove", "starred", [old, own])
    await change(hamlet, "remove", "collapsed", [own])
    t.same(await flagsOf(hamlet, old, own), [["read"], ["read"]])
    t.same(await starredOf(hamlet), [])
  }),
)

t.test("what is starred and unread is found, however it came to be unread", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    const sent = await server.as("cordelia").send("lobby", "one")
    const told = await direct(server, "cordelia", ["hamlet"])
    const find = (...narrow: ReadonlyArray<object>) => idsOf(hamlet, is("unread"), is("starred"), ...narrow)
    await change(hamlet, "add", "starred", [sent, told])
    t.same(await find(), [sent, told], "as they came")
    t.same(await find(is("dm")), [told])
    await change(hamlet, "add", "read", [sent, told])
    t.same(await find(), [])
    await change(hamlet, "remove", "read", [sent, told])
    t.same(await find(), [sent, told], "unread again")
    await change(hamlet, "remove", "starred", [sent])
    t.same(await find(), [told])
  }),
)

t.test("whoever leaves a channel has read it, and what they missed stays read", (t) =>
  withServer(t, { channels }, async (server) => {
    const [cordelia, othello] = [server.as("cordelia"), server.as("othello")]
    const den = { subscriptions: ["den"] }
    const first = await othello.send("den", "one", { read_by_sender: true })
    const second = await othello.send("den", "two", { read_by_sender: true })
    await change(cordelia, "add", "read", [first])
    await cordelia.must.post("/mark_all_as_read")
    await change(cordelia, "remove", "read", [first])
    const third = await othello.send("den", "three", { read_by_sender: true })
    const event_types = ["update_message_flags", "subscription", "stream"]
    const reader = await server.queue("cordelia", { event_types })
    await cordelia.must.delete("/users/me/subscriptions", den)
    t.match(await reader.take(3), [
      { type: "subscription", op: "remove" },
      { type: "update_message_flags", op: "add", flag: "read", messages: [first, third], all: false },
      { type: "stream", op: "delete" },
    ])
    // The channel is private: she has nothing of it while she is out of it.
    t.same(await flagsOf(cordelia, first, second, third), [])
    t.same(await unreadOf(cordelia), noUnread)
    const missed = await othello.send("den", "four", { read_by_sender: true })
    t.match(await change(cordelia, "remove", "read", [first]), { status: 400, body: { msg: "Invalid message(s)" } })
    const said = await server.as("hamlet").send("lobby", "one")
    await cordelia.must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
    const ignoring = { ignored_because_not_subscribed_channels: [channelId(server, "lobby")] }
    t.match(await cordelia.must.post("/messages/flags", { op: "remove", flag: "read", messages: [said] }), ignoring)
    const narrow = { anchor: "oldest", num_before: 0, num_after: 10, op: "remove", flag: "read" }
    t.match(await cordelia.must.post("/messages/flags/narrow", narrow), {
      ...ignoring,
      processed_count: 1,
      updated_count: 0,
      first_processed_id: said,
      last_processed_id: said,
      found_oldest: true,
      found_newest: true,
    })
    await othello.must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "den" }],
      principals: [server.idOf("cordelia")],
      send_new_subscription_messages: false,
    })
    t.match(await unreadOf(cordelia), { count: 0, streams: [] })
    t.same(await flagsOf(cordelia, first, second, third), [["read"], ["read"], ["read"]])
    const fresh = await othello.send("den", "five", { read_by_sender: true })
    t.match(await unreadOf(cordelia), { streams: [{ unread_message_ids: [fresh] }] })
    t.same(await idsOf(cordelia, is("unread")), [fresh])
    await change(cordelia, "remove", "read", [second, third])
    t.same(await idsOf(cordelia, is("unread")), [second, third, fresh], "unless they are marked as unread")
    t.match(await cordelia.post("/messages/flags", { op: "add", flag: "read", messages: [missed] }), {
      status: 400,
      body: { msg: "Invalid message(s)" },
    })
    await cordelia.must.post("/mark_stream_as_read", { stream_id: channelId(server, "den") })
    t.same(await unreadOf(cordelia), noUnread)
  }),
)

t.test("what is refused", (t) =>
  withServer(t, { channels }, async (server) => {
    const [hamlet, cordelia] = [server.as("hamlet"), server.as("cordelia")]
    const secret = await cordelia.send("den", "secret")
    const known = await cordelia.send("lobby", "known", { topic: "t" })
    const cases: ReadonlyArray<readonly [string, Fields, string]> = [
      ["/messages/flags", { op: "add", flag: "odd", messages: [known] }, "Invalid flag: 'odd'"],
      ["/messages/flags", { op: "add", flag: "mentioned", messages: [known] }, "Flag not editable: 'mentioned'"],
      [
        "/messages/flags",
        { op: "toggle", flag: "read", messages: [known] },
        "Invalid message flag operation: 'toggle'",
      ],
      ["/messages/flags", { op: "add", flag: "read", messages: [known, secret] }, "Invalid message(s)"],
      ["/messages/flags", { op: "add", flag: "starred", messages: [secret] }, "Invalid message(s)"],
      ["/messages/flags", { op: "add", flag: "starred", messages: [4711] }, "Invalid message(s)"],
      ["/mark_stream_as_read", { stream_id: channelId(server, "den") }, "Invalid channel ID"],
      ["/mark_topic_as_read", { stream_id: 4711, topic_name: "t" }, "Invalid channel ID"],
      [
        "/mark_topic_as_read",
        { stream_id: channelId(server, "lobby"), topic_name: "nothing" },
        "No such topic 'nothing'",
      ],
    ]
    for (const [path, fields, msg] of cases)
      t.match(await hamlet.post(path, fields), { status: 400, body: { msg } }, msg)
    t.same(await flagsOf(hamlet, known), [[]], "and nothing half done")
  }),
)
